/* comm_sweep.c - measures collective operations for calibrate-comm, through MPI or NCCL. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/comm_sweep.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/plugin.h"

const char *comm_sweep_launcher(void)
{
	/* Set for their ranks by Open MPI, by PMI-1 and PMI-2 (MPICH, Slurm), and by PMIx. */
	static const char *const marks[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK",
					    "PMIX_RANK"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (getenv(marks[i]))
			return "mpi";
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

/* The times with the columns of nccl-tests, so that calibrate-comm and others' scripts read them.
 */
static int write_log(const struct comm_sweep *c, const struct paleo_transport_info *info,
		     const struct paleo_sweep_point *points, int count, struct paleo_error *err)
{
	FILE *f = fopen(c->log, "w");

	if (!f)
		return paleo_fail(err, PALEO_EIO, "cannot write '%s'", c->log);
	fprintf(f, "# %s of float by paleo calibrate-comm: %s\n", collective_name(c->options.what),
		info->what);
	fprintf(f,
		"# time: median of %d samples at most; low, high: its 95 %% interval; the slowest "
		"rank's\n",
		c->options.samples);
	for (int r = 0; r < info->ranks; r++)
		fprintf(f, "# Rank %2d\n", r);
	fprintf(f, "# %10s %12s %12s %12s %12s %8s %6s\n", "size", "count", "time", "low", "high",
		"algbw", "#wrong");
	fprintf(f, "# %10s %12s %12s %12s %12s %8s\n", "(B)", "(elements)", "(us)", "(us)", "(us)",
		"(GB/s)");
	for (int i = 0; i < count; i++) {
		const struct paleo_sweep_point *p = &points[i];
		fprintf(f, "%12.0f %12.0f %12.3f %12.3f %12.3f %8.3f %6d\n", p->bytes,
			p->bytes / sizeof(float), 1e6 * p->median_s, 1e6 * p->ci_low_s,
			1e6 * p->ci_high_s, 1e-9 * p->bytes / p->median_s, 0);
	}
	int failed = ferror(f);
	if (fclose(f) || failed)
		return paleo_fail(err, PALEO_EIO, "writing '%s' failed", c->log);
	return PALEO_OK;
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
	int count = 0, rc = paleo_plugin_open_transport(c->through, &ranks->transport, err);

	if (!rc)
		rc = ranks->transport->open(c->ranks, &ranks->session, info, err);
	if (!rc)
		rc = paleo_sweep(ranks->transport, ranks->session, info->ranks, &c->options, &found,
				 &count, err);
	if (!rc)
		rc = keep(found, count, info->ranks, points, err);
	ranks->sizes = count;
	ranks->unsteady = count_unsteady(found, count);
	if (!rc && info->rank == 0 && c->log)
		rc = write_log(c, info, found, count, err);
	free(found);
	return rc;
}

void comm_sweep_end(struct comm_ranks *ranks, int failed)
{
	if (ranks->session)
		ranks->transport->close(ranks->session, failed);
	*ranks = (struct comm_ranks){0};
}
