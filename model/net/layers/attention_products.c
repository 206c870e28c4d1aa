/* attention_products.c - attention as GEMMs, copies and a softmax, and the keys of its layers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/attention_products.h"

#include "model/net/layers/common.h"

/*
 * Vaswani et al. 2017 (arXiv 1706.03762), section 3.2, each step a separate op, as in a library
 * without a fused kernel:
 *
 *   the heads of q, k and v are put one after another, from [T, heads x d] to [heads, T, d]
 *   scores = q k^T, batched; the factor 1 / sqrt(d) is a GEMM's alpha, and free
 *   softmax of each row of scores
 *   context = softmax v, batched
 *   the heads are put side by side again
 *
 * Where several heads of q share one of k and v (Ainslie et al. 2023, arXiv 2305.13245), the rows
 * of all of them go through one GEMM: a batch has kv_heads GEMMs for a sequence, of
 * T x heads / kv_heads rows. Dropout after the softmax is not an op here;
 * frameworks add it in training (net_framework.c).
 */

int paleo_layer_attends(const struct paleo_layer *l)
{
	return l->kind == &paleo_kind_attention || l->kind == &paleo_kind_fused_attention;
}

int paleo_attention_check(const struct paleo_json *j, struct paleo_attention_param *p,
			  struct paleo_error *err)
{
	if (!p->kv_heads)
		p->kv_heads = p->heads;
	if (p->heads % p->kv_heads)
		return paleo_json_fail(paleo_json_get(j, "kv_heads"), err,
				       "%d heads cannot share %d evenly", p->heads, p->kv_heads);
	return PALEO_OK;
}

int paleo_attention_rows(const struct paleo_attention_geom *g)
{
	return g->q * (g->heads / g->kv_heads);
}

int paleo_attention_copy(const struct paleo_attention_geom *g, const struct paleo_copy_geom *sizes,
			 enum paleo_pass copy, enum paleo_pass pass, enum paleo_dtype dtype,
			 struct paleo_op_list *out, struct paleo_error *err)
{
	struct paleo_op w = {.kind = PALEO_COPY, .pass = copy, .dtype = dtype, .geom.copy = *sizes};

	w.geom.copy.parts = g->kv_heads;

	if (g->kv_heads == 1)
		return PALEO_OK;
	return paleo_op_list_add(out, copy == PALEO_FWD ? "join heads" : "split heads", pass, &w,
				 err);
}

int paleo_attention_product(const struct paleo_attention_geom *g, const char *what,
			    enum paleo_pass as, const struct paleo_gemm_geom *sizes,
			    enum paleo_dtype dtype, struct paleo_op_list *out,
			    struct paleo_error *err)
{
	struct paleo_op w = {.kind = PALEO_GEMM, .pass = as, .dtype = dtype, .geom.gemm = *sizes};

	w.geom.gemm.batch = g->batch * g->kv_heads;
	return paleo_op_list_add(out, what, as == PALEO_FWD ? PALEO_FWD : PALEO_BWD_DATA, &w, err);
}

static int softmax(const struct paleo_attention_geom *g, enum paleo_pass pass,
		   enum paleo_dtype dtype, struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_op w = {
		.kind = PALEO_SOFTMAX,
		.pass = pass,
		.dtype = dtype,
		.geom.softmax = {.rows = g->batch * g->kv_heads * paleo_attention_rows(g),
				 .cols = g->keys},
	};

	return paleo_op_list_add(out, "softmax", pass, &w, err);
}

/* Copies of queries, keys and values, in this order: forward splits, backward joins. Latent keys
 * hold their values. */
static int copy_all(const struct paleo_attention_geom *g, enum paleo_pass pass,
		    enum paleo_dtype dtype, struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_copy_geom sizes[] = {
		{.rows = g->batch * g->q, .cols = g->heads * g->qk},
		{.rows = g->batch * g->keys, .cols = g->kv_heads * g->qk},
		{.rows = g->batch * g->keys, .cols = g->kv_heads * g->v}};
	int count = g->latent ? 2 : 3;
	enum paleo_pass copy = pass == PALEO_FWD ? PALEO_BWD_DATA : PALEO_FWD;

	for (int i = 0; i < count; i++)
		PALEO_TRY(paleo_attention_copy(g, &sizes[i], copy, pass, dtype, out, err));
	return PALEO_OK;
}

int paleo_attention_scores(const struct paleo_attention_geom *g, enum paleo_dtype dtype,
			   struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_gemm_geom scores = {
		.m = paleo_attention_rows(g), .n = g->keys, .k = g->qk, .trans_b = 1};
	int rc = copy_all(g, PALEO_FWD, dtype, out, err);

	return rc ? rc : paleo_attention_product(g, "scores", PALEO_FWD, &scores, dtype, out, err);
}

int paleo_attention_context(const struct paleo_attention_geom *g, enum paleo_dtype dtype,
			    struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_gemm_geom context = {
		.m = paleo_attention_rows(g), .n = g->v, .k = g->keys};
	const struct paleo_copy_geom result = {.rows = g->batch * g->q, .cols = g->heads * g->v};

	PALEO_TRY(softmax(g, PALEO_FWD, dtype, out, err));
	PALEO_TRY(paleo_attention_product(g, "context", PALEO_FWD, &context, dtype, out, err));
	return paleo_attention_copy(g, &result, PALEO_FWD, PALEO_FWD, dtype, out, err);
}

/* The gradients of both operands of both GEMMs; all parents get one. */
int paleo_attention_context_back(const struct paleo_attention_geom *g, enum paleo_dtype dtype,
				 struct paleo_op_list *out, struct paleo_error *err)
{
	int rows = paleo_attention_rows(g);
	const struct paleo_gemm_geom weights = {.m = rows, .n = g->keys, .k = g->v, .trans_b = 1};
	const struct paleo_gemm_geom values = {.m = g->keys, .n = g->v, .k = rows, .trans_a = 1};
	const struct paleo_copy_geom result = {.rows = g->batch * g->q, .cols = g->heads * g->v};

	PALEO_TRY(
		paleo_attention_copy(g, &result, PALEO_BWD_DATA, PALEO_BWD_DATA, dtype, out, err));
	PALEO_TRY(paleo_attention_product(g, "context", PALEO_BWD_DATA, &weights, dtype, out, err));
	PALEO_TRY(
		paleo_attention_product(g, "context", PALEO_BWD_FILTER, &values, dtype, out, err));
	return softmax(g, PALEO_BWD_DATA, dtype, out, err);
}

int paleo_attention_scores_back(const struct paleo_attention_geom *g, enum paleo_dtype dtype,
				struct paleo_op_list *out, struct paleo_error *err)
{
	int rows = paleo_attention_rows(g);
	const struct paleo_gemm_geom queries = {.m = rows, .n = g->qk, .k = g->keys};
	const struct paleo_gemm_geom keys = {.m = g->keys, .n = g->qk, .k = rows, .trans_a = 1};

	PALEO_TRY(paleo_attention_product(g, "scores", PALEO_BWD_DATA, &queries, dtype, out, err));
	PALEO_TRY(paleo_attention_product(g, "scores", PALEO_BWD_FILTER, &keys, dtype, out, err));
	return copy_all(g, PALEO_BWD_DATA, dtype, out, err);
}
