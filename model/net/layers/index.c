/* index.c - which keys attention reads: queries and keys of an index, scored and chosen. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"

/*
 * The scores of a query's `heads` with the one head of keys are added up, and the `top` keys with
 * the highest sums are selected (DeepSeek-AI 2025, "DeepSeek-V3.2", section 2.1). With no more keys
 * than that there is no selection. With `compressed` so many tokens share one key.
 */
struct param {
	struct paleo_attention_geom geom;
	int past, top, compressed;
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	PALEO_KEY_NEED(struct param, "heads", geom.heads),
	PALEO_KEY_NEED(struct param, "top", top),
	PALEO_KEY_NUMBER(struct param, "past", past),
	PALEO_KEY_NUMBER(struct param, "rope", geom.rope),
	PALEO_KEY_OWN(struct param, "cache_type", geom.kv, paleo_read_cache_type),
	PALEO_KEY_NUMBER(struct param, "compressed", compressed),
	{0},
};

/* Keys there are for the last query. */
static int keys_of(const struct param *p)
{
	return p->geom.keys / p->compressed;
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	struct param *p = l->param;
	const struct paleo_shape *q = paleo_layer_in(l), *k = &l->parents[1]->out;

	if (!p->compressed)
		p->compressed = 1;
	int keys = (q->h + p->compressed - 1) / p->compressed;

	if (q->rank != 3 || k->rank != 3 || q->n != k->n || k->h != keys ||
	    q->c / p->geom.heads != k->c || q->c % p->geom.heads)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' and '%s' must give [N, T, %d x C] and [N, %d, C]",
				  l->parents[0]->name, l->parents[1]->name, p->geom.heads, keys);
	p->geom.batch = q->n;
	p->geom.q = q->h;
	p->geom.keys = q->h + p->past;
	p->geom.qk = k->c;
	keys = keys_of(p);
	l->out = *q;
	l->out.c = p->top < keys ? p->top : keys > 0 ? keys : 1;
	if (p->compressed > 1)
		paleo_attention_compress(&p->geom, 0, p->compressed, 0);
	return PALEO_OK;
}

/* Scores in one kernel that keeps those of each head, and a selection that reads them: like a
 * softmax over as many scores in f32. */
static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_attention_geom *g = &p->geom;
	struct paleo_op scores = {
		.kind = PALEO_ATTENTION, .dtype = paleo_dtype_wide(dtype), .geom.attention = *g};
	struct paleo_op choice = {
		.kind = PALEO_SOFTMAX,
		.dtype = PALEO_F32,
		.geom.softmax = {.rows = g->batch * g->q,
				 .cols = (int)(paleo_attention_pairs(g) / g->q)},
	};

	if (pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "key selection has no backward pass");
	if (p->top >= keys_of(p))
		return PALEO_OK;
	int rc = paleo_op_list_add(out, "scores", pass, &scores, err);
	return rc ? rc : paleo_op_list_add(out, "choice", pass, &choice, err);
}

static double cached_bytes(const struct paleo_layer *l, enum paleo_dtype dtype,
			   enum paleo_cached part)
{
	const struct param *p = l->param;
	const struct paleo_attention_geom *g = &p->geom;
	enum paleo_dtype stored = g->kv ? (enum paleo_dtype)(g->kv - 1) : paleo_dtype_wide(dtype);

	double tokens =
		part == PALEO_CACHED_ALL ? (double)g->batch * keys_of(p) : 1.0 / p->compressed;

	return g->qk * paleo_dtype_bytes(stored) * tokens;
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "%d heads of %d, %d of %d keys", p->geom.heads, p->geom.qk, l->out.c,
		 keys_of(p));
}

const struct paleo_layer_kind paleo_kind_index = {
	.type = "Index",
	.param_size = sizeof(struct param),
	.parents = {2, 3},
	.no_graph = 1,
	.index = 1,
	.keys = fields,
	.initial =
		&(const struct param){
			.geom = {.kv_heads = 1, .v = 1, .causal = 1, .latent = 1, .cache = 1}},
	.shape = shape,
	.op = op,
	.cached_bytes = cached_bytes,
	.describe = describe,
};
