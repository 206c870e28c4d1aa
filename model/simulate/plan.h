/* plan.h - several ways to work in parallel at once, as in "tp8+sp+pp12+v6+zero1". */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SIMULATE_PLAN_H
#define PALEO_MODEL_SIMULATE_PLAN_H

#include "model/simulate/schedule.h"

enum paleo_recompute {
	PALEO_RECOMPUTE_NOTHING,
	PALEO_RECOMPUTE_FULL,     /* keeps the inputs of blocks alone */
	PALEO_RECOMPUTE_ATTENTION /* all but what attention leaves inside: "selective" */
};

enum {
	PALEO_PLAN_TEXT = 64
};

/* How a step is divided. What is left of the workers is data parallel. A plain value; 0 is not
 * said, and means 1 or none. */
struct paleo_plan {
	int tp, cp, pp, ep; /* workers that divide products, tokens, layers, experts */
	int sequence;       /* 1: what tensor parallelism repeats is divided by tokens */
	int gather;         /* 1: keys and values are gathered; 0: they go around a ring */
	int chunks;         /* of each stage */
	int schedule;       /* 1 + position in paleo_schedules() */
	int zero;           /* what is sharded: 1 optimiser, 2 gradients, 3 weights */
	int group;          /* workers over which it is; 0: all that have the same */
	int recompute;      /* enum paleo_recompute */
	int micro;          /* sequences or images of a micro-batch */
	int data;           /* 1: said, for a plan without other words */
	char text[PALEO_PLAN_TEXT];
};

/* Reads words with "+" between. EINPUT names the word. */
int paleo_plan_read(const char *text, struct paleo_plan *out, struct paleo_error *err);

#endif
