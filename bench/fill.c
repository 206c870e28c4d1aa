/* fill.c - the values of every input element: a function of its position; numbers in blocks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/fill.h"

#include <math.h>
#include <string.h>

#include "model/op/kind.h"

static int ceil_div(int a, int b)
{
	return (a + b - 1) / b;
}

double paleo_fill_terms(const struct paleo_op *w)
{
	if (w->kind == PALEO_GEMM)
		return w->geom.gemm.k;
	if (w->kind == PALEO_MOE)
		return w->geom.moe.hidden;
	if (w->kind != PALEO_CONV)
		return 1;
	const struct paleo_conv_geom *g = &w->geom.conv;
	int group_k = g->k / g->groups; /* groups divides both */
	int group_c = g->c / g->groups;
	if (w->pass == PALEO_BWD_FILTER)
		return (double)g->n * g->p * g->q;
	/* A stride spreads the filter's pixels over so many input pixels. */
	if (w->pass == PALEO_BWD_DATA)
		return (double)group_k * ceil_div(g->r, g->stride_h) * ceil_div(g->s, g->stride_w);
	return (double)group_c * g->r * g->s;
}

double paleo_fill_expert_rows(const struct paleo_moe_geom *g)
{
	double pairs = (double)g->tokens * g->topk, rest = fmod(pairs, g->experts);

	return floor(pairs / g->experts) * g->local + fmin(rest, g->local);
}

uint64_t paleo_fill_expert_pair(const struct paleo_moe_geom *g, uint64_t row)
{
	uint64_t experts = (uint64_t)g->experts, pairs = (uint64_t)g->tokens * (uint64_t)g->topk;
	uint64_t each = pairs / experts, rest = pairs % experts; /* the first ones have one more */
	uint64_t longer = rest * (each + 1);
	uint64_t expert = row < longer ? row / (each + 1) : rest + (row - longer) / each;
	uint64_t place = row < longer ? row % (each + 1) : (row - longer) % each;

	return place * experts + expert;
}

/* The operand that carries the scale: one factor of each multiplication. In a BWD_FILTER it is the
 * incoming gradient, which the bias gradient also sums. */
static int is_scaled(const struct paleo_op *w, enum paleo_role role)
{
	if (w->kind == PALEO_CONV)
		return role == (w->pass == PALEO_BWD_FILTER ? PALEO_DY : PALEO_W);
	if (w->kind == PALEO_GEMM)
		return role == (w->pass == PALEO_BWD_FILTER ? PALEO_X : PALEO_W);
	return w->kind == PALEO_MOE && role == PALEO_W;
}

double paleo_fill_scale(const struct paleo_op *w, enum paleo_role role)
{
	if (w->kind == PALEO_MOE && role == PALEO_W2)
		return exp2(-round(log2(w->geom.moe.inter) / 2));
	if (!is_scaled(w, role))
		return 1;
	return exp2(-round(log2(paleo_fill_terms(w)) / 2));
}

int paleo_fill_keep(double index)
{
	return (int)(paleo_fill_hash(paleo_fill_stream(PALEO_MASK, 0), (uint64_t)index) >> 31);
}

static uint32_t bits_of(float v)
{
	uint32_t u;

	memcpy(&u, &v, sizeof(u));
	return u;
}

static float float_of(uint32_t u)
{
	float v;

	memcpy(&v, &u, sizeof(v));
	return v;
}

/* Drops the lowest `drop` bits of the mantissa, nearest even. Carries into the exponent as it
 * should: the format is made so. */
static float drop_bits(float v, int drop)
{
	uint32_t u = bits_of(v);
	uint32_t half = (UINT32_C(1) << (drop - 1)) - 1;

	u += half + ((u >> drop) & 1);
	return float_of(u & ~((UINT32_C(1) << drop) - 1));
}

