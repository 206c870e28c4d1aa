/* part.c - a worker's part of a net: times, bytes, and communication with other parts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/simulate/part.h"

#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "model/net/layers/params.h"
#include "model/op/operand.h"
#include "model/simulate/sim_parts.h"

/* Tokens of a sequence are dealt out so that all workers have as much to attend to: attention takes
 * its part of the time, and keeps its part of the bytes. All else has fewer rows. */
static void divide_tokens(struct paleo_op *w, int cp)
{
	struct paleo_norm_geom *norm = &w->geom.norm;
	int *rows = NULL;

	switch ((int)w->kind) {
	case PALEO_GEMM:
		rows = w->pass == PALEO_BWD_FILTER ? &w->geom.gemm.k : &w->geom.gemm.m;
		break;
	case PALEO_NORM:
		rows = norm->h > 1 ? &norm->h : &norm->n;
		break;
	case PALEO_EMBEDDING:
		rows = &w->geom.embedding.tokens;
		break;
	case PALEO_ROPE:
		rows = &w->geom.rope.rows;
		break;
	case PALEO_SOFTMAX:
		rows = &w->geom.softmax.rows;
		break;
	case PALEO_COPY:
		rows = &w->geom.copy.rows;
		break;
	case PALEO_CROSS_ENTROPY:
		rows = &w->geom.cross_entropy.rows;
		break;
	case PALEO_MOE:
		rows = &w->geom.moe.tokens;
		break;
	case PALEO_CAUSAL_CONV:
		rows = &w->geom.causal_conv.tokens;
		break;
	case PALEO_SCAN: /* their states go from worker to worker, which is not counted */
		rows = &w->geom.scan.tokens;
		break;
	case PALEO_ELTWISE:
		w->geom.eltwise.count = ceil(w->geom.eltwise.count / cp);
		break;
	default:
		break;
	}
	if (rows)
		*rows = (*rows + cp - 1) / cp;
}

/* 1 if an op computes the needed part of its input from its result, and writes in place. */
static int in_place(const struct paleo_op *w)
{
	return w->kind == PALEO_ELTWISE && w->geom.eltwise.inputs == 1 &&
	       w->geom.eltwise.op < PALEO_GELU;
}

static int reads(const struct paleo_op *w, enum paleo_role role)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	const struct paleo_operand *o = paleo_operand_find(list, paleo_op_operands(w, list), role);

	return o && o->access == PALEO_READ;
}

/* Inputs that a backward op needs of the forward op of its kind. Gradient GEMMs have other names
 * for their operands: those of weights need the input, those of activations both. */
static int needs_input(const struct paleo_op *w)
{
	if (w->kind == PALEO_GEMM)
		return w->pass == PALEO_BWD_FILTER || w->geom.gemm.batch > 1;
	if (w->kind == PALEO_CONV)
		return w->pass == PALEO_BWD_FILTER;
	if (w->kind == PALEO_COPY || w->kind == PALEO_REDUCE || w->pass == PALEO_FWD)
		return 0; /* a forward op of a backward pass: a sum of gradients */
	return !in_place(w) && reads(w, PALEO_X);
}

static int needs_output(const struct paleo_op *w)
{
	if (w->pass == PALEO_FWD || w->kind == PALEO_GEMM || w->kind == PALEO_CONV)
		return 0;
	return in_place(w) || reads(w, PALEO_Y);
}

/* The ops of one net during the search for saved tensors. */
struct listing {
	const struct paleo_op_list *ops;
	struct paleo_part *part;
	char *kept; /* of each forward op, whether its result is */
};

/* The forward ops of a layer: a run in the list. */
static int run_of(const struct listing *l, int first)
{
	const struct paleo_net_op *items = l->ops->items;
	int end = first;

	while (end < l->ops->count && items[end].pass == PALEO_FWD &&
	       items[end].layer == items[first].layer)
		end++;
	return end;
}

