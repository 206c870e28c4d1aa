/* attention_products.h - shared by both kinds of attention: keys of a file, separate ops. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_LAYERS_ATTENTION_PRODUCTS_H
#define PALEO_MODEL_NET_LAYERS_ATTENTION_PRODUCTS_H

#include "model/net/layers/params.h"

/* Checks the keys of both kinds: "kv_heads" defaults to the number of heads, and must divide it. */
int paleo_attention_check(const struct paleo_json *j, struct paleo_attention_param *p,
			  struct paleo_error *err);

/*
 * Attention as a GEMM, a softmax and a GEMM: the ops of `g` without a fused kernel. All of a pass
 * is scores and context, in this order; backward context and scores. Other ops on the scores go in
 * between. A causal mask and a window do not change them: dense GEMMs also compute masked scores.
 */
int paleo_attention_scores(const struct paleo_attention_geom *g, enum paleo_dtype dtype,
			   struct paleo_op_list *out, struct paleo_error *err);
int paleo_attention_context(const struct paleo_attention_geom *g, enum paleo_dtype dtype,
			    struct paleo_op_list *out, struct paleo_error *err);
int paleo_attention_context_back(const struct paleo_attention_geom *g, enum paleo_dtype dtype,
				 struct paleo_op_list *out, struct paleo_error *err);
int paleo_attention_scores_back(const struct paleo_attention_geom *g, enum paleo_dtype dtype,
				struct paleo_op_list *out, struct paleo_error *err);

/* Queries that one GEMM of the batch has: those of all heads that share keys. */
int paleo_attention_rows(const struct paleo_attention_geom *g);

/* One GEMM of `g`, whose batch is set here; `as` is the form that it has in the passes of a layer
 * (op.h). */
int paleo_attention_product(const struct paleo_attention_geom *g, const char *what,
			    enum paleo_pass as, const struct paleo_gemm_geom *sizes,
			    enum paleo_dtype dtype, struct paleo_op_list *out,
			    struct paleo_error *err);

/* The heads of rows, of which `sizes` has the number and the columns, side by side, become heads
 * one after another (PALEO_BWD_DATA: a split), or the reverse. A single one is both. */
int paleo_attention_copy(const struct paleo_attention_geom *g, const struct paleo_copy_geom *sizes,
			 enum paleo_pass copy, enum paleo_pass pass, enum paleo_dtype dtype,
			 struct paleo_op_list *out, struct paleo_error *err);

#endif
