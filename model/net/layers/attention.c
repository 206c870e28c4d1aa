/* attention.c - attention of several heads: products of activations, with a softmax between. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/params.h"

/*
 * Vaswani et al. 2017 (arXiv 1706.03762), section 3.2, each step a work of its own, as a
 * library without a fused kernel runs it:
 *
 *   the heads of q, k and v are put one after another, from [T, heads x d] to [heads, T, d]
 *   scores = q k^T, batched; the factor 1 / sqrt(d) is a product's alpha, and free
 *   softmax of each row of scores
 *   context = softmax v, batched
 *   the heads are put side by side again
 *
 * Where several heads of q share one of k and v (Ainslie et al. 2023, arXiv 2305.13245), the rows
 * of all of them go through one product: a batch has kv_heads products for a sequence, of
 * T x heads / kv_heads rows. A causal mask changes none of it: dense products compute what is
 * masked, too. Dropout of the weights behind the softmax is no work here, but what a framework does
 * in training (net_framework.c). With `windows` each part
 * of the tokens attends to itself alone (Liu et al. 2021, arXiv 2103.14030): there are as many
 * more products, and smaller ones.
 *
 * Further parents are rows by relative place (He et al. 2021, arXiv 2006.03654): queries, or keys,
 * go through a product with all of them, each pair of tokens takes the number of its place, and
 * that is added to the score.
 */
enum {
	QUERIES, /* parents */
	KEYS,
	VALUES,
	PARENTS,
	PLACES = PARENTS, /* and what is behind */
	PARENTS_MAX = PARENTS + 2
};

/* Of one product of the batch. */
struct sizes {
	int batch;
	int rows; /* queries of the heads that share a key */
	int keys;
	int depth; /* channels of a head */
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {
		"type",  "parents",           "heads", "kv_heads", "windows",
		"table", "dropout_keep_prob", NULL};
	struct paleo_attention_param *p = param;
	const struct paleo_json *v;
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = paleo_json_need(j, "heads", &v, err);
	if (!rc)
		rc = paleo_json_to_int(v, 1, PALEO_DIM_MAX, &p->heads, err);
	if (rc)
		return rc;
	p->kv_heads = p->heads;
	v = paleo_json_get(j, "kv_heads");
	if (v)
		rc = paleo_json_to_int(v, 1, PALEO_DIM_MAX, &p->kv_heads, err);
	if (!rc && p->heads % p->kv_heads)
		rc = paleo_json_fail(v, err, "%d heads cannot share %d evenly", p->heads,
				     p->kv_heads);
	p->keep = 1;
	v = paleo_json_get(j, "dropout_keep_prob");
	if (!rc && v)
		rc = paleo_json_to_double(v, 0, 1, &p->keep, err);
	if (!rc && p->keep == 0)
		return paleo_json_fail(v, err, "expected more than 0: nothing would be kept");
	p->windows = 1;
	if (!rc && paleo_json_get(j, "windows"))
		rc = paleo_need_dim(j, "windows", &p->windows, err);
	return rc ? rc : paleo_read_dim(j, "table", &p->table, err);
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
				  "rows by place must be [1, T, C] with C = %d, and heads not "
				  "shared; '%s' gives %s",
				  q->c, l->parents[i]->name, text);
	}
	return PALEO_OK;
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_attention_param *p = l->param;
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
	int rc = check_parent(l, QUERIES, q->c, err);
	if (!rc)
		rc = check_parent(l, KEYS, shared, err);
	if (!rc)
		rc = check_parent(l, VALUES, shared, err);
	if (!rc && l->parents[KEYS]->out.h != l->parents[VALUES]->out.h)
		rc = paleo_fail(err, PALEO_EINPUT, "there are %d keys, but %d values",
				l->parents[KEYS]->out.h, l->parents[VALUES]->out.h);
	if (!rc && (q->h % p->windows || l->parents[KEYS]->out.h % p->windows))
		rc = paleo_fail(err, PALEO_EINPUT, "%d windows do not divide %d queries, %d keys",
				p->windows, q->h, l->parents[KEYS]->out.h);
	if (!rc)
		rc = check_places(l, err);
	if (!rc)
		rc = paleo_check_dim((double)q->n * q->h * heads,
				     "rows of the softmax, N x T x heads,", err);
	l->out = *q;
	return rc;
}

