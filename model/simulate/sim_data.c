/* sim_data.c - data parallelism: gradients are summed; sharded too: ZeRO, stages 1 to 3. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "model/simulate/sim_parts.h"

int paleo_sim_share(const struct paleo_sim_setup *s)
{
	return (s->batch + s->workers - 1) / s->workers;
}

/*
 * Li et al. 2020 (PyTorch Distributed): the backward pass fills buckets, in the order
 * in which gradients become ready; a full bucket leaves when the one before it has
 * arrived. Without overlap there is one bucket, which leaves in the end.
 */
void paleo_exchange(const struct paleo_sim *sim, const struct paleo_sim_cost *c,
		    const struct paleo_sim_setup *s, paleo_collective *collective, const char *mine,
		    double *comm_s, double *exposed_s)
{
	/* as draw_passes() has it */
	const double begin = c->fwd_s * (s->recompute ? 2 : 1), end = begin + c->bwd_s;
	const double each = sim->weight_bytes;
	double ready = 0, arrived = 0, bucket = 0, comm = 0;
	int first = 0; /* the last layer of the backward pass that has weights */

	if (s->workers == 1) {
		*comm_s = *exposed_s = 0;
		return;
	}
	while (first < c->count && !(c->layers[first].weights > 0 && (!mine || mine[first])))
		first++;
	for (int i = c->count - 1; i >= 0; i--) {
		if (mine && !mine[i])
			continue;
		ready += c->layers[i].bwd_s;
		bucket += c->layers[i].weights * each;
		int full = s->overlap && bucket >= s->bucket_bytes && bucket > 0;
		if (bucket > 0 && (full || i == first)) {
			double time = collective(&s->fabric, s->workers, bucket);
			double start = fmax(arrived, ready);
			paleo_timeline_comm(s->timeline, "gradients", NULL,
					    s->overlap ? begin + start : end, time);
			arrived = start + time;
			comm += time;
			bucket = 0;
		}
	}
	*comm_s = comm;
	*exposed_s = s->overlap ? fmax(0, arrived - ready) : comm;
}

/* Draws both passes of worker 0, which represents all; recomputation comes between them. */
static double draw_passes(const struct paleo_sim_cost *c, const struct paleo_sim_setup *s)
{
	struct paleo_timeline *t = s->timeline;

	if (!t)
		return 0;
	t->alike = s->workers;
	double end = paleo_timeline_forward(t, c, "forward", 0);
	if (s->recompute)
		end = paleo_timeline_forward(t, c, "again forward", end);
	return paleo_timeline_backward(t, c, end);
}

int paleo_step_data(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		    struct paleo_sim_step *out, struct paleo_error *err)
{
	const struct paleo_sim_cost *c = NULL;

	PALEO_TRY(paleo_sim_get(sim, paleo_sim_share(s), 1, &c, err));
	paleo_exchange(sim, c, s, s->scheme->all_reduce_s, NULL, &out->comm_s, &out->exposed_s);
	out->fwd_s = c->fwd_s;
	out->bwd_s = c->bwd_s + (s->recompute ? c->fwd_s : 0);
	out->update_s = c->update_s;
	out->step_s = out->fwd_s + out->bwd_s + out->update_s + out->exposed_s;
	draw_passes(c, s);
	paleo_timeline_update(s->timeline, c, out->step_s - out->update_s, 1);
	out->worker_batch = c->batch;
	out->memory = paleo_sim_memory_of(sim, c, s->recompute);
	return PALEO_OK;
}

/* Sharded data parallelism: ZeRO, stages 1 to 3. */

/*
 * Rajbhandari et al. 2020 (ZeRO: Memory Optimizations Toward Training Trillion
 * Parameter Models). Each of n workers keeps 1/n of: the optimiser's state (stage 1),
 * the gradients as well (2), the weights as well (3). Section 7: stages 1 and 2 send
 * as much as data parallelism, a reduce-scatter of gradients and an all-gather of
 * weights; stage 3 gathers the weights twice, for the forward and for the backward
 * pass, half as much again.
 */
