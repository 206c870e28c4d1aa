/* reference.c - one output element in double, and how far a dtype may be from it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/reference.h"

#include <math.h>

#include "bench/reference_kinds.h"

static int (*const elements[PALEO_OP_KINDS])(const struct paleo_op *w,
					     struct paleo_reference *e) = {
#define OP(constant, name) [PALEO_##constant] = paleo_reference_##name,
#include "model/op/kinds.def"
#undef OP
};

int paleo_reference_value(const struct paleo_op *w, enum paleo_role role, int copy, double index,
			  double *value, double *magnitude, struct paleo_error *err)
{
	struct paleo_reference e = {.role = role, .copy = copy, .index = (uint64_t)index};

	if (!elements[w->kind](w, &e)) {
		return paleo_fail(err, PALEO_EUNSUPPORTED, "'%s' of a %s %s has no reference",
				  paleo_role_name(role), paleo_op_kind_name(w->kind),
				  paleo_pass_name(w->pass));
	}
	*value = e.value;
	*magnitude = fmax(sqrt(e.squares), fabs(e.value));
	return PALEO_OK;
}

/* Backward, the maximum of every window that holds a pixel is sought. */
static double pool_terms(const struct paleo_op *w)
{
	const struct paleo_pool_geom *g = &w->geom.pool;
	double window = (double)g->r * g->s;

	if (w->pass == PALEO_FWD)
		return window;
	int windows_h = g->r / g->stride_h + 1;
	int windows_w = g->s / g->stride_w + 1;
	double windows = (double)windows_h * windows_w;
	return g->mode == PALEO_POOL_MAX ? window * windows : windows;
}

/* A row of weights, and of the gradient of a key the rows of all that see it. */
static double attention_terms(const struct paleo_attention_geom *g, enum paleo_role role)
{
	double row = (double)paleo_attention_seen(g) * (g->qk + g->v);

	if (role == PALEO_APPENDED)
		return 1;
	return role == PALEO_DK || role == PALEO_DV ? row * g->q * g->heads / g->kv_heads : row;
}

/* A result of the forward pass includes the first GEMMs of all of its token's experts, a gradient
 * of a token those of their results. */
static double expert_terms(const struct paleo_op *w, enum paleo_role role)
{
	const struct paleo_moe_geom *g = &w->geom.moe;

	if (role == PALEO_DW || role == PALEO_DW2)
		return ceil((double)g->tokens * g->topk / g->experts);
	if (role == PALEO_DINNER)
		return g->hidden;
	return 3.0 * g->topk * g->inter * g->hidden;
}

double paleo_reference_terms(const struct paleo_op *w, enum paleo_role role)
{
	const struct paleo_norm_geom *norm = &w->geom.norm;
	const struct paleo_conv_geom *conv = &w->geom.conv;

	switch ((int)w->kind) {
	case PALEO_ATTENTION:
		return attention_terms(&w->geom.attention, role);
	case PALEO_MOE:
		return expert_terms(w, role);
	case PALEO_EMBEDDING:
		return role == PALEO_DW ? w->geom.embedding.tokens : 1;
	case PALEO_CROSS_ENTROPY:
		return w->geom.cross_entropy.cols;
	case PALEO_CONV:
		if (role == PALEO_DBIAS)
			return (double)conv->n * conv->p * conv->q;
		return paleo_fill_terms(w);
	case PALEO_GEMM:
		return paleo_fill_terms(w);
	case PALEO_POOL:
		return pool_terms(w);
	case PALEO_NORM:
		if (norm->mode == PALEO_BATCH_INFERENCE)
			return 1;
		if (norm->mode == PALEO_BATCH_NORM || role == PALEO_DSHIFT)
			return (double)norm->n * norm->h * norm->w;
		if (role == PALEO_DSCALE) /* recomputes the statistics of every group */
			return (double)norm->n * norm->h * norm->w * norm->c;
		return norm->c;
	case PALEO_LRN:
		return (double)w->geom.lrn.size * w->geom.lrn.size;
	case PALEO_SOFTMAX:
		return w->geom.softmax.cols;
	case PALEO_REDUCE:
		return w->pass == PALEO_FWD ? w->geom.reduce.cols : 1;
	case PALEO_UPSAMPLE:
		return 9.0 * w->geom.upsample.scale_h * w->geom.upsample.scale_w;
	case PALEO_ELTWISE:
		return w->geom.eltwise.inputs;
	default:
		return 1;
	}
}

