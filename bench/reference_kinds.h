/* reference_kinds.h - the parts of the reference, one function per kind of op. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_REFERENCE_KINDS_H
#define PALEO_BENCH_REFERENCE_KINDS_H

#include "bench/fill.h"

/* One element of a result: which, and the sum that makes it. Inside bench only. */
struct paleo_reference {
	enum paleo_role role;
	int copy;
	uint64_t index;
	double value;   /* sum so far */
	double squares; /* the squares of that */
};

static inline void paleo_reference_add(struct paleo_reference *e, double term)
{
	e->value += term;
	e->squares += term * term;
}

/* Splits a row-major position into its coordinates; the outermost dimension is not needed. */
static inline void paleo_unravel(uint64_t index, const int dims[4], int at[4])
{
	for (int i = 3; i > 0; i--) {
		at[i] = (int)(index % (uint64_t)dims[i]);
		index /= (uint64_t)dims[i];
	}
	at[0] = (int)index;
}

static inline uint64_t paleo_ravel(const int dims[4], int a, int b, int c, int d)
{
	return (((uint64_t)a * (uint64_t)dims[1] + (uint64_t)b) * (uint64_t)dims[2] + (uint64_t)c) *
		       (uint64_t)dims[3] +
	       (uint64_t)d;
}

/* In fp8, activations are quantised: scaled so that the largest element becomes 448, and rounded.
 * `most` 0: they are taken as they are. */
double paleo_reference_quantised(float v, float most);

/* Applies the fused activation to the sum so far; `act` as in op.h. */
void paleo_reference_activate(struct paleo_reference *e, int act);

/*
 * Each adds up the terms of the element e->role, e->copy, e->index and returns 1, or 0 where this
 * role is not a result of the op. A pooling's MASK is not: its encoding is the backend's own.
 */
#define OP(constant, name)                                                                         \
	int paleo_reference_##name(const struct paleo_op *w, struct paleo_reference *e);
#include "model/op/kinds.def"
#undef OP

#endif
