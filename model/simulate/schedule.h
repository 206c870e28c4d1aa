/* schedule.h - the schedule of a pipeline: its order, its time, its timeline. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SIMULATE_SCHEDULE_H
#define PALEO_MODEL_SIMULATE_SCHEDULE_H

#include "base/error.h"
#include "model/net/net.h"

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

/* Times of one stage for one micro-batch in one chunk of the net. */
struct paleo_chunk {
	double fwd_s, bwd_s; /* without the gradients of weights, where these come later */
	double wgrad_s;
	double fwd_comm_s, bwd_comm_s; /* communication within the first two */
	double send_s;     /* from the chunk before it; the gradient comes back in the same time */
	double kept_bytes; /* from forward to the end of backward */
};

struct paleo_pipeline {
	const struct paleo_schedule *schedule;
	int stages, chunks; /* chunks of each stage; chunk c of the net is on stage c mod stages */
	int micro_batches;
	const struct paleo_chunk *chunk; /* of the net, stages * chunks */
	struct paleo_timeline *timeline; /* where passes are written down; NULL: nowhere */
	double *end_s;                   /* when each stage ends; NULL: not wanted */
};

/*
 * *span_s is the longest time from a stage's first pass to its last: it can begin with the next
 * step then. `peak` has an element for each stage: the most it holds at a time. Sends overlap with
 * computation. EINPUT where several chunks do not fit the micro-batches or the schedule; ENOMEM.
 */
int paleo_pipeline_run(const struct paleo_pipeline *p, double *span_s, double *peak,
		       struct paleo_error *err);

/* Timeline of the workers during a simulated step. */

/* A worker computes and communicates concurrently: each is a track without overlaps, except for
 * concurrent sends to other stages of a pipeline. */
enum paleo_track {
	PALEO_TRACK_COMPUTE,
	PALEO_TRACK_COMM,
	PALEO_TRACK_SEND,
	PALEO_TRACKS
};

/* One thing that a worker does. */
struct paleo_stretch {
	enum paleo_track track;
	int worker;
	const char *what;                /* "forward", "all-reduce"; not owned */
	const struct paleo_layer *layer; /* of the net that is simulated; NULL: of several */
	double start_s, duration_s;      /* from the beginning of the step */
	int chunk, micro; /* of the net and of the batch, from 1 on; 0: not of one alone */
};

/* A step as strategies write it down where paleo_sim_setup has one; all zero at first. */
struct paleo_timeline {
	struct paleo_stretch *spans; /* owned */
	int count, capacity;
	int alike; /* workers identical to worker 0, which is included; 0: each has its own spans */
	int stages; /* of a pipeline, with one worker drawn for each; 0: they are workers */
	int failed; /* 1: memory ran out, spans are missing */
};

/* Adds a span; does nothing where `t` is NULL or the span takes no time. */
void paleo_timeline_add(struct paleo_timeline *t, const struct paleo_stretch *span);
void paleo_timeline_release(struct paleo_timeline *t);

#endif