static int check(const struct paleo_sim_setup *s, struct paleo_error *err)
{
	if (s->scheme->reduce_scatter_s && s->scheme->all_gather_s)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT,
			  "scheme '%s' has no reduce-scatter and all-gather, which ZeRO needs",
			  s->scheme->name);
}

/* Fields common to all strategies. */
static void common(const struct paleo_sim *sim, const struct paleo_sim_cost *c,
		   const struct paleo_sim_setup *s, struct paleo_sim_step *out)
{
	out->fwd_s = c->fwd_s;
	out->bwd_s = c->bwd_s + (s->recompute ? c->fwd_s : 0);
	out->update_s = c->update_s / s->workers;
	out->worker_batch = c->batch;
	out->memory = paleo_sim_memory_of(sim, c, s->recompute);
	out->memory.optimizer /= s->workers;
}

static double gathered(const struct paleo_sim_setup *s, double bytes)
{
	return bytes > 0 ? s->scheme->all_gather_s(&s->fabric, s->workers, bytes) : 0;
}

static int stage12(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		   struct paleo_sim_step *out, struct paleo_error *err)
{
	const struct paleo_sim_cost *c = NULL;

	PALEO_TRY(check(s, err));
	PALEO_TRY(paleo_sim_get(sim, paleo_sim_share(s), 1, &c, err));
	common(sim, c, s, out);
	paleo_exchange(sim, c, s, s->scheme->reduce_scatter_s, NULL, &out->comm_s, &out->exposed_s);
	double gather =
		gathered(s, out->memory.weights); /* the weights are new: nothing to hide it */
	out->comm_s += gather;
	out->exposed_s += gather;
	out->step_s = out->fwd_s + out->bwd_s + out->update_s + out->exposed_s;
	draw_passes(c, s);
	paleo_timeline_update(s->timeline, c, out->step_s - gather - out->update_s, s->workers);
	paleo_timeline_comm(s->timeline, "weights", NULL, out->step_s - gather, gather);
	return PALEO_OK;
}

int paleo_step_zero1(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		     struct paleo_sim_step *out, struct paleo_error *err)
{
	return stage12(sim, s, out, err);
}

int paleo_step_zero2(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		     struct paleo_sim_step *out, struct paleo_error *err)
{
	PALEO_TRY(stage12(sim, s, out, err));

	out->memory.gradients /= s->workers;
	return PALEO_OK;
}

/* Communication of a layer's weights and their gradients. */
struct sent {
	const struct paleo_sim_layer *layer;
	double gather_s, scatter_s;
};

/* Stage 3, layer by layer: a link and a worker side by side. */
struct queues {
	const struct paleo_sim_cost *c;
	const struct paleo_sim_setup *s;
	const struct sent *weighted; /* layers with weights, in order */
	int count, at;               /* of them; visited so far, in both passes */
	double link, worker;         /* when each is free again */
	double comm, arrival;        /* time on the link; when the next layer's weights are there */
};

static double later(double a, double b)
{
	return a > b ? a : b;
}

static void send(struct queues *q, const char *what, const struct paleo_sim_layer *l, double from,
		 double time)
{
	double start = later(q->link, from);

	paleo_timeline_comm(q->s->timeline, what, l->layer, start, time);
	q->link = start + time;
	q->comm += time;
}

/* Asks for the weights of the layer to be visited next, if there is one: each is visited forward,
 * then backward. */
static void gather_next(struct queues *q, double from)
{
	if (q->at == 2 * q->count)
		return;
	const struct sent *w = &q->weighted[q->at < q->count ? q->at : 2 * q->count - 1 - q->at];
	send(q, "weights", w->layer, from, w->gather_s);
	q->arrival = q->link;
	q->at++;
}

static void op(struct queues *q, const char *what, const struct paleo_sim_layer *l, double time)
{
	paleo_timeline_compute(q->s->timeline, what, l->layer, q->worker, time);
	q->worker += time;
}