/* A tensor that several ops need is stored in the widest type of them. */
static void keep_output(struct paleo_part_layer *l, double share)
{
	l->kept_share = fmax(l->kept_share, share);
}

/* What is stored of an input that `item` needs, over its bytes: GEMMs of narrow weights keep it as
 * they quantised it. */
static double kept_share(const struct paleo_net_op *item)
{
	const struct paleo_weight_type *t = &item->narrow;
	double wide = paleo_dtype_bytes(paleo_dtype_wide(item->op.dtype));

	if (t->stored)
		return paleo_stored_bytes(t->stored, item->op.dtype) / wide;
	return t->dtype ? paleo_dtype_bytes((enum paleo_dtype)(t->dtype - 1)) / wide : 1;
}

static void keep_input(const struct listing *l, int first, int at, int is_product, double share)
{
	const struct paleo_layer *layer = l->ops->items[at].layer;

	if (at > first)
		l->kept[at - 1] = 1;
	else
		for (int k = 0; k < layer->parent_count; k++)
			keep_output(&l->part->layers[layer->parents[k]->index], share);
	/* an activation GEMM needs everything that was copied for it */
	for (int i = first; is_product && i < at; i++)
		if (l->ops->items[i].op.kind == PALEO_COPY)
			l->kept[i] = 1;
}

/* Marks the inputs that a backward op needs of the forward ops [first, end) of its layer. */
static void keep_for(const struct listing *l, const struct paleo_net_op *item, int first, int end)
{
	const struct paleo_op *w = &item->op;
	struct paleo_op_list const *list = l->ops;

	for (int i = first; i < end; i++) {
		const struct paleo_op *f = &list->items[i].op;
		if (f->kind != w->kind)
			continue;
		if (needs_input(w))
			keep_input(l, first, i, f->kind == PALEO_GEMM && f->geom.gemm.batch > 1,
				   kept_share(item));
		if (needs_output(w))
			l->kept[i] = 1;
		if (reads(w, PALEO_MASK) && w->pass != PALEO_FWD)
			l->part->layers[list->items[i].layer->index].inner_bytes +=
				f->kind == PALEO_ELTWISE ? f->geom.eltwise.count : 0;
	}
}

/* What experts keep of their hidden layer, as a dense MLP does: the input of the activation, of
 * gated ones gate and up, and its result, which the gradient of the second weights reads. */
static double inner_of(const struct paleo_op *w)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	const struct paleo_operand *o =
		paleo_operand_find(list, paleo_op_operands(w, list), PALEO_INNER);

	if (w->pass != PALEO_BWD_DATA || !o)
		return 0;
	return o->bytes * (w->kind == PALEO_MOE && w->geom.moe.gated ? 1.5 : 2);
}

/*
 * Tensors saved for the backward pass: every tensor that a backward op reads, once. The last op of
 * a layer gives its output, earlier ones its internals.
 */
static void find_kept(const struct listing *l)
{
	const struct paleo_net_op *items = l->ops->items;

	for (int first = 0, end; first < l->ops->count && items[first].pass == PALEO_FWD;
	     first = end) {
		struct paleo_part_layer *p = &l->part->layers[items[first].layer->index];
		end = run_of(l, first);
		for (int i = end; i < l->ops->count; i++)
			if (items[i].layer == items[first].layer) {
				keep_for(l, &items[i], first, end);
				p->inner_bytes += inner_of(&items[i].op);
			}
		for (int i = first; i + 1 < end; i++)
			if (l->kept[i])
				p->inner_bytes += items[i].op.write_bytes;
		if (l->kept[end - 1])
			keep_output(p, 1);
	}
}

