/* fill.h - the values of every input element: a function of its position; numbers in blocks. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_FILL_H
#define PALEO_BENCH_FILL_H

#include <stddef.h>
#include <stdint.h>

#include "model/net/graph.h"
#include "model/op/dtype.h"
#include "model/op/operand.h"

/*
 * Inputs are pseudo-random and reproducible, so that any single output can be checked against the
 * reference without keeping the inputs, on any device: the upper 24 bits of a hash of (role, copy,
 * index) give v = (bits - 2^23) * 2^-23, uniform in [-1, 1). One factor of each multiplication of a
 * conv or gemm is scaled by the power of two nearest to 1/sqrt(terms of a sum), so that results
 * stay near 1: w; in a BWD_FILTER the incoming gradient (conv dy, gemm x), which the bias gradient
 * sums, too. A bias is not scaled, so that a missing one is detected. The value is then rounded to
 * the operand's dtype (paleo_operand_dtype(); nearest even; not for tf32, which is stored as f32).
 * For a GEMM in fp8, x and bias are rounded to bf16, w to e4m3 before it is scaled: its power of
 * two is a scale of the tensor. Weights that are stored in blocks are rounded to their codes, so
 * many times as large that these are used up (see below), and divided again; each block has a scale
 * of 1/2, 1 or 2, by the hash of the next stream and its number, row by row.
 *
 * Not uniform in [-1, 1): STATE2 (a second moment) is |v| + 2^-10; MASK of dropout is 1 byte, 1
 * where hash bit 31 of (MASK, 0, index) is set; MASK of max pooling comes from the forward pass on
 * x; INDEX is below a limit (kind.h): by the hash, of experts in turn. W2 has a separate scale. A
 * kernel may compute a value by the lines of paleo_fill_hash() and one multiplication.
 */
static inline uint32_t paleo_fill_hash(uint32_t stream, uint64_t index)
{
	uint64_t z = (index + 1) * UINT64_C(0x9E3779B97F4A7C15) +
		     (uint64_t)stream * UINT64_C(0xD1B54A32D192ED03);
	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return (uint32_t)((z ^ (z >> 31)) >> 32);
}

/* The stream of a tensor: role and copy (0 .. 63) as one number. */
static inline uint32_t paleo_fill_stream(enum paleo_role role, int copy)
{
	return (uint32_t)role * 64u + (uint32_t)copy;
}

/* Multiplications summed in one result, for experts in one inner result, of a conv or gemm; 1 for
 * other ops. */
double paleo_fill_terms(const struct paleo_op *w);

/* Pairs of a token and an expert that the worker has, as the index is filled: each expert in turn.
 */
double paleo_fill_expert_rows(const struct paleo_moe_geom *g);

/* The pair whose row of INNER this is: one expert's rows after another's, each in the order of its
 * pairs, as the index is filled. */
uint64_t paleo_fill_expert_pair(const struct paleo_moe_geom *g, uint64_t row);

/* The power of two that operand `role` of this op is scaled by. */
double paleo_fill_scale(const struct paleo_op *w, enum paleo_role role);

/* A tensor whose elements are computed one by one, many times. A plain value. */
struct paleo_filler {
	uint32_t stream;
	float scale;
	enum paleo_role role;
	enum paleo_op_kind kind;
	enum paleo_dtype dtype;
	int index_limit; /* of INDEX */
	int stored;      /* of weights of a GEMM; in paleo_stored_names */
	uint64_t columns;
};

struct paleo_filler paleo_filler_of(const struct paleo_op *w, enum paleo_role role, int copy);
float paleo_filler_at(const struct paleo_filler *f, uint64_t index);
/* 1 if each element is paleo_fill_uniform() of the stream, times the scale, and nothing is rounded.
 */
int paleo_filler_is_uniform(const struct paleo_filler *f);

/* Uniform in [-1, 1), a multiple of 2^-23. */
static inline float paleo_fill_uniform(uint32_t stream, uint64_t index)
{
	int32_t bits = (int32_t)(paleo_fill_hash(stream, index) >> 8);

	return (float)(bits - (1 << 23)) * 0x1p-23f;
}

/* The value of one element of an input; exact in float. */
float paleo_fill_value(const struct paleo_op *w, enum paleo_role role, int copy, double index);

/* Fills `count` elements from position `first` on. */
void paleo_fill(const struct paleo_op *w, enum paleo_role role, int copy, double first,
		size_t count, float *out);

/* Dropout: 1 if the element is kept. */
int paleo_fill_keep(double index);

/* The first stream of a program's buffers: buffer i has stream PALEO_FILL_BUFFERS + i. */
#define PALEO_FILL_BUFFERS UINT32_C(4096)

/* The value of element `index` of a buffer of a whole program: v times its scale (an optimiser's
 * state, and statistics: |that| + 2^-10), rounded to the buffer's dtype. */
float paleo_fill_buffer(const struct paleo_graph *p, int buffer, double index);

/* v rounded to a dtype, nearest even, as float. */
float paleo_round_to(float v, enum paleo_dtype dtype);

/* v as e2m1: 0, 1/2, 1, 3/2, 2, 3, 4, 6 or a negative of these; nearest, ties to even; at most 6.
 */
float paleo_round_e2m1(float v);

/* v of [-1, 1] as the nearest code, with the largest codes near 1. */
float paleo_block_code(const struct paleo_blocks *b, float v);

/* Divisor of such codes. */
float paleo_block_span(const struct paleo_blocks *b);

/* The scale of a block of activations whose largest element is `most`: that over the largest code,
 * which cublasLt's documentation has rounded up to a power of two, or to the nearest e4m3. Of zeros
 * as of the largest code: 1. */
float paleo_block_scale(const struct paleo_blocks *b, float most);

/* v as it is after it was quantised with this scale. */
double paleo_block_value(const struct paleo_blocks *b, float v, float scale);

#endif