/* A layer in one pass: weights first, then it computes while the next layer's weights come, then
 * its gradients leave. `w` is of a layer with weights, or NULL. */
static void visit(struct queues *q, const struct paleo_sim_layer *l, const struct sent *w,
		  int backward)
{
	if (w) {
		if (!q->s->overlap)
			gather_next(q, q->worker);
		q->worker = later(q->worker, q->arrival);
		if (q->s->overlap)
			gather_next(q, q->worker);
	}
	if (!backward || q->s->recompute)
		op(q, backward ? "again forward" : "forward", l, l->fwd_s);
	if (!backward)
		return;
	op(q, "backward", l, l->bwd_s);
	if (w) {
		send(q, "gradients", l, q->worker, w->scatter_s);
		if (!q->s->overlap)
			q->worker = q->link;
	}
}

static void visit_all(struct queues *q)
{
	const struct paleo_sim_layer *layers = q->c->layers;
	const struct sent *w = q->weighted, *end = w + q->count;

	if (q->s->overlap)
		gather_next(q, 0);
	for (int i = 0; i < q->c->count; i++) {
		int has = w < end && w->layer == &layers[i];
		visit(q, &layers[i], has ? w : NULL, 0);
		w += has;
	}
	for (int i = q->c->count - 1; i >= 0; i--) {
		int has = w > q->weighted && w[-1].layer == &layers[i];
		w -= has;
		visit(q, &layers[i], has ? w : NULL, 1);
	}
}

static int stage3(const struct paleo_sim *sim, const struct paleo_sim_cost *c,
		  const struct paleo_sim_setup *s, struct paleo_sim_step *out,
		  struct paleo_error *err)
{
	struct queues q = {.c = c, .s = s};
	double largest = 0, each = sim->weight_bytes;
	struct sent *sent = malloc(((size_t)c->count + 1) * sizeof(*sent));
	int *place = malloc(((size_t)c->count + 1) * sizeof(*place)); /* of a layer among them */

	if (!sent || !place) {
		free(sent);
		free(place);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d layers", c->count);
	}
	for (int i = 0; i < c->count; i++) {
		const struct paleo_sim_layer *l = &c->layers[i];
		double bytes = l->weights * each;
		largest = later(bytes, largest);
		if (!(bytes > 0))
			continue;
		place[i] = q.count;
		if (l->like_weights < i)
			sent[q.count] = sent[place[l->like_weights]];
		else
			sent[q.count] = (struct sent){.gather_s = gathered(s, bytes),
						      .scatter_s = s->scheme->reduce_scatter_s(
							      &s->fabric, s->workers, bytes)};
		sent[q.count++].layer = l;
	}
	q.weighted = sent;
	visit_all(&q);
	free(sent);
	free(place);
	/* weights and gradients of one layer, and the next one's weights */
	out->memory.workspace += (s->overlap ? 3 : 2) * largest;
	out->comm_s = q.comm;
	out->exposed_s = fmax(0, fmax(q.worker, q.link) - out->fwd_s - out->bwd_s);
	return PALEO_OK;
}

int paleo_step_zero3(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		     struct paleo_sim_step *out, struct paleo_error *err)
{
	const struct paleo_sim_cost *c = NULL;
	int rc = check(s, err);

	if (!rc)
		rc = paleo_sim_get(sim, paleo_sim_share(s), 1, &c, err);
	if (rc)
		return rc;
	common(sim, c, s, out);
	out->memory.weights /= s->workers;
	out->memory.gradients /= s->workers;
	if (s->timeline)
		s->timeline->alike = s->workers;
	if (s->workers > 1)
		rc = stage3(sim, c, s, out, err);
	else
		draw_passes(c, s);
	out->step_s = out->fwd_s + out->bwd_s + out->update_s + out->exposed_s;
	paleo_timeline_update(s->timeline, c, out->step_s - out->update_s, s->workers);
	return rc;
}
