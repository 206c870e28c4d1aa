/* link.c - `calibrate --link`: measures collective operations, fits a link to them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/save.h"
#include "base/table.h"
#include "base/text.h"
#include "bench/sweep.h"
#include "bench/transport.h"
#include "calib/comm_log.h"
#include "calib/fit_comm.h"
#include "tools/calibrate/calibrate.h"
#include "tools/cli/choice.h"
#include "tools/session/progress.h"

enum {
	SAMPLES = 25 /* of each size, where --rounds is not given */
};

/* The measurement and its output files. */
struct comm_sweep {
	const char *through; /* a transport: "mpi" */
	int ranks;           /* 0: all there are */
	struct paleo_sweep_options options;
	const char *log; /* file for the times, or NULL */
	const char *out; /* file for what will be fitted to them, or NULL */
	const struct paleo_file_kind *out_kind;
	int force; /* 1: write over whatever these files hold */
	int quiet; /* 1: no line of progress */
};

/* A run that still has its ranks; zero: none. */
struct comm_ranks {
	const struct paleo_transport *transport;
	struct paleo_transport_session *session;
	struct paleo_transport_info info;
	struct paleo_save *out; /* begun in the process of rank 0 */
	int sizes, unsteady;    /* measured; of these not known to within 10 % */
};

static const struct paleo_file_kind log_kind = {.what = "times of paleo calibrate --link",
						.marks = {"# ", "by paleo calibrate --link: "}};

/* The times with the columns of nccl-tests, so that calibrate --link and others' scripts read them.
 */
static void print_log(const struct comm_sweep *c, const struct paleo_transport_info *info,
		      const struct paleo_sweep_point *points, int count, FILE *f)
{
	paleo_print(f, "# %s of float by paleo calibrate --link: %s\n",
		    choice_collective[c->options.what], info->what);
	paleo_print(f,
		    "# time: median of %d samples at most; low, high: its 95 %% interval if "
		    "samples are independent; the slowest rank's\n",
		    c->options.samples);
	for (int r = 0; r < info->ranks; r++)
		paleo_print(f, "# Rank %2d\n", r);
	paleo_print(f, "# %10s %12s %12s %12s %12s %8s %6s\n", "size", "count", "time", "low",
		    "high", "algbw", "#wrong");
	paleo_print(f, "# %10s %12s %12s %12s %12s %8s\n", "(B)", "(elements)", "(us)", "(us)",
		    "(us)", "(GB/s)");
	for (int i = 0; i < count; i++) {
		const struct paleo_sweep_point *p = &points[i];
		paleo_print(f, "%12.0f %12.0f %12.3f %12.3f %12.3f %8.3f %6d\n", p->bytes,
			    p->bytes / sizeof(float), 1e6 * p->median_s, 1e6 * p->ci_low_s,
			    1e6 * p->ci_high_s, 1e-9 * p->bytes / p->median_s, 0);
	}
}

static int write_log(const struct comm_sweep *c, const struct paleo_transport_info *info,
		     const struct paleo_sweep_point *points, int count, struct paleo_save *to,
		     struct paleo_error *err)
{
	struct paleo_collected text = {0};
	FILE *f = paleo_collect(&text);

	if (!f)
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", c->log);
	print_log(c, info, points, count, f);
	int rc = paleo_collect_close(f) ? paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", c->log)
					: paleo_save_commit(to, text.text, text.size, err);
	free(text.text);
	return rc;
}

/* Sizes whose median is not known to within 10 %: somebody else was at work. */
static int count_unsteady(const struct paleo_sweep_point *found, int count)
{
	int n = 0;

	for (int i = 0; i < count; i++)
		n += found[i].ci_high_s - found[i].ci_low_s > 0.2 * found[i].median_s;
	return n;
}

static int keep(const struct paleo_sweep_point *found, int count, int ranks,
		struct paleo_comm_points *points, struct paleo_error *err)
{
	for (int i = 0; i < count; i++) {
		struct paleo_comm_point p = {
			.ranks = ranks, .bytes = found[i].bytes, .time_s = found[i].median_s};
		PALEO_TRY(paleo_comm_points_add(points, &p, err));
	}
	return PALEO_OK;
}

/*
 * Joins the ranks, measures, adds the times to *points, and writes the log in the one
 * process that has to print: that of rank 0. Also after a failure comm_sweep_end()
 * must be called, when the reason has been printed.
 */