static struct sizes sizes_of(const struct paleo_layer *l)
{
	const struct paleo_attention_param *p = l->param;
	const struct paleo_shape *q = paleo_layer_in(l);

	return (struct sizes){
		.batch = q->n * p->windows * (p->kv_heads / l->splits),
		.rows = q->h / p->windows * (p->heads / p->kv_heads),
		.keys = l->parents[KEYS]->out.h / p->windows,
		.depth = q->c / (p->heads / l->splits),
	};
}

/* Each pair of tokens takes the number of its place, or gives it its gradient. */
static int choose(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		  struct paleo_work_list *out, struct paleo_error *err)
{
	const struct sizes s = sizes_of(l);
	struct paleo_work w = {
		.kind = PALEO_COPY,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.copy = {.rows = s.batch * s.rows, .cols = s.keys, .parts = 1},
	};

	return paleo_work_list_add(out, "choose places", pass, &w, err);
}

/* Heads side by side become heads one after another (PALEO_BWD_DATA: a split), or the reverse. A
 * single one is both. */
static int copy_heads(const struct paleo_layer *l, int parent, enum paleo_pass copy,
		      enum paleo_pass pass, enum paleo_dtype dtype, struct paleo_work_list *out,
		      struct paleo_error *err)
{
	const struct paleo_attention_param *p = l->param;
	const struct paleo_shape rows = paleo_shape_rows(&l->parents[parent]->out);
	struct paleo_work w = {
		.kind = PALEO_COPY,
		.pass = copy,
		.dtype = dtype,
		.geom.copy = {.rows = rows.n, .cols = rows.c, .parts = p->kv_heads / l->splits},
	};

	if (w.geom.copy.parts == 1)
		return PALEO_OK;
	return paleo_work_list_add(out, copy == PALEO_FWD ? "join heads" : "split heads", pass, &w,
				   err);
}

/* One of the six products, whose sizes are given; `as` is the form that it has in the passes of a
 * layer (work.h). */
static int product(const struct paleo_layer *l, const char *what, enum paleo_pass as,
		   const struct paleo_gemm_geom *g, enum paleo_dtype dtype,
		   struct paleo_work_list *out, struct paleo_error *err)
{
	struct paleo_work w = {.kind = PALEO_GEMM, .pass = as, .dtype = dtype, .geom.gemm = *g};

	w.geom.gemm.batch = sizes_of(l).batch;
	return paleo_work_list_add(out, what, as == PALEO_FWD ? PALEO_FWD : PALEO_BWD_DATA, &w,
				   err);
}

static int softmax(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		   struct paleo_work_list *out, struct paleo_error *err)
{
	const struct sizes s = sizes_of(l);
	struct paleo_work w = {
		.kind = PALEO_SOFTMAX,
		.pass = pass,
		.dtype = dtype,
		.geom.softmax = {.rows = s.batch * s.rows, .cols = s.keys},
	};

	return paleo_work_list_add(out, "softmax", pass, &w, err);
}

static int add_places(const struct paleo_layer *l, int parent, enum paleo_dtype dtype,
		      struct paleo_work_list *out, struct paleo_error *err)
{
	const struct sizes s = sizes_of(l);
	const struct paleo_gemm_geom g = {
		.m = s.rows, .n = l->parents[parent]->out.h, .k = s.depth, .trans_b = 1};
	int rc = copy_heads(l, parent, PALEO_BWD_DATA, PALEO_FWD, dtype, out, err);

	if (!rc)
		rc = product(l, "places", PALEO_FWD, &g, dtype, out, err);
	if (!rc)
		rc = choose(l, PALEO_FWD, dtype, out, err);
	return rc ? rc
		  : paleo_eltwise_work(out, PALEO_ADD, 2, (double)s.batch * s.rows * s.keys,
				       PALEO_FWD, dtype, err);
}

/* The gradient of the scores is that of what is added. */
static int return_places(const struct paleo_layer *l, int parent, enum paleo_dtype dtype,
			 struct paleo_work_list *out, struct paleo_error *err)
{
	const struct sizes s = sizes_of(l);
	int rows = l->parents[parent]->out.h;
	const struct paleo_gemm_geom tokens = {.m = s.rows, .n = s.depth, .k = rows};
	const struct paleo_gemm_geom places = {.m = rows, .n = s.depth, .k = s.rows, .trans_a = 1};
	int rc = choose(l, PALEO_BWD_DATA, dtype, out, err);

