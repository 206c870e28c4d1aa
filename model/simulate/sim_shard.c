/* sim_shard.c - tensor parallelism: how layers and their ops are divided, and its step. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>

#include "model/net/layers/params.h"
#include "model/op/op_fields.h"
#include "model/simulate/sim_parts.h"

/*
 * After Shoeybi et al. 2019 (Megatron-LM), for any net: a GEMM layer is divided by its output
 * channels. If only ops that keep channels separate are between it and the next GEMM layer, that
 * one is divided by its input channels: nothing is communicated between the two, and the second
 * one's partial sums are added by an all-reduce. Several GEMM layers whose outputs meet only in a
 * sum, a multiplication or attention before that are divided together; of attention by heads. A
 * layer divided as a partner begins no pair. A layer without such a partner gathers its outputs
 * (Krizhevsky 2014). Backward, the gradient of a divided layer's inputs is a sum over the workers,
 * for layers that are divided together and read the same one sum.
 */
static int divided(int size, int shards)
{
	return (size + shards - 1) / shards;
}

int paleo_shard_divides(enum paleo_shard shard)
{
	return shard != PALEO_SHARD_NONE;
}

/* 1: ops after a layer's GEMM, and of layers in between, run on a part. */
static int divides_channels(enum paleo_shard shard)
{
	return shard == PALEO_SHARD_PAIRED || shard == PALEO_SHARD_INSIDE;
}

static void divide_gemm(struct paleo_gemm_geom *g, enum paleo_pass pass, int row, int shards)
{
	switch (pass) {
	case PALEO_FWD: /* m images, n outputs, k inputs */
		*(row ? &g->k : &g->n) = divided(row ? g->k : g->n, shards);
		break;
	case PALEO_BWD_DATA: /* n inputs, k outputs */
		*(row ? &g->n : &g->k) = divided(row ? g->n : g->k, shards);
		break;
	case PALEO_BWD_FILTER: /* m outputs, n inputs */
		*(row ? &g->n : &g->m) = divided(row ? g->n : g->m, shards);
		break;
	case PALEO_PASS_UPDATE:
	case PALEO_PASSES:
		break;
	}
}

static void divide_conv(struct paleo_conv_geom *g, int row, int shards)
{
	if (row)
		g->c = divided(g->c, shards);
	else
		g->k = divided(g->k, shards);
}

/* Ops of attention on the heads of a worker, which has whole ones of keys, and at least one. */
static void divide_heads(struct paleo_op *w, const struct paleo_layer *l, int shards)
{
	const struct paleo_attention_param *p = l->param;
	int all = p->kv_heads / l->splits;
	int mine = divided(all, shards);

	assert(paleo_layer_attends(l));
	if (w->kind == PALEO_ATTENTION) {
		w->geom.attention.heads = w->geom.attention.heads / all * mine;
		w->geom.attention.kv_heads = mine;
	}
	if (w->kind == PALEO_GEMM)
		w->geom.gemm.batch = w->geom.gemm.batch / all * mine;
	if (w->kind == PALEO_SOFTMAX)
		w->geom.softmax.rows = w->geom.softmax.rows / all * mine;
	if (w->kind == PALEO_COPY) {
		w->geom.copy.cols = w->geom.copy.cols / all * mine;
		w->geom.copy.parts = mine;
	}
}

/* Ops that keep channels apart, on the channels of a worker. */
static void divide_channels(struct paleo_op *w, int shards)
{
	const struct paleo_field *f = paleo_field_of(w->kind, PALEO_OF_CHANNELS);

	if (f)
		paleo_field_put(w, f, ceil(paleo_field_get(w, f) / shards));
}

/* The repeated tensor is divided, too; the number of repetitions is unchanged. */
static void divide_repeated(struct paleo_eltwise_geom *g, int shards)
{
	double repetitions = g->count / g->small;

	g->small = ceil(g->small / shards);
	g->count = repetitions * g->small;
}

int paleo_shard_of_layer(const struct paleo_op *w, enum paleo_shard shard)
{
	return shard == PALEO_SHARD_INSIDE &&
	       (w->kind == PALEO_ATTENTION || w->kind == PALEO_GEMM || w->kind == PALEO_SOFTMAX ||
		w->kind == PALEO_COPY);
}

