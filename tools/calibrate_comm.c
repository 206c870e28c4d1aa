/* calibrate_comm.c - the command `calibrate-comm`: fits a link to measured collectives. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/save.h"
#include "base/table.h"
#include "base/text.h"
#include "calib/fit_comm.h"
#include "tools/choice.h"
#include "tools/comm_sweep.h"
#include "tools/option_rows.h"

/* In the order of enum paleo_collective. */
static const char *const collectives[] = {"all-reduce", "all-gather", "reduce-scatter", NULL};
static const char *const transports[] = {
#define TRANSPORT(name, ranks, ...) #name,
#include "bench/transports.def"
#undef TRANSPORT
	NULL};

enum {
	TRANSPORT_NONE = -1 /* no --through */
};

struct settings {
	const char *name, *title, *out;
	int ranks, ranges, collective;
	int through; /* of `transports` */
	struct paleo_sweep_options sweep;
	const char *log;
	int force, quiet;
};

#define SIZE_MAX_BYTES 68719476736 /* 64 GiB */
#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	TEXT("name", AT(name), "NAME", "what the link is called in the file (default fitted)"),
	TEXT("title", AT(title), "TEXT", "what it is, for people"),
	TEXT("out", AT(out), "FILE", "where to write it (default: only print)"),
	WORD("collective", AT(collective), "NAME", collectives,
	     "what was measured: {words} (default all-reduce)"),
	WHOLE("ranks", AT(ranks), "N", 2, 1 << 20,
	      "ranks that take part (default: as the file says; measuring: all there are)"),
	WHOLE("ranges", AT(ranges), "N", 0, 8,
	      "ranges of size at most; 0, the default: of up to eight ranges, one curve, and a "
	      "line from each size to the next, what tells sizes best that it has not seen"),
	{.name = "through",
	 .type = OPTION_WORD,
	 .offset = AT(through),
	 .argument = "NAME",
	 .help = "measure now"
#define TRANSPORT(name, links, what, ranks, ...) ", by " #name " (" ranks ")"
#include "bench/transports.def"
#undef TRANSPORT
	 ,
	 .words = transports},
	BYTES("from", AT(sweep.from_bytes), "BYTES", 4, SIZE_MAX_BYTES,
	      "measure vectors of this size (default 1K)"),
	BYTES("to", AT(sweep.to_bytes), "BYTES", 4, SIZE_MAX_BYTES,
	      "up to this size (default 64M)"),
	NUMBER("factor", AT(sweep.factor), "X", 1.01, 1024,
	       "each so many times larger than the one before (default 2)"),
	WHOLE("samples", AT(sweep.samples), "N", 1, PALEO_SWEEP_SAMPLES_MAX,
	      "times of each size; their median counts (default 25)"),
	TEXT("log", AT(log), "FILE", "write the measured times, in columns as nccl-tests have"),
	{.like = &option_quiet, .offset = AT(quiet)},
	{.like = &option_force,
	 .offset = AT(force),
	 .help = "write over whatever the files of --out and --log hold, and follow symbolic "
		 "links"},
	{0},
};

static void set_defaults(void *settings)
{
	struct settings *s = settings;

	s->name = "fitted";
	s->title = "";
	s->through = TRANSPORT_NONE;
	s->sweep.from_bytes = 1 << 10;
	s->sweep.to_bytes = 64 << 20;
	s->sweep.factor = 2;
	s->sweep.samples = 25;
	s->sweep.budget_s = 1;
}

static int set_text(char *to, size_t size, const char *option, const char *text,
		    struct paleo_error *err)
{
	if (strlen(text) >= size)
		return paleo_fail(err, PALEO_EINPUT, "--%s has %zu bytes, expected at most %zu",
				  option, strlen(text), size - 1);
	memcpy(to, text, strlen(text) + 1);
	return PALEO_OK;
}

static const struct paleo_file_kind link_kind = {.what = "links of paleo",
						 .marks = {"{", "\"links\"", "\"latency_s\""}};

/* `begun` NULL: it was not begun yet. */
static int write_file(const struct settings *s, struct paleo_save *begun,
		      const struct paleo_link *link, struct paleo_error *err)
{
	char *text = NULL;
	int rc = paleo_links_text(link, 1, &text, err);

	if (!rc && begun)
		rc = paleo_save_commit(begun, text, strlen(text), err);
	else if (!rc)
		rc = paleo_save(s->out, &link_kind, s->force, text, err);
	free(text);
	return rc;
}

