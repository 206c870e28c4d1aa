/* blocks.h - numbers that share scales in blocks: how values become codes and scales. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BLOCKS_H
#define PALEO_BENCH_BLOCKS_H

#include "model/work/weight_type.h"

/* v as e2m1: 0, 1/2, 1, 3/2, 2, 3, 4, 6 or a negative of these; nearest, ties to even; at most 6.
 */
float paleo_round_e2m1(float v);

/* v of [-1, 1] as the nearest code, with the largest codes near 1. */
float paleo_block_code(const struct paleo_blocks *b, float v);

/* What such codes are divided by. */
float paleo_block_span(const struct paleo_blocks *b);

/* The scale of a block of activations whose largest element is `most`: that over the largest code,
 * which cublasLt's documentation has rounded up to a power of two, or to the nearest e4m3. Of zeros
 * as of the largest code: 1. */
float paleo_block_scale(const struct paleo_blocks *b, float most);

/* v as it is after it was quantised with this scale. */
double paleo_block_value(const struct paleo_blocks *b, float v, float scale);

#endif
