/* comm_sweep.c - measures collective operations for calibrate-comm, through a transport. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/comm_sweep.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/collect.h"
#include "base/save.h"
#include "base/text.h"
#include "bench/plugin.h"
#include "tools/session/progress.h"

const char *comm_sweep_launcher(void)
{
	int count;
	const struct paleo_transport_entry *transports = paleo_transports(&count);

	for (int i = 0; i < count; i++)
		for (const char *const *mark = transports[i].launched_by; *mark; mark++)
			if (getenv(*mark))
				return transports[i].name;
	return NULL;
}

static const char *collective_name(enum paleo_collective what)
{
	switch (what) {
	case PALEO_ALL_REDUCE:
		return "all-reduce";
	case PALEO_ALL_GATHER:
		return "all-gather";
	case PALEO_REDUCE_SCATTER:
		return "reduce-scatter";
	}
	return "?";
}

static const struct paleo_file_kind log_kind = {.what = "times of paleo calibrate-comm",
						.marks = {"# ", "by paleo calibrate-comm: "}};

/* The times with the columns of nccl-tests, so that calibrate-comm and others' scripts read them.
 */
static void print_log(const struct comm_sweep *c, const struct paleo_transport_info *info,
		      const struct paleo_sweep_point *points, int count, FILE *f)
{
	paleo_print(f, "# %s of float by paleo calibrate-comm: %s\n",
		    collective_name(c->options.what), info->what);
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
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < count; i++) {
		struct paleo_comm_point p = {
			.ranks = ranks, .bytes = found[i].bytes, .time_s = found[i].median_s};
		rc = paleo_comm_points_add(points, &p, err);
	}
	return rc;
}

int comm_sweep_run(const struct comm_sweep *c, struct comm_ranks *ranks,
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
	/* told now rather than after the measuring */
	if (!rc && info->rank == 0 && c->log)
		rc = paleo_save_begin(c->log, &log_kind, c->force, &log, err);
	if (!rc && info->rank == 0 && c->out)
		rc = paleo_save_begin(c->out, c->out_kind, c->force, &ranks->out, err);
	progress_open(&progress, c->quiet || info->rank != 0);
	progress_begin(&progress, "measuring, from the smallest size to the largest");
	options.told = progress_told(&progress);
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

void comm_sweep_end(struct comm_ranks *ranks, int failed)
{
	paleo_save_end(ranks->out);
	if (ranks->session)
		ranks->transport->close(ranks->session, failed);
	*ranks = (struct comm_ranks){0};
}
