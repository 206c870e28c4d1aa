/* ops.h - the converters of ops.def, and the functions they share. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_ONNX_OPS_H
#define PALEO_IMPORT_ONNX_OPS_H

#include "import/onnx/job.h"

#define OP(type, function) paleo_onnx_convert_node paleo_onnx_op_##function;
#include "import/onnx/ops.def"
#undef OP
/* Converter that other operators of the list are mapped to. */
paleo_onnx_convert_node paleo_onnx_op_conv;

/* layout.c */

/* Makes the value the output of a layer whose height is the axes before `from_w`, its width those
 * before `from_c`, its channels the rest; without a width, [N, rows, features]. The batch goes to
 * the front. Adds a layer if needed: Reshape, Permute, or Gather for repetitions. 1 if not
 * possible. */
int paleo_onnx_lay(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   struct paleo_onnx_value *v, int from_w, int from_c);
/* The same with these axes, as flags, as its features; the value keeps the order of its axes. */
int paleo_onnx_lay_apart(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_onnx_value *v, int flags);
/* Makes the value the output of a layer of that form, by a layer of type Reshape (free) or Permute
 * (a copy) if need be. *v becomes that layer's. 1 if it cannot be. */
int paleo_onnx_as_picture(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_onnx_value *v);
int paleo_onnx_as_rows(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       struct paleo_onnx_value *v);
/* Makes features [N, C] among the values sequences of one, [N, 1, C], if others are sequences. */
void paleo_onnx_alike(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_onnx_value *values, int count);
/* Makes *layer another layer of the same output, for one that reads it twice. */
void paleo_onnx_other(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int *layer);
/* Makes the node's first output a choice of the elements of `v`, of these sizes: a Gather layer. */
int paleo_onnx_choose(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      const struct paleo_onnx_value *v, const double *dims, int rank);
/* Makes a padded value a layer, for a consumer without a window. 1 if not possible. */
int paleo_onnx_surround(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_onnx_value *v);
/* Makes parameters a layer that broadcasts them to each image, for use in arithmetic. Unchanged if
 * not possible. */
void paleo_onnx_parameter(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_onnx_value *v);
/* The same for constants and auxiliary values, where the node multiplies it with the weights
 * `w`. */
void paleo_onnx_multiplied(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   const struct paleo_onnx_value *w);
/* 1 if both lie alike, or the second is the gate of a picture's channels or of tokens. */
int paleo_onnx_fits(const struct paleo_onnx_job *job, const struct paleo_onnx_value *a,
		    const struct paleo_onnx_value *b);
/* Lays both out alike; where the second is repeated it has 1. 1 if it cannot be. */
int paleo_onnx_meet(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    struct paleo_onnx_value *a, struct paleo_onnx_value *b);

/* elementwise.c: functions of one number, as exporters write them, operator by operator. */

enum paleo_onnx_op {
	OP_X,        /* the number itself */
	OP_CONSTANT, /* c */
	OP_RELU6,
#define TWO(type, op, function, value) OP_##op,
#define ONE(type, op, attribute, fallback, value) OP_##op,
#define ALSO(type, op, function, attribute, fallback)
#include "import/onnx/elementwise.def"
	OP_PAIR,  /* both branches of a choice */
	OP_SELECT /* the first of the pair b if a is not 0, else its second */
};

struct paleo_onnx_expression {
	enum paleo_onnx_op op;
	int a, b; /* expressions; -1: none */
	double c;
};

/* Adds an expression. Its number; 0, that of x itself, without memory. */
int paleo_onnx_express(struct paleo_onnx_job *job, enum paleo_onnx_op op, int a, int b, double c);
/* The expression that a layer's output, a function of it, or a known number is. */
int paleo_onnx_expression_of(struct paleo_onnx_job *job, const struct paleo_onnx_value *v);
/* Makes the node's output the function of the elements of `v` that the expression is. */
int paleo_onnx_put_point(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const struct paleo_onnx_value *v, int expression);
/* The function of an operator on two values. */
enum paleo_onnx_op paleo_onnx_op_of(const struct paleo_onnx_node *n);
double paleo_onnx_apply(enum paleo_onnx_op op, double a, double b, double c);
/* 1 if the expression is x^2. */
int paleo_onnx_is_square(const struct paleo_onnx_job *job, int e);
/* 1 if the function is a factor alone. */
int paleo_onnx_is_factor(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v);
/* Makes an activation of a pending function, unless no activation matches. */
void paleo_onnx_settle(struct paleo_onnx_job *job, struct paleo_onnx_value *v);

/* The input as a layer's output, with functions that were waiting made layers: a copy of the value.
 * 1 if it is none, after paleo_onnx_refuse(). */
int paleo_onnx_tensor(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
		      struct paleo_onnx_value *out);
/* The same of the first, which may be padded; pads are taken out of the dimensions. */
int paleo_onnx_padded(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_onnx_value *out, int pads[4]);
/* The same for values that may be repeated, like shared heads: for attention only. */
int paleo_onnx_repeated(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
			struct paleo_onnx_value *out);

/* norms.c: layer and RMS normalisations, which exporters write operator by operator. */