/* Takes the layer's properties from a forward op. */
static void describe(struct paleo_part_layer *l, const struct paleo_op *w, int ep)
{
	const struct paleo_attention_geom *a = &w->geom.attention;
	double bytes = paleo_dtype_bytes(paleo_dtype_wide(w->dtype));

	l->flops += paleo_op_model_flops(w, 0);
	l->masked_flops += paleo_op_model_flops(w, 1);
	l->is_norm = w->kind == PALEO_NORM;
	l->is_act = w->kind == PALEO_ELTWISE && w->geom.eltwise.op != PALEO_ADD && l->flops == 0;
	if (w->kind == PALEO_ATTENTION) {
		l->attends = 1;
		l->key_bytes = bytes * a->batch * a->keys * a->kv_heads * ((double)a->qk + a->v);
	}
	if (w->kind == PALEO_MOE) {
		l->experts = w->geom.moe.local;
		l->routed_bytes = bytes * w->geom.moe.tokens / ep * w->geom.moe.hidden;
		l->routed_to = w->geom.moe.topk;
	}
}

/* 1 for attention of all tokens to all, or to all before them. */
static int goes_around(const struct paleo_part *part, const struct paleo_op *w)
{
	const struct paleo_attention_geom *a = &w->geom.attention;

	return part->key.ring && w->kind == PALEO_ATTENTION && !a->window && a->q == a->keys &&
	       a->q % (2 * part->key.cp) == 0;
}

/* Logits of 16 bits are copied to f32, and their gradient back: half as many bytes again as a copy
 * in their own type has. */
static int cast_logits(struct paleo_sim *sim, const struct paleo_op *w, struct paleo_part_layer *l,
		       double *out, struct paleo_error *err)
{
	const struct paleo_cross_entropy_geom *g = &w->geom.cross_entropy;
	struct paleo_op copy = {.kind = PALEO_COPY,
				.dtype = w->dtype,
				.geom.copy = {.rows = g->rows, .cols = g->cols, .parts = 1}};

	if (paleo_dtype_bytes(w->dtype) >= 4)
		return PALEO_OK;
	l->logit_bytes = 8.0 * g->rows * g->cols;
	PALEO_TRY(paleo_trained_op_s(sim, &copy, &(struct paleo_weight_type){0}, out, err));
	*out *= 1.5;
	return PALEO_OK;
}

static int price(struct paleo_sim *sim, const struct paleo_part *part,
		 const struct paleo_net_op *item, struct paleo_error *err)
{
	struct paleo_part_layer *l = &part->layers[item->layer->index];
	struct paleo_op w = item->op;
	double time = 0, cast = 0, share = l->attends ? 1.0 / part->key.cp : 1;

	l->is_narrow |= item->narrow.dtype || item->narrow.stored;
	if (w.kind == PALEO_UPDATE)
		w.geom.update.rule = sim->config.optimizer;
	if (part->key.cp > 1 && !l->attends && w.kind != PALEO_UPDATE)
		divide_tokens(&w, part->key.cp);
	int ring = goes_around(part, &w);
	if (part->key.wide_loss && w.kind == PALEO_CROSS_ENTROPY) {
		PALEO_TRY(cast_logits(sim, &w, l, &cast, err));
		w.dtype = PALEO_F32;
	}
	int rc = ring ? paleo_trained_ring_s(sim, &w, part->key.cp, &time, err)
		      : paleo_trained_op_s(sim, &w, &item->narrow, &time, err);
	if (rc) {
		paleo_error_prefix(err, "layer '%s', %s", item->layer->name, item->what);
		return rc;
	}
	time = cast + time * (ring ? 1 : share);
	if (item->pass == PALEO_FWD)
		l->fwd_s += time;
	else if (item->pass == PALEO_BWD_DATA)
		l->bwd_s += time;
	else if (item->pass == PALEO_BWD_FILTER)
		l->wgrad_s += time;
	else
		l->update_s += time;
	return PALEO_OK;
}

