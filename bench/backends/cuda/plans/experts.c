/* experts.c - experts and their gradients: kernels that order tokens, and grouped GEMMs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans/plans.h"
#include "bench/backends/cuda/plans/product.h"
#include "bench/fill.h"
#include "model/op/dtype.h"

/* Elements of a row of inner per element of the result: both halves of the gate, or one. */
static int inner_width(const struct paleo_moe_geom *g)
{
	return g->inter * (g->gated ? 2 : 1);
}

static int check(const struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_moe_geom *g = &w->geom.moe;
	double pairs = (double)g->tokens * g->topk, rows = paleo_fill_expert_rows(g);

	if (g->skew)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "experts are measured with uniform routing: skew 0");
	if (rows == 0)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "no token is routed to the local experts");
	if (pairs + rows + g->local > INT_MAX)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"%.0f pairs of experts are too many: the kernels count them in 32 bits",
			pairs);
	if (w->pass != PALEO_FWD && rows != paleo_moe_pairs(g))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "gradients of experts are measured where tokens * topk is a "
				  "multiple of experts, or all experts are local: their inputs "
				  "have %.1f rows, %.0f are made",
				  paleo_moe_pairs(g), rows);
	if (w->pass == PALEO_BWD_FILTER && pairs < g->experts)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"an expert without a token has no gradient to measure: %.0f pairs "
			"for %d experts",
			pairs, g->experts);
	if (g->stored)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"experts with weights in '%s' are not measured with CUDA: neither "
			"cuDNN nor cuBLASLt has their GEMMs; predict them",
			paleo_stored_names[g->stored]);
	if (w->dtype == PALEO_FP8 && (g->hidden % 16 || g->inter % 16))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "GEMMs in fp8 need rows of whole 16 bytes: hidden=%d and "
				  "inter=%d should be multiples of 16",
				  g->hidden, g->inter);
	return PALEO_OK;
}

/* Hidden operands of a pass, by the size of a row. */
struct hidden {
	enum paleo_role role;
	double width;
};

static int hide_all(struct paleo_job *j, const struct hidden *list, int count,
		    struct paleo_error *err)
{
	const struct paleo_moe_geom *g = &j->op.geom.moe;
	int bytes = paleo_dtype_bytes(paleo_dtype_wide(j->op.dtype)), rc = PALEO_OK;
	double rows = paleo_fill_expert_rows(g), pairs = (double)g->tokens * g->topk;

	for (int i = 0; i < count && !rc; i++)
		rc = paleo_job_hide(j, list[i].role, rows * list[i].width, bytes, err);
	if (rc)
		return rc;
	return paleo_job_hide(j, PALEO_STATE1, g->local + pairs + rows, sizeof(int), err);
}

/* A kernel over rows of `width` elements, vectorised in packs where these are whole. */
static int add_rows(struct paleo_job *j, const char *name, double rows, int width,
		    struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);
	double each = width % paleo_kernel_pack(j) ? 1 : paleo_kernel_pack(j);

	f.count = (long long)(rows * width);
	return paleo_kernel_add(j, PALEO_TIMED, name,
				ceil(rows * width / each / PALEO_KERNEL_THREADS), &f, err);
}

/* One name for all kernels: separate ones would leave no space for those of the GEMMs. */
static int add_order(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);

	paleo_job_name(j, "kernels", "of experts");
	return paleo_kernel_add(j, PALEO_TIMED, "experts_order", j->op.geom.moe.local, &f, err);
}

/*
 * A GEMM of each expert with its rows, whose number `each` leaves 0, as m or as k. As pairs are
 * dealt to experts in turn, experts have one of two row counts: two batched GEMMs replace a grouped
 * one. cuDNN 9.19 has grouped GEMMs only of rows with weights [outputs, inputs], none for
 * gradients, f32 and fp8; cublasLt 13.1 has none.
 */