static int comm_sweep_run(const struct comm_sweep *c, struct comm_ranks *ranks,
			  struct paleo_comm_points *points, struct paleo_error *err)
{
	struct paleo_transport_info *info = &ranks->info;
	struct paleo_sweep_point *found = NULL;
	struct paleo_sweep_options options = c->options;
	struct paleo_save *log = NULL;
	struct progress progress;
	int count = 0, rc = paleo_plugin_open_transport(c->through, &ranks->transport, err);

	if (!rc)
		rc = ranks->transport->open(c->ranks, &ranks->session, info, err);
	/* reported now rather than after the measuring */
	if (!rc && info->rank == 0 && c->log)
		rc = paleo_save_begin(c->log, &log_kind, c->force, &log, err);
	if (!rc && info->rank == 0 && c->out)
		rc = paleo_save_begin(c->out, c->out_kind, c->force, &ranks->out, err);
	progress_open(&progress, c->quiet || info->rank != 0);
	progress_begin(&progress, "measuring, from the smallest size to the largest");
	options.progress = progress_listener(&progress);
	if (!rc)
		rc = paleo_sweep(ranks->transport, ranks->session, info->ranks, &options, &found,
				 &count, err);
	progress_clear(&progress);
	if (!rc)
		rc = keep(found, count, info->ranks, points, err);
	ranks->sizes = count;
	ranks->unsteady = count_unsteady(found, count);
	if (!rc && log)
		rc = write_log(c, info, found, count, log, err);
	paleo_save_end(log);
	free(found);
	return rc;
}

/* Leaves the ranks; where this process failed, others are ended and it may not return. */
static void comm_sweep_end(struct comm_ranks *ranks, int failed)
{
	paleo_save_end(ranks->out);
	if (ranks->session)
		ranks->transport->close(ranks->session, failed);
	*ranks = (struct comm_ranks){0};
}

static const struct paleo_file_kind link_kind = {.what = "links of paleo",
						 .marks = {"{", "\"links\"", "\"latency_s\""}};

/* `begun` NULL: it was not begun yet. */
static int write_file(const struct link_settings *s, struct paleo_save *begun,
		      const struct paleo_link *link, struct paleo_error *err)
{
	char *text = NULL;
	int rc = paleo_links_text(link, 1, &text, err);

	if (!rc && begun)
		rc = paleo_save_commit(begun, text, strlen(text), err);
	else if (!rc)
		rc = paleo_save(s->output, &link_kind, s->force, text, err);
	free(text);
	return rc;
}

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_WHOLE("to_bytes", "up to bytes"), .number = r->to_bytes)                    \
	X(PALEO_COLUMN_NUMBER("latency_s", "latency us", 1e6, 3), .number = r->latency_s)          \
	X(PALEO_COLUMN_NUMBER("se_latency_s", "+-", 1e6, 3), .number = r->se_latency_s)            \
	X(PALEO_COLUMN_NUMBER("bytes_per_s", "GB/s", 1e-9, 3), .number = r->bytes_per_s)           \
	X(PALEO_COLUMN_NUMBER("se_bytes_per_s", "+-", 1e-9, 3), .number = r->se_bytes_per_s)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

static int print_ranges(const struct paleo_link *link, struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	int rc = t ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	for (int i = 0; !rc && i < link->range_count; i++) {
		const struct paleo_link_range *r = &link->ranges[i];
		const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
		rc = paleo_table_add(t, cells, err);
	}
	if (!rc)
		rc = paleo_table_print(t, PALEO_TABLE_TEXT, stdout, err);
	paleo_table_free(t);
	return rc;
}

/* The cross-validated error of each form, and which was chosen. */
static void print_held_out(const struct paleo_comm_fit *fit)
{
	static const char *const forms[PALEO_COMM_FORMS] = {"ranges", "one curve", "interpolation"};
	const char *separator = "cross-validated error: ";

	if (isnan(fit->held_out[fit->form]))
		return;
	for (int i = 0; i < PALEO_COMM_FORMS; i++) {
		if (isnan(fit->held_out[i]))
			continue;
		paleo_print(stdout, "%s%s %.1f %%", separator, forms[i], 100 * fit->held_out[i]);
		separator = ", ";
	}
	paleo_print(stdout, "; chosen: %s\n", forms[fit->form]);
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
		paleo_print(stdout, "%d times: median error %.1f %%, largest %.1f %%\n",
			    fit->points, 100 * fit->median_error, 100 * fit->max_error);
	print_held_out(fit);
	return rc;
}