static float round_f16(float v)
{
	if (fabsf(v) >= 65520.0f) /* half way from the largest half, 65504, to the next step */
		return copysignf(INFINITY, v);
	if (fabsf(v) < 0x1p-14f) /* subnormal: whole multiples of 2^-24 */
		return rintf(v * 0x1p24f) * 0x1p-24f;
	return drop_bits(v, 13);
}

/* e4m3 has no infinity: larger values become the maximum, 448. */
static float round_fp8(float v)
{
	if (fabsf(v) > 448.0f)
		return copysignf(448.0f, v);
	if (fabsf(v) < 0x1p-6f) /* subnormal: whole multiples of 2^-9 */
		return rintf(v * 0x1p9f) * 0x1p-9f;
	return drop_bits(v, 20);
}

float paleo_round_to(float v, enum paleo_dtype dtype)
{
	switch (dtype) {
	case PALEO_F16:
		return isfinite(v) ? round_f16(v) : v;
	case PALEO_BF16:
		return isfinite(v) ? drop_bits(v, 16) : v;
	case PALEO_FP8:
		return isnan(v) ? v : round_fp8(v);
	case PALEO_F32:
	case PALEO_TF32:
	case PALEO_DTYPES:
		break;
	}
	return v;
}

/* Weights that are codes with scales of blocks; else 0. */
static int stored_of(const struct paleo_op *w, enum paleo_role role)
{
	if (w->kind == PALEO_MOE && (role == PALEO_W || role == PALEO_W2))
		return w->geom.moe.stored;
	return w->kind == PALEO_GEMM && role == PALEO_W ? w->geom.gemm.stored : 0;
}

/* Inputs of weights [outputs, inputs]. */
static uint64_t columns_of(const struct paleo_op *w, enum paleo_role role)
{
	if (w->kind == PALEO_MOE)
		return (uint64_t)(role == PALEO_W ? w->geom.moe.hidden : w->geom.moe.inter);
	return w->kind == PALEO_GEMM ? (uint64_t)w->geom.gemm.k : 1;
}

struct paleo_filler paleo_filler_of(const struct paleo_op *w, enum paleo_role role, int copy)
{
	const struct paleo_op_kind_info *kind = paleo_op_kind_info(w->kind);

	return (struct paleo_filler){
		.stream = paleo_fill_stream(role, copy),
		.scale = (float)paleo_fill_scale(w, role),
		.role = role,
		.kind = w->kind,
		.dtype = paleo_operand_dtype(w, role),
		.index_limit = kind->index_limit ? kind->index_limit(w) : 1,
		.stored = stored_of(w, role),
		.columns = columns_of(w, role),
	};
}

int paleo_filler_is_uniform(const struct paleo_filler *f)
{
	return f->role != PALEO_MASK && f->role != PALEO_STATE2 && f->role != PALEO_INDEX &&
	       !f->stored && (f->dtype == PALEO_F32 || f->dtype == PALEO_TF32);
}

/* Experts in turn: each gets as many tokens, and no token goes twice to the same. */
static float index_at(const struct paleo_filler *f, uint64_t index)
{
	uint64_t limit = (uint64_t)f->index_limit;

	return (float)(f->kind == PALEO_MOE ? index % limit
					    : paleo_fill_hash(f->stream, index) % limit);
}

/* Value of weights [outputs, inputs]. */
static float stored_at(const struct paleo_filler *f, uint64_t index)
{
	const struct paleo_blocks *b = paleo_stored_blocks(f->stored);
	uint64_t row = index / f->columns / (uint64_t)b->rows;
	uint64_t columns = b->columns ? (uint64_t)b->columns : f->columns;
	uint64_t number = row * (f->columns / columns) + index % f->columns / columns;
	int power = (int)(paleo_fill_hash(f->stream + 1, number) % 3) - 1;
	float v = paleo_fill_uniform(f->stream, index);

	return ldexpf(paleo_block_code(b, v), power) * f->scale;
}

