/* sim_cost.c - costs of each layer for one worker: times, weights, bytes, memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/op/operand.h"
#include "model/simulate/sim_parts.h"

int paleo_writes_in_place(const struct paleo_op *w)
{
	return w->kind == PALEO_ELTWISE && w->geom.eltwise.inputs == 1;
}

/* Bytes that a forward op saves for the backward pass: its result, unless written in place; for a
 * dropout the mask, one byte each. */
static double kept_by(const struct paleo_op *w)
{
	if (!paleo_writes_in_place(w))
		return w->write_bytes;
	return w->geom.eltwise.op == PALEO_DROPOUT ? w->geom.eltwise.count : 0;
}

/* An op on one of `shards` workers. */
struct divided {
	double time_s, kept_bytes;
	int known;
};

enum {
	SHARDS = PALEO_SHARD_ROW + 1,
	BLOCK = 64 /* layers of a block of a net, at most */
};

static int divide(struct paleo_sim *sim, const struct paleo_net_op *item,
		  const struct paleo_sim_cost *c, int timed, struct divided *out,
		  struct paleo_error *err)
{
	enum paleo_shard shard = c->layers[item->layer->index].shard;
	struct paleo_op part;
	const struct paleo_op *w = &item->op;
	int rc = PALEO_OK;

	if (paleo_shard_divides(shard)) {
		part = paleo_shard_op(item, shard, c->shards);
		rc = paleo_op_finish(&part, err);
		w = &part;
	}
	if (!rc && timed)
		rc = paleo_trained_op_s(sim, w, &item->narrow, &out->time_s, err);
	if (rc) {
		paleo_error_prefix(err, "layer '%s', %s", item->layer->name, item->what);
		return rc;
	}
	/* Gathered outputs are whole again. */
	out->kept_bytes = kept_by(shard == PALEO_SHARD_COLUMN ? &item->op : w);
	return PALEO_OK;
}

static void add_time(struct paleo_sim_layer *s, enum paleo_pass pass, double time_s)
{
	switch (pass) {
	case PALEO_FWD:
		s->fwd_s += time_s;
		break;
	case PALEO_BWD_DATA:
	case PALEO_BWD_FILTER:
		s->bwd_s += time_s;
		break;
	case PALEO_PASS_UPDATE:
	case PALEO_PASSES:
		s->update_s += time_s;
		break;
	}
}

/* Adds ops to their layers: saved bytes, times, or both. Equal ops of layers divided in the same
 * way are computed once; heads are per layer. */
static int add_ops(struct paleo_sim *sim, struct paleo_sim_cost *c, const struct paleo_sim_ops *ops,
		   int keeps, int timed, struct paleo_error *err)
{
	struct divided *all = calloc((size_t)ops->different * SHARDS + 1, sizeof(*all));
	int rc = PALEO_OK;

	if (!all)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", ops->different);
	for (int i = 0; i < ops->list.count; i++) {
		const struct paleo_net_op *item = &ops->list.items[i];
		struct paleo_sim_layer *s = &c->layers[item->layer->index];
		struct divided *d = &all[ops->like[i] * SHARDS + (int)s->shard];
		if (!d->known || paleo_shard_of_layer(&item->op, s->shard)) {
			*d = (struct divided){.known = 1};
			rc = divide(sim, item, c, timed, d, err);
			if (rc && timed)
				break;
		}
		if (keeps && item->pass == PALEO_FWD)
			s->kept_bytes += d->kept_bytes;
		if (timed)
			add_time(s, item->pass, d->time_s);
	}
	free(all);
	return timed ? rc : PALEO_OK; /* timing it reveals that it cannot be divided */
}

static void add_up(struct paleo_sim_cost *c)
{
	for (int i = 0; i < c->count; i++) {
		struct paleo_sim_layer *l = &c->layers[i];
		if (paleo_shard_divides(l->shard))
			l->weights /= c->shards;
		c->fwd_s += l->fwd_s;
		c->bwd_s += l->bwd_s;
		c->update_s += l->update_s;
		c->weights += l->weights;
		c->kept_bytes += l->kept_bytes;
		if (l->layer->needs_grad)
			c->grad_bytes = fmax(c->grad_bytes, l->out_bytes + l->in_bytes);
	}
}

/* Bytes crossing each layer boundary; nearest earlier layer of equal size, within the length of a
 * block. */
static void compare(struct paleo_sim_cost *c)
{
	for (int i = 0; i < c->count; i++) {
		struct paleo_sim_layer *l = &c->layers[i];
		if (l->last_reader > i) {
			c->layers[i + 1].cut_bytes += l->out_bytes;
			c->layers[l->last_reader + 1].cut_bytes -= l->out_bytes;
		}
		l->like_weights = i;
		for (int at = i - 1; at >= 0 && at >= i - BLOCK && l->like_weights == i; at--)
			if (c->layers[at].weights == l->weights)
				l->like_weights = at;
	}
	for (int i = 1; i < c->count; i++)
		c->layers[i].cut_bytes += c->layers[i - 1].cut_bytes;
}

static int fill(struct paleo_sim *sim, const struct paleo_sim_batch *b, struct paleo_sim_cost *c,
		struct paleo_error *err)
{
	memcpy(c->layers, b->layers, (size_t)c->count * sizeof(*c->layers));
	if (c->shards > 1)
		paleo_shards_assign(c->layers, c->count);
	int rc = add_ops(sim, c, &b->plain, 1, !b->runs_others, err);
	if (!rc && b->runs_others)
		rc = add_ops(sim, c, &b->run, 0, 1, err);
	add_up(c);
	compare(c);
	return rc;
}