/* Fits all points and shows the link; `from` is where they are from. */
static int fit(const struct link_settings *s, struct paleo_comm_points *points, const char *from,
	       struct paleo_save *begun, struct paleo_error *err)
{
	struct paleo_link link = {0};
	struct paleo_comm_fit fit;
	int passes = s->collective == PALEO_ALL_REDUCE ? 2 : 1;

	if (strlen(s->name) >= sizeof(link.name))
		return paleo_fail(err, PALEO_EINPUT, "--link has %zu bytes, expected at most %zu",
				  strlen(s->name), sizeof(link.name) - 1);
	memcpy(link.name, s->name, strlen(s->name) + 1);
	PALEO_TRY(paleo_fit_comm_best(points, passes, &link, &fit, err));
	snprintf(link.source, sizeof(link.source),
		 "fitted to %d measured times of %s by paleo calibrate --link%s%.150s", fit.points,
		 choice_collective[s->collective], *from ? ": " : "", from);
	PALEO_TRY(print_link(&link, &fit, err));
	return s->output ? write_file(s, begun, &link, err) : PALEO_OK;
}

static int fit_files(const struct link_settings *s, const char *const *files, int count)
{
	struct paleo_comm_points points = {0};
	struct paleo_error err = {0};
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < count; i++)
		rc = paleo_comm_log_read(files[i], s->workers, &points, &err);
	if (!rc)
		rc = fit(s, &points, "", NULL, &err);
	paleo_comm_points_release(&points);
	return rc ? command_fail(&command_calibrate, &err) : EXIT_GOOD;
}

static int measure(const struct link_settings *s, const char *through)
{
	struct comm_sweep sweep = {.through = through,
				   .ranks = s->workers,
				   .options = {.what = (enum paleo_collective)s->collective,
					       .from_bytes = 1 << 10,
					       .to_bytes = 64 << 20,
					       .factor = 2,
					       .samples = s->rounds ? s->rounds : SAMPLES,
					       .budget_s = 1},
				   .log = s->records,
				   .out = s->output,
				   .out_kind = &link_kind,
				   .force = s->force,
				   .quiet = s->quiet};
	struct paleo_comm_points points = {0};
	struct comm_ranks ranks = {0};
	struct paleo_error err = {0};
	int code = EXIT_GOOD, rc = comm_sweep_run(&sweep, &ranks, &points, &err);

	if (!rc && ranks.info.rank == 0) {
		paleo_print(stdout, "%s: %s\n", choice_collective[s->collective], ranks.info.what);
		rc = fit(s, &points, ranks.info.what, ranks.out, &err);
	}
	if (!rc && ranks.info.rank == 0 && ranks.unsteady)
		paleo_print(
			stderr,
			"paleo-calibrate: %d of %d sizes have medians known no better than within "
			"10 %%: machine busy, or more ranks than cores\n",
			ranks.unsteady, ranks.sizes);
	/* A failure before the ranks have joined occurs in all of them alike, and the first reports
	 * it: with another's exit code mpirun would end the first before it has. */
	if (rc)
		code = ranks.session || ranks.info.rank == 0
			       ? command_fail(&command_calibrate, &err)
			       : EXIT_GOOD;
	/* After the sweep no other process waits for this one. */
	comm_sweep_end(&ranks, rc && points.count == 0);
	paleo_comm_points_release(&points);
	return code;
}

int link_calibrate(const struct link_settings *s, const char *const *files, int count)
{
	const char *through =
		s->transport == LINK_NO_TRANSPORT ? NULL : choice_transport[s->transport];

	if (count && (through || s->records))
		return command_misuse(&command_calibrate,
				      "--link reads files, or measures with --transport and "
				      "--records: not both");
	if (count)
		return fit_files(s, files, count);
	if (!through)
		through = paleo_transport_launcher();
	if (!through)
		return command_misuse(
			&command_calibrate,
			"--link needs a log of nccl-tests (or what they write with -J), "
			"mpirun, or --transport nccl");
	return measure(s, through);
}