	if (!rc)
		rc = product(l, "places", PALEO_BWD_DATA, &tokens, dtype, out, err);
	if (!rc)
		rc = product(l, "places", PALEO_BWD_FILTER, &places, dtype, out, err);
	return rc ? rc : copy_heads(l, parent, PALEO_FWD, PALEO_BWD_DATA, dtype, out, err);
}

static int forward(const struct paleo_layer *l, enum paleo_dtype dtype, struct paleo_work_list *out,
		   struct paleo_error *err)
{
	const struct sizes s = sizes_of(l);
	const struct paleo_gemm_geom scores = {
		.m = s.rows, .n = s.keys, .k = s.depth, .trans_b = 1};
	const struct paleo_gemm_geom context = {.m = s.rows, .n = s.depth, .k = s.keys};
	int rc = PALEO_OK;

	for (int i = 0; i < PARENTS && !rc; i++)
		rc = copy_heads(l, i, PALEO_BWD_DATA, PALEO_FWD, dtype, out, err);
	if (!rc)
		rc = product(l, "scores", PALEO_FWD, &scores, dtype, out, err);
	for (int i = PLACES; i < l->parent_count && !rc; i++)
		rc = add_places(l, i, dtype, out, err);
	if (!rc)
		rc = softmax(l, PALEO_FWD, dtype, out, err);
	if (!rc)
		rc = product(l, "context", PALEO_FWD, &context, dtype, out, err);
	return rc ? rc : copy_heads(l, QUERIES, PALEO_FWD, PALEO_FWD, dtype, out, err);
}

/* The gradients of both operands of both products; all parents get one. */
static int backward(const struct paleo_layer *l, enum paleo_dtype dtype,
		    struct paleo_work_list *out, struct paleo_error *err)
{
	const struct sizes s = sizes_of(l);
	const struct paleo_gemm_geom weighted = {
		.m = s.rows, .n = s.keys, .k = s.depth, .trans_b = 1};
	const struct paleo_gemm_geom queries = {.m = s.rows, .n = s.depth, .k = s.keys};
	const struct paleo_gemm_geom shared = {
		.m = s.keys, .n = s.depth, .k = s.rows, .trans_a = 1};
	int rc = copy_heads(l, QUERIES, PALEO_BWD_DATA, PALEO_BWD_DATA, dtype, out, err);

	if (!rc)
		rc = product(l, "context", PALEO_BWD_DATA, &weighted, dtype, out, err);
	if (!rc)
		rc = product(l, "context", PALEO_BWD_FILTER, &shared, dtype, out, err);
	if (!rc)
		rc = softmax(l, PALEO_BWD_DATA, dtype, out, err);
	for (int i = PLACES; i < l->parent_count && !rc; i++)
		rc = return_places(l, i, dtype, out, err);
	if (!rc)
		rc = product(l, "scores", PALEO_BWD_DATA, &queries, dtype, out, err);
	if (!rc)
		rc = product(l, "scores", PALEO_BWD_FILTER, &shared, dtype, out, err);
	for (int i = 0; i < PARENTS && !rc; i++)
		rc = copy_heads(l, i, PALEO_FWD, PALEO_BWD_DATA, dtype, out, err);
	return rc;
}

static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
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
	const struct paleo_attention_param *p = l->param;
	int heads = p->heads / l->splits, kv_heads = p->kv_heads / l->splits;
	const char *plural = heads == 1 ? "" : "s";

	int n = snprintf(buf, size, "%d head%s of %d", heads, plural, sizes_of(l).depth);

	if (kv_heads != heads && n > 0 && (size_t)n < size)
		n += snprintf(buf + n, size - (size_t)n, ", keys %d", kv_heads);
	if (p->windows > 1 && n > 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, ", %d windows", p->windows);
}

const struct paleo_layer_kind paleo_kind_attention = {
	.type = "Attention",
	.param_size = sizeof(struct paleo_attention_param),
	.min_parents = PARENTS,
	.max_parents = PARENTS_MAX,
	.parse = parse,
	.shape = shape,
	.work = work,
	.weights = weights,
	.describe = describe,
};
