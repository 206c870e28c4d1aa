/* comm_sweep.h - measures collective operations for calibrate-comm, through a transport. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_COMM_SWEEP_H
#define PALEO_TOOLS_COMM_SWEEP_H

#include "base/save.h"
#include "bench/sweep.h"
#include "calib/comm_log.h"

/* What is to be measured, and where it is written. */
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

/* The transport whose launcher started this process ("mpi"), or NULL. */
const char *comm_sweep_launcher(void);

/* A run that still has its ranks; zero: none. */
struct comm_ranks {
	const struct paleo_transport *transport;
	struct paleo_transport_session *session;
	struct paleo_transport_info info;
	struct paleo_save *out; /* begun in the process of rank 0 */
	int sizes, unsteady;    /* measured; of these not known to within 10 % */
};

/*
 * Joins the ranks, measures, adds the times to *points, and writes the log in the one
 * process that has to print: that of rank 0. Also after a failure comm_sweep_end()
 * must be called, when the reason has been told.
 */
int comm_sweep_run(const struct comm_sweep *c, struct comm_ranks *ranks,
		   struct paleo_comm_points *points, struct paleo_error *err);

/* Leaves the ranks; where this process failed, others are ended and it may not return. */
void comm_sweep_end(struct comm_ranks *ranks, int failed);

#endif
