/* fused_attention.c - attention in one kernel, or as separate ops on request. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/attention_products.h"
#include "model/net/layers/common.h"

enum {
	QUERIES, /* parents */
	KEYS,
	VALUES
};

struct param {
	struct paleo_attention_param attention;
	struct paleo_attention_geom
		geom; /* fields read from the file; the rest is set by shape() */
	int past;
	int chunk;      /* tokens of the text's parts that see one another; 0: it has none */
	int top;        /* keys that an index chose for each query; 0: all */
	int compressed; /* tokens per compressed key of the earlier ones; 0: none */
	int window;     /* of the tokens' own keys, in addition to compressed ones */
	int memory;     /* cached keys and values of another sequence; 0: none */
	int sinks;      /* 1: learns a number for each head, which takes part in its softmax */
	int leaves;     /* numbers, in the cache, of each token; -1: its keys and values */
	double cached;  /* how many these are */
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	PALEO_KEY_NEED(struct param, "heads", attention.heads),
	PALEO_KEY_SIZE(struct param, "kv_heads", attention.kv_heads),
	PALEO_KEY_FLAG(struct param, "causal", geom.causal),
	PALEO_KEY_NUMBER(struct param, "window", geom.window),
	PALEO_KEY_NUMBER(struct param, "past", past),
	PALEO_KEY_FLAG(struct param, "cache", geom.cache),
	PALEO_KEY_NUMBER(struct param, "rope", geom.rope),
	PALEO_KEY_NUMBER(struct param, "latent", geom.v),
	PALEO_KEY_NUMBER(struct param, "cached", leaves),
	PALEO_KEY_OWN(struct param, "cache_type", geom.kv, paleo_read_cache_type),
	PALEO_KEY_FLAG(struct param, "sinks", sinks),
	PALEO_KEY_NUMBER(struct param, "chunk", chunk),
	PALEO_KEY_NUMBER(struct param, "top", top),
	PALEO_KEY_NUMBER(struct param, "compressed", compressed),
	PALEO_KEY_NUMBER(struct param, "table", attention.table),
	PALEO_KEY_NUMBER(struct param, "memory", memory),
	PALEO_KEY_OWN(struct param, "dropout_keep_prob", attention.keep, paleo_read_keep),
	{0},
};

static int check(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	struct param *p = param;
	struct paleo_attention_geom *g = &p->geom;

	g->latent = g->v > 0;
	p->window = g->window;
	if (p->memory && (g->causal || g->cache || g->window || g->latent || p->past))
		return paleo_json_fail(j, err,
				       "'memory' excludes causal, cache, window, latent and past");
	if (p->compressed && (!g->latent || !g->causal || !p->window || p->chunk))
		return paleo_json_fail(
			j, err, "'compressed' requires 'latent', 'window' and causal attention");
	if (!p->compressed && (p->chunk || p->top) &&
	    (!g->causal || g->window || (p->chunk && p->top)))
		return paleo_json_fail(j, err,
				       "'%s' requires causal attention without other limits",
				       p->chunk ? "chunk" : "top");
	return paleo_attention_check(j, &p->attention, err);
}

static int check_sequence(const struct paleo_layer *l, int parent, int heads,
			  struct paleo_error *err)
{
	static const char *const names[] = {"queries", "keys", "values or compressed keys"};
	const struct paleo_shape *s = &l->parents[parent]->out;
	char text[48];

	if (s->rank == 3 && s->n == paleo_layer_in(l)->n && s->c % heads == 0)
		return PALEO_OK;
	paleo_shape_text(s, text, sizeof(text));
	return paleo_fail(err, PALEO_EINPUT,
			  "the %s must be [N, T, C] with N = %d and C of %d heads, '%s' gives %s",
			  names[parent], paleo_layer_in(l)->n, heads, l->parents[parent]->name,
			  text);
}

/* Restricts the keys that a query sees. */
static void limit(struct param *p)
{
	struct paleo_attention_geom *g = &p->geom;

	if (p->compressed)
		paleo_attention_compress(g, p->window, p->compressed, p->top);
	else if (p->top)
		g->window = p->top < g->keys ? p->top : 0;
}

