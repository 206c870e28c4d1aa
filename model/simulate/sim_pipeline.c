/* sim_pipeline.c - pipeline parallelism: stages of layers, micro-batches, 1F1B. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "model/simulate/sim_parts.h"

/* Seconds of a layer for one micro-batch. */
static double layer_s(const struct paleo_sim_layer *l, int recompute)
{
	return l->fwd_s + l->bwd_s + (recompute ? l->fwd_s : 0);
}

/* Of all layers, for one micro-batch. */
struct times {
	const double *s;
	int count;
};

/* Stages of at most `limit` seconds. */
struct cutting {
	int stages;
	double longest; /* of them */
	double next; /* the least limit by which any of them had one layer more; infinite: none */
};

/* How many stages of at most `limit` seconds the layers need, or one more than `most`; writes where
 * each begins. */
static struct cutting stages_within(const struct times *t, double limit, int most, int *begin)
{
	struct cutting c = {.next = INFINITY};
	double sum = 0;

	for (int i = 0; i < t->count; i++) {
		double more = sum + t->s[i];
		if (c.stages == 0 || more > limit) {
			if (c.stages > 0 && more < c.next)
				c.next = more;
			if (c.stages == most) {
				c.stages++;
				return c;
			}
			begin[c.stages++] = i;
			more = t->s[i];
		}
		sum = more;
		c.longest = sum > c.longest ? sum : c.longest;
	}
	return c;
}

/* Splits a stage of two or more layers in two until there are `want`: costs nothing, as the
 * slowest stage decides. */
static void split_stages(int *begin, int have, int want, int count)
{
	for (int s = have - 1; have < want && s >= 0; s--) {
		int end = s + 1 < have ? begin[s + 1] : count;
		int extra = end - begin[s] - 1;
		if (extra > want - have)
			extra = want - have;
		for (int k = have - 1; k > s; k--)
			begin[k + extra] = begin[k];
		for (int k = 1; k <= extra; k++)
			begin[s + k] = end - extra + k - 1;
		have += extra;
	}
}

/* Cuts the layers, in their order, into `want` stages whose slowest is as fast as can be: bisection
 * on its time. Each limit that does is lowered to the longest stage it gave, each that does not
 * raised to the next that gives others. */
static void cut(const struct times *t, int want, int *begin)
{
	double low = 0, high = 0;

	for (int i = 0; i < t->count; i++) {
		low = t->s[i] > low ? t->s[i] : low;
		high += t->s[i];
	}
	low = fmax(low, high / want * (1 - 1e-12)); /* the mean */
	while (low < high) {
		double middle = low + (high - low) / 2;
		if (middle == high) /* there is none between them */
			middle = low;
		struct cutting c = stages_within(t, middle, want, begin);
		if (c.stages <= want)
			high = c.longest;
		else
			low = c.next;
	}
	/* sums in another order may be a few bits larger */
	int have = stages_within(t, high * (1 + 1e-12), want, begin).stages;
	split_stages(begin, have, want, t->count);
}

/* One stage of the pipeline, for one micro-batch. */
struct stage {
	double fwd_s, bwd_s, update_s, weights;
	double send_s; /* what it receives from the stage before it, and the gradient back */
	double kept_bytes, grad_bytes;
};

static struct stage make_stage(const struct paleo_sim_cost *c, const struct paleo_sim_setup *s,
			       int from, int to)
{
	struct stage g = {.kept_bytes = paleo_kept_bytes(c, from, to, s->recompute)};

	for (int i = from; i < to; i++) {
		const struct paleo_sim_layer *l = &c->layers[i];
		g.fwd_s += l->fwd_s;
		g.bwd_s += l->bwd_s + (s->recompute ? l->fwd_s : 0);
		g.update_s += l->update_s;
		g.weights += l->weights;
		if (l->layer->needs_grad)
			g.grad_bytes = fmax(g.grad_bytes, l->out_bytes + l->in_bytes);
	}
	if (from > 0)
		g.send_s = 2 * paleo_send_s(&s->fabric, s->workers, c->layers[from].cut_bytes);
	return g;
}

static struct paleo_sim_memory stage_memory(const struct paleo_sim *sim, const struct stage *g,
					    int in_flight)
{
	return (struct paleo_sim_memory){
		.weights = g->weights * paleo_weight_bytes(sim),
		.gradients = g->weights * paleo_weight_bytes(sim),
		.optimizer = g->weights * paleo_optimizer_bytes(sim),
		.activations = g->kept_bytes * in_flight,
		.workspace = g->grad_bytes,
	};
}

static int micro_batches(const struct paleo_sim_setup *s)
{
	int m = s->micro_batches ? s->micro_batches : 4 * s->workers;

	return m < s->batch ? m : s->batch;
}

/*
 * Narayanan et al. 2021 (Efficient Large-Scale Language Model Training on GPU
 * Clusters), 2.2.1: with m micro-batches and p equal stages of t seconds a step takes
 * (m + p - 1) t, of which (p - 1) t is a bubble. Here stages differ: one micro-batch
 * passes all stages, the other m - 1 follow at the pace of the slowest. Stage k of p
 * holds at most p - k micro-batches. Sending is counted at the receiver, and not
 * hidden behind computing.
 */
static void run(const struct paleo_sim *sim, const struct paleo_sim_cost *c,
		const struct paleo_sim_setup *s, const int *begin, struct paleo_sim_step *out)
{
	int p = s->workers, m = micro_batches(s);
	double slowest = 0, sum = 0, sends = 0, most = -1;
	struct stage worst = {0};

	for (int k = 0; k < p; k++) {
		struct stage g = make_stage(c, s, begin[k], k + 1 < p ? begin[k + 1] : c->count);
		double t = g.fwd_s + g.bwd_s + g.send_s;
		struct paleo_sim_memory memory = stage_memory(sim, &g, p - k < m ? p - k : m);
		if (t > slowest) {
			slowest = t;
			worst = g;
		}
		if (paleo_sim_memory_sum(&memory) > most) {
			most = paleo_sim_memory_sum(&memory);
			out->memory = memory;
		}
		sum += t;
		sends += g.send_s;
		out->update_s = fmax(out->update_s, g.update_s);
	}
	out->fwd_s = m * worst.fwd_s;
	out->bwd_s = m * worst.bwd_s;
	out->comm_s = m * sends;
	out->exposed_s = m * worst.send_s;
	out->bubble_s = sum - slowest;
	out->step_s = (m - 1) * slowest + sum + out->update_s;
}

int paleo_step_pipeline(struct paleo_sim *sim, const struct paleo_sim_setup *s,
			struct paleo_sim_step *out, struct paleo_error *err)
{
	const struct paleo_sim_cost *c = NULL;
	int m = micro_batches(s);
	int rc = paleo_sim_get(sim, (s->batch + m - 1) / m, 1, &c, err);

	if (rc)
		return rc;
	if (s->workers > c->count)
		return paleo_fail(err, PALEO_EINPUT,
				  "a pipeline of %d stages needs as many layers, the net has %d",
				  s->workers, c->count);
	int *begin = calloc((size_t)s->workers, sizeof(*begin));
	double *layers_s = malloc((size_t)c->count * sizeof(*layers_s));
	if (!begin || !layers_s) {
		free(begin);
		free(layers_s);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	}
	for (int i = 0; i < c->count; i++)
		layers_s[i] = layer_s(&c->layers[i], s->recompute);
	cut(&(struct times){layers_s, c->count}, s->workers, begin);
	run(sim, c, s, begin, out);
	out->worker_batch = c->batch;
	free(layers_s);
	free(begin);
	return PALEO_OK;
}
