/* sim_batch.c - a net at one batch: its layers, its ops, and their times, each priced once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "model/net/layers/params.h"
#include "model/simulate/sim_parts.h"

/* 1: no channel's result depends on another channel's values. */
static int channels_apart(const struct paleo_op *w)
{
	return paleo_writes_in_place(w) || w->kind == PALEO_POOL ||
	       (w->kind == PALEO_NORM && w->geom.norm.mode == PALEO_BATCH_NORM);
}

static int is_product(const struct paleo_op *w)
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

/* Derives the properties that tensor parallelism needs from the ops of a layer. Until all have been
 * seen, keeps_channels may be -1 (one does not) and joins_branches may still be set: fill() reads
 * neither before. */
static void classify(struct paleo_sim_layer *s, const struct paleo_net_op *item)
{
	assert(s->layer);
	if (item->pass != PALEO_FWD)
		return;
	if (item->op.kind != PALEO_ELTWISE && !paleo_layer_attends(s->layer))
		s->joins_branches = 0;
	if (is_product(&item->op) && s->weights > 0)
		s->is_product = 1;
	else if (!channels_apart(&item->op))
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

/* First occurrence of each op in the list: an open-addressing table of indices. */
struct table {
	int *at; /* -1: free */
	size_t last;
};

/* Hash of a finished op. */
static uint64_t hash_of(const struct paleo_op *w)
{
	const double counts[] = {w->flops, w->read_bytes, w->write_bytes};
	uint64_t h = (uint64_t)w->kind << 32 | (uint64_t)w->pass << 16 | (uint64_t)w->dtype;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint64_t bits;
		memcpy(&bits, &counts[i], sizeof(bits));
		h = paleo_hash(h ^ bits);
	}
	return h;
}

static int first_like(const struct table *t, const struct paleo_net_op *items, int i)
{
	size_t at = hash_of(&items[i].op) & t->last;

	while (t->at[at] >= 0) {
		const struct paleo_net_op *other = &items[t->at[at]];
		if (other->pass == items[i].pass && paleo_op_equal(&other->op, &items[i].op) &&
		    !memcmp(&other->narrow, &items[i].narrow, sizeof(other->narrow)))
			return t->at[at];
		at = (at + 1) & t->last;
	}
	t->at[at] = i;
	return i;
}