static void start(struct paleo_part *part, int bytes)
{
	for (int i = 0; i < part->count; i++) {
		const struct paleo_layer *l = part->net->layers[i];
		struct paleo_part_layer *p = &part->layers[i];
		double own = paleo_layer_weights(l), used = paleo_layer_active(l);
		*p = (struct paleo_part_layer){.layer = l, .last_reader = i, .weights = own};
		p->tied = used > own ? used - own : 0;
		p->attends = paleo_layer_attends(l);
		p->out_bytes = paleo_shape_count(&l->out) * bytes / part->key.cp;
		for (int k = 0; k < l->parent_count; k++) {
			struct paleo_part_layer *parent = &part->layers[l->parents[k]->index];
			p->in_bytes += parent->out_bytes;
			parent->last_reader = i;
		}
		if (p->attends && l->parent_count == 3)
			p->key_bytes = (part->layers[l->parents[1]->index].out_bytes +
					part->layers[l->parents[2]->index].out_bytes) *
				       part->key.cp;
	}
}

/*
 * A layer that has fewer weights than in the whole net is divided. Where its output is as wide
 * as there, each worker has an addend of it; where its input is, an addend of that one's gradient,
 * which is summed once for all layers that read it (Shoeybi et al. 2019).
 */
static int compare(struct paleo_part *part, const struct paleo_part *whole, struct paleo_error *err)
{
	char *summed = calloc((size_t)part->count + 1, 1);

	if (!summed)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d layers", part->count);
	for (int i = 0; i < part->count && i < whole->count; i++) {
		struct paleo_part_layer *p = &part->layers[i];
		const struct paleo_layer *l = p->layer, *w = whole->layers[i].layer;
		int fewer = p->weights + p->tied < whole->layers[i].weights + whole->layers[i].tied;
		p->is_divided = l->out.c < w->out.c;
		p->sums_out = fewer && !p->is_divided;
		if (!fewer || !l->parent_count || !l->parents[0]->needs_grad)
			continue;
		int from = l->parents[0]->index;
		if (l->parents[0]->out.c == w->parents[0]->out.c && !summed[from])
			p->sum_in_bytes = part->layers[from].out_bytes;
		summed[from] = 1;
	}
	free(summed);
	return PALEO_OK;
}

static int fill(struct paleo_sim *sim, struct paleo_part *part, struct paleo_error *err)
{
	struct paleo_op_list ops = {0};
	const struct paleo_op_list *list = &ops;
	unsigned passes = part->key.priced ? PALEO_PASSES_ALL : PALEO_PASSES_FWD;
	int rc = paleo_sim_ops(sim, part->net, passes, &ops, err);
	char *kept = rc ? NULL : calloc((size_t)ops.count + 1, 1);

	if (!rc && !kept)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", ops.count);
	for (int i = 0; !rc && i < ops.count; i++)
		if (ops.items[i].pass == PALEO_FWD)
			describe(&part->layers[ops.items[i].layer->index], &ops.items[i].op,
				 part->key.ep);
	if (!rc && part->key.priced)
		find_kept(&(struct listing){list, part, kept});
	free(kept);
	if (!rc && part->key.priced)
		rc = paleo_sim_ops_as_run(sim, part->net, &ops, err);
	for (int i = 0; !rc && part->key.priced && i < ops.count; i++)
		rc = price(sim, part, &ops.items[i], err);
	for (int i = 0; i < part->count; i++) {
		part->layers[i].inner_bytes /= part->key.cp;
		part->layers[i].routed_bytes /= part->key.cp;
	}
	paleo_op_list_release(&ops);
	return rc;
}

void paleo_part_free(struct paleo_part *part)
{
	if (!part)
		return;
	paleo_net_free(part->net);
	free(part->layers);
	free(part);
}

/* The worker's net at the batch: of a config.json, which alone is divided by tp and ep. */
static int open_net(const struct paleo_sim *sim, const struct paleo_part_key *key,
		    struct paleo_net **out, struct paleo_error *err)
{
	const struct paleo_sim_config *c = &sim->config;
	struct paleo_net *net = NULL;

