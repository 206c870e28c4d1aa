/* blocks.c - numbers that share scales in blocks: how values become codes and scales. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/blocks.h"

#include <math.h>

#include "bench/fill.h"

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
