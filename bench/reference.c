/* reference.c - one output element in double, and how far a number type may be from it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/reference.h"

#include <math.h>

#include "bench/reference_kinds.h"

static int (*const elements[PALEO_WORK_KINDS])(const struct paleo_work *w,
					       struct paleo_reference *e) = {
#define WORK(constant, name) [PALEO_##constant] = paleo_reference_##name,
#include "model/work/kinds.def"
#undef WORK
};

int paleo_reference_value(const struct paleo_work *w, enum paleo_role role, int copy, double index,
			  double *value, double *magnitude, struct paleo_error *err)
{
	struct paleo_reference e = {.role = role, .copy = copy, .index = (uint64_t)index};

	if (!elements[w->kind](w, &e)) {
		return paleo_fail(err, PALEO_EUNSUPPORTED, "'%s' of a %s %s has no reference",
				  paleo_role_name(role), paleo_work_kind_name(w->kind),
				  paleo_pass_name(w->pass));
	}
	*value = e.value;
	*magnitude = fmax(sqrt(e.squares), fabs(e.value));
	return PALEO_OK;
}

/* Backward, the maximum of every window that holds a pixel is sought. */
static double pool_terms(const struct paleo_work *w)
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

/* A result of the forward pass takes the first products of all of its token's experts, a gradient
 * of a token those of what they gave. */
static double expert_terms(const struct paleo_work *w, enum paleo_role role)
{
	const struct paleo_moe_geom *g = &w->geom.moe;

	if (role == PALEO_DW || role == PALEO_DW2)
		return ceil((double)g->tokens * g->topk / g->experts);
	if (role == PALEO_DINNER)
		return g->hidden;
	return 3.0 * g->topk * g->inter * g->hidden;
}

double paleo_reference_terms(const struct paleo_work *w, enum paleo_role role)
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
		if (role == PALEO_DSCALE) /* the statistics of every group anew */
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

static double longest_of_experts(const struct paleo_work *w)
{
	const struct paleo_moe_geom *g = &w->geom.moe;

	if (w->pass == PALEO_BWD_FILTER)
		return expert_terms(w, PALEO_DW);
	/* backward both halves of the gate */
	return fmax(g->hidden, g->inter * (w->pass == PALEO_FWD ? 1.0 : 2.0));
}

/* The longest sum that is added up in single precision for any result. */
static double longest_sum(const struct paleo_work *w)
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

/* Half units in the last place that a result may be off: one of its own, twice. Experts may also
 * store what is between their products: both factors of the gate, what comes of them, and each
 * expert's share of the sum. */
static int roundings(const struct paleo_work *w)
{
	return w->kind == PALEO_MOE ? 2 + 4 : 2;
}

double paleo_reference_tolerance(const struct paleo_work *w)
{
	int product = w->kind == PALEO_CONV || w->kind == PALEO_GEMM || w->kind == PALEO_MOE;
	double sum = 0x1p-23 * sqrt(longest_sum(w));
	double f32 = (w->kind == PALEO_CONV ? 1e-4 : 1e-5) + sum;

	if (w->kind == PALEO_GEMM && w->geom.gemm.stored && w->dtype != PALEO_FP8)
		f32 += 0x1p-10; /* tensor cores add up narrow products as those of fp8 */

	switch (w->dtype) {
	case PALEO_TF32:
		return product ? 3 * 0x1p-10 + sum : f32;
	case PALEO_F16:
		return roundings(w) * 0x1p-11 + f32;
	case PALEO_BF16:
		return roundings(w) * 0x1p-8 + f32;
	case PALEO_FP8:
		/* the weights of attention, what is appended, what is between experts' products:
		 * all are rounded to e4m3 themselves */
		if (w->kind == PALEO_ATTENTION || w->kind == PALEO_MOE)
			return 2 * 0x1p-4 + f32;
		return 2 * 0x1p-8 + 0x1p-10 + f32;
	case PALEO_F32:
	case PALEO_DTYPES:
		break;
	}
	return f32;
}
