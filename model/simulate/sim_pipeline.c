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

/* Prefix sums over all layers, for one micro-batch. */
struct times {
	const double *s;
	int count;
};

/* Stages of at most `limit` seconds. */
struct cutting {
	int stages;
	double longest; /* of them */
	double next;    /* smallest limit at which any stage had one layer more; infinite: none */
};

/* Number of stages of at most `limit` seconds that the layers need, or one more than `most`; writes
 * where each begins. */
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
 * on its time. A feasible limit is lowered to the longest stage it gave, an infeasible one raised
 * to the next that changes the cut. */
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
		if (middle == high) /* there is no value between them */
			middle = low;
		struct cutting c = stages_within(t, middle, want, begin);
		if (c.stages <= want)
			high = c.longest;
		else
			low = c.next;
	}
	/* sums in another order may differ by a few ulps */
	int have = stages_within(t, high * (1 + 1e-12), want, begin).stages;
	split_stages(begin, have, want, t->count);
}

/* One stage of the pipeline, for one micro-batch. */
struct stage {
	double fwd_s, bwd_s, update_s, weights;
	double cut_bytes; /* received from the stage before it; as many are sent back as gradients
			   */
	double kept_bytes, grad_bytes;
};

/* The stages of a cost, which no link changes. */
struct paleo_sim_stages {
	struct paleo_sim_stages *next; /* of the same cost, for other workers */
	int count, recompute;
	struct stage of[];
};

static struct stage make_stage(const struct paleo_sim_cost *c, int recompute, int from, int to)
{
	struct stage g = {.kept_bytes = paleo_kept_bytes(c, from, to, recompute)};

	for (int i = from; i < to; i++) {
		const struct paleo_sim_layer *l = &c->layers[i];
		g.fwd_s += l->fwd_s;
		g.bwd_s += l->bwd_s + (recompute ? l->fwd_s : 0);
		g.update_s += l->update_s;
		g.weights += l->weights;
		if (l->layer->needs_grad)
			g.grad_bytes = fmax(g.grad_bytes, l->out_bytes + l->in_bytes);
	}
	if (from > 0)
		g.cut_bytes = c->layers[from].cut_bytes;
	return g;
}

/* NULL: out of memory. */
static struct paleo_sim_stages *make_stages(const struct paleo_sim_cost *c, int count,
					    int recompute)
{
	struct paleo_sim_stages *stages =
		calloc(1, sizeof(*stages) + (size_t)count * sizeof(*stages->of));
	int *begin = calloc((size_t)count, sizeof(*begin));
	double *layers_s = malloc((size_t)c->count * sizeof(*layers_s));

	if (stages && begin && layers_s) {
		stages->count = count;
		stages->recompute = recompute;
		for (int i = 0; i < c->count; i++)
			layers_s[i] = layer_s(&c->layers[i], recompute);
		cut(&(struct times){layers_s, c->count}, count, begin);
		for (int k = 0; k < count; k++)
			stages->of[k] = make_stage(c, recompute, begin[k],
						   k + 1 < count ? begin[k + 1] : c->count);
	} else {
		free(stages);
		stages = NULL;
	}
	free(layers_s);
	free(begin);
	return stages;
}

/* Made once for each number of workers; NULL: out of memory. */
static const struct paleo_sim_stages *stages_of(const struct paleo_sim_cost *c, int count,
						int recompute)
{
	for (struct paleo_sim_stages *known = *c->stages; known; known = known->next)
		if (known->count == count && known->recompute == recompute)
			return known;
	struct paleo_sim_stages *made = make_stages(c, count, recompute);
	if (made) {
		made->next = *c->stages;
		*c->stages = made;
	}
	return made;
}

void paleo_sim_stages_free(struct paleo_sim_stages *stages)
{
	while (stages) {
		struct paleo_sim_stages *next = stages->next;
		free(stages);
		stages = next;
	}
}

static struct paleo_sim_memory stage_memory(const struct paleo_sim *sim, const struct stage *g,
					    int in_flight)
{
	return (struct paleo_sim_memory){
		.weights = g->weights * sim->weight_bytes,
		.gradients = g->weights * sim->weight_bytes,
		.optimizer = g->weights * sim->optimizer_bytes,
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
 * Narayanan et al. 2021 (Efficient Large-Scale Language Model Training on GPU Clusters), 2.2.1:
 * with m micro-batches and p equal stages of t seconds a step takes (m + p - 1) t, of which (p - 1)
 * t is a bubble. Here stages differ: one micro-batch passes all stages, the other m - 1 follow at
 * the rate of the slowest. Stage k of p holds at most p - k micro-batches. Sending is counted at
 * the receiver, and not hidden behind computing.
 */
static void run(const struct paleo_sim *sim, const struct paleo_sim_setup *s,
		const struct stage *stages, struct paleo_sim_step *out)
{
	int p = s->workers, m = micro_batches(s);
	double slowest = 0, sum = 0, sends = 0, most = -1;

	for (int k = 0; k < p; k++) {
		const struct stage *g = &stages[k];
		double send_s = k > 0 ? 2 * paleo_send_s(&s->fabric, s->workers, g->cut_bytes) : 0;
		double t = g->fwd_s + g->bwd_s + send_s;
		struct paleo_sim_memory memory = stage_memory(sim, g, p - k < m ? p - k : m);
		if (t > slowest) {
			slowest = t;
			out->fwd_s = m * g->fwd_s;
			out->bwd_s = m * g->bwd_s;
			out->exposed_s = m * send_s;
		}
		if (paleo_sim_memory_sum(&memory) > most) {
			most = paleo_sim_memory_sum(&memory);
			out->memory = memory;
		}
		sum += t;
		sends += send_s;
		out->update_s = fmax(out->update_s, g->update_s);
	}
	out->comm_s = m * sends;
	out->bubble_s = sum - slowest;
	out->step_s = (m - 1) * slowest + sum + out->update_s;
}

int paleo_step_pipeline(struct paleo_sim *sim, const struct paleo_sim_setup *s,
			struct paleo_sim_step *out, struct paleo_error *err)
{
	const struct paleo_sim_cost *c = NULL;
	int m = micro_batches(s);

	PALEO_TRY(paleo_sim_get(sim, (s->batch + m - 1) / m, 1, &c, err));
	if (s->workers > c->count)
		return paleo_fail(err, PALEO_EINPUT,
				  "a pipeline of %d stages needs as many layers, the net has %d",
				  s->workers, c->count);
	const struct paleo_sim_stages *stages = stages_of(c, s->workers, s->recompute);
	if (!stages)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	run(sim, s, stages->of, out);
	out->worker_batch = c->batch;
	return PALEO_OK;
}