static const struct paleo_column columns[] = {
	{.name = "to_bytes", .title = "up to bytes", .type = PALEO_CELL_NUMBER},
	{.name = "latency_s",
	 .title = "latency us",
	 .type = PALEO_CELL_NUMBER,
	 .scale = 1e6,
	 .decimals = 3},
	{.name = "se_latency_s",
	 .title = "+-",
	 .type = PALEO_CELL_NUMBER,
	 .scale = 1e6,
	 .decimals = 3},
	{.name = "bytes_per_s",
	 .title = "GB/s",
	 .type = PALEO_CELL_NUMBER,
	 .scale = 1e-9,
	 .decimals = 3},
	{.name = "se_bytes_per_s",
	 .title = "+-",
	 .type = PALEO_CELL_NUMBER,
	 .scale = 1e-9,
	 .decimals = 3},
};

enum {
	COLUMNS = sizeof(columns) / sizeof(columns[0])
};

static int print_ranges(const struct paleo_link *link, struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
	int rc = t ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	for (int i = 0; !rc && i < link->range_count; i++) {
		const struct paleo_link_range *r = &link->ranges[i];
		struct paleo_cell cells[COLUMNS] = {{.number = r->to_bytes},
						    {.number = r->latency_s},
						    {.number = r->se_latency_s},
						    {.number = r->bytes_per_s},
						    {.number = r->se_bytes_per_s}};
		rc = paleo_table_add(t, cells, err);
	}
	if (!rc)
		rc = paleo_table_print(t, PALEO_TABLE_TEXT, stdout, err);
	paleo_table_free(t);
	return rc;
}

/* What each form errs by at sizes that it has not seen, and which was taken. */
static void print_held_out(const struct paleo_comm_fit *fit)
{
	static const char *const forms[PALEO_COMM_FORMS] = {"ranges", "one curve",
							    "from size to size"};
	const char *separator = "sizes left out in turn: ";

	if (isnan(fit->held_out[fit->form]))
		return;
	for (int i = 0; i < PALEO_COMM_FORMS; i++) {
		if (isnan(fit->held_out[i]))
			continue;
		paleo_print(stdout, "%s%s %.1f %%", separator, forms[i], 100 * fit->held_out[i]);
		separator = ", ";
	}
	paleo_print(stdout, "; taken: %s\n", forms[fit->form]);
}

static int print_link(const struct paleo_link *link, const struct paleo_comm_fit *fit,
		      struct paleo_error *err)
{
	int rc = PALEO_OK;

	if (fit->form == PALEO_COMM_CURVE)
		paleo_print(
			stdout,
			"a message of B bytes: (L^v + (B/R)^v)^(1/v), L = %.3f us, R = %.3f GB/s, "
			"v = %.3f\n",
			1e6 * link->latency_s, 1e-9 * link->bytes_per_s, fit->overlap);
	else
		rc = print_ranges(link, err);
	if (!rc)
		paleo_print(stdout,
			    "%d times, of which half are met within %.1f %%, all within %.1f %%\n",
			    fit->points, 100 * fit->median_error, 100 * fit->max_error);
	print_held_out(fit);
	return rc;
}

/* Fits all points and shows the link; `from` is where they are from. */
static int fit(const struct settings *s, struct paleo_comm_points *points, const char *from,
	       struct paleo_save *begun, struct paleo_error *err)
{
	struct paleo_link link = {0};
	struct paleo_comm_fit fit;
	int passes = s->collective == PALEO_ALL_REDUCE ? 2 : 1;
	int rc = set_text(link.name, sizeof(link.name), "name", s->name, err);

	if (!rc)
		rc = set_text(link.title, sizeof(link.title), "title", s->title, err);
	if (!rc && s->ranges)
		rc = paleo_fit_comm(points, passes, s->ranges, &link, &fit, err);
	else if (!rc)
		rc = paleo_fit_comm_best(points, passes, &link, &fit, err);
	if (rc)
		return rc;
	snprintf(link.source, sizeof(link.source),
		 "fitted to %d measured times of %s by paleo calibrate-comm%s%.150s", fit.points,
		 collectives[s->collective], *from ? ": " : "", from);
	rc = print_link(&link, &fit, err);
	return !rc && s->out ? write_file(s, begun, &link, err) : rc;
}

