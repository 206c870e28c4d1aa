/* calibrate.c - the command `calibrate`: fits the factors to a measured design, or to records. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/calibrate/calibrate.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "calib/fit.h"
#include "calib/holdout.h"
#include "calib/validate.h"
#include "library/find.h"
#include "library/own.h"
#include "library/source.h"
#include "model/predict/calibration_file.h"
#include "tools/cli/choice.h"
#include "tools/cli/options.h"
#include "tools/print/print.h"
#include "tools/session/measured.h"
#include "tools/session/progress.h"
#include "tools/session/records.h"

struct settings {
	const char *device, *devices;
	struct option_list from;
	struct option_list passes;
	int full_pass; /* the passes of the networks, too */
	int batch;
	double budget_s;
	int dtype;
	int layout;
	int mode;
	int sustained; /* enum paleo_regime */
	int threads;
	int operand_sets, quiet;
	int timed_by; /* enum paleo_timed_by */
	const char *output;
	const char *records;
	int resume, retry_failed, force;
	int verbose;
	int format;
	const char *link; /* calibrate a link instead; with the next four */
	int workers, collective, transport, rounds;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	LIKE_MORE(device, AT(device),
		  "; 0+1 divide the ops; of tables, the name of the device "
		  "they were measured on"),
	LIKE(device_file, AT(devices)),
	LIKE_BUT(from, AT(from),
		 "fit these records (.jsonl), published tables of times (.csv) or traces of "
		 "torch.profiler, plain or gzipped, instead of measuring; repeatable"),
	LIKE_MORE(passes, AT(passes), ": correct whole networks by them"),
	LIKE(operand_sets, AT(operand_sets)),
	LIKE(timed_by, AT(timed_by)),
	LIKE_BUT(time_budget, AT(budget_s),
		 "stop measuring after this time, counted from when the device is open (default "
		 "60s)"),
	LIKE(full_pass, AT(full_pass)),
	LIKE_BUT(batch, AT(batch),
		 "batch size of the networks (default: the network file's; on a CPU at most 4)"),
	LIKE(dtype, AT(dtype)),
	LIKE(layout, AT(layout)),
	LIKE(mode, AT(mode)),
	LIKE(sustained, AT(sustained)),
	LIKE(threads, AT(threads)),
	LIKE_BUT(output, AT(output),
		 "calibration file (default paleo-results/DEVICE/calibration.json)"),
	LIKE_MORE(
		records, AT(records),
		" (default paleo-results/DEVICE/design-DTYPE.jsonl, with the layout, --threads and "
		"--sustained appended to DTYPE)"),
	LIKE_BUT(resume, AT(resume), "keep what the records file has and measure the rest"),
	LIKE(retry_failed, AT(retry_failed)),
	LIKE(force, AT(force)),
	LIKE_BUT(
		verbose, AT(verbose),
		"print every factor and its parameters, and where the wall time of measuring went"),
	LIKE(format, AT(format)),
	LIKE(quiet, AT(quiet)),
	LIKE_BUT(link, AT(link),
		 "calibrate a link of this name instead of a device, by collective operations; "
		 "--records takes the measured times, in columns of nccl-tests"),
	LIKE(transport, AT(transport)),
	LIKE(collective, AT(collective)),
	LIKE_BUT(ranks, AT(workers),
		 "with --link: number of workers (default: the file's; measuring: all there are)"),
	LIKE_BUT(rounds, AT(rounds),
		 "with --link: times to measure each size; medians are used (default 25)"),
	{0},
};

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->device = "auto";
	s->dtype = CHOICE_DTYPE_OWN;
	s->budget_s = 60;
	s->transport = LINK_NO_TRANSPORT;
}

/* Everything one run holds. */
struct calibrate {
	const struct settings *settings;
	const char *const *nets; /* whose ops are measured, too */
	int net_count;
	FILE *notes;       /* what is not the table */
	int tables;        /* 1: other people's tables are fitted */
	const char *dtype; /* of tables that do not say it; NULL: not given */
	struct paleo_results results;
	struct paleo_save *save; /* of the calibration; NULL: not begun yet */
	int interrupted;
	struct progress progress; /* of fitting */
	struct divided divided;   /* of several devices that divide the ops */
};