static int find_alike(struct paleo_sim_ops *w, struct paleo_error *err)
{
	size_t room = 2;

	while (room < 2 * (size_t)w->list.count)
		room *= 2;
	struct table t = {malloc(room * sizeof(*t.at)), room - 1};
	w->like = malloc(((size_t)w->list.count + 1) * sizeof(*w->like));
	if (!t.at || !w->like) {
		free(t.at);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", w->list.count);
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
static int set_rule(const struct paleo_sim *sim, struct paleo_op_list *list,
		    struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < list->count; i++) {
		struct paleo_net_op *item = &list->items[i];
		if (item->op.kind != PALEO_UPDATE)
			continue;
		item->op.geom.update.rule = sim->config.optimizer;
		rc = paleo_op_finish(&item->op, err);
		if (rc)
			paleo_error_prefix(err, "layer '%s', %s", item->layer->name, item->what);
	}
	return rc;
}

/* Ops that run, where they differ from the plain list. */
static int list_run(const struct paleo_sim *sim, struct paleo_sim_batch *b, struct paleo_error *err)
{
	struct paleo_op_list *list = &b->run.list;

	PALEO_TRY(paleo_sim_ops(sim, b->net, PALEO_PASSES_ALL, list, err));
	PALEO_TRY(paleo_sim_ops_as_run(sim, b->net, list, err));
	PALEO_TRY(set_rule(sim, list, err));
	return find_alike(&b->run, err);
}

static int fill(const struct paleo_sim *sim, struct paleo_sim_batch *b, struct paleo_error *err)
{
	const struct paleo_net *net = b->net;
	struct paleo_op_list *list = &b->plain.list;
	int bytes = paleo_dtype_bytes(paleo_dtype_wide(sim->config.dtype));

	for (int i = 0; i < net->count; i++)
		start_layer(&b->layers[i], net->layers[i], i, bytes);
	connect(b);
	PALEO_TRY(paleo_sim_ops(sim, net, PALEO_PASSES_ALL, list, err));
	for (int i = 0; i < list->count; i++)
		classify(&b->layers[list->items[i].layer->index], &list->items[i]);
	for (int i = 0; i < net->count; i++) /* a GEMM without bias keeps them separate, too */
		b->layers[i].keeps_channels =
			b->layers[i].keeps_channels > 0 ||
			(b->layers[i].keeps_channels == 0 && b->layers[i].is_product);
	PALEO_TRY(set_rule(sim, list, err));
	PALEO_TRY(find_alike(&b->plain, err));
	b->runs_others = sim->config.framework || sim->config.merge;
	return !b->runs_others ? PALEO_OK : list_run(sim, b, err);
}

static void release(struct paleo_sim_ops *w)
{
	paleo_op_list_release(&w->list);
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
	PALEO_TRY(make(sim, batch, &b, err));
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

/* Times of ops: each op of a simulation is priced by its cost model once. */

enum {
	TIMES_START = 256 /* a power of two */
};

/* The op's place, or the free one where it belongs; there is always a free one. */
static struct paleo_sim_time *place_of(struct paleo_sim_time *times, int room,
				       const struct paleo_op *w)
{
	size_t last = (size_t)room - 1, at = hash_of(w) & last;

	while (times[at].known && !paleo_op_equal(&times[at].op, w))
		at = (at + 1) & last;
	return &times[at];
}

/* Twice the room where half of it is taken. */
static int make_room(struct paleo_sim *sim, struct paleo_error *err)
{
	int room = sim->time_room ? 2 * sim->time_room : TIMES_START;

	if (2 * sim->time_count < sim->time_room)
		return PALEO_OK;
	struct paleo_sim_time *times = calloc((size_t)room, sizeof(*times));
	if (!times)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the times of %d ops", room);
	for (int i = 0; i < sim->time_room; i++)
		if (sim->times[i].known)
			*place_of(times, room, &sim->times[i].op) = sim->times[i];
	free(sim->times);
	sim->times = times;
	sim->time_room = room;
	return PALEO_OK;
}

int paleo_sim_op_s(struct paleo_sim *sim, const struct paleo_op *w, double *out,
		   struct paleo_error *err)
{
	PALEO_TRY(make_room(sim, err));
	struct paleo_sim_time *t = place_of(sim->times, sim->time_room, w);
	if (!t->known) {
		PALEO_TRY(sim->config.cost_model.op_s(sim->config.cost_model.self, w, &t->time_s,
						      err));
		t->op = *w;
		t->known = 1;
		sim->time_count++;
	}
	*out = t->time_s;
	return PALEO_OK;
}

int paleo_sim_ops(const struct paleo_sim *sim, const struct paleo_net *net, unsigned passes,
		  struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_ops_options o = {.dtype = sim->config.dtype,
					    .layout = sim->config.layout,
					    .passes = passes,
					    .separate_attention = sim->config.separate_attention};

	return paleo_net_ops_with(net, &o, out, err);
}

int paleo_sim_ops_as_run(const struct paleo_sim *sim, const struct paleo_net *net,
			 struct paleo_op_list *list, struct paleo_error *err)
{
	const struct paleo_ops_options o = {.dtype = sim->config.dtype,
					    .layout = sim->config.layout,
					    .passes = PALEO_PASSES_ALL,
					    .framework = sim->config.framework,
					    .optimizer = sim->config.optimizer};

	if (o.framework)
		return paleo_op_list_as_framework(net, &o, list, err);
	return sim->config.merge ? paleo_op_list_merge(list, err) : PALEO_OK;
}
