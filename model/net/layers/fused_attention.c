/* fused_attention.c - attention in one kernel: windows, a cache of keys and values. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

enum {
	QUERIES, /* parents */
	KEYS,
	VALUES
};

struct param {
	struct paleo_attention_geom geom; /* what the file says of it; the rest is shaped */
	int past;
	int chunk;      /* tokens of the text's parts that see one another; 0: it has none */
	int top;        /* keys that an index chose for each query; 0: all */
	int compressed; /* tokens that have one key more for all behind them; 0: there is none */
	int window;     /* of the tokens' own keys, beside compressed ones */
	int memory;     /* keys and values of another text, which stay; 0: there is none */
	int table;      /* learned numbers that are added to scores by place; 0: none */
	int sinks;      /* 1: learns a number for each head, which takes part in its softmax */
	double cached;  /* numbers that a token leaves in the cache; -1: its keys and values */
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {
		"type",  "parents",    "heads",  "kv_heads", "causal",     "window", "past",
		"cache", "rope",       "latent", "cached",   "cache_type", "sinks",  "chunk",
		"top",   "compressed", "table",  "memory",   NULL};
	struct param *p = param;
	struct paleo_attention_geom *g = &p->geom;
	int cached = -1, latent = 0;
	const struct {
		const char *key;
		int *to;
	} sizes[] = {
		{"kv_heads", &g->kv_heads}, {"window", &g->window}, {"past", &p->past},
		{"rope", &g->rope},         {"latent", &latent},    {"cached", &cached},
		{"chunk", &p->chunk},       {"top", &p->top},       {"compressed", &p->compressed},
		{"table", &p->table},       {"memory", &p->memory}};
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = paleo_need_dim(j, "heads", &g->heads, err);
	g->kv_heads = g->heads;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !rc; i++)
		rc = paleo_read_dim(j, sizes[i].key, sizes[i].to, err);
	if (!rc)
		rc = paleo_read_flag(j, "causal", &g->causal, err);
	if (!rc)
		rc = paleo_read_flag(j, "cache", &g->cache, err);
	if (!rc)
		rc = paleo_read_flag(j, "sinks", &p->sinks, err);
	if (!rc)
		rc = paleo_read_cache_type(j, &g->kv, err);
	g->latent = latent > 0;
	g->v = latent;
	p->cached = cached;
	p->window = g->window;
	if (!rc && p->memory && (g->causal || g->cache || g->window || latent || p->past))
		return paleo_json_fail(j, err,
				       "'memory' is all that is seen: without causal, cache, "
				       "window, latent and past");
	if (!rc && p->compressed && (!g->latent || !g->causal || !p->window || p->chunk))
		return paleo_json_fail(
			j, err, "'compressed' goes with 'latent' and 'window' of causal attention");
	if (!rc && !p->compressed && (p->chunk || p->top) &&
	    (!g->causal || g->window || (p->chunk && p->top)))
		return paleo_json_fail(
			j, err, "'%s' goes with causal attention, without what else limits it",
			p->chunk ? "chunk" : "top");
	return rc;
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

/* Which keys a query sees, of those there are. */
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
				  "a head of queries has %d numbers, of keys it has %d", g->qk,
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

	if (l->parent_count != parents)
		return paleo_fail(err, PALEO_EINPUT, "expected %d parents, found %d", parents,
				  l->parent_count);
	for (int i = QUERIES; i <= VALUES && i < l->parent_count; i++) {
		int rc = check_sequence(l, i, i == QUERIES ? g->heads : g->kv_heads, err);
		if (rc)
			return rc;
	}
	const struct paleo_shape *q = paleo_layer_in(l);
	g->batch = q->n;
	g->q = q->h;
	g->qk = q->c / g->heads;
	if (parents == 1) { /* its values are as wide as its keys */
		g->keys = p->memory;
		g->v = g->qk;
	} else {
		int rc = shape_keys(l, err);
		if (rc)
			return rc;
	}
	if (p->cached < 0) /* what all see at once is not kept */
		p->cached = g->causal || g->cache || p->memory
				    ? (double)g->kv_heads * (g->qk + (g->latent ? 0 : g->v))
				    : 0;
	l->out = *q;
	l->out.c = g->heads * g->v;
	return PALEO_OK;
}

static int add(enum paleo_pass pass, enum paleo_dtype dtype, const struct paleo_attention_geom *g,
	       struct paleo_work_list *out, struct paleo_error *err)
{
	struct paleo_work w = {
		.kind = PALEO_ATTENTION,
		.pass = pass,
		.dtype = paleo_dtype_wide(dtype),
		.geom.attention = *g,
	};

	return paleo_work_list_add(out, "attention", pass, &w, err);
}

/* The rest of a chunk that has begun, whole chunks as so many sequences, and a last one. */
static int add_chunks(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		      struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	struct paleo_attention_geom g = p->geom;
	int before = p->past % p->chunk, left = g.q;
	int first = before + left < p->chunk ? left : p->chunk - before;
	int rc = PALEO_OK;

	if (before || left < p->chunk) {
		g.q = first;
		g.keys = before + first;
		rc = add(pass, dtype, &g, out, err);
		left -= first;
	}
	if (!rc && left >= p->chunk) {
		g.batch = p->geom.batch * (left / p->chunk);
		g.q = g.keys = p->chunk;
		rc = add(pass, dtype, &g, out, err);
		left %= p->chunk;
	}
	if (rc || !left)
		return rc;
	g.batch = p->geom.batch;
	g.q = g.keys = left;
	return add(pass, dtype, &g, out, err);
}

static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;

	/* its few weights come with the gradients of all else */
	if (pass == PALEO_BWD_FILTER)
		return PALEO_OK;
	if (p->chunk && p->geom.keys > p->chunk)
		return add_chunks(l, pass, dtype, out, err);
	return add(pass, dtype, &p->geom, out, err);
}

static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;

	return p->table + (p->sinks ? p->geom.heads : 0);
}

static double cached_bytes(const struct paleo_layer *l, enum paleo_dtype dtype, int whole)
{
	const struct param *p = l->param;
	struct paleo_attention_geom g = p->geom;
	enum paleo_dtype stored = g.kv ? (enum paleo_dtype)(g.kv - 1) : paleo_dtype_wide(dtype);
	double bytes = paleo_dtype_bytes(stored), more = 0;

	g.window = p->window; /* what an index does not choose stays, too */
	int seen = paleo_attention_seen(&g);
	double tokens = (double)g.batch * (p->chunk && p->chunk < seen ? p->chunk : seen);
	int keys = p->compressed ? g.keys / p->compressed : 0;
	if (p->compressed)
		more = g.qk * (whole ? (double)g.batch * keys : 1.0 / p->compressed);
	/* a token more leaves nothing in a memory */
	return (p->cached * (whole ? tokens : !p->memory) + more) * bytes;
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
	.min_parents = 1,
	.max_parents = 3,
	.no_graph = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.weights = weights,
	.cached_bytes = cached_bytes,
	.describe = describe,
};