static int shape_keys(struct paleo_layer *l, struct paleo_error *err)
{
	struct param *p = l->param;
	struct paleo_attention_geom *g = &p->geom;
	const struct paleo_shape *k = &l->parents[KEYS]->out;

	g->keys = k->h + p->past;
	limit(p);
	if (!g->latent)
		g->v = l->parents[VALUES]->out.c / g->kv_heads;
	if (k->c / g->kv_heads != g->qk)
		return paleo_fail(err, PALEO_EINPUT,
				  "a query head has %d channels, a key head has %d", g->qk,
				  k->c / g->kv_heads);
	if (p->memory && p->memory != k->h)
		return paleo_fail(err, PALEO_EINPUT, "'memory' is %d, but there are %d keys",
				  p->memory, k->h);
	return PALEO_OK;
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	struct param *p = l->param;
	struct paleo_attention_geom *g = &p->geom;
	int parents = p->memory && l->parent_count == 1 ? 1 : 3 - (g->latent && !p->compressed);

	if (p->attention.heads % l->splits || p->attention.kv_heads % l->splits)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d heads, %d of keys, cannot be divided over %d splits",
				  p->attention.heads, p->attention.kv_heads, l->splits);
	g->heads = p->attention.heads / l->splits;
	g->kv_heads = p->attention.kv_heads / l->splits;
	if (l->parent_count != parents)
		return paleo_fail(err, PALEO_EINPUT, "expected %d parents, found %d", parents,
				  l->parent_count);
	for (int i = QUERIES; i <= VALUES && i < l->parent_count; i++)
		PALEO_TRY(check_sequence(l, i, i == QUERIES ? g->heads : g->kv_heads, err));
	const struct paleo_shape *q = paleo_layer_in(l);
	g->batch = q->n;
	g->q = q->h;
	g->qk = q->c / g->heads;
	if (parents == 1) { /* its values are as wide as its keys */
		g->keys = p->memory;
		g->v = g->qk;
	} else
		PALEO_TRY(shape_keys(l, err));
	p->cached = p->leaves;
	if (p->leaves < 0) /* tensors visible only within a chunk are not kept */
		p->cached = g->causal || g->cache || p->memory
				    ? (double)g->kv_heads * (g->qk + (g->latent ? 0 : g->v))
				    : 0;
	l->out = *q;
	l->out.c = g->heads * g->v;
	return PALEO_OK;
}

/* Selected keys, keys of another dtype and attention sinks cannot be expressed as separate ops
 * here. */
static int check_apart(const struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct {
		int has;
		const char *key;
	} keys[] = {{p->top > 0, "top"},
		    {p->compressed > 0, "compressed"},
		    {p->sinks, "sinks"},
		    {p->geom.kv > 0, "cache_type"}};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].has)
			return paleo_fail(err, PALEO_EUNSUPPORTED,
					  "layer '%s': separate attention does not support '%s'; "
					  "leave --separate-attention out",
					  l->name, keys[i].key);
	PALEO_TRY(paleo_check_dim((double)p->geom.batch * p->geom.q * p->geom.heads,
				  "rows of the softmax, N x T x heads,", err));
	return paleo_check_dim((double)p->geom.batch * p->geom.keys, "keys of all sequences", err);
}

static int rotate(int rows, int heads, int dim, enum paleo_dtype dtype, struct paleo_op_list *out,
		  struct paleo_error *err)
{
	const struct paleo_op w = {
		.kind = PALEO_ROPE,
		.pass = PALEO_FWD,
		.dtype = paleo_dtype_wide(dtype),
		.geom.rope = {.rows = rows, .heads = heads, .dim = dim},
	};

	return dim ? paleo_op_list_add(out, "rope", PALEO_FWD, &w, err) : PALEO_OK;
}

/* A kernel with a cache also turns queries and new keys, by ops of their own here. The copies that
 * split the heads of all keys and values are the new cache. */
static int add_apart(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		     const struct paleo_attention_geom *g, struct paleo_op_list *out,
		     struct paleo_error *err)
{
	PALEO_TRY(check_apart(l, err));

