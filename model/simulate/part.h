/* part.h - what each layer costs one worker of a plan: its part of a transformer or any net. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SIMULATE_PART_H
#define PALEO_MODEL_SIMULATE_PART_H

#include "model/simulate/sim.h"

/* One layer for one micro-batch. Bytes are as stored in the net's number type. */
struct paleo_part_layer {
	const struct paleo_layer *layer;
	int last_reader; /* position of the last layer that reads its output; its own if none */
	double fwd_s, bwd_s, wgrad_s, update_s; /* bwd_s without the gradients of weights */
	double flops;                           /* of forward products, attention as if dense */
	double weights, tied;                   /* numbers it learns; and those of another layer */
	double out_bytes, in_bytes;
	double inner_bytes; /* kept inside of it for the backward pass */
	int is_kept;        /* 1: so is its output */
	int attends;        /* 1: it is attention */
	int has_experts;
	int is_divided;      /* over tensor-parallel workers, its output */
	int sums_out;        /* 1: its output is a sum over these */
	double sum_in_bytes; /* of its first input's gradient, if that is; of the first that reads
				it */
	double key_bytes;    /* of attention: keys and values of whole sequences */
	double routed_bytes; /* of experts: tokens that a worker sends to all */
};

struct paleo_part_key {
	int batch;      /* of a micro-batch */
	int tp, ep, cp; /* over which it is divided */
	int priced;     /* 0: no times, and nothing that the backward pass needs */
};

/* Layers in topological order. */
struct paleo_part {
	struct paleo_part_key key;
	struct paleo_net *net; /* owned */
	struct paleo_part_layer *layers;
	int count;
};

/* A worker's part, made once. Borrowed from `sim`. EINPUT where the net cannot be divided so. */
int paleo_part_get(struct paleo_sim *sim, const struct paleo_part_key *key,
		   const struct paleo_part **out, struct paleo_error *err);
void paleo_part_free(struct paleo_part *part); /* NULL allowed */

/* Blocks of a net that has attention: from where one tensor alone goes over before an attention to
 * the same place of the next. *begin has an entry more than there are blocks, the end of the last;
 * owned by the caller. 0 blocks where nothing attends. ENOMEM. */
int paleo_part_blocks(const struct paleo_part *part, int **begin, int *count,
		      struct paleo_error *err);

#endif
