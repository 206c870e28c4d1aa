/* schedule.h - the order in which the stages of a pipeline work, and how long that takes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SIMULATE_SCHEDULE_H
#define PALEO_MODEL_SIMULATE_SCHEDULE_H

#include "base/error.h"
#include "model/simulate/timeline.h"

/*
 * One order: a constant, one line of the table in schedule.c. A stage begins with some forward
 * passes, goes on with one forward and one backward in turn, and ends with backward passes.
 */
struct paleo_schedule {
	const char *name;   /* "1f1b" */
	const char *what;   /* one line of help */
	const char *source; /* of the order */
	int splits; /* 1: gradients of weights come later than those of inputs, when a stage waits
		     */
	int ahead;  /* of stage k of p in one chunk: ahead * (p - 1 - k) forward passes first */
};

const struct paleo_schedule *paleo_schedules(int *count);
const struct paleo_schedule *paleo_schedule_find(const char *name); /* NULL if there is none */

/* What one stage does with one micro-batch in one chunk of the net. */
struct paleo_chunk {
	double fwd_s, bwd_s; /* without the gradients of weights, where these come later */
	double wgrad_s;
	double fwd_comm_s, bwd_comm_s; /* what of the first two is communication */
	double send_s;     /* from the chunk before it; the gradient comes back in the same time */
	double kept_bytes; /* from forward to the end of backward */
};

struct paleo_pipeline {
	const struct paleo_schedule *schedule;
	int stages, chunks; /* chunks of each stage; chunk c of the net is on stage c mod stages */
	int micro_batches;
	const struct paleo_chunk *chunk; /* of the net, stages * chunks */
	struct paleo_timeline *timeline; /* where passes are written down; NULL: nowhere */
	double *end_s;                   /* when each stage is done; NULL: nobody asks */
};

/*
 * *span_s is the longest time from a stage's first pass to its last: it can begin with the next
 * step then. `peak` has room for a number for each stage: the most that it keeps at a time. Sends
 * go beside computing. EINPUT where several chunks and the micro-batches or the schedule do not go
 * together; ENOMEM.
 */
int paleo_pipeline_run(const struct paleo_pipeline *p, double *span_s, double *peak,
		       struct paleo_error *err);

#endif