/* Makes sure that the calibration can be written. */
static int begin_output(struct calibrate *c, const char *path, struct paleo_error *err)
{
	PALEO_TRY(make_folders(path, err));

	return paleo_save_begin(path, &paleo_calibration_kind, c->settings->force, &c->save, err);
}

static int read_records(struct calibrate *c, struct paleo_error *err)
{
	const struct settings *s = c->settings;
	const struct tables_settings ts = {
		.device = strcmp(s->device, "auto") != 0 ? s->device : NULL,
		.devices = s->devices,
		.dtype = c->dtype,
		.timed_by = (enum paleo_timed_by)s->timed_by,
		.notes = c->notes,
	};

	int rc = tables_given(s->from.items, s->from.count, err);
	if (rc < 0)
		return rc;
	c->tables = rc;
	rc = c->tables ? tables_read(&ts, s->from.items, s->from.count, &c->results, err)
		       : merge_results(s->from.items, s->from.count, &c->results, err);
	if (!rc)
		paleo_print(c->notes, "%d record%s of %s: %s\n", c->results.count,
			    c->results.count == 1 ? "" : "s", c->results.meta.device.title,
			    c->results.meta.versions);
	if (!rc && c->tables && !c->results.meta.timed_by)
		paleo_print(c->notes,
			    "Timed by: unknown, so networks take launches as they were timed; "
			    "--timed-by host or events if they include the CPU's dispatch\n");
	return rc;
}

static int measure_records(struct calibrate *c, struct paleo_error *err)
{
	const struct settings *s = c->settings;
	const struct designed_settings ds = {
		.nets = c->nets,
		.net_count = c->net_count,
		.graph_nets = c->nets,
		.graph_net_count = s->full_pass ? c->net_count : 0,
		.batch = s->batch,
		.device = s->device,
		.budget_s = s->budget_s,
		.dtype = (enum paleo_dtype)s->dtype,
		.layout = (enum paleo_layout)s->layout,
		.mode = (enum paleo_cache_mode)s->mode,
		.regime = (enum paleo_regime)s->sustained,
		.threads = s->threads,
		.seed = 1,
		.records = s->records,
		.verbose = s->verbose,
		.resume = s->resume,
		.retry_failed = s->retry_failed,
		.force = s->force,
		.quiet = s->quiet,
		.notes = c->notes,
		.divided = &c->divided,
	};

	int rc = designed_check(&ds, err);
	return rc ? rc : designed_measure(&ds, &c->results, &c->interrupted, err);
}

static void print_report(const struct calibrate *c, const struct paleo_fit_report *r)
{
	const struct {
		int count;
		const char *what;
	} left_out[] = {
		{r->not_ok, "without a usable time left out"},
		{r->mode, "in another cache state"},
		{r->differs, "of devices that differ"},
		{r->disturbed, "disturbed"},
		{r->no_peak, "of a dtype without a known peak"},
	};

	paleo_print(c->notes, "fitted to %d record%s", r->used, r->used == 1 ? "" : "s");
	for (size_t i = 0; i < sizeof(left_out) / sizeof(*left_out); i++)
		if (left_out[i].count)
			paleo_print(c->notes, ", %d %s", left_out[i].count, left_out[i].what);
	if (r->surplus)
		paleo_print(c->notes, ", %d beyond %d of their kind", r->surplus,
			    PALEO_FIT_ROWS_MAX);
	fputc('\n', c->notes);
}

/* Gain of more time, estimated from the calibration's own records. */
static int print_learning(struct calibrate *c, const struct paleo_fit_options *how, int records,
			  struct paleo_error *err)
{
	struct paleo_learning l;

