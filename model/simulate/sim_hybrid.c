/* sim_hybrid.c - data parallelism outside of ModelParallel blocks, model parallelism inside. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/simulate/sim_parts.h"

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

/* A worker's share of the blocks: the splits s with equal s mod workers. Of each sum the
 * largest. */
struct share {
	double weights, kept_bytes, fwd_s, bwd_s, update_s;
};

static struct share largest_share(const struct paleo_sim_cost *c, int devices)
{
	struct share most = {0};

	for (int d = 0; d < devices; d++) {
		struct share sum = {0};
		for (int i = 0; i < c->count; i++) {
			const struct paleo_sim_layer *l = &c->layers[i];
			if (l->layer->split < 0 || l->layer->split % devices != d)
				continue;
			sum.weights += l->weights;
			sum.kept_bytes += l->kept_bytes;
			sum.fwd_s += l->fwd_s;
			sum.bwd_s += l->bwd_s;
			sum.update_s += l->update_s;
		}
		most.weights = fmax(most.weights, sum.weights);
		most.kept_bytes = fmax(most.kept_bytes, sum.kept_bytes);
		most.fwd_s = fmax(most.fwd_s, sum.fwd_s);
		most.bwd_s = fmax(most.bwd_s, sum.bwd_s);
		most.update_s = fmax(most.update_s, sum.update_s);
	}
	return most;
}

/* Sums outside of the blocks, and a worker's share of them. */
static void parts(const struct paleo_sim *sim, const struct paleo_sim_cost *c,
		  const struct share *block, int workers, struct paleo_sim_step *out)
{
	double weights = block->weights, kept = block->kept_bytes * workers;

	out->update_s = block->update_s;
	for (int i = 0; i < c->count; i++) {
		const struct paleo_sim_layer *l = &c->layers[i];
		if (in_block(c, i))
			continue;
		out->fwd_s += l->fwd_s;
		out->bwd_s += l->bwd_s;
		out->update_s += l->update_s;
		weights += l->weights;
		kept += l->kept_bytes;
	}
	out->memory = (struct paleo_sim_memory){
		.weights = weights * sim->weight_bytes,
		.gradients = weights * sim->weight_bytes,
		.optimizer = weights * sim->optimizer_bytes,
		.activations = kept,
		.workspace = c->grad_bytes,
	};
}

/* The blocks of a pass, turn by turn, from `start_s` on, as turns() adds them up. Returns when they
 * are done. */
static double draw_turns(struct paleo_timeline *t, const char *what, double start_s,
			 double compute_s, double send_s, int workers)
{
	double next_s = start_s + send_s;

	paleo_timeline_comm(t, "to all", NULL, start_s, send_s);
	for (int turn = 1; turn <= workers; turn++) {
		paleo_timeline_compute(t, what, NULL, next_s, compute_s);
		if (turn < workers)
			paleo_timeline_comm(t, "to all", NULL, next_s, send_s);
		next_s += turn < workers ? fmax(compute_s, send_s) : compute_s;
	}
	return next_s;
}

/* The blocks as they run: one turn per pass, and the communication before it. */
struct blocks {
	double fwd_s, bwd_s, update_s, send_s;
	int are_there; /* 0: no layer is in one */
};

/* Draws a pass: the layers outside, and the blocks at the position of their first. Returns when it
 * is done. */
static double draw_pass(struct paleo_timeline *t, const struct paleo_sim_cost *c,
			const struct blocks *b, int workers, int backward, double start_s)
{
	int drawn = !b->are_there;

	for (int k = 0; k < c->count; k++) {
		int i = backward ? c->count - 1 - k : k;
		const struct paleo_sim_layer *l = &c->layers[i];
		double time_s = backward ? l->bwd_s : l->fwd_s;
		if (!in_block(c, i)) {
			paleo_timeline_compute(t, backward ? "backward" : "forward", l->layer,
					       start_s, time_s);
			start_s += time_s;
		} else if (!drawn) {
			start_s = draw_turns(t, backward ? "blocks backward" : "blocks forward",
					     start_s, backward ? b->bwd_s : b->fwd_s, b->send_s,
					     workers);
			drawn = 1;
		}
	}
	return start_s;
}

