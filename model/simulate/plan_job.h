/* plan_job.h - a step under a plan in the making: its workers, chunks and their sums; internal. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SIMULATE_PLAN_JOB_H
#define PALEO_MODEL_SIMULATE_PLAN_JOB_H

#include "model/simulate/exchange.h"
#include "model/simulate/sim_parts.h"

/* One chunk of the net for one micro-batch: sums over its layers. */
struct paleo_plan_chunk {
	double fwd_s, bwd_s, wgrad_s; /* computation; bwd_s includes recomputation */
	double update_s;
	double fwd_comm, bwd_comm, moved_s; /* seen during the passes; all of it */
	double fwd_tokens, bwd_tokens;      /* of tokens to experts, before some are hidden */
	double weights, experts;            /* numbers */
	double kept_bytes, again_bytes, grad_bytes, logit_bytes;
	double again_flops;
	int units; /* blocks, or 1 */
};

struct paleo_plan_job {
	struct paleo_sim *sim;
	const struct paleo_sim_setup *s;
	const struct paleo_part *part;
	struct paleo_groups g;
	int *begin, blocks; /* of the net */
	int *cut;           /* where each chunk begins; the last is the end */
	int chunks, micro_batches;
	struct paleo_plan_chunk *chunk;
	double *peak, *end_s; /* of each stage: bytes kept, and when its passes are done */
};

static inline int paleo_at_least_1(int n)
{
	return n > 0 ? n : 1;
}

/* plan_chunks.c: where each chunk begins. EINPUT where blocks are too few. */
int paleo_plan_cut(struct paleo_plan_job *j, struct paleo_error *err);

/* Sums over the layers of chunk k. */
void paleo_plan_fill_chunk(const struct paleo_plan_job *j, int k);

/* Bytes crossing a layer boundary on one worker. */
double paleo_plan_crossing(const struct paleo_plan_job *j, int at);

#endif
