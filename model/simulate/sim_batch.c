/* sim_batch.c - a net at one batch: its layers and works, which all divisions of it share. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdlib.h>

#include "base/grow.h"
#include "model/net/layers/kinds.h"
#include "model/simulate/sim_parts.h"

/* 1: no channel's result depends on another channel's values. */
static int channels_apart(const struct paleo_work *w)
{
	return paleo_writes_in_place(w) || w->kind == PALEO_POOL ||
	       (w->kind == PALEO_NORM && w->geom.norm.mode == PALEO_BATCH_NORM);
}

static int is_product(const struct paleo_work *w)
{
	if (w->kind == PALEO_CONV)
		return w->geom.conv.groups == 1 && w->pass == PALEO_FWD;
	return w->kind == PALEO_GEMM && w->geom.gemm.batch == 1;
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

static void connect(struct paleo_sim_batch *b)
{
	int *edge = b->edges;

	for (int i = 0; i < b->net->count; i++) {
		const struct paleo_layer *l = b->net->layers[i];
		b->layers[i].parents = edge;
		for (int k = 0; k < l->parent_count; k++) {
			*edge = l->parents[k]->index;
			b->layers[*edge++].last_reader = i;
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

/* Before which work of the list each stands for the first time: an open table of places. */
struct table {
	int *at; /* -1: free */
	size_t last;
};

static int first_like(const struct table *t, const struct paleo_net_work *items, int i)
{
	size_t at = paleo_sim_hash(&items[i].work) & t->last;

	while (t->at[at] >= 0) {
		const struct paleo_net_work *other = &items[t->at[at]];
		if (other->pass == items[i].pass && paleo_work_equal(&other->work, &items[i].work))
			return t->at[at];
		at = (at + 1) & t->last;
	}
	t->at[at] = i;
	return i;
}

static int find_alike(struct paleo_sim_works *w, struct paleo_error *err)
{
	size_t room = 2;

	while (room < 2 * (size_t)w->list.count)
		room *= 2;
	struct table t = {malloc(room * sizeof(*t.at)), room - 1};
	w->like = malloc(((size_t)w->list.count + 1) * sizeof(*w->like));
	if (!t.at || !w->like) {
		free(t.at);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d works", w->list.count);
	}
	for (size_t i = 0; i < room; i++)
		t.at[i] = -1;
	for (int i = 0; i < w->list.count; i++) {
		int first = first_like(&t, w->list.items, i);
		w->like[i] = first == i ? w->different++ : w->like[first];
	}
	free(t.at);
	return PALEO_OK;
}

/* The optimiser's own updates. */
static int set_rule(const struct paleo_sim *sim, struct paleo_work_list *list,
		    struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < list->count; i++) {
		struct paleo_net_work *item = &list->items[i];
		if (item->work.kind != PALEO_UPDATE)
			continue;
		item->work.geom.update.rule = sim->config.optimizer;
		rc = paleo_work_finish(&item->work, err);
		if (rc)
			paleo_error_prefix(err, "layer '%s', %s", item->layer->name, item->what);
	}
	return rc;
}

/* What is run, where it is not the plain works. */
static int list_run(const struct paleo_sim *sim, struct paleo_sim_batch *b, struct paleo_error *err)
{
	struct paleo_work_list *list = &b->run.list;
	int rc = paleo_sim_works(sim, b->net, PALEO_PASSES_ALL, list, err);

	if (!rc)
		rc = paleo_sim_works_as_run(sim, b->net, list, err);
	if (!rc)
		rc = set_rule(sim, list, err);
	return rc ? rc : find_alike(&b->run, err);
}

static int fill(const struct paleo_sim *sim, struct paleo_sim_batch *b, struct paleo_error *err)
{
	const struct paleo_net *net = b->net;
	struct paleo_work_list *list = &b->plain.list;
	int bytes = paleo_dtype_bytes(paleo_dtype_wide(sim->config.dtype));

	for (int i = 0; i < net->count; i++)
		start_layer(&b->layers[i], net->layers[i], i, bytes);
	connect(b);
	int rc = paleo_sim_works(sim, net, PALEO_PASSES_ALL, list, err);
	if (rc)
		return rc;
	for (int i = 0; i < list->count; i++)
		classify(&b->layers[list->items[i].layer->index], &list->items[i]);
	for (int i = 0; i < net->count; i++) /* a bare product keeps them apart, too */
		b->layers[i].keeps_channels =
			b->layers[i].keeps_channels > 0 ||
			(b->layers[i].keeps_channels == 0 && b->layers[i].is_product);
	rc = set_rule(sim, list, err);
	if (!rc)
		rc = find_alike(&b->plain, err);
	b->runs_others = sim->config.framework || sim->config.merge;
	return rc || !b->runs_others ? rc : list_run(sim, b, err);
}

static void release(struct paleo_sim_works *w)
{
	paleo_work_list_release(&w->list);
	free(w->like);
}

void paleo_sim_batch_free(struct paleo_sim_batch *b)
{
	if (!b)
		return;
	paleo_net_free(b->at_batch);
	release(&b->plain);
	release(&b->run);
	free(b->layers);
	free(b->edges);
	free(b);
}

static int make(const struct paleo_sim *sim, int batch, struct paleo_sim_batch **out,
		struct paleo_error *err)
{
	struct paleo_sim_batch *b = calloc(1, sizeof(*b));

	if (!b)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	int rc = PALEO_OK;
	b->batch = batch;
	b->net = sim->config.net;
	if (batch && batch != b->net->batch) {
		rc = paleo_net_at_batch(sim->config.net, batch, &b->at_batch, err);
		b->net = b->at_batch;
	}
	if (rc)
		goto out;
	b->layers = calloc((size_t)b->net->count + 1, sizeof(*b->layers));
	b->edges = calloc(edge_count(b->net) + 1, sizeof(*b->edges));
	if (!b->layers || !b->edges) {
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d layers", b->net->count);
		goto out;
	}
	rc = fill(sim, b, err);
	if (!rc) {
		*out = b;
		b = NULL;
	}
out:
	paleo_sim_batch_free(b);
	return rc;
}

int paleo_sim_batch_get(struct paleo_sim *sim, int batch, const struct paleo_sim_batch **out,
			struct paleo_error *err)
{
	struct paleo_sim_batch *b = NULL;

	for (int i = 0; i < sim->batch_count; i++)
		if (sim->batches[i]->batch == batch) {
			*out = sim->batches[i];
			return PALEO_OK;
		}
	int rc = make(sim, batch, &b, err);
	if (rc)
		return rc;
	struct paleo_sim_batch **grown =
		paleo_grow(sim->batches, sim->batch_count, &sim->batch_capacity, sizeof(*grown));
	if (!grown) {
		paleo_sim_batch_free(b);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	}
	sim->batches = grown;
	grown[sim->batch_count++] = b;
	*out = b;
	return PALEO_OK;
}
