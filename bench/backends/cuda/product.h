/* product.h - matrix products by cublasLt as steps of a job: operands, scales, ending. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_PRODUCT_H
#define PALEO_BENCH_BACKENDS_CUDA_PRODUCT_H

#include "bench/backends/cuda/job.h"

/* How both factors are scaled. */
enum paleo_scaling {
	PALEO_NOT_SCALED,
	PALEO_TENSOR_SCALED, /* e4m3, a float for each tensor */
	PALEO_BLOCK_SCALED   /* with scales of blocks, as model/work/weight_type.h has them */
};

/* An operand of the job, and its element where the first matrix begins. */
struct paleo_factor {
	enum paleo_role role;
	double first;
};

/*
 * Row-major y = op(x) op(w), `batch` times on dense matrices that lie one after the other; sizes as
 * in work.h. The type is what is stored where nothing is scaled: of y and of a bias.
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
	int act;              /* what it ends with, as in work.h */
};

/* Lists at most `most` of the algorithms that cublasLt offers, as the backend's algorithms(). */
int paleo_product_list(struct paleo_session *s, const struct paleo_product *p, double limit_bytes,
		       int most, struct paleo_algorithms *out, struct paleo_error *err);

/* Adds the product by the algorithm of this rank. EUNSUPPORTED if there are not so many; *offered,
 * which may be NULL, says how many there are. */
int paleo_product_add(struct paleo_job *j, const struct paleo_product *p, int rank, int *offered,
		      struct paleo_error *err);

#endif
