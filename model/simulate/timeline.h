/* timeline.h - what workers do during a simulated step, and when. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SIMULATE_TIMELINE_H
#define PALEO_MODEL_SIMULATE_TIMELINE_H

#include "model/net/net.h"

/* A worker computes and communicates side by side: each is a track on which nothing overlaps, but
 * for what it sends to other stages of a pipeline, several things at a time. */
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
	int alike;  /* workers that do what worker 0 does, it among them; 0: each has its own spans
		     */
	int stages; /* of a pipeline, one worker stands for each; 0: they are workers */
	int failed; /* 1: memory ran out, spans are missing */
};

/* Adds a span; nothing where `t` is NULL or the span takes no time. */
void paleo_timeline_add(struct paleo_timeline *t, const struct paleo_stretch *span);
void paleo_timeline_release(struct paleo_timeline *t);

#endif