struct paleo_op paleo_shard_op(const struct paleo_net_op *item, enum paleo_shard shard, int shards)
{
	struct paleo_op w = item->op;
	int row = shard == PALEO_SHARD_ROW;

	if (shards == 1 || !paleo_shard_divides(shard))
		return w;
	if (paleo_shard_of_layer(&w, shard))
		divide_heads(&w, item->layer, shards);
	else if (w.kind == PALEO_CONV)
		divide_conv(&w.geom.conv, row, shards);
	else if (w.kind == PALEO_GEMM)
		divide_gemm(&w.geom.gemm, item->pass, row, shards);
	else if (divides_channels(shard) && w.kind == PALEO_ELTWISE && w.geom.eltwise.small > 0)
		divide_repeated(&w.geom.eltwise, shards);
	else if (divides_channels(shard) || w.kind == PALEO_UPDATE)
		divide_channels(&w, shards);
	return w;
}

/* The only reader of this layer's output; -1 if there is none. */
static int only_reader(const struct paleo_sim_layer *l)
{
	return l->layer->child_count == 1 ? l->last_reader : -1;
}

/* 1 if it can be between a pair. */
static int is_between(const struct paleo_sim_layer *l)
{
	return l->keeps_channels && !l->is_product && l->layer->parent_count == 1;
}

/* The GEMM layer at the start of a branch that ends with layer `at`, if nothing leaves the branch
 * on its way; -1 otherwise. */
static int branch_start(const struct paleo_sim_layer *layers, int at)
{
	while (layers[at].layer->child_count == 1 && is_between(&layers[at]))
		at = layers[at].parents[0];
	const struct paleo_sim_layer *l = &layers[at];
	return l->layer->child_count == 1 && l->is_product && l->keeps_channels ? at : -1;
}

/* 1 if all branches that meet in a layer can be divided. */
static int can_meet(const struct paleo_sim_layer *layers, int at)
{
	for (int k = 0; layers[at].joins_branches && k < layers[at].layer->parent_count; k++) {
		int start = branch_start(layers, layers[at].parents[k]);
		if (start < 0 || layers[start].shard != PALEO_SHARD_NONE)
			return 0;
	}
	return layers[at].joins_branches;
}

/* The GEMM layer that takes layer `at`'s result divided; -1 if there is none. */
static int find_partner(const struct paleo_sim_layer *layers, int at)
{
	int i = only_reader(&layers[at]);

	while (i >= 0 && is_between(&layers[i]))
		i = only_reader(&layers[i]);
	return i >= 0 && layers[i].is_product ? i : -1;
}

/* Divides the layers from a GEMM layer to its partner. */
static void divide_branch(struct paleo_sim_layer *layers, int start, int partner)
{
	layers[start].shard = PALEO_SHARD_PAIRED;
	for (int i = only_reader(&layers[start]); i != partner; i = only_reader(&layers[i]))
		layers[i].shard = PALEO_SHARD_INSIDE;
	layers[partner].shard = PALEO_SHARD_ROW;
}

/* Divides all branches that meet in layer `at`; of those that read the same, the first sums. */
static void divide_meeting(struct paleo_sim_layer *layers, int at, int partner)
{
	const struct paleo_sim_layer *l = &layers[at];

	for (int k = 0; k < l->layer->parent_count; k++) {
		int start = branch_start(layers, l->parents[k]);
		divide_branch(layers, start, partner);
		for (int other = 0; other < k; other++) {
			int first = branch_start(layers, l->parents[other]);
			if (layers[first].parents[0] == layers[start].parents[0])
				layers[start].shares_input = 1;
		}
	}
}

/* GEMMs that meet are decided at the layer where they do: by then everything before them has been
 * decided, in any order of layers. */
