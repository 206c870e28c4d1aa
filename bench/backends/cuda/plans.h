/* plans.h - for each kind of work, the steps that compute it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_PLANS_H
#define PALEO_BENCH_BACKENDS_CUDA_PLANS_H

#include "bench/backends/cuda/job.h"

/*
 * Each adds its steps to a job that has none, and names the algorithm. EUNSUPPORTED,
 * in the library's own words, where this number type or geometry cannot be done. Where
 * a library and our own kernels could do it, the library is asked first: what it
 * cannot do, the kernels do.
 */
int paleo_plan_conv(struct paleo_job *j, struct paleo_error *err);          /* cuDNN graphs */
int paleo_plan_gemm(struct paleo_job *j, struct paleo_error *err);          /* cublasLt */
int paleo_plan_pool(struct paleo_job *j, struct paleo_error *err);          /* cuDNN, kernels */
int paleo_plan_norm(struct paleo_job *j, struct paleo_error *err);          /* cuDNN, kernels */
int paleo_plan_lrn(struct paleo_job *j, struct paleo_error *err);           /* cuDNN calls */
int paleo_plan_softmax(struct paleo_job *j, struct paleo_error *err);       /* cuDNN calls */
int paleo_plan_copy(struct paleo_job *j, struct paleo_error *err);          /* kernels */
int paleo_plan_eltwise(struct paleo_job *j, struct paleo_error *err);       /* kernels */
int paleo_plan_upsample(struct paleo_job *j, struct paleo_error *err);      /* kernels */
int paleo_plan_update(struct paleo_job *j, struct paleo_error *err);        /* kernels */
int paleo_plan_reduce(struct paleo_job *j, struct paleo_error *err);        /* kernels */
int paleo_plan_embedding(struct paleo_job *j, struct paleo_error *err);     /* kernels */
int paleo_plan_rope(struct paleo_job *j, struct paleo_error *err);          /* kernels */
int paleo_plan_cross_entropy(struct paleo_job *j, struct paleo_error *err); /* kernels */
int paleo_plan_causal_conv(struct paleo_job *j, struct paleo_error *err);   /* kernels */
int paleo_plan_scan(struct paleo_job *j, struct paleo_error *err);          /* kernels */
int paleo_plan_moe(struct paleo_job *j, struct paleo_error *err);           /* cuDNN, kernels */
int paleo_plan_attention(struct paleo_job *j, struct paleo_error *err);     /* cuDNN graphs */

/* Lists at most `most` of cublasLt's algorithms for a product, as the backend's algorithms(). */
int paleo_gemm_algorithms(struct paleo_session *s, const struct paleo_work *w,
			  const struct paleo_bench_options *o, int most,
			  struct paleo_algorithms *out, struct paleo_error *err);

/* The way of our own kernels alone. */
int paleo_plan_pool_kernels(struct paleo_job *j, struct paleo_error *err);
int paleo_plan_norm_kernels(struct paleo_job *j, struct paleo_error *err);

/* A step of experts: all tokens' first products, DX and W to INNER, or the second, DINNER and W2 to
 * DY. Rows of an expert begin where STATE1 says. */
int paleo_plan_experts_product(struct paleo_job *j, int is_second, struct paleo_error *err);

/* Steps before a product in fp8: `of`, X or DX, as e4m3 in the hidden operand MASK, and the factors
 * of it and of w, PALEO_PACK_BYTES apart, in SCALE, which has room for more. */
int paleo_plan_quantise(struct paleo_job *j, enum paleo_role of, struct paleo_error *err);

/* The same in parts: room for `count` codes and for factors; the steps on so many elements of what
 * the frame has as x, whose factor is that of the weights. */
int paleo_plan_quantise_room(struct paleo_job *j, double count, struct paleo_error *err);
int paleo_plan_quantise_steps(struct paleo_job *j, const struct paleo_frame *f, double count,
			      struct paleo_error *err);

/* Steps before a product of numbers with scales of blocks: codes of x in MASK, with their scales in
 * SCALE; w as it is stored, before the timing, with scales in SHIFT. */
int paleo_plan_quantise_blocks(struct paleo_job *j, struct paleo_error *err);

/* Parts of it: bytes of the scales of [rows, columns], with what no number belongs to; an operand
 * of the work takes so many bytes, of codes; a frame of numbers in blocks; the codes and scales
 * that it tells of. */
double paleo_plan_scale_bytes(int stored, int is_weight, double rows, double columns);
void paleo_plan_pack_weights(struct paleo_job *j, enum paleo_role role, double bytes);
void paleo_plan_set_blocks(int stored, int is_weight, int columns, struct paleo_frame *f);
int paleo_plan_fill_blocks(struct paleo_job *j, const struct paleo_frame *f,
			   struct paleo_error *err);

/* Products with stored weights and 16-bit activations: of a gemm, or of experts the first or second
 * ones. EUNSUPPORTED where shape or type do not do. */
int paleo_plan_stored_check(const struct paleo_work *w, int is_second, struct paleo_error *err);

/* The weights, and with few tokens the product itself: of `rows` tokens, at most `most` of an
 * expert. With more *is_done is 0, and `of` is told where the weights are then, as 16-bit numbers.
 */
struct paleo_product;
int paleo_plan_stored(struct paleo_job *j, int is_second, double rows, double most,
		      struct paleo_product *of, int *is_done, struct paleo_error *err);

/* Steps before attention with a cache: the past is there before the timing, what is new is rotated
 * and appended. Hidden operands DK, DV have all keys and values, DX the rotated queries. */
int paleo_plan_cache(struct paleo_job *j, struct paleo_error *err);

/* Steps before attention in fp8: the queries in e4m3, all factors. */
int paleo_plan_narrow_queries(struct paleo_job *j, struct paleo_error *err);

/* Steps after another one of the same job: the bias added to y in place, the bias gradient. */
int paleo_plan_bias(struct paleo_job *j, struct paleo_error *err);
/* The activation that ends the work, on y in place. */
int paleo_plan_act(struct paleo_job *j, int act, struct paleo_error *err);
int paleo_plan_bias_gradient(struct paleo_job *j, struct paleo_error *err);

/* What a backward normalisation needs of its forward pass: mean and 1/deviation, as hidden operands
 * STATE1 and STATE2, filled in before the timing. */
int paleo_plan_norm_statistics(struct paleo_job *j, struct paleo_error *err);

#endif