/* Each is 1 if the node is a step of a normalisation, which it then has dealt with. */
int paleo_onnx_stat_mean(struct paleo_onnx_job *job, const struct paleo_onnx_node *n);
int paleo_onnx_stat_unary(struct paleo_onnx_job *job, const struct paleo_onnx_node *n);
int paleo_onnx_stat_binary(struct paleo_onnx_job *job, const struct paleo_onnx_node *n);
/* Makes the node's first output a normalisation of `v`: "LayerNorm" or "RMSNorm". */
int paleo_onnx_normalise(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const char *type, const struct paleo_onnx_value *v);
/* reduce.c: makes a layer of a mean that is not a step of a normalisation. */
void paleo_onnx_settle_mean(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    struct paleo_onnx_value *v);

/* products.c: GEMMs, from several operators. */

/* The other factor of a layer's output. */
struct paleo_onnx_factor {
	const struct paleo_onnx_value *weights, *bias; /* a bias of NULL: none */
	const char *stored; /* a type that weights have; NULL: the net's */
	int outputs;
};

struct paleo_onnx_heads {
	int heads, kv_heads, windows;
	int table;  /* learned numbers that are added to scores */
	int fused;  /* 1: one kernel by definition; so it is with one of those behind it */
	int past;   /* tokens in the cache */
	int window; /* keys that a query sees; 0 or less: all */
	int sinks;  /* 1: a learned number for each head takes part in the softmax */
	int causal; /* of one kernel: a query sees the keys before it alone */
};

/* An InnerProduct of the last axis of `v`, which is the node's first output. */
int paleo_onnx_inner_product(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     struct paleo_onnx_value *v, const struct paleo_onnx_factor *f);
/* Tokens in a cache [N, heads, T, numbers] that is this input. 0 without one; -1: of another form.
 */
int paleo_onnx_past(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int input);
/* An Attention layer of queries, keys and values: its number. */
int paleo_onnx_add_attention(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     int parents[3], const struct paleo_onnx_heads *h);
/* Queries [.., m, k] times keys [.., k, n], the node's first output: scores, if both are heads. */
int paleo_onnx_multiply(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			const struct paleo_onnx_value *queries,
			const struct paleo_onnx_value *keys);
/* left [.., heads, rows, k] times weights [heads, k, n]. */
int paleo_onnx_product_by_weights(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
				  const struct paleo_onnx_value *left,
				  const struct paleo_onnx_value *w);
/* Expands scores to layers without an attention layer: a GEMM, a softmax. 1 if they are unknown
 * then. */
int paleo_onnx_unfold(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_onnx_value *v);

/* rope.c */

/*
 * Rotary positions (Su et al. 2021, arXiv 2104.09864) take heads apart, multiply the parts by
 * tables, and put sums of them together. A value on this way is an ONNX_TURN of the layer that
 * gives the heads. Where it is whole again and something else reads it, it becomes a Rope layer.
 */

/* Number of heads along an axis of a value, with their sizes; 0: not an axis of heads. */
int paleo_onnx_heads_along(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v,
			   int axis);
/* The same of the last axis of four: [.., .., .., numbers]. */
int paleo_onnx_heads_in(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v);
/* 1 if a range along the axis of a value is a part of heads that are to be turned. */
int paleo_onnx_turn_part(const struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const struct paleo_onnx_value *v, int axis);
/* Makes `out` a step of turning `v`, with its sizes. */
void paleo_onnx_turn_begin(const struct paleo_onnx_value *v, struct paleo_onnx_value *out);
/* 1 if the node is a step, which it then has dealt with. */
int paleo_onnx_turn(struct paleo_onnx_job *job, const struct paleo_onnx_node *n);
/* A Rope layer of the heads that `layer` gives: its number. */
int paleo_onnx_add_rope(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			const char *behind, int layer, int heads, int numbers);

/* reshape.c: reshapes the node's input to these sizes, whose product is unchanged. */
int paleo_onnx_resize(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      const double *dims, int rank);
/* slice.c: `size` numbers of an axis of `v` are the node's first output. */
int paleo_onnx_part(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    struct paleo_onnx_value *v, int axis, double from, double size);
/* slice.c: a Slice layer of a dimension, which may get more keys: its number. */
int paleo_onnx_add_slice(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const char *behind, int layer, int dim, int from, int size);
/* recurrent.c: embedding lookup in a table of `words`, one for each token of [N, T]: *s is [N, T,
 * C]. */
int paleo_onnx_embed(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int words,
		     const struct paleo_shape *s);
/* windows.c: the mean over height and width of the picture *x; with `keep` both stay, of size 1. */
int paleo_onnx_pool_pixels(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   const struct paleo_onnx_value *x, int keep);
/* runtime.c: a learned addend of the value, which the layer before takes as its bias if it has
 * none. */
void paleo_onnx_add_bias(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_onnx_value *v, const struct paleo_onnx_value *bias);
/* runtime.c: how weights of so many bits are stored that share a scale in blocks, and a zero where
 * the node has that input. */
const char *paleo_onnx_stored(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int bits,
			      double block, int scales, int zeros);

#endif