	if (records < PALEO_LEARNING_MIN) {
		paleo_print(stdout, "\nLearning curve: needs at least %d records.\n",
			    PALEO_LEARNING_MIN);
		return PALEO_OK;
	}
	progress_begin(&c->progress, "learning curve");
	int rc = paleo_learning_curve(&c->results, how, &l, err);
	progress_clear(&c->progress);
	if (rc)
		return rc;
	paleo_print(stdout,
		    "\nLearning curve: median held-out error %.1f %% with %d records, %.1f "
		    "%% with %d, %.1f %% with %d\n",
		    100 * l.median[0], l.records[0], 100 * l.median[1], l.records[1],
		    100 * l.median[2], l.records[2]);
	if (l.slope > 0)
		paleo_print(stdout,
			    "Twice the time would give about %.1f %% (floor + slope / "
			    "sqrt(records)).\n",
			    100 * l.twice);
	else
		paleo_print(stdout,
			    "More time would not lower it: the rest is model error or noise.\n");
	return PALEO_OK;
}

/* The passes of --passes next to those of the records, whose rows then belong to *out. */
static int gather_passes(struct calibrate *c, const struct paleo_calibration *to,
			 struct paleo_results *out, struct paleo_error *err)
{
	const struct option_list *files = &c->settings->passes;

	PALEO_TRY(files->count ? merge_results(files->items, files->count, out, err) : PALEO_OK);
	if (files->count && strcmp(out->meta.device.name, to->device.name) != 0)
		return paleo_fail(err, PALEO_EINPUT, "--passes: '%s' holds passes of %s, not of %s",
				  files->items[0], out->meta.device.name, to->device.name);
	for (int i = 0; i < c->results.pass_count; i++) {
		PALEO_TRY(paleo_results_add_pass(out, &c->results.passes[i], err));
		c->results.passes[i].rows = NULL;
	}
	return PALEO_OK;
}

/* Corrections of whole passes: they are to sums of ops measured alone, cold. */
static int add_passes(struct calibrate *c, const char *mode, struct paleo_calibration *to,
		      struct paleo_error *err)
{
	const struct option_list *files = &c->settings->passes;
	struct paleo_results r = {.count = 0};
	char title[PALEO_GRAPH_RECORD_TITLE_MAX];

	if (strcmp(mode, "cold") != 0) {
		if (files->count)
			return paleo_fail(
				err, PALEO_EINPUT,
				"--passes corrects totals of cold times; these records are %s",
				mode);
		if (c->results.pass_count)
			paleo_print(c->notes,
				    "No correction of whole networks: the %d pass%s --mode cold.\n",
				    c->results.pass_count,
				    c->results.pass_count == 1 ? " needs" : "es need");
		return PALEO_OK;
	}
	int rc = gather_passes(c, to, &r, err);
	if (!rc)
		to->pass_count = paleo_fit_passes(r.passes, r.pass_count, NULL, to->passes);
	if (!rc && !to->pass_count && files->count)
		rc = paleo_fail(
			err, PALEO_EINPUT,
			"--passes: no full pass in '%s' with all ops measured in isolation; use"
			" paleo-fullpass --from PROFILE --output FILE",
			files->items[0]);
	else if (!rc && !to->pass_count && r.pass_count)
		paleo_print(c->notes,
			    "No correction of whole networks: no pass has all of its ops measured "
			    "in isolation.\n");
	for (int i = 0; !rc && i < to->pass_count; i++) {
		const struct paleo_pass_correction *p = &to->passes[i];
		paleo_graph_record_title(p->extent, p->layout, p->fused, title);
		paleo_print(c->notes, "full pass, %s %s: %.3f of the sum of its ops", title,
			    paleo_dtype_name(p->dtype), p->factor);
		if (p->update_factor > 0)
			paleo_print(c->notes, ", %.3f of its optimizer updates", p->update_factor);
		paleo_print(c->notes, " (%d net%s)\n", p->nets, p->nets == 1 ? "" : "s");
	}
	paleo_results_release(&r);
	return rc;
}

/* Writes the calibration, and says what uses it. */
static int save(struct calibrate *c, const struct paleo_calibration *calibration, const char *path,
		struct paleo_error *err)
{
	double error = paleo_calibration_heldout(calibration);