static int add_batches(struct paleo_job *j, const struct paleo_product *each,
		       struct paleo_error *err)
{
	const struct paleo_moe_geom *g = &j->op.geom.moe;
	long long pairs = (long long)g->tokens * g->topk;
	int least = (int)(pairs / g->experts), rest = (int)(pairs % g->experts), rc = PALEO_OK;
	int longer = rest < g->local ? rest : g->local;

	for (int i = 0; i < 2 && !rc; i++) {
		int rows = i == 0 ? least + 1 : least, batch = i == 0 ? longer : g->local - longer;
		double expert = i == 0 ? 0 : longer, row = expert * (least + 1.0);
		struct paleo_product p = *each;
		if (rows == 0 || batch == 0)
			continue;
		p.batch = batch;
		p.x.first = row * (each->m ? each->m : each->k);
		if (each->k) { /* rows of results, weights of experts */
			p.m = rows;
			p.w.first = expert * each->n * each->k;
			p.y.first = row * each->n;
		} else {
			p.k = rows;
			p.w.first = row * each->n;
			p.y.first = expert * each->m * each->n;
		}
		rc = paleo_product_add(j, &p, 0, NULL, err);
	}
	return rc;
}

/* The rows of `of` as e4m3 in MASK, which has room for all, with the scale of these weights. */
static int add_codes(struct paleo_job *j, enum paleo_role of, enum paleo_role weights, double count,
		     struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);

	f.turned = of == PALEO_DX;
	f.from_between = of == PALEO_DINNER;
	f.factor = (float)paleo_fill_scale(&j->op, weights);
	return paleo_plan_quantise_steps(j, &f, count, err);
}

/* GEMMs of a forward pass, first and second, where cuDNN has none. */
static int add_forward(struct paleo_job *j, int is_second, struct paleo_error *err)
{
	const struct paleo_moe_geom *g = &j->op.geom.moe;
	int is_fp8 = j->op.dtype == PALEO_FP8, rc = PALEO_OK;
	struct paleo_product p = {
		.x.role = is_second ? PALEO_DINNER : PALEO_DX,
		.w.role = is_second ? PALEO_W2 : PALEO_W,
		.y.role = is_second ? PALEO_DY : PALEO_INNER,
		.n = is_second ? g->hidden : inner_width(g),
		.k = is_second ? g->inter : g->hidden,
		.trans_b = 1,
		.dtype = j->op.dtype,
		.scaling = is_fp8 ? PALEO_TENSOR_SCALED : PALEO_NOT_SCALED,
		.bias = PALEO_ROLES,
	};

	if (is_fp8) {
		rc = add_codes(j, p.x.role, p.w.role, paleo_fill_expert_rows(g) * p.k, err);
		p.x.role = PALEO_MASK;
	}
	return rc ? rc : add_batches(j, &p, err);
}

static int add_products(struct paleo_job *j, int is_second, struct paleo_error *err)
{
	if (j->op.dtype == PALEO_F32 || j->op.dtype == PALEO_FP8)
		return add_forward(j, is_second, err);
	return paleo_plan_experts_product(j, is_second, err);
}

static int plan_forward(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_moe_geom *g = &j->op.geom.moe;
	const struct hidden hidden[] = {{PALEO_DX, g->hidden},
					{PALEO_INNER, inner_width(g)},
					{PALEO_DINNER, g->inter},
					{PALEO_DY, g->hidden}};
	double rows = paleo_fill_expert_rows(g);
	int rc = hide_all(j, hidden, 4, err);

	if (!rc && j->op.dtype == PALEO_FP8)
		rc = paleo_plan_quantise_room(j, rows * fmax(g->hidden, g->inter), err);
	if (!rc)
		rc = add_order(j, err);
	if (!rc)
		rc = add_rows(j, "experts_gather", rows, g->hidden, err);
	if (!rc)
		rc = add_products(j, 0, err);
	if (!rc)
		rc = add_rows(j, g->gated ? "experts_gated" : "experts_squared", rows, g->inter,
			      err);
	if (!rc)
		rc = add_products(j, 1, err);
	return rc ? rc : add_rows(j, "experts_sum", g->tokens, g->hidden, err);
}

