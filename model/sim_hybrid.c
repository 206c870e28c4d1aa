/* sim_hybrid.c - data parallelism outside of ModelParallel blocks, model parallelism inside. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/sim_parts.h"

/* 1: in a ModelParallel block. */
static int in_block(const struct paleo_sim_cost *c, int i)
{
	return c->layers[i].layer->split >= 0;
}

/* Bytes that go into the blocks for the images of one worker: outputs of layers outside that a
 * layer inside reads. */
static double entering_bytes(const struct paleo_sim_cost *c, char *seen)
{
	double sum = 0;

	memset(seen, 0, (size_t)c->count);
	for (int i = 0; i < c->count; i++)
		for (int k = 0; in_block(c, i) && k < c->layers[i].layer->parent_count; k++) {
			int p = c->layers[i].parents[k];
			if (in_block(c, p) || seen[p])
				continue;
			seen[p] = 1;
			sum += c->layers[p].out_bytes;
		}
	return sum;
}

/*
 * Krizhevsky 2014, scheme (b): in w turns one worker after the other sends its
 * activations to all others, and all compute with them, each its part of the block;
 * sending for the next turn goes on meanwhile. Only the first turn's sending is seen,
 * unless it takes longer than the computing.
 */
static double turns(double compute_s, double send_s, int workers)
{
	if (workers == 1)
		return compute_s;
	return send_s + (workers - 1) * fmax(compute_s, send_s) + compute_s;
}

/* Sums outside of the blocks, and of the block's split with most to hold. */
static void parts(const struct paleo_sim *sim, const struct paleo_sim_cost *c, int workers,
		  struct paleo_sim_step *out)
{
	double weights = 0, kept = 0, split_weights = 0, split_kept = 0, split_update = 0;
	double outside_update = 0;

	for (int i = 0; i < c->count; i++) {
		const struct paleo_sim_layer *l = &c->layers[i];
		if (in_block(c, i))
			continue;
		out->fwd_s += l->fwd_s;
		out->bwd_s += l->bwd_s;
		outside_update += l->update_s;
		weights += l->weights;
		kept += l->kept_bytes;
	}
	for (int d = 0; d < paleo_sim_devices(c); d++) {
		double w = 0, k = 0, u = 0;
		for (int i = 0; i < c->count; i++) {
			if (c->layers[i].layer->split != d)
				continue;
			w += c->layers[i].weights;
			k += c->layers[i].kept_bytes;
			u += c->layers[i].update_s;
		}
		split_weights = fmax(split_weights, w);
		split_kept = fmax(split_kept, k);
		split_update = fmax(split_update, u);
	}
	weights += split_weights;
	out->update_s = outside_update + split_update;
	out->memory = (struct paleo_sim_memory){
		.weights = weights * paleo_weight_bytes(sim),
		.gradients = weights * paleo_weight_bytes(sim),
		.optimizer = weights * paleo_optimizer_bytes(sim),
		.activations = kept + split_kept * workers,
		.workspace = c->grad_bytes,
	};
}

int paleo_step_hybrid(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		      struct paleo_sim_step *out, struct paleo_error *err)
{
	const struct paleo_sim_cost *c = NULL;
	int rc = paleo_sim_get(sim, paleo_sim_share(s), 1, &c, err);

	if (rc)
		return rc;
	double *finish = malloc(((size_t)c->count + 1) * sizeof(*finish));
	char *inside = malloc(2 * (size_t)c->count + 2), *outside = inside + c->count;
	if (!finish || !inside) {
		free(finish);
		free(inside);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d layers", c->count);
	}
	double bytes = entering_bytes(c, inside);
	for (int i = 0; i < c->count; i++) {
		inside[i] = (char)in_block(c, i);
		outside[i] = (char)!inside[i];
	}
	/* One worker sends to w - 1 others, one by one over its link; gradients come back so. */
	double send_s = 0;
	if (s->workers > 1)
		send_s = (s->workers - 1) * paleo_send_s(&s->fabric, s->workers, bytes);
	struct paleo_path p = {
		.fabric = &s->fabric, .devices = paleo_sim_devices(c), .mine = inside};
	double sync = 0;
	parts(sim, c, s->workers, out);
	paleo_exchange(sim, c, s, s->scheme->all_reduce_s, outside, &sync, &out->exposed_s);
	double block_fwd = paleo_longest_path(c, &p, finish);
	p.backward = 1;
	double block_bwd = paleo_longest_path(c, &p, finish);
	out->fwd_s += bytes > 0 ? turns(block_fwd, send_s, s->workers) : 0;
	out->bwd_s += bytes > 0 ? turns(block_bwd, send_s, s->workers) : 0;
	out->comm_s = sync + (bytes > 0 ? 2 * s->workers * send_s : 0);
	out->step_s = out->fwd_s + out->bwd_s + out->update_s + out->exposed_s;
	out->worker_batch = c->batch;
	free(finish);
	free(inside);
	return PALEO_OK;
}
