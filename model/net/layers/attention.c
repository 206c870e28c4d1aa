/* attention.c - attention of several heads: GEMMs of activations, with a softmax between. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/attention_products.h"
#include "model/net/layers/common.h"

/*
 * Attention that no library has a fused kernel for. With `windows` each part of the tokens attends
 * to itself alone (Liu et al. 2021, arXiv 2103.14030): there are as many more GEMMs, and smaller
 * ones.
 *
 * Further parents are rows by relative place (He et al. 2021, arXiv 2006.03654): queries, or keys,
 * go through a GEMM with all of them, each pair of tokens takes the number of its place, and that
 * is added to the score.
 */
enum {
	QUERIES, /* parents */
	KEYS,
	VALUES,
	PARENTS,
	PLACES = PARENTS, /* and all later parents */
	PARENTS_MAX = PARENTS + 2
};

struct param {
	struct paleo_attention_param attention;
	int windows; /* into which the tokens are divided; each sees its own alone */
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	PALEO_KEY_NEED(struct param, "heads", attention.heads),
	PALEO_KEY_SIZE(struct param, "kv_heads", attention.kv_heads),
	PALEO_KEY_SIZE(struct param, "windows", windows),
	PALEO_KEY_NUMBER(struct param, "table", attention.table),
	PALEO_KEY_OWN(struct param, "dropout_keep_prob", attention.keep, paleo_read_keep),
	{0},
};

static int check(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	return paleo_attention_check(j, &((struct param *)param)->attention, err);
}

/* The parent's shape must be a sequence, of these channels and as many images as the first. */
static int check_parent(const struct paleo_layer *l, int parent, int channels,
			struct paleo_error *err)
{
	static const char *const names[PARENTS] = {"queries", "keys", "values"};
	const struct paleo_shape *s = &l->parents[parent]->out;
	char text[48];

	if (s->rank == 3 && s->c == channels && s->n == paleo_layer_in(l)->n)
		return PALEO_OK;
	paleo_shape_text(s, text, sizeof(text));
	return paleo_fail(
		err, PALEO_EINPUT, "the %s must be [N, T, C] with N = %d and C = %d, '%s' gives %s",
		names[parent], paleo_layer_in(l)->n, channels, l->parents[parent]->name, text);
}

/* Rows by place, as wide as the queries, which all texts of a batch have in common. */
static int check_places(const struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_attention_param *p = l->param;
	const struct paleo_shape *q = paleo_layer_in(l);
	char text[48];

	for (int i = PLACES; i < l->parent_count; i++) {
		const struct paleo_shape *s = &l->parents[i]->out;
		if (s->rank == 3 && s->n == 1 && s->c == q->c && p->kv_heads == p->heads)
			continue;
		paleo_shape_text(s, text, sizeof(text));
		return paleo_fail(err, PALEO_EINPUT,
				  "relative positions must be [1, T, C] with C = %d, and heads not "
				  "shared; '%s' gives %s",
				  q->c, l->parents[i]->name, text);
	}
	return PALEO_OK;
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *all = l->param;
	const struct paleo_attention_param *p = &all->attention;
	const struct paleo_shape *q = paleo_layer_in(l);
	int heads = p->heads / l->splits;

	if (p->heads % l->splits || p->kv_heads % l->splits)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d heads, %d of keys, cannot be divided over %d splits",
				  p->heads, p->kv_heads, l->splits);
	if (q->c % heads)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d heads do not divide the %d channels of '%s'", heads, q->c,
				  l->parents[QUERIES]->name);
	int shared = q->c / (p->heads / p->kv_heads);

	PALEO_TRY(check_parent(l, QUERIES, q->c, err));
	PALEO_TRY(check_parent(l, KEYS, shared, err));
	PALEO_TRY(check_parent(l, VALUES, shared, err));
	if (l->parents[KEYS]->out.h != l->parents[VALUES]->out.h)
		return paleo_fail(err, PALEO_EINPUT, "there are %d keys, but %d values",
				  l->parents[KEYS]->out.h, l->parents[VALUES]->out.h);
	if ((q->h % all->windows || l->parents[KEYS]->out.h % all->windows))
		return paleo_fail(err, PALEO_EINPUT, "%d windows do not divide %d queries, %d keys",
				  all->windows, q->h, l->parents[KEYS]->out.h);
	PALEO_TRY(check_places(l, err));
	PALEO_TRY(paleo_check_dim((double)q->n * q->h * heads,
				  "rows of the softmax, N x T x heads,", err));
	l->out = *q;
	return PALEO_OK;
}

/* Every window is a sequence. */
static struct paleo_attention_geom geom_of(const struct paleo_layer *l)
{
	const struct param *p = l->param;
	const struct paleo_shape *q = paleo_layer_in(l);
	int heads = p->attention.heads / l->splits;

