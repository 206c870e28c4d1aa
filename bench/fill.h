/* fill.h - the values of every input element: a function of its position, the same everywhere. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_FILL_H
#define PALEO_BENCH_FILL_H

#include <stddef.h>
#include <stdint.h>

#include "model/net/graph.h"
#include "model/work/operand.h"

/*
 * Inputs are pseudo-random and reproducible, so that any single output can be
 * checked against the reference without keeping the inputs, on any device: the
 * upper 24 bits of a hash of (role, copy, index) give v = (bits - 2^23) * 2^-23,
 * uniform in [-1, 1). One factor of each product of a conv or gemm is scaled by
 * the power of two nearest to 1/sqrt(terms of a sum), so that results stay near 1:
 * w; in a BWD_FILTER the arriving gradient (conv dy, gemm x), which the bias
 * gradient sums up too. A bias is not scaled: a forgotten one must show. The value
 * is then rounded to the operand's number type (paleo_operand_dtype(); nearest even;
 * not for tf32, which is stored as f32). Of a product in fp8, x and bias are rounded
 * to bf16, w to e4m3 before it is scaled: its power of two is a scale of the tensor. Weights that
 * are stored in blocks are rounded to their codes, so many times as large that these are used up
 * (blocks.h), and divided again; each block has a scale of 1/2, 1 or 2, by the hash of the next
 * stream and its number, row by row.
 *
 * Not uniform in [-1, 1): STATE2 (a second moment) is |v| + 2^-10; MASK of dropout
 * is 1 byte, 1 where hash bit 31 of (MASK, 0, index) is set; MASK of max pooling
 * comes from the forward pass on x; INDEX is below a limit (kind.h): by the
 * hash, of experts in turn. W2 has a scale of its own. A kernel may compute a value by the lines of
 * paleo_fill_hash() and one multiplication.
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

/* Products that one result, of experts one inner result, of a conv or gemm sums up; 1 for other
 * works. */
double paleo_fill_terms(const struct paleo_work *w);

/* Pairs of a token and an expert that the worker has, as the index is filled: each expert in turn.
 */
double paleo_fill_expert_rows(const struct paleo_moe_geom *g);

/* The pair whose row of INNER this is: one expert's rows after another's, each in the order of its
 * pairs, as the index is filled. */
uint64_t paleo_fill_expert_pair(const struct paleo_moe_geom *g, uint64_t row);

/* The power of two that operand `role` of this work is scaled by. */
double paleo_fill_scale(const struct paleo_work *w, enum paleo_role role);

/* A tensor whose elements are asked for one by one, many times. A plain value. */
struct paleo_filler {
	uint32_t stream;
	float scale;
	enum paleo_role role;
	enum paleo_work_kind kind;
	enum paleo_dtype dtype;
	int index_limit; /* of INDEX */
	int stored;      /* of weights of a product; in paleo_stored_names */
	uint64_t columns;
};

struct paleo_filler paleo_filler_of(const struct paleo_work *w, enum paleo_role role, int copy);
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
float paleo_fill_value(const struct paleo_work *w, enum paleo_role role, int copy, double index);

/* Fills `count` elements from position `first` on. */
void paleo_fill(const struct paleo_work *w, enum paleo_role role, int copy, double first,
		size_t count, float *out);

/* Dropout: 1 if the element is kept. */
int paleo_fill_keep(double index);

/* The first stream of a program's buffers: buffer i has stream PALEO_FILL_BUFFERS + i. */
#define PALEO_FILL_BUFFERS UINT32_C(4096)

/* The value of element `index` of a buffer of a whole program: v times its scale (an optimiser's
 * state, and statistics: |that| + 2^-10), rounded to the buffer's number type. */
float paleo_fill_buffer(const struct paleo_graph *p, int buffer, double index);

/* v rounded to a number type, nearest even, as float. */
float paleo_round_to(float v, enum paleo_dtype dtype);

#endif
