/* aten.h - the arguments of an op of PyTorch's, and the functions that make ops of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_TRACES_ATEN_H
#define PALEO_MODEL_RECORD_TRACES_ATEN_H

#include "base/json.h"
#include "model/record/traces/trace.h"

enum {
	ATEN_RANK_MAX = 8,
	ATEN_NONE = -1 /* an argument that an op does not have */
};

/* A call: what the profiler wrote of each argument. */
struct aten_args {
	const struct paleo_json *dims, *types, *values, *strides;
	int in_backward;
	enum paleo_dtype usual; /* of lists of tensors */
};

struct aten_shape {
	int rank; /* -1: the argument is no tensor */
	double dims[ATEN_RANK_MAX];
};

/* A line of aten.def. */
struct aten_op {
	const char *name;
	int (*match)(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out);
	int what; /* of an elementwise op, pooling ... its enum; of others a variant */
	enum paleo_pass pass;
	int at[8]; /* places of arguments, as each matcher has them */
};

struct aten_shape paleo_aten_shape(const struct aten_args *a, int i);
double paleo_aten_elements(const struct aten_shape *s);
/* Of the dimensions [from, to). */
double paleo_aten_product(const struct aten_shape *s, int from, int to);
/* 1 if the argument is a tensor in a dtype that ops have, or a list. */
int paleo_aten_dtype(const struct aten_args *a, int i, enum paleo_dtype *out);
/* The text of a number, list or flag; "" where there is none. */
const char *paleo_aten_value(const struct aten_args *a, int i);
/* The first `count` numbers of a list; a single one stands for all. 0: there is none. */
int paleo_aten_numbers(const struct aten_args *a, int i, int count, int *out);
int paleo_aten_flag(const struct aten_args *a, int i);
/* 1 if the last two dimensions of a matrix are stored the other way round. */
int paleo_aten_is_turned(const struct aten_args *a, int i);
/* The elements of a tensor, or of all tensors of a list. */
double paleo_aten_list_elements(const struct aten_args *a, int i);

/* Finishes out->ops[0] in the dtype of an argument; the count. */
int paleo_aten_finish(const struct aten_args *a, int typed, struct paleo_aten *out);

/* 1: *out is filled. */
int paleo_aten_conv(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out);
int paleo_aten_conv_backward(const struct aten_args *a, const struct aten_op *of,
			     struct paleo_aten *out);
int paleo_aten_linear(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out);
int paleo_aten_mm(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out);
int paleo_aten_attention(const struct aten_args *a, const struct aten_op *of,
			 struct paleo_aten *out);
int paleo_aten_eltwise(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out);
int paleo_aten_binary(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out);
int paleo_aten_dropout(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out);
int paleo_aten_batch_norm(const struct aten_args *a, const struct aten_op *of,
			  struct paleo_aten *out);
int paleo_aten_layer_norm(const struct aten_args *a, const struct aten_op *of,
			  struct paleo_aten *out);
int paleo_aten_softmax(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out);
int paleo_aten_cross_entropy(const struct aten_args *a, const struct aten_op *of,
			     struct paleo_aten *out);
int paleo_aten_pool(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out);
int paleo_aten_pool_to(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out);
int paleo_aten_embedding(const struct aten_args *a, const struct aten_op *of,
			 struct paleo_aten *out);
int paleo_aten_reduce(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out);
int paleo_aten_copy(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out);
int paleo_aten_fill(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out);
int paleo_aten_cat(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out);

#endif