float paleo_filler_at(const struct paleo_filler *f, uint64_t index)
{
	if (f->role == PALEO_MASK)
		return f->kind == PALEO_ELTWISE && paleo_fill_keep((double)index) ? 1.0f : 0.0f;
	if (f->role == PALEO_INDEX)
		return index_at(f, index);
	if (f->stored)
		return stored_at(f, index);
	if (paleo_dtype_is_narrow(f->dtype)) /* the scale is separate from the numbers */
		return paleo_round_to(paleo_fill_uniform(f->stream, index), f->dtype) * f->scale;
	float v = paleo_fill_uniform(f->stream, index) * f->scale;
	if (f->role == PALEO_STATE2)
		v = fabsf(v) + 0x1p-10f;
	return paleo_round_to(v, f->dtype);
}

float paleo_fill_value(const struct paleo_op *w, enum paleo_role role, int copy, double index)
{
	struct paleo_filler f = paleo_filler_of(w, role, copy);

	return paleo_filler_at(&f, (uint64_t)index);
}

void paleo_fill(const struct paleo_op *w, enum paleo_role role, int copy, double first,
		size_t count, float *out)
{
	struct paleo_filler f = paleo_filler_of(w, role, copy);

	for (size_t i = 0; i < count; i++)
		out[i] = paleo_filler_at(&f, (uint64_t)first + i);
}

float paleo_fill_buffer(const struct paleo_graph *p, int buffer, double index)
{
	const struct paleo_buffer *b = &p->buffers[buffer];
	float v = paleo_fill_uniform(PALEO_FILL_BUFFERS + (uint32_t)buffer, (uint64_t)index) *
		  (float)b->scale;

	if (b->use == PALEO_USE_STATE || b->use == PALEO_USE_STATISTICS)
		v = fabsf(v) + 0x1p-10f;
	return paleo_round_to(v, paleo_graph_dtype(p, buffer));
}

float paleo_round_e2m1(float v)
{
	float size = fabsf(v);

	/* steps of 1/2 up to 2, of 1 up to 4, then of 2 */
	if (size < 2)
		size = rintf(size * 2) / 2;
	else if (size < 4)
		size = rintf(size);
	else
		size = fminf(rintf(size / 2) * 2, 6);
	return copysignf(size, v);
}

float paleo_block_span(const struct paleo_blocks *b)
{
	if (b->code == PALEO_CODE_WHOLE)
		return (float)(1 << (b->code_bits - 1));
	return b->code == PALEO_CODE_E2M1 ? 4 : 1;
}

float paleo_block_code(const struct paleo_blocks *b, float v)
{
	float span = paleo_block_span(b);

	if (b->code == PALEO_CODE_WHOLE)
		return fminf(rintf(span * v), span - 1) / span;
	return b->code == PALEO_CODE_E2M1 ? paleo_round_e2m1(span * v) / span
					  : paleo_round_to(v, PALEO_FP8);
}

static float largest_code(const struct paleo_blocks *b)
{
	return b->code == PALEO_CODE_E2M1 ? 6 : 448;
}

/* The smallest power of two that is not below v, which is normal. */
static float power_above(float v)
{
	int exponent;
	float mantissa = frexpf(v, &exponent);

	return ldexpf(1, mantissa > 0.5f ? exponent : exponent - 1);
}

float paleo_block_scale(const struct paleo_blocks *b, float most)
{
	float scale = most > 0 ? most / largest_code(b) : 1;

	if (b->scale == PALEO_SCALE_UE8M0)
		return power_above(scale);
	if (b->scale == PALEO_SCALE_UE4M3) /* not 0 */
		return fmaxf(paleo_round_to(scale, PALEO_FP8), 0x1p-9f);
	return scale;
}

double paleo_block_value(const struct paleo_blocks *b, float v, float scale)
{
	float code = v * (1 / scale);

	return (double)scale * (double)(b->code == PALEO_CODE_E2M1
						? paleo_round_e2m1(code)
						: paleo_round_to(code, PALEO_FP8));
}