static void free_cost(struct paleo_sim_cost *c)
{
	if (!c)
		return;
	if (c->stages)
		paleo_sim_stages_free(*c->stages);
	free(c->stages);
	free(c->layers);
	free(c);
}

static int make_cost(struct paleo_sim *sim, int batch, int shards, struct paleo_sim_cost **out,
		     struct paleo_error *err)
{
	const struct paleo_sim_batch *b = NULL;
	int rc = paleo_sim_batch_get(sim, batch, &b, err);

	if (rc)
		return rc;
	struct paleo_sim_cost *c = calloc(1, sizeof(*c));
	if (!c)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	*c = (struct paleo_sim_cost){.batch = batch, .shards = shards, .count = b->net->count};
	c->layers = calloc((size_t)c->count + 1, sizeof(*c->layers));
	c->stages = calloc(1, sizeof(struct paleo_sim_stages *));
	if (!c->layers || !c->stages)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d layers", c->count);
	else
		rc = fill(sim, b, c, err);
	if (rc)
		free_cost(c);
	else
		*out = c;
	return rc;
}

/* Optimiser state of a weight. Rajbhandari et al. 2020, 3.1: Adam in mixed precision keeps 12
 * bytes, an f32 master and two moments. */
static double optimizer_bytes(const struct paleo_sim_config *config)
{
	const struct paleo_op update = {
		.kind = PALEO_UPDATE,
		.pass = PALEO_PASS_UPDATE,
		.dtype = paleo_dtype_wide(config->dtype),
		.geom.update = {.rule = (int)config->optimizer, .count = 1},
	};
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	double sum = 0;

	for (int i = paleo_op_operands(&update, list) - 1; i >= 0; i--)
		if (list[i].role != PALEO_W && list[i].role != PALEO_DY)
			sum += list[i].bytes;
	return sum;
}

int paleo_sim_open(const struct paleo_sim_config *config, struct paleo_sim **out,
		   struct paleo_error *err)
{
	struct paleo_sim *sim = calloc(1, sizeof(*sim));

	if (!sim)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	sim->config = *config;
	sim->weight_bytes = paleo_dtype_bytes(paleo_dtype_wide(config->dtype));
	sim->optimizer_bytes = optimizer_bytes(config);
	sim->sustained = config->device ? paleo_device_sustained(config->device) : 1;
	*out = sim;
	return PALEO_OK;
}

void paleo_sim_close(struct paleo_sim *sim)
{
	if (!sim)
		return;
	for (int i = 0; i < sim->count; i++)
		free_cost(sim->costs[i]);
	for (int i = 0; i < sim->batch_count; i++)
		paleo_sim_batch_free(sim->batches[i]);
	for (int i = 0; i < sim->part_count; i++)
		paleo_part_free(sim->parts[i]);
	free(sim->costs);
	free(sim->batches);
	free(sim->parts);
	free(sim->times);
	free(sim);
}

int paleo_sim_get(struct paleo_sim *sim, int batch, int shards, const struct paleo_sim_cost **out,
		  struct paleo_error *err)
{
	struct paleo_sim_cost *c = NULL;

	for (int i = 0; i < sim->count; i++)
		if (sim->costs[i]->batch == batch && sim->costs[i]->shards == shards) {
			*out = sim->costs[i];
			return PALEO_OK;
		}
	struct paleo_sim_cost **grown =
		realloc(sim->costs, ((size_t)sim->count + 1) * sizeof(*grown));
	if (!grown)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	sim->costs = grown;
	PALEO_TRY(make_cost(sim, batch, shards, &c, err));
	sim->costs[sim->count++] = c;
	*out = c;
	return PALEO_OK;
}

/* Memory of a worker: weights, gradients, optimiser, activations. */

double paleo_sim_memory_sum(const struct paleo_sim_memory *m)
{
	return m->weights + m->gradients + m->optimizer + m->activations + m->workspace;
}

/*
 * Chen et al. 2016 (Training deep nets with sublinear memory cost): the layers are cut into about
 * sqrt(n) segments. Tensors at segment boundaries are kept; those inside a segment are recomputed
 * in the backward pass.
 */
double paleo_kept_bytes(const struct paleo_sim_cost *c, int from, int to, int recompute)
{
	int segments = recompute ? (int)ceil(sqrt(to - from)) : 1;
	double crossing = 0, largest = 0;

	if (!recompute && from == 0 && to == c->count)
		return c->kept_bytes;
	for (int k = 0; k < segments; k++) {
		int first = from + (int)((long long)(to - from) * k / segments);
		int end = from + (int)((long long)(to - from) * (k + 1) / segments);
		double inside = 0;
		for (int i = first; i < end; i++)
			inside += c->layers[i].kept_bytes;
		if (k > 0 || (recompute && from > 0))
			crossing += c->layers[first].cut_bytes;
		largest = fmax(largest, inside);
	}
	return crossing + largest;
}

struct paleo_sim_memory paleo_sim_memory_of(const struct paleo_sim *sim,
					    const struct paleo_sim_cost *c, int recompute)
{
	return (struct paleo_sim_memory){
		.weights = c->weights * sim->weight_bytes,
		.gradients = c->weights * sim->weight_bytes,
		.optimizer = c->weights * sim->optimizer_bytes,
		.activations = paleo_kept_bytes(c, 0, c->count, recompute),
		.workspace = c->grad_bytes,
	};
}
