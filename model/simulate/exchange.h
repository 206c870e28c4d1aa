/* exchange.h - communication between the workers of a plan, group by group. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SIMULATE_EXCHANGE_H
#define PALEO_MODEL_SIMULATE_EXCHANGE_H

#include "model/simulate/part.h"

/* The groups of a plan's workers, which are numbered tensor, context, data, stage. */
struct paleo_groups {
	const struct paleo_sim_setup *setup; /* with a plan */
	int tp, cp, dp, pp, ep;
	int etp;    /* workers that divide an expert: tp or 1 */
	int shards; /* workers over which weights, gradients or the optimiser are sharded */
	int micro;  /* sequences of a micro-batch */
};

/* Seconds of one layer and micro-batch: seen while nothing is computed, and all. */
struct paleo_exchange_s {
	double fwd_s, bwd_s, moved_s;
	double tokens_s; /* of each pass, of tokens to experts and back: not in the others' seen */
};
struct paleo_exchange_s paleo_layer_exchange(const struct paleo_groups *g,
					     const struct paleo_part_layer *l);

/* Seconds for weights of so many bytes in `units` parts: to sum gradients, scattered if they or the
 * optimiser are sharded, and to gather weights. */
struct paleo_sharding_s {
	double scatter_s, gather_s;
};
struct paleo_sharding_s paleo_sharding_times(const struct paleo_groups *g, int zero, double bytes,
					     int units);

/* The same for the gradients of experts, which fewer workers have in common. */
double paleo_expert_sync_s(const struct paleo_groups *g, double bytes);

/* Time of both, pipelined in `units` equal parts, each sent while the next is computed: the longer
 * of them, plus one part of the other. Without overlap their sum. */
double paleo_overlapped(const struct paleo_groups *g, double compute_s, double travel_s, int units);

/* From one stage to the next; tensor-parallel workers send a part each (Narayanan et al. 2021,
 * 4.1). */
double paleo_stage_send_s(const struct paleo_groups *g, double bytes);

#endif
