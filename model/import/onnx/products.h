/* products.h - matrix products, as several operators make them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_ONNX_PRODUCTS_H
#define PALEO_MODEL_IMPORT_ONNX_PRODUCTS_H

#include "model/import/onnx/job.h"

/* What a layer's output is multiplied with. */
struct paleo_onnx_factor {
	const struct paleo_onnx_value *weights, *bias; /* a bias of NULL: none */
	const char *stored; /* a type that weights have; NULL: the net's */
	int outputs;
};

/* An InnerProduct of the last axis of `v`, which is the node's first output. ENOMEM. */
int paleo_onnx_inner_product(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     struct paleo_onnx_value *v, const struct paleo_onnx_factor *f,
			     struct paleo_error *err);

struct paleo_onnx_heads {
	int heads, kv_heads, windows;
	int table;  /* learned numbers that are added to scores */
	int past;   /* tokens in the cache; with one of these it is one kernel, a FusedAttention */
	int window; /* keys that a query sees; 0 or less: all */
	int sinks;  /* 1: a learned number for each head takes part in the softmax */
	int causal; /* of one kernel: a query sees the keys before it alone */
};

/* How weights of so many bits are stored that share a scale in blocks. */
const char *paleo_onnx_stored(double bits, double block);

/* Tokens in a cache [N, heads, T, numbers] that is this input. 0 without one; -1: of another form.
 */
int paleo_onnx_past(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int input);

/* An Attention layer of queries, keys and values. Its number, or ENOMEM. */
int paleo_onnx_add_attention(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     int parents[3], const struct paleo_onnx_heads *h,
			     struct paleo_error *err);

/* Queries [.., m, k] times keys [.., k, n], the node's first output: scores, if both are heads.
 * ENOMEM. */
int paleo_onnx_multiply(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			const struct paleo_onnx_value *queries, const struct paleo_onnx_value *keys,
			struct paleo_error *err);

/* The same by a BatchedProduct layer, whatever they are. */
int paleo_onnx_product(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       const struct paleo_onnx_value *left, const struct paleo_onnx_value *right,
		       struct paleo_onnx_value *out, struct paleo_error *err);

/* left [.., heads, rows, k] times weights [heads, k, n]. */
int paleo_onnx_product_by_weights(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
				  const struct paleo_onnx_value *left,
				  const struct paleo_onnx_value *w, struct paleo_error *err);

#endif