static double longest_of_experts(const struct paleo_op *w)
{
	const struct paleo_moe_geom *g = &w->geom.moe;

	if (w->pass == PALEO_BWD_FILTER)
		return expert_terms(w, PALEO_DW);
	/* backward both halves of the gate */
	return fmax(g->hidden, g->inter * (w->pass == PALEO_FWD ? 1.0 : 2.0));
}

/* The longest sum that is added up in single precision for any result. */
static double longest_sum(const struct paleo_op *w)
{
	const struct paleo_attention_geom *attention = &w->geom.attention;
	double terms = paleo_reference_terms(w, PALEO_Y);

	if (w->kind == PALEO_ATTENTION)
		return fmax(fmax(attention->qk, paleo_attention_seen(attention)),
			    w->pass == PALEO_FWD ? 1 : (double)attention->q * attention->heads);
	if (w->kind == PALEO_MOE)
		return longest_of_experts(w);
	if (w->kind == PALEO_NORM && w->pass == PALEO_BWD_DATA)
		return fmax(terms, paleo_reference_terms(w, PALEO_DSHIFT));
	return terms;
}

/* Half units in the last place that a result may be off: its own rounding, twice. Experts may also
 * store the tensors between their GEMMs: both factors of the gate, their result, and each expert's
 * share of the sum. */
static int roundings(const struct paleo_op *w)
{
	return w->kind == PALEO_MOE ? 2 + 4 : 2;
}

/*
 * Error of a sum of n products in e4m3 in the tensor cores of Ada and Hopper, relative to its
 * magnitude M. An instruction adds 32 products (PTX: k32) to a sum of 13 bits of mantissa, and
 * truncates the rest (Zhang et al. 2024, arXiv 2411.10958: 1, 8 and 13 bits, the 10 below are
 * dropped). So step t of n/32 loses up to 2^-13 |S_t|, always towards 0. With random signs |S_t| is
 * M sqrt(32 t/n) in the mean square; at 3 standard deviations these add up to 3 2^-13 M * 2/3 n/32
 * = 2^-17 n M. The 33 addends of a step are cut when they are aligned, each by up to 2^-13 |S_t|
 * with its own sign: sqrt(33/12) 2^-13 |S_t| a step, in the mean square 2^-13 M sqrt(33/24 n/32) of
 * all, at 3 standard deviations less than 2^-13 sqrt(n) M. Both come to 4 % for n = 4096, for which
 * 2 % were measured (DeepSeek-AI 2024, arXiv 2412.19437, section 3.5.2).
 */
static double fast_accumulation(double n)
{
	return 0x1p-17 * n + 0x1p-13 * sqrt(n);
}

double paleo_reference_tolerance(const struct paleo_op *w)
{
	int product = w->kind == PALEO_CONV || w->kind == PALEO_GEMM || w->kind == PALEO_MOE;
	double sum = 0x1p-23 * sqrt(longest_sum(w));
	double f32 = (w->kind == PALEO_CONV ? 1e-4 : 1e-5) + sum;

	if (w->kind == PALEO_GEMM && w->geom.gemm.stored && w->dtype != PALEO_FP8)
		f32 += 0x1p-10; /* tensor cores accumulate narrow types like fp8 */

	switch (w->dtype) {
	case PALEO_TF32:
		return product ? 3 * 0x1p-10 + sum : f32;
	case PALEO_F16:
		return roundings(w) * 0x1p-11 + f32;
	case PALEO_BF16:
		return roundings(w) * 0x1p-8 + f32;
	case PALEO_FP8:
		/* attention weights, appended keys, activations between experts' GEMMs: all are
		 * rounded to e4m3 themselves */
		if (w->kind == PALEO_ATTENTION || (w->kind == PALEO_MOE && w->geom.moe.stored))
			return 2 * 0x1p-4 + f32;
		if (w->kind == PALEO_MOE) /* twice, one after the other */
			return 2 * 0x1p-4 + 2 * fast_accumulation(longest_sum(w)) + f32;
		if (w->kind == PALEO_GEMM && w->geom.gemm.stored)
			return 2 * 0x1p-8 + 0x1p-10 + f32;
		return 2 * 0x1p-8 + fast_accumulation(longest_sum(w)) + f32;
	case PALEO_F32:
	case PALEO_DTYPES:
		break;
	}
	return f32;
}
