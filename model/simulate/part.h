/* part.h - costs of each layer for one worker of a plan: its part of a transformer or any net. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SIMULATE_PART_H
#define PALEO_MODEL_SIMULATE_PART_H

#include "model/simulate/sim.h"

/* One layer for one micro-batch. Bytes are as stored in the net's dtype. */
struct paleo_part_layer {
	const struct paleo_layer *layer;
	int last_reader; /* position of the last layer that reads its output; its own if none */
	double fwd_s, bwd_s, wgrad_s, update_s; /* bwd_s without the gradients of weights */
	double flops, masked_flops; /* model FLOPs of the forward pass: paleo_op_model_flops() */
	double weights, tied;       /* numbers it learns; and those of another layer */
	double out_bytes, in_bytes;
	double inner_bytes;  /* kept inside of it for the backward pass */
	double kept_share;   /* of its output's bytes: so are these */
	int attends;         /* 1: it is attention */
	int is_norm, is_act; /* 1: all it does is to normalise, an activation function */
	int experts;         /* of this worker */
	int is_narrow;       /* 1: its weights are in fp8 or narrower */
	int is_divided;      /* over tensor-parallel workers, its output */
	int sums_out;        /* 1: its output is a sum over these */
	double sum_in_bytes; /* of its first input's gradient, if that is; of the first that reads
				it */
	double logit_bytes;  /* of a loss in f32: a copy of its logits, and their gradient */
	double key_bytes;    /* of attention: keys and values of whole sequences */
	double routed_bytes; /* of experts: a worker's tokens, each of which it sends to */
	int routed_to;       /* so many */
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
