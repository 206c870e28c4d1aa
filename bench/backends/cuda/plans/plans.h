/* plans.h - for each kind of op, the steps that compute it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_PLANS_PLANS_H
#define PALEO_BENCH_BACKENDS_CUDA_PLANS_PLANS_H

#include "bench/backends/cuda/job.h"

/*
 * Each adds its steps to a job that has none, and names the algorithm. EUNSUPPORTED, with the
 * library's message, where this dtype or geometry is not supported. The library is tried before our
 * own kernels.
 */
int paleo_plan_conv(struct paleo_job *j, struct paleo_error *err);          /* cuDNN graphs */
int paleo_plan_gemm(struct paleo_job *j, struct paleo_error *err);          /* cublasLt */
int paleo_plan_pool(struct paleo_job *j, struct paleo_error *err);          /* kernels */
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
int paleo_plan_moe(struct paleo_job *j, struct paleo_error *err);           /* cuDNN, kernels */
int paleo_plan_attention(struct paleo_job *j, struct paleo_error *err);     /* cuDNN graphs */

/* Lists at most `most` of cublasLt's algorithms for a GEMM, as the backend's algorithms(). */
int paleo_gemm_algorithms(struct paleo_session *s, const struct paleo_op *w,
			  const struct paleo_bench_options *o, int most,
			  struct paleo_algorithms *out, struct paleo_error *err);

/* The way of our own kernels alone. */
int paleo_plan_norm_kernels(struct paleo_job *j, struct paleo_error *err);

/* A step of experts: all tokens' first GEMMs, DX and W to INNER, or the second, DINNER and W2 to
 * DY. STATE1 has the start of each expert's rows. */
int paleo_plan_experts_product(struct paleo_job *j, int is_second, struct paleo_error *err);

/* Steps before a GEMM in fp8: x as e4m3 in the hidden operand MASK, and the factors of it and of w,
 * PALEO_PACK_BYTES apart, in SCALE. */
int paleo_plan_quantise(struct paleo_job *j, struct paleo_error *err);

/* The same in parts: buffers for `count` codes and for factors; the steps on so many elements of
 * the frame's x, with the weights' factor. */
int paleo_plan_quantise_room(struct paleo_job *j, double count, struct paleo_error *err);
int paleo_plan_quantise_steps(struct paleo_job *j, const struct paleo_frame *f, double count,
			      struct paleo_error *err);

/* Steps before a GEMM with block scales: codes of x in MASK, with their scales in SCALE; w as it is
 * stored, before the timing, with scales in SHIFT. */
int paleo_plan_quantise_blocks(struct paleo_job *j, struct paleo_error *err);

/* Steps before attention with a cache: the past is written before the timing, new rows are rotated
 * and appended. Hidden operands DK, DV have all keys and values, DX the rotated queries. */
int paleo_plan_cache(struct paleo_job *j, struct paleo_error *err);

/* Steps after another one of the same job: the bias added to y in place, the bias gradient. */
int paleo_plan_bias(struct paleo_job *j, struct paleo_error *err);
/* The activation that ends the op, on y in place. */
int paleo_plan_act(struct paleo_job *j, int act, struct paleo_error *err);
int paleo_plan_bias_gradient(struct paleo_job *j, struct paleo_error *err);

/* Statistics for a backward normalisation: mean and 1/deviation, as hidden operands STATE1 and
 * STATE2, filled in before the timing. */
int paleo_plan_norm_statistics(struct paleo_job *j, struct paleo_error *err);

#endif
