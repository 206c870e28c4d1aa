/* operand.h - the tensors an op reads and writes: roles and sizes, in one place. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_OP_OPERAND_H
#define PALEO_MODEL_OP_OPERAND_H

#include "model/op/op.h"

/*
 * Byte counts come from this list, and backends allocate and fill by it, so that
 * the bytes of a prediction are those of the buffers that were measured.
 *
 * An element's index is its row-major position in `dims` (x: n,c,h,w; filter:
 * k,c/groups,r,s; matrices: batch, rows, columns as stored).
 */
enum paleo_role {
	PALEO_X,      /* input; gemm: A; add, mul, max, copy: one of `copies` */
	PALEO_W,      /* filter; gemm: B; update: the weights; add, mul: the repeated input */
	PALEO_BIAS,   /* bias of conv [k] or gemm [n] */
	PALEO_Y,      /* result; gemm: C; softmax backward: the forward's result, an input */
	PALEO_DY,     /* gradient that arrives; update: the gradient of the weights */
	PALEO_DX,     /* gradient with respect to x; mul, max, copy: one of `copies` */
	PALEO_DW,     /* gradient with respect to the filter */
	PALEO_DBIAS,  /* gradient with respect to the bias */
	PALEO_SCALE,  /* norm: scale [c], which is f32, as are the next three and batch inference's
			 states */
	PALEO_SHIFT,  /* norm: shift [c] */
	PALEO_DSCALE, /* norm: gradient of scale [c] */
	PALEO_DSHIFT, /* norm: gradient of shift [c] */
	PALEO_MASK, /* dropout: a byte an element; max pooling: a byte an output, which pixel won */
	PALEO_STATE1, /* update: momentum, or first moment; batch inference: mean [c] */
	PALEO_STATE2, /* update: second moment; batch inference: variance [c] */
	PALEO_K,      /* attention: keys [batch, seen, kv_heads, qk] without new ones of a cache */
	PALEO_V,      /* attention: values */
	PALEO_DK,     /* attention: their gradients; that of the queries is dx */
	PALEO_DV,
	PALEO_NEW, /* attention: keys, with their values behind, that are not in the cache yet */
	PALEO_APPENDED, /* attention: the same, as they are appended to it */
	PALEO_ANGLES,   /* rotary positions: of each row dim/2 cosines and dim/2 sines, f32 */
	PALEO_INDEX,    /* numbers of rows, experts, classes; int32 */
	PALEO_GATE,     /* experts: gate of each of a token's experts, f32 */
	PALEO_W2,       /* experts: second matrices [local, hidden, inter] */
	PALEO_INNER,    /* experts: results of the first GEMMs, [pairs, inter], gated twice that */
	PALEO_DINNER,   /* experts: its gradient */
	PALEO_DW2,      /* experts: gradient with respect to w2 */
	PALEO_MASTER,   /* update: the f32 weights of which 16-bit ones, w, are the rounded copy */
	PALEO_ROLES
};

enum paleo_access {
	PALEO_READ = 1,
	PALEO_WRITE = 2,
	PALEO_READ_WRITE = 3
};

/*
 * All passes of a gemm call their operands x (A), w (B) and y (C), and the bias
 * gradient dbias; a convolution's gradients are dx and dw. In copy, parts may
 * differ by one column: dims give the widest, `columns` the exact total. Of a table and of experts
 * `bytes` are those of the rows that are read.
 */
struct paleo_operand {
	enum paleo_role role;
	enum paleo_access access;
	int copies;     /* how many tensors of this role and size (inputs of a sum); usually 1 */
	int rank;       /* 1 .. 4 */
	double dims[4]; /* outermost first */
	int elem_bytes;
	double bytes; /* of all copies together, that are moved */
};

enum {
	PALEO_OPERANDS_MAX = 8
};

/* The list that a kind of op writes (kind.h). */
struct paleo_operand_list {
	const struct paleo_op *op;
	const struct paleo_op_kind_info *kind;
	int bytes, wide_bytes; /* of an element of the op's dtype, and of its wide one */
	struct paleo_operand *items;
	int count;
};

/*
 * The dtype of an operand's elements: the op's own, in fp8 bf16 but for the
 * weights. All that a normalisation has learned, and the gradients of it, is f32, as
 * frameworks keep it. A mask has bytes instead, an index whole numbers.
 */
enum paleo_dtype paleo_operand_dtype(const struct paleo_op *w, enum paleo_role role);

/* The operands of an op that passed its range check; returns how many were written to `out`. */
int paleo_op_operands(const struct paleo_op *w, struct paleo_operand out[PALEO_OPERANDS_MAX]);

/* Elements of one tensor of this operand. */
double paleo_operand_count(const struct paleo_operand *o);

/* The operand with this role, or NULL. */
const struct paleo_operand *paleo_operand_find(const struct paleo_operand *list, int count,
					       enum paleo_role role);

/* Columns of part `i` (from 0) of a copy op, and the column where it starts. */
int paleo_copy_part(const struct paleo_copy_geom *g, int i, int *start);

const char *paleo_role_name(enum paleo_role role); /* "x", "dy" ... */

#endif