	if (!c->save)
		PALEO_TRY(begin_output(c, path, err));
	PALEO_TRY(paleo_calibration_save(calibration, c->save, err));
	paleo_print(c->notes, "\ncalibration: %s\n", path);
	if (error > PALEO_OWN_ERROR_MAX)
		paleo_print(
			c->notes,
			"Its median held-out error of %.0f %% is above %.0f %%: commands use it "
			"only with --calibration%s\n",
			100 * error, 100 * PALEO_OWN_ERROR_MAX,
			c->tables ? "" : "; --resume adds records");
	paleo_print(c->notes, "To validate it: paleo-validate --calibration %s %s\n", path,
		    c->tables ? "TABLE.csv... (other rows)" : "RECORDS.jsonl... (of networks)");
	return PALEO_OK;
}

static int fit(struct calibrate *c, struct paleo_error *err)
{
	char now[32] = "", usual[PALEO_PATH_MAX];
	const char *path = c->settings->output;
	time_t t = time(NULL);
	struct tm utc;
	struct paleo_fit_options how = {.mode = c->tables ? "hot" : choice_mode[c->settings->mode],
					.created_utc = now,
					.operand_sets = c->settings->operand_sets};
	struct paleo_fit_report report;
	struct paleo_calibration calibration;

	how.progress = progress_listener(&c->progress);
	if (gmtime_r(&t, &utc))
		strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", &utc);
	progress_begin(&c->progress, "fitting and cross-validating");
	int rc = paleo_fit(&c->results, &how, &calibration, &report, err);
	progress_clear(&c->progress);
	if (rc)
		return rc;
	print_report(c, &report);
	rc = lean_on_presets(&c->results, how.mode, &calibration, c->notes, err);
	if (!rc)
		rc = add_passes(c, how.mode, &calibration, err);
	if (!rc)
		rc = paleo_fit_power(&c->results, &how, &calibration.power, err);
	if (rc) {
		paleo_calibration_release(&calibration);
		return rc;
	}
	snprintf(usual, sizeof(usual), "paleo-results/%s/calibration.json",
		 calibration.device.name);
	if (!path)
		path = usual;
	const enum paleo_table_format format = (enum paleo_table_format)c->settings->format;
	rc = !paleo_table_is_data(format) && !c->settings->verbose
		     ? factors_print_brief(&calibration, format, stdout, err)
		     : factors_print(&calibration, format, stdout, err);
	if (!rc && !c->settings->from.count && !paleo_table_is_data(format))
		rc = print_learning(c, &how, report.used, err);
	if (!rc)
		rc = verdict_of_calibration(&calibration, c->notes, err);
	if (!rc)
		rc = save(c, &calibration, path, err);
	paleo_calibration_release(&calibration);
	return rc;
}

/* Reports options that contradict each other. */
static int goes_together(const struct calibrate *c)
{
	const struct settings *s = c->settings;
	const char *why = NULL;

	if (s->from.count && c->net_count)
		why = "networks are measured, but --from measures nothing: leave one of them out";
	else if ((s->full_pass || s->batch) && !c->net_count)
		why = "--full-pass and --batch need networks to measure";
	else if (s->full_pass && s->mode != PALEO_COLD)
		why = "--full-pass needs --mode cold: passes are compared with ops measured alone, "
		      "cold";
	else if (s->full_pass && (ranks_launcher() || strchr(s->device, '+')))
		why = "--full-pass runs whole networks, which several devices do not divide";
	else if (s->passes.count && s->mode != PALEO_COLD)
		why = "--passes needs --mode cold: passes are compared with ops measured alone, "
		      "cold";
	else if (s->transport != LINK_NO_TRANSPORT || s->collective || s->workers || s->rounds)
		why = "--transport, --collective, --workers and --rounds need --link";
	if (why)
		paleo_print(stderr, "paleo-calibrate: %s\n", why);
	return !why;
}

static int calibrate_link(const struct settings *s, const char *const *files, int count)
{
	const struct link_settings link = {.name = s->link,
					   .output = s->output,
					   .records = s->records,
					   .workers = s->workers,
					   .collective = s->collective,
					   .transport = s->transport,
					   .rounds = s->rounds,
					   .force = s->force,
					   .quiet = s->quiet};

	return link_calibrate(&link, files, count);
}