void paleo_shards_assign(struct paleo_sim_layer *layers, int count)
{
	for (int i = 0; i < count; i++) {
		const struct paleo_sim_layer *l = &layers[i];
		int partner = find_partner(layers, i);
		if (partner < 0)
			continue;
		if (l->is_product && l->keeps_channels && l->shard == PALEO_SHARD_NONE)
			divide_branch(layers, i, partner);
		else if (can_meet(layers, i))
			divide_meeting(layers, i, partner);
	}
	for (int i = 0; i < count; i++)
		if (layers[i].is_product && layers[i].shard == PALEO_SHARD_NONE)
			layers[i].shard = PALEO_SHARD_COLUMN;
}

/* Communication after a layer's forward pass and before the end of its backward pass. */
static void layer_exchange(const struct paleo_sim_layer *l, const struct paleo_sim_setup *s,
			   double *fwd_s, double *bwd_s)
{
	const struct paleo_scheme *x = s->scheme;
	double back = l->has_gradient && !l->shares_input ? l->in_bytes : 0;

	if (l->shard == PALEO_SHARD_COLUMN)
		*fwd_s += x->all_gather_s(&s->fabric, s->workers, l->out_bytes);
	if (l->shard == PALEO_SHARD_ROW)
		*fwd_s += x->all_reduce_s(&s->fabric, s->workers, l->out_bytes);
	if ((l->shard == PALEO_SHARD_COLUMN || l->shard == PALEO_SHARD_PAIRED) && back > 0)
		*bwd_s += x->all_reduce_s(&s->fabric, s->workers, back);
}

/* One layer after the other: it computes, then waits for its communication. */
static void draw(const struct paleo_sim_cost *c, const struct paleo_sim_setup *s, double update_at)
{
	struct paleo_timeline *t = s->timeline;
	double at = 0;

	if (!t)
		return;
	t->alike = s->workers;
	for (int again = 0; again <= (s->recompute != 0); again++)
		for (int i = 0; i < c->count; i++) {
			const struct paleo_sim_layer *l = &c->layers[i];
			double sent = 0, unused = 0;
			if (s->workers > 1)
				layer_exchange(l, s, &sent, &unused);
			paleo_timeline_compute(t, again ? "again forward" : "forward", l->layer, at,
					       l->fwd_s);
			paleo_timeline_comm(t, "activations", l->layer, at + l->fwd_s, sent);
			at += l->fwd_s + sent;
		}
	for (int i = c->count - 1; i >= 0; i--) {
		const struct paleo_sim_layer *l = &c->layers[i];
		double sent = 0, unused = 0;
		if (s->workers > 1)
			layer_exchange(l, s, &unused, &sent);
		paleo_timeline_compute(t, "backward", l->layer, at, l->bwd_s);
		paleo_timeline_comm(t, "gradients", l->layer, at + l->bwd_s, sent);
		at += l->bwd_s + sent;
	}
	paleo_timeline_update(t, c, update_at, 1);
}

int paleo_step_tensor(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		      struct paleo_sim_step *out, struct paleo_error *err)
{
	const struct paleo_sim_cost *c = NULL;
	double fwd_comm = 0, bwd_comm = 0;

	if (!s->scheme->all_gather_s)
		return paleo_fail(err, PALEO_EINPUT,
				  "scheme '%s' has no all-gather, which tensor parallelism needs",
				  s->scheme->name);
	PALEO_TRY(paleo_sim_get(sim, s->batch, s->workers, &c, err));
	for (int i = 0; s->workers > 1 && i < c->count; i++)
		layer_exchange(&c->layers[i], s, &fwd_comm, &bwd_comm);
	/* Recomputation repeats its communication, too. */
	double again = s->recompute ? c->fwd_s : 0;
	out->comm_s = fwd_comm * (s->recompute ? 2 : 1) + bwd_comm;
	out->exposed_s = out->comm_s;
	out->fwd_s = c->fwd_s;
	out->bwd_s = c->bwd_s + again;
	out->update_s = c->update_s;
	out->step_s = out->fwd_s + out->bwd_s + out->update_s + out->comm_s;
	draw(c, s, out->step_s - out->update_s);
	out->worker_batch = s->batch;
	out->memory = paleo_sim_memory_of(sim, c, s->recompute);
	return PALEO_OK;
}