/* Draws the timeline of all workers. Communication is drawn as if the layers outside were all,
 * `begin_s` being when their backward pass ends. */
static void draw(struct paleo_timeline *t, const struct paleo_sim_cost *c, const struct blocks *b,
		 const struct paleo_timeline *exchange, const struct paleo_sim_setup *s,
		 const struct paleo_sim_step *out)
{
	double outside_s = 0, at = draw_pass(t, c, b, s->workers, 0, 0);

	at = draw_pass(t, c, b, s->workers, 1, at);
	for (int i = 0; i < c->count; i++)
		outside_s += in_block(c, i) ? 0 : c->layers[i].bwd_s;
	/* as paleo_exchange() has it: from the beginning of the backward pass, or from its end */
	double from_s = c->fwd_s * (s->recompute ? 2 : 1) + (s->overlap ? 0 : c->bwd_s);
	double to_s = s->overlap ? at - outside_s : at;
	for (int i = 0; i < exchange->count; i++) {
		struct paleo_stretch span = exchange->spans[i];
		span.start_s += to_s - from_s;
		paleo_timeline_add(t, &span);
	}
	at = out->step_s - out->update_s;
	for (int i = 0; i < c->count; i++) {
		const struct paleo_sim_layer *l = &c->layers[i];
		if (in_block(c, i))
			continue;
		paleo_timeline_compute(t, "update", l->layer, at, l->update_s);
		at += l->update_s;
	}
	paleo_timeline_compute(t, "update", NULL, at, b->update_s);
	t->alike = s->workers;
	t->failed |= exchange->failed;
}

int paleo_step_hybrid(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		      struct paleo_sim_step *out, struct paleo_error *err)
{
	const struct paleo_sim_cost *c = NULL;

	PALEO_TRY(paleo_sim_get(sim, paleo_sim_share(s), 1, &c, err));
	double *finish = malloc(((size_t)c->count + 1) * sizeof(*finish));
	char *inside = malloc(2 * (size_t)c->count + 2);
	if (!finish || !inside) {
		free(finish);
		free(inside);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d layers", c->count);
	}
	char *outside = inside + c->count;
	double bytes = entering_bytes(c, inside);
	for (int i = 0; i < c->count; i++) {
		inside[i] = (char)in_block(c, i);
		outside[i] = (char)!inside[i];
	}
	/* One worker sends to w - 1 others, one by one over its link; gradients come back so. */
	double send_s = 0;
	if (s->workers > 1)
		send_s = (s->workers - 1) * paleo_send_s(&s->fabric, s->workers, bytes);
	int splits = paleo_sim_devices(c), devices = splits < s->workers ? splits : s->workers;
	struct paleo_path p = {.fabric = &s->fabric, .devices = devices, .mine = inside};
	struct share block = largest_share(c, devices);
	double sync = 0;
	struct paleo_timeline spans = {0};
	struct paleo_sim_setup alone = *s;
	alone.timeline = s->timeline ? &spans : NULL;
	parts(sim, c, &block, s->workers, out);
	paleo_exchange(sim, c, &alone, s->scheme->all_reduce_s, outside, &sync, &out->exposed_s);
	double block_fwd = fmax(block.fwd_s, paleo_longest_path(c, &p, finish));
	p.backward = 1;
	double block_bwd = fmax(block.bwd_s, paleo_longest_path(c, &p, finish));
	out->fwd_s += bytes > 0 ? turns(block_fwd, send_s, s->workers) : 0;
	out->bwd_s += bytes > 0 ? turns(block_bwd, send_s, s->workers) : 0;
	out->comm_s = sync + (bytes > 0 ? 2 * s->workers * send_s : 0);
	out->step_s = out->fwd_s + out->bwd_s + out->update_s + out->exposed_s;
	out->worker_batch = c->batch;
	const struct blocks drawn = {block_fwd, block_bwd, block.update_s, send_s, bytes > 0};
	if (s->timeline)
		draw(s->timeline, c, &drawn, &spans, s, out);
	paleo_timeline_release(&spans);
	free(finish);
	free(inside);
	return PALEO_OK;
}
