/* sim_cost.c - what each layer of a net costs one worker: times, weights, bytes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "model/net/layers/kinds.h"
#include "model/simulate/sim_parts.h"

/* 1: unary, writes where it reads. */
static int in_place(const struct paleo_work *w)
{
	return w->kind == PALEO_ELTWISE && w->geom.eltwise.inputs == 1;
}

/* 1: no channel's result depends on another channel's values. */
static int channels_apart(const struct paleo_work *w)
{
	return in_place(w) || w->kind == PALEO_POOL ||
	       (w->kind == PALEO_NORM && w->geom.norm.mode == PALEO_BATCH_NORM);
}

static int is_product(const struct paleo_work *w)
{
	if (w->kind == PALEO_CONV)
		return w->geom.conv.groups == 1 && w->pass == PALEO_FWD;
	return w->kind == PALEO_GEMM && w->geom.gemm.batch == 1;
}

/* What a forward work leaves in memory for the backward pass: its result, unless that is written
 * over its input; of a dropout the mask, one byte each. */
static double kept_by(const struct paleo_work *w)
{
	if (!in_place(w))
		return w->write_bytes;
	return w->geom.eltwise.op == PALEO_DROPOUT ? w->geom.eltwise.count : 0;
}

static void start_layer(struct paleo_sim_layer *s, const struct paleo_layer *l, int at, int bytes)
{
	*s = (struct paleo_sim_layer){
		.layer = l,
		.last_reader = at,
		.weights = paleo_layer_weights(l),
		.out_bytes = paleo_shape_count(&l->out) * bytes,
		.joins_branches = l->parent_count > 1,
	};
	for (int k = 0; k < l->parent_count; k++) {
		s->in_bytes += paleo_shape_count(&l->parents[k]->out) * bytes;
		s->has_gradient |= l->parents[k]->needs_grad && !l->kind->no_gradient;
	}
	if (l->parent_count == 0)
		s->kept_bytes = s->out_bytes; /* the images */
}

/* Looks at the works of a layer for what tensor parallelism wants to know. Until all have been
 * seen, keeps_channels may be -1 (one does not) and joins_branches be set still: fill() uses
 * neither before. */
static void classify(struct paleo_sim_layer *s, const struct paleo_net_work *item)
{
	assert(s->layer);
	if (item->pass != PALEO_FWD)
		return;
	if (item->work.kind != PALEO_ELTWISE && s->layer->kind != &paleo_kind_attention)
		s->joins_branches = 0;
	if (is_product(&item->work) && s->weights > 0)
		s->is_product = 1;
	else if (!channels_apart(&item->work))
		s->keeps_channels = -1;
	else if (s->keeps_channels == 0)
		s->keeps_channels = 1;
}

/* What a forward work leaves for the backward pass; gathered outputs are whole again. */
static void keep(const struct paleo_net_work *item, int shards, struct paleo_sim_layer *s)
{
	struct paleo_work w = paleo_shard_work(item, s->shard, shards);
	struct paleo_error ignored; /* price() reports it */

	if (item->pass == PALEO_FWD && (shards == 1 || !paleo_work_finish(&w, &ignored)))
		s->kept_bytes += kept_by(s->shard == PALEO_SHARD_COLUMN ? &item->work : &w);
}

static int price(struct paleo_sim *sim, const struct paleo_net_work *item, int shards,
		 struct paleo_sim_layer *s, struct paleo_error *err)
{
	struct paleo_work w = paleo_shard_work(item, s->shard, shards);
	double time = 0;