/* A block a row. */
static int add_inner_gradients(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_moe_geom *g = &j->op.geom.moe;
	struct paleo_frame f = paleo_frame_of(&j->op);
	const char *name = g->gated ? "experts_gated_bwd" : "experts_squared_bwd";
	double rows = paleo_fill_expert_rows(g);

	f.count = (long long)rows;
	return paleo_kernel_add(j, PALEO_TIMED, name, rows, &f, err);
}

/* A GEMM of a backward pass, without its sizes. */
static struct paleo_product gradient(const struct paleo_job *j, enum paleo_role x,
				     enum paleo_role w, enum paleo_role y)
{
	return (struct paleo_product){
		.x.role = x, .w.role = w, .y.role = y, .dtype = j->op.dtype, .bias = PALEO_ROLES};
}

/* Gradients of rows in DK, of the activation in DV: dy w2, then its derivative from inner, then
 * dinner w. The gradients of gates, in DSCALE, are not read. */
static int plan_of_tokens(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_moe_geom *g = &j->op.geom.moe;
	const struct hidden hidden[] = {{PALEO_DK, g->hidden}, {PALEO_DV, g->inter}};
	struct paleo_product second = gradient(j, PALEO_DK, PALEO_W2, PALEO_DV);
	struct paleo_product first = gradient(j, PALEO_DINNER, PALEO_W, PALEO_DK);
	int rc = hide_all(j, hidden, 2, err);

	second.n = g->inter;
	second.k = first.n = g->hidden;
	first.k = inner_width(g);
	if (!rc)
		rc = paleo_job_hide(j, PALEO_DSCALE, (double)g->tokens * g->topk, sizeof(float),
				    err);
	if (!rc)
		rc = add_order(j, err);
	if (!rc)
		rc = add_rows(j, "experts_gather_dy", paleo_fill_expert_rows(g), g->hidden, err);
	if (!rc)
		rc = add_batches(j, &second, err);
	if (!rc)
		rc = add_inner_gradients(j, err);
	if (!rc)
		rc = add_batches(j, &first, err);
	return rc ? rc : add_rows(j, "experts_sum_dx", g->tokens, g->hidden, err);
}

/* Rows of tokens in DX, of their gradients times gates in DK, the recomputed activation in Y. */
static int plan_of_experts(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_moe_geom *g = &j->op.geom.moe;
	const struct hidden hidden[] = {
		{PALEO_DX, g->hidden}, {PALEO_DK, g->hidden}, {PALEO_Y, g->inter}};
	struct paleo_product first = gradient(j, PALEO_DINNER, PALEO_DX, PALEO_DW);
	struct paleo_product second = gradient(j, PALEO_DK, PALEO_Y, PALEO_DW2);
	double rows = paleo_fill_expert_rows(g);
	int rc = hide_all(j, hidden, 3, err);

	first.m = inner_width(g);
	first.n = second.m = g->hidden;
	second.n = g->inter;
	first.trans_a = second.trans_a = 1;
	if (!rc)
		rc = add_order(j, err);
	if (!rc)
		rc = add_rows(j, "experts_gather", rows, g->hidden, err);
	if (!rc)
		rc = add_rows(j, "experts_gather_shares", rows, g->hidden, err);
	if (!rc)
		rc = add_rows(j, g->gated ? "experts_gated_again" : "experts_squared_again", rows,
			      g->inter, err);
	if (!rc)
		rc = add_batches(j, &first, err);
	return rc ? rc : add_batches(j, &second, err);
}

int paleo_plan_moe(struct paleo_job *j, struct paleo_error *err)
{
	int rc = check(&j->op, err);

	if (rc)
		return rc;
	if (j->op.pass == PALEO_BWD_DATA)
		return plan_of_tokens(j, err);
	return j->op.pass == PALEO_BWD_FILTER ? plan_of_experts(j, err) : plan_forward(j, err);
}