	if (pass != PALEO_FWD) {
		PALEO_TRY(paleo_attention_context_back(g, dtype, out, err));
		return paleo_attention_scores_back(g, dtype, out, err);
	}
	PALEO_TRY(rotate(g->batch * g->q, g->heads, g->rope, dtype, out, err));
	PALEO_TRY(rotate(g->batch * g->q, g->kv_heads, g->rope, dtype, out, err));
	PALEO_TRY(paleo_attention_scores(g, dtype, out, err));
	return paleo_attention_context(g, dtype, out, err);
}

static int add(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	       const struct paleo_attention_geom *g, struct paleo_op_list *out,
	       struct paleo_error *err)
{
	const struct paleo_op w = {
		.kind = PALEO_ATTENTION,
		.pass = pass,
		.dtype = paleo_dtype_wide(dtype),
		.geom.attention = *g,
	};

	if (paleo_op_list_separates(out))
		return add_apart(l, pass, dtype, g, out, err);
	return paleo_op_list_add(out, "attention", pass, &w, err);
}

/* The rest of a partial chunk, whole chunks as so many sequences, and a last one. */
static int add_chunks(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	struct paleo_attention_geom g = p->geom;
	int before = p->past % p->chunk, left = g.q;
	int first = before + left < p->chunk ? left : p->chunk - before;
	int rc = PALEO_OK;

	if (before || left < p->chunk) {
		g.q = first;
		g.keys = before + first;
		rc = add(l, pass, dtype, &g, out, err);
		left -= first;
	}
	if (!rc && left >= p->chunk) {
		g.batch = p->geom.batch * (left / p->chunk);
		g.q = g.keys = p->chunk;
		rc = add(l, pass, dtype, &g, out, err);
		left %= p->chunk;
	}
	if (rc || !left)
		return rc;
	g.batch = p->geom.batch;
	g.q = g.keys = left;
	return add(l, pass, dtype, &g, out, err);
}

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;

	/* its few weights come with the gradients of all else */
	if (pass == PALEO_BWD_FILTER)
		return PALEO_OK;
	if (p->chunk && p->geom.keys > p->chunk)
		return add_chunks(l, pass, dtype, out, err);
	return add(l, pass, dtype, &p->geom, out, err);
}

static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;

	return p->attention.table + (p->sinks ? p->geom.heads : 0);
}

static double cached_bytes(const struct paleo_layer *l, enum paleo_dtype dtype,
			   enum paleo_cached part)
{
	const int whole = part == PALEO_CACHED_ALL;
	const struct param *p = l->param;
	struct paleo_attention_geom g = p->geom;
	enum paleo_dtype stored = g.kv ? (enum paleo_dtype)(g.kv - 1) : paleo_dtype_wide(dtype);
	double bytes = paleo_dtype_bytes(stored), more = 0;

	g.window = p->window; /* keys that an indexer does not select are kept, too */
	int seen = paleo_attention_seen(&g);
	double tokens = (double)g.batch * (p->chunk && p->chunk < seen ? p->chunk : seen);
	int keys = p->compressed ? g.keys / p->compressed : 0;
	if (p->compressed)
		more = g.qk * (whole ? (double)g.batch * keys : 1.0 / p->compressed);
	/* a token more leaves nothing in a memory, and takes the place of another in a full window
	 */
	int is_full = part == PALEO_CACHED_NEXT && (seen < g.keys || (p->chunk && p->chunk < seen));
	return (p->cached * (whole ? tokens : !p->memory && !is_full) + more) * bytes;
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;
	const struct paleo_attention_geom *g = &p->geom;

	snprintf(buf, size, "%d heads of %d, %d of keys, %d to %d", g->heads, g->qk, g->kv_heads,
		 g->q, g->keys);
}

const struct paleo_layer_kind paleo_kind_fused_attention = {
	.type = "FusedAttention",
	.param_size = sizeof(struct param),
	.parents = {1, 3},
	.keys = fields,
	.initial = &(const struct param){.attention.keep = 1, .leaves = -1},
	.check = check,
	.shape = shape,
	.op = op,
	.weights = weights,
	.cached_bytes = cached_bytes,
	.describe = describe,
};