static int calibrate_device(struct calibrate *c)
{
	struct paleo_error err = {0};

	if (!goes_together(c))
		return EXIT_MISUSE;
	c->notes = paleo_table_is_data(c->settings->format) ? stderr : stdout;
	progress_open(&c->progress, c->settings->quiet);
	int rc = c->settings->from.count
			 ? PALEO_OK
			 : divided_begin(&c->divided, c->settings->device, &c->notes, &err);
	/* reported now rather than after a minute of measuring */
	if (!rc && c->settings->output && !c->divided.is_other)
		rc = begin_output(c, c->settings->output, &err);
	if (!rc)
		rc = c->settings->from.count ? read_records(c, &err) : measure_records(c, &err);
	if (!rc && !c->interrupted && !c->divided.is_other)
		rc = fit(c, &err);
	paleo_save_end(c->save);
	paleo_results_release(&c->results);
	if (!rc && c->interrupted && !c->divided.is_other)
		paleo_print(stderr, "paleo-calibrate: interrupted; --resume continues\n");
	int code = c->interrupted         ? EXIT_INTERRUPTED
		   : c->divided.missing   ? EXIT_ROWS
		   : c->divided.differing ? EXIT_SLOWER
					  : EXIT_GOOD;
	if (rc && !divided_tell(&c->divided, &err))
		code = command_fail(&command_calibrate, &err);
	divided_end(&c->divided, code);
	return code;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct settings s = *(const struct settings *)settings;
	struct calibrate c = {.settings = &s, .nets = arguments, .net_count = count};
	struct paleo_error err = {0};

	if (s.link)
		return calibrate_link(&s, arguments, count);
	if (s.dtype != CHOICE_DTYPE_OWN)
		c.dtype = paleo_dtype_name((enum paleo_dtype)s.dtype);
	if (choice_own_dtype(arguments, count, s.batch, &s.dtype, NULL, &err))
		return command_fail(&command_calibrate, &err);
	return calibrate_device(&c);
}

const struct command command_calibrate = {
	.name = "calibrate",
	.what = "fit the cost models to this device, or to a link's collectives",
	.usage = "[NET...] | --link NAME [FILE...]",
	.about = "Measures ops of many shapes on the device, and those of the networks given, "
		 "within a time budget. Fits to them, per kind of op, pass and dtype, the "
		 "platform percent of peak (PPP) of compute and memory, and the overhead; some "
		 "kinds have kernel models (docs/reference/cost-model.md). --from fits records, "
		 "published tables of times or traces instead.\n"
		 "Prints a row for each kind of op: the range of PPP, and the held-out error on "
		 "ops that the fit has not seen. --verbose and --format csv print each factor "
		 "with its standard error, '-' where the records do not determine it. "
		 "paleo-validate prints the error on whole networks.\n"
		 "--device 0+1 divides the ops over equal GPUs, mpirun and srun over those "
		 "of the ranks; a device that differs is left out.\n"
		 "--link calibrates an interconnect instead. It reads logs of nccl-tests "
		 "(all_reduce_perf and its siblings) or their JSON (-J), or measures: through "
		 "MPI under 'mpirun -np N paleo calibrate --link NAME', through NCCL on all GPUs "
		 "of this node by --transport nccl. It fits latency and bandwidth by ranges of "
		 "size, with standard errors, or a curve, or interpolates between sizes: the "
		 "form with the smallest cross-validated error. 'paleo simulate --link-file "
		 "FILE' reads its output.\n"
		 "Exit status: 0 success, 1 not measured or fitted, or out of memory, 2 wrong "
		 "options or files, 3 unusable vendor libraries, MPI or NCCL, 4 no such device, "
		 "or too few, 6 devices that divide the ops differ, 130 interrupted.",
	.examples = "paleo-calibrate --time-budget 60s\n"
		    "paleo-calibrate --from times.csv --device l4 --output l4.json\n"
		    "mpirun -np 2 paleo-calibrate --link my-net --output my-net.json\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
