/* product.h - GEMMs by cublasLt as steps of a job: operands, scales, epilogue. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_PLANS_PRODUCT_H
#define PALEO_BENCH_BACKENDS_CUDA_PLANS_PRODUCT_H

#include "bench/backends/cuda/job.h"

/* Scaling of both factors. */
enum paleo_scaling {
	PALEO_NOT_SCALED,
	PALEO_TENSOR_SCALED, /* e4m3, a float for each tensor */
	PALEO_BLOCK_SCALED   /* with scales of blocks, as model/op/dtype.h has them */
};

/* An operand of the job, and its element where the first matrix begins. */
struct paleo_factor {
	enum paleo_role role;
	double first;
};

/*
 * Row-major y = op(x) op(w), `batch` times on consecutive dense matrices; sizes as in op.h. The
 * type is that of unscaled data: y and a bias.
 */
struct paleo_product {
	struct paleo_factor x, w, y;
	int m, n, k, batch;
	int trans_a, trans_b;
	enum paleo_dtype dtype;
	enum paleo_scaling scaling;
	int stored;           /* BLOCK_SCALED: in paleo_stored_names */
	float factor;         /* all of y is multiplied with it; 0: 1 */
	enum paleo_role bias; /* PALEO_BIAS, PALEO_DBIAS, or PALEO_ROLES for none */
	int act;              /* epilogue, as in op.h */
};

/* Lists at most `most` of the algorithms that cublasLt offers, as the backend's algorithms(). */
int paleo_product_list(struct paleo_session *s, const struct paleo_product *p, double limit_bytes,
		       int most, struct paleo_algorithms *out, struct paleo_error *err);

/* Adds the GEMM by the algorithm of this rank. EUNSUPPORTED if there are not so many; *offered,
 * which may be NULL, receives their number. */
int paleo_product_add(struct paleo_job *j, const struct paleo_product *p, int rank, int *offered,
		      struct paleo_error *err);

#endif