static int run_files(const struct settings *s, const char *const *files, int count)
{
	struct paleo_comm_points points = {0};
	struct paleo_error err = {0};
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < count; i++)
		rc = paleo_comm_log_read(files[i], s->ranks, &points, &err);
	if (!rc)
		rc = fit(s, &points, "", NULL, &err);
	paleo_comm_points_release(&points);
	return rc ? command_fail(&command_calibrate_comm, &err) : EXIT_GOOD;
}

static int run_sweep(const struct settings *s, const char *through)
{
	struct comm_sweep sweep = {.through = through,
				   .ranks = s->ranks,
				   .options = s->sweep,
				   .log = s->log,
				   .out = s->out,
				   .out_kind = &link_kind,
				   .force = s->force,
				   .quiet = s->quiet};
	struct paleo_comm_points points = {0};
	struct comm_ranks ranks = {0};
	struct paleo_error err = {0};
	sweep.options.what = (enum paleo_collective)s->collective;
	int code = EXIT_GOOD, rc = comm_sweep_run(&sweep, &ranks, &points, &err);

	if (!rc && ranks.info.rank == 0) {
		paleo_print(stdout, "%s: %s\n", collectives[s->collective], ranks.info.what);
		rc = fit(s, &points, ranks.info.what, ranks.out, &err);
	}
	if (!rc && ranks.info.rank == 0 && ranks.unsteady)
		paleo_print(
			stderr,
			"paleo-calibrate-comm: the times of %d of %d sizes are not known to within "
			"10 %%: the machine was busy, or has more ranks than cores\n",
			ranks.unsteady, ranks.sizes);
	/* What fails before the ranks are joined fails in all of them alike, and the first one
	 * tells: a code of another's would have mpirun end the first before it has. */
	if (rc)
		code = ranks.session || ranks.info.rank == 0
			       ? command_fail(&command_calibrate_comm, &err)
			       : EXIT_GOOD;
	/* After the sweep nobody waits for this process any more. */
	comm_sweep_end(&ranks, rc && points.count == 0);
	paleo_comm_points_release(&points);
	return code;
}

static int misuse(const char *sentence)
{
	paleo_print(stderr, "paleo-calibrate-comm: %s (see --help)\n", sentence);
	return EXIT_MISUSE;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct settings *s = settings;
	const char *through = s->through == TRANSPORT_NONE ? NULL : transports[s->through];

	if (count && (through || s->log))
		return misuse("either files are read, or --through and --log measure: not both");
	if (count)
		return run_files(s, arguments, count);
	if (!through)
		through = comm_sweep_launcher();
	if (!through)
		return misuse("no file was given, a log of nccl-tests or what they write with -J, "
			      "and nothing to measure with: mpirun, or --through nccl");
	if (s->sweep.to_bytes < s->sweep.from_bytes)
		return misuse("--to is less than --from");
	return run_sweep(s, through);
}

const struct command command_calibrate_comm = {
	.name = "calibrate-comm",
	.what = "fits a link's latency and rate to measured collective operations",
	.usage = "[FILE...]",
	.about =
		"Reads logs of nccl-tests (all_reduce_perf and its siblings), or the JSON they "
		"write with -J, or measures by itself: through MPI when it is started as 'mpirun "
		"-np N paleo calibrate-comm', through NCCL on all GPUs of this host with --through "
		"nccl. Fits latency and bytes per second by ranges of size, with standard errors, "
		"or a "
		"curve, or a line from each size to the next: what errs least at sizes that were "
		"left out. "
		"'paleo simulate --link-calibration FILE' takes what --out writes.\n"
		"Exit status: 0 good, 1 it cannot be measured or fitted, 2 wrong options or files, "
		"3 "
		"MPI or NCCL is unusable, 4 too few of its devices.",
	.examples = "mpirun -np 2 paleo-calibrate-comm --name my-net --out my-net.json\n"
		    "paleo-calibrate-comm all_reduce.log --name my-nvlink --out my-nvlink.json\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = set_defaults,
	.run = run,
};