	assert(s->layer);
	if (w.kind == PALEO_UPDATE)
		w.geom.update.rule = sim->config.optimizer;
	int rc = paleo_work_finish(&w, err);
	if (!rc)
		rc = paleo_sim_work_s(sim, &w, &time, err);
	if (rc) {
		paleo_error_prefix(err, "layer '%s', %s", s->layer->name, item->what);
		return rc;
	}
	if (sim->config.factor > 0)
		time *= sim->config.factor;
	switch (item->pass) {
	case PALEO_FWD:
		s->fwd_s += time;
		break;
	case PALEO_BWD_DATA:
	case PALEO_BWD_FILTER:
		s->bwd_s += time;
		break;
	case PALEO_PASS_UPDATE:
	case PALEO_PASSES:
		s->update_s += time;
		break;
	}
	return PALEO_OK;
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

static void connect(struct paleo_sim_cost *c)
{
	int *edge = c->edges;

	for (int i = 0; i < c->count; i++) {
		const struct paleo_layer *l = c->net->layers[i];
		c->layers[i].parents = edge;
		for (int k = 0; k < l->parent_count; k++) {
			*edge = l->parents[k]->index;
			c->layers[*edge++].last_reader = i;
		}
	}
}

static size_t edge_count(const struct paleo_net *net)
{
	size_t n = 0;

	for (int i = 0; i < net->count; i++)
		n += (size_t)net->layers[i]->parent_count;
	return n;
}

/* What stays in memory, and how layers are divided, is told by the forward works. */
static int look_forward(struct paleo_sim *sim, struct paleo_sim_cost *c, struct paleo_error *err)
{
	struct paleo_work_list works = {0};
	int rc = paleo_sim_works(sim, c->net, PALEO_PASSES_FWD, &works, err);

	if (rc)
		return rc;
	for (int i = 0; i < works.count; i++)
		classify(&c->layers[works.items[i].layer->index], &works.items[i]);
	for (int i = 0; i < c->count; i++) /* a bare product keeps them apart, too */
		c->layers[i].keeps_channels =
			c->layers[i].keeps_channels > 0 ||
			(c->layers[i].keeps_channels == 0 && c->layers[i].is_product);
	if (c->shards > 1)
		paleo_shards_assign(c->layers, c->count);
	for (int i = 0; i < works.count; i++)
		keep(&works.items[i], c->shards, &c->layers[works.items[i].layer->index]);
	paleo_work_list_release(&works);
	return PALEO_OK;
}

/* Prices the works of some passes; these alone are in memory. */
static int price_passes(struct paleo_sim *sim, struct paleo_sim_cost *c, unsigned passes,
			struct paleo_error *err)
{
	struct paleo_work_list works = {0};
	int rc = paleo_sim_works(sim, c->net, passes, &works, err);

	if (!rc)
		rc = paleo_sim_works_as_run(sim, c->net, &works, err);
	for (int i = 0; !rc && i < works.count; i++)
		rc = price(sim, &works.items[i], c->shards, &c->layers[works.items[i].layer->index],
			   err);
	paleo_work_list_release(&works);
	return rc;
}

static int fill(struct paleo_sim *sim, struct paleo_sim_cost *c, struct paleo_error *err)
{
	static const unsigned parts[] = {PALEO_PASSES_FWD, PALEO_PASSES_BWD,
					 1u << PALEO_PASS_UPDATE};
	int bytes = paleo_dtype_bytes(paleo_dtype_wide(sim->config.dtype));

	for (int i = 0; i < c->count; i++)
		start_layer(&c->layers[i], c->net->layers[i], i, bytes);
	connect(c);
	int whole = sim->config.framework || sim->config.merge; /* which look at all passes */
	int rc = look_forward(sim, c, err);
	if (!rc && whole)
		rc = price_passes(sim, c, PALEO_PASSES_ALL, err);
	for (size_t i = 0; !rc && !whole && i < sizeof(parts) / sizeof(*parts); i++)
		rc = price_passes(sim, c, parts[i], err);
	add_up(c);
	return rc;
}

static void free_cost(struct paleo_sim_cost *c)
{
	if (!c)
		return;
	paleo_net_free(c->at_batch);
	free(c->layers);
	free(c->edges);
	free(c);
}

static int make_cost(struct paleo_sim *sim, int batch, int shards, struct paleo_sim_cost **out,
		     struct paleo_error *err)
{
	struct paleo_sim_cost *c = calloc(1, sizeof(*c));
	int rc = PALEO_OK;

	if (!c)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	c->batch = batch;
	c->shards = shards;
	c->net = sim->config.net;
	if (batch && batch != c->net->batch) {
		rc = paleo_net_at_batch(sim->config.net, batch, &c->at_batch, err);
		c->net = c->at_batch;
	}
	if (rc)
		goto out;
	c->count = c->net->count;
	c->layers = calloc((size_t)c->count + 1, sizeof(*c->layers));
	c->edges = calloc(edge_count(c->net) + 1, sizeof(*c->edges));
	if (!c->layers || !c->edges) {
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d layers", c->count);
		goto out;
	}
	rc = fill(sim, c, err);
	if (!rc) {
		*out = c;
		c = NULL;
	}
out:
	free_cost(c);
	return rc;
}

int paleo_sim_open(const struct paleo_sim_config *config, struct paleo_sim **out,
		   struct paleo_error *err)
{
	struct paleo_sim *sim = calloc(1, sizeof(*sim));

	if (!sim)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	sim->config = *config;
	*out = sim;
	return PALEO_OK;
}

void paleo_sim_close(struct paleo_sim *sim)
{
	if (!sim)
		return;
	for (int i = 0; i < sim->count; i++)
		free_cost(sim->costs[i]);
	for (int i = 0; i < sim->part_count; i++)
		paleo_part_free(sim->parts[i]);
	free(sim->costs);
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
	int rc = make_cost(sim, batch, shards, &c, err);
	if (rc)
		return rc;
	sim->costs[sim->count++] = c;
	*out = c;
	return PALEO_OK;
}