	return (struct paleo_attention_geom){
		.batch = q->n * p->windows,
		.q = q->h / p->windows,
		.keys = l->parents[KEYS]->out.h / p->windows,
		.heads = heads,
		.kv_heads = p->attention.kv_heads / l->splits,
		.qk = q->c / heads,
		.v = q->c / heads,
	};
}

/* Each pair of tokens takes the number of its place, or gives it its gradient. */
static int choose(const struct paleo_attention_geom *g, enum paleo_pass pass,
		  enum paleo_dtype dtype, struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_op w = {
		.kind = PALEO_COPY,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.copy = {.rows = g->batch * g->kv_heads * paleo_attention_rows(g),
			      .cols = g->keys,
			      .parts = 1},
	};

	return paleo_op_list_add(out, "choose places", pass, &w, err);
}

static int add_places(const struct paleo_layer *l, int parent, enum paleo_dtype dtype,
		      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_attention_geom g = geom_of(l);
	const struct paleo_shape *places = &l->parents[parent]->out;
	int rows = paleo_attention_rows(&g);
	const struct paleo_gemm_geom product = {.m = rows, .n = places->h, .k = g.qk, .trans_b = 1};
	const struct paleo_copy_geom heads = {.rows = places->h, .cols = places->c};

	PALEO_TRY(paleo_attention_copy(&g, &heads, PALEO_BWD_DATA, PALEO_FWD, dtype, out, err));
	PALEO_TRY(paleo_attention_product(&g, "places", PALEO_FWD, &product, dtype, out, err));
	PALEO_TRY(choose(&g, PALEO_FWD, dtype, out, err));
	return paleo_eltwise_list(out, PALEO_ADD, 2, (double)g.batch * g.kv_heads * rows * g.keys,
				  PALEO_FWD, dtype, err);
}

/* The gradient of the scores is that of the added term. */
static int return_places(const struct paleo_layer *l, int parent, enum paleo_dtype dtype,
			 struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_attention_geom g = geom_of(l);
	const struct paleo_shape *all = &l->parents[parent]->out;
	int rows = paleo_attention_rows(&g);
	const struct paleo_gemm_geom tokens = {.m = rows, .n = g.qk, .k = all->h};
	const struct paleo_gemm_geom places = {.m = all->h, .n = g.qk, .k = rows, .trans_a = 1};
	const struct paleo_copy_geom heads = {.rows = all->h, .cols = all->c};

	PALEO_TRY(choose(&g, PALEO_BWD_DATA, dtype, out, err));
	PALEO_TRY(paleo_attention_product(&g, "places", PALEO_BWD_DATA, &tokens, dtype, out, err));
	PALEO_TRY(
		paleo_attention_product(&g, "places", PALEO_BWD_FILTER, &places, dtype, out, err));
	return paleo_attention_copy(&g, &heads, PALEO_FWD, PALEO_BWD_DATA, dtype, out, err);
}

static int forward(const struct paleo_layer *l, enum paleo_dtype dtype, struct paleo_op_list *out,
		   struct paleo_error *err)
{
	const struct paleo_attention_geom g = geom_of(l);
	int rc = paleo_attention_scores(&g, dtype, out, err);

	for (int i = PLACES; i < l->parent_count && !rc; i++)
		rc = add_places(l, i, dtype, out, err);
	return rc ? rc : paleo_attention_context(&g, dtype, out, err);
}

static int backward(const struct paleo_layer *l, enum paleo_dtype dtype, struct paleo_op_list *out,
		    struct paleo_error *err)
{
	const struct paleo_attention_geom g = geom_of(l);
	int rc = paleo_attention_context_back(&g, dtype, out, err);

	for (int i = PLACES; i < l->parent_count && !rc; i++)
		rc = return_places(l, i, dtype, out, err);
	return rc ? rc : paleo_attention_scores_back(&g, dtype, out, err);
}

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	return pass == PALEO_FWD ? forward(l, dtype, out, err) : backward(l, dtype, out, err);
}

static double weights(const struct paleo_layer *l)
{
	const struct paleo_attention_param *p = l->param;

	return p->table;
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;
	const struct paleo_attention_geom g = geom_of(l);
	const char *plural = g.heads == 1 ? "" : "s";

	int n = snprintf(buf, size, "%d head%s of %d", g.heads, plural, g.qk);

	if (g.kv_heads != g.heads && n > 0 && (size_t)n < size)
		n += snprintf(buf + n, size - (size_t)n, ", keys %d", g.kv_heads);
	if (p->windows > 1 && n > 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, ", %d windows", p->windows);
}

const struct paleo_layer_kind paleo_kind_attention = {
	.type = "Attention",
	.param_size = sizeof(struct param),
	.parents = {PARENTS, PARENTS_MAX},
	.keys = fields,
	.initial = &(const struct param){.attention.keep = 1, .windows = 1},
	.check = check,
	.shape = shape,
	.op = op,
	.weights = weights,
	.describe = describe,
};