	if (key->tp == 1 && key->ep == 1)
		return paleo_net_at_batch(c->net, key->batch, out, err);
	if (!c->open_part)
		return paleo_fail(err, PALEO_EINPUT,
				  "tp and ep require the model of a config.json");
	int rc = c->open_part(c->open_self, key, &net, err);
	if (!rc)
		rc = paleo_net_at_batch(net, key->batch, out, err);
	paleo_net_free(net);
	return rc;
}

static int make(struct paleo_sim *sim, const struct paleo_part_key *key, struct paleo_part **out,
		struct paleo_error *err)
{
	const struct paleo_part_key all = {
		.batch = key->batch, .tp = 1, .ep = key->ep, .cp = 1, .etp = 1};
	const struct paleo_part *whole = NULL;
	struct paleo_part *part = calloc(1, sizeof(*part));

	if (!part)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	part->key = *key;
	int rc = open_net(sim, key, &part->net, err);
	if (!rc) {
		part->count = part->net->count;
		part->layers = calloc((size_t)part->count + 1, sizeof(*part->layers));
		if (!part->layers)
			rc = paleo_fail(err, PALEO_ENOMEM, "out of memory");
	}
	if (!rc) {
		start(part, paleo_dtype_bytes(paleo_dtype_wide(sim->config.dtype)));
		rc = fill(sim, part, err);
	}
	if (!rc && key->tp > 1)
		rc = paleo_part_get(sim, &all, &whole, err);
	if (!rc && whole)
		rc = compare(part, whole, err);
	if (rc)
		paleo_part_free(part);
	else
		*out = part;
	return rc;
}

static int same(const struct paleo_part_key *a, const struct paleo_part_key *b)
{
	return a->batch == b->batch && a->tp == b->tp && a->ep == b->ep && a->cp == b->cp &&
	       a->etp == b->etp && a->priced == b->priced && a->ring == b->ring &&
	       a->wide_loss == b->wide_loss;
}

int paleo_part_get(struct paleo_sim *sim, const struct paleo_part_key *key,
		   const struct paleo_part **out, struct paleo_error *err)
{
	struct paleo_part *part = NULL;

	for (int i = 0; i < sim->part_count; i++)
		if (same(&sim->parts[i]->key, key)) {
			*out = sim->parts[i];
			return PALEO_OK;
		}
	PALEO_TRY(make(sim, key, &part, err));
	struct paleo_part **grown = paleo_grow(sim->parts, sim->part_count, &sim->part_capacity,
					       sizeof(struct paleo_part *));
	if (!grown) {
		paleo_part_free(part);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	}
	sim->parts = grown;
	sim->parts[sim->part_count++] = part;
	*out = part;
	return PALEO_OK;
}

/* Number of tensors that cross each layer boundary. */
static void count_crossing(const struct paleo_part *part, int *crossing)
{
	for (int i = 0; i < part->count; i++)
		for (int at = i + 1; at <= part->layers[i].last_reader; at++)
			crossing[at]++;
}

int paleo_part_blocks(const struct paleo_part *part, int **begin, int *count,
		      struct paleo_error *err)
{
	int *crossing = calloc(2 * (size_t)part->count + 2, sizeof(*crossing));
	int n = 0;

	if (!crossing)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d layers", part->count);
	int *places = crossing + part->count + 1;
	count_crossing(part, crossing);
	for (int i = 0; i < part->count; i++) {
		int at = i;
		while (part->layers[i].attends && at > 0 && crossing[at] != 1)
			at--;
		if (part->layers[i].attends && (n == 0 || at > places[n - 1]))
			places[n++] = at;
	}
	*begin = calloc((size_t)n + 1, sizeof(**begin));
	if (!*begin) {
		free(crossing);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d blocks", n);
	}
	for (int i = 0; i < n; i++)
		(*begin)[i] = places[i];
	/* the last one is as long as the one before it */
	int end = n > 1 ? 2 * places[n - 1] - places[n - 2] : part->count;
	(*begin)[n] = end < part->count ? end : part->count;
	*count = n;
	free(crossing);
	return PALEO_OK;
}
