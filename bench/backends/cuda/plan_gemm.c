/* plan_gemm.c - matrix products by cublasLt, with the bias or its gradient in the same kernel. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/backends/cuda/plans.h"
#include "bench/backends/cuda/session.h"
#include "bench/backends/cuda/status.h"

/*
 * cublasLt thinks in columns: our row-major [r, c] is its column-major c x r. So it is
 * asked for the transposed product, C^T = op(B)^T op(A)^T: the operands change
 * places and keep their transposition. Then the bias, which must be as long as the
 * result has rows there, has length n, and the reduction of its second operand over
 * the inner dimension is the one of our A, of length m.
 */
#define WORKSPACE_BYTES 33554432.0 /* 32 MiB, what NVIDIA's own libraries give it */
#define ALGORITHMS_MAX 16

struct call {
	cublasLtMatmulDesc_t product;
	cublasLtMatrixLayout_t a, b, c;
	cublasLtMatmulHeuristicResult_t choice;
	enum paleo_role bias; /* PALEO_BIAS, PALEO_DBIAS, or PALEO_ROLES for none */
	size_t workspace_bytes;
};

static cudaDataType_t stored_type(enum paleo_dtype dtype)
{
	switch (dtype) {
	case PALEO_F16:
		return CUDA_R_16F;
	case PALEO_BF16:
		return CUDA_R_16BF;
	case PALEO_F32:
	case PALEO_TF32:
	case PALEO_DTYPES:
		break;
	}
	return CUDA_R_32F;
}

static void release(struct paleo_step *step)
{
	struct call *c = step->state;

	if (c->a)
		cublasLtMatrixLayoutDestroy(c->a);
	if (c->b)
		cublasLtMatrixLayoutDestroy(c->b);
	if (c->c)
		cublasLtMatrixLayoutDestroy(c->c);
	if (c->product)
		cublasLtMatmulDescDestroy(c->product);
	free(c);
}

/* A dense row-major matrix, `batch` times one after the other. */
static cublasStatus_t make_layout(cublasLtMatrixLayout_t *out, cudaDataType_t type, int rows,
				  int columns, int batch)
{
	const int64_t distance = (int64_t)rows * columns;
	const int32_t count = batch;
	cublasStatus_t status =
		cublasLtMatrixLayoutCreate(out, type, (uint64_t)columns, (uint64_t)rows, columns);

	if (!status && batch > 1)
		status = cublasLtMatrixLayoutSetAttribute(*out, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
							  &count, sizeof(count));
	if (!status && batch > 1)
		status = cublasLtMatrixLayoutSetAttribute(
			*out, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &distance,
			sizeof(distance));
	return status;
}

static cublasStatus_t make_layouts(struct call *c, const struct paleo_work *w)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	cudaDataType_t type = stored_type(w->dtype);
	cublasStatus_t status = make_layout(&c->a, type, g->trans_a ? g->k : g->m,
					    g->trans_a ? g->m : g->k, g->batch);

	if (!status)
		status = make_layout(&c->b, type, g->trans_b ? g->n : g->k,
				     g->trans_b ? g->k : g->n, g->batch);
	if (!status)
		status = make_layout(&c->c, type, g->m, g->n, g->batch);
	return status;
}

static cublasStatus_t set(struct call *c, cublasLtMatmulDescAttributes_t name, const void *value,
			  size_t size)
{
	return cublasLtMatmulDescSetAttribute(c->product, name, value, size);
}

/* `stand_in` is some address on the device: the choice of an algorithm asks for one. */
static cublasStatus_t make_product(struct call *c, const struct paleo_work *w, void *stand_in)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	cublasOperation_t first = g->trans_b ? CUBLAS_OP_T : CUBLAS_OP_N;
	cublasOperation_t second = g->trans_a ? CUBLAS_OP_T : CUBLAS_OP_N;
	cublasLtEpilogue_t end = c->bias == PALEO_BIAS    ? CUBLASLT_EPILOGUE_BIAS
				 : c->bias == PALEO_DBIAS ? CUBLASLT_EPILOGUE_BGRADB
							  : CUBLASLT_EPILOGUE_DEFAULT;
	cublasStatus_t status = cublasLtMatmulDescCreate(
		&c->product,
		w->dtype == PALEO_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
		CUDA_R_32F);

	if (!status)
		status = set(c, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof(first));
	if (!status)
		status = set(c, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof(second));
	if (!status)
		status = set(c, CUBLASLT_MATMUL_DESC_EPILOGUE, &end, sizeof(end));
	if (!status && c->bias != PALEO_ROLES) /* aligned as the true one will be */
		status = set(c, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &stand_in, sizeof(stand_in));
	return status;
}

/* Takes the rank-th algorithm that the heuristics offer. */
static cublasStatus_t choose(struct call *c, cublasLtHandle_t blas, int rank)
{
	cublasLtMatmulHeuristicResult_t offers[ALGORITHMS_MAX];
	cublasLtMatmulPreference_t wish = NULL;
	int count = 0;
	cublasStatus_t status = cublasLtMatmulPreferenceCreate(&wish);

	if (!status)
		status = cublasLtMatmulPreferenceSetAttribute(
			wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &c->workspace_bytes,
			sizeof(c->workspace_bytes));
	if (!status)
		status = cublasLtMatmulAlgoGetHeuristic(blas, c->product, c->b, c->a, c->c, c->c,
							wish, ALGORITHMS_MAX, offers, &count);
	if (wish)
		cublasLtMatmulPreferenceDestroy(wish);
	if (!status && rank >= count)
		status = CUBLAS_STATUS_NOT_SUPPORTED;
	if (!status)
		c->choice = offers[rank];
	return status;
}

static int launch(const struct paleo_step *step, const struct paleo_job *j, int copy,
		  struct paleo_error *err)
{
	struct call *c = step->state;
	const float one = 1, zero = 0;
	void *a = paleo_job_address(j, PALEO_X, 0, copy);
	void *b = paleo_job_address(j, PALEO_W, 0, copy);
	void *y = paleo_job_address(j, PALEO_Y, 0, copy);
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

	if (c->bias != PALEO_ROLES) {
		void *bias = paleo_job_address(j, c->bias, 0, copy);
		status = set(c, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
	}
	if (!status)
		status = cublasLtMatmul(j->session->blas, c->product, &one, b, c->b, a, c->a, &zero,
					y, c->c, y, c->c, &c->choice.algo, paleo_job_workspace(j),
					c->choice.workspaceSize, j->session->stream);
	return paleo_cublas_check(status, "multiply matrices", err);
}

/* "cublasLt alg66 tile20 stages35 split1": numbers as cublasLt gives them. */
static void name_choice(struct paleo_job *j, const struct call *c)
{
	const cublasLtMatmulAlgo_t *algorithm = &c->choice.algo;
	int32_t number = -1, splits = -1;
	uint32_t tile = 0, stages = 0;
	size_t written;
	char words[64];

	cublasLtMatmulAlgoConfigGetAttribute(algorithm, CUBLASLT_ALGO_CONFIG_ID, &number,
					     sizeof(number), &written);
	cublasLtMatmulAlgoConfigGetAttribute(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID, &tile,
					     sizeof(tile), &written);
	cublasLtMatmulAlgoConfigGetAttribute(algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID, &stages,
					     sizeof(stages), &written);
	cublasLtMatmulAlgoConfigGetAttribute(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &splits,
					     sizeof(splits), &written);
	snprintf(words, sizeof(words), "alg%d tile%u stages%u split%d%s", (int)number,
		 (unsigned)tile, (unsigned)stages, (int)splits,
		 c->bias == PALEO_BIAS    ? " bias"
		 : c->bias == PALEO_DBIAS ? " bgrad"
					  : "");
	paleo_job_name(j, "cublasLt", words);
}

/* Adds the product; with a bias or its gradient unless `bias` is PALEO_ROLES. */
static int add_product(struct paleo_job *j, enum paleo_role bias, struct paleo_error *err)
{
	double limit = j->options.workspace_limit_bytes;
	struct call *c = calloc(1, sizeof(*c));
	struct paleo_step step = {.state = c, .launch = launch, .release = release};

	if (!c)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a step");
	c->bias = bias;
	c->workspace_bytes =
		(size_t)(limit > 0 && limit < WORKSPACE_BYTES ? limit : WORKSPACE_BYTES);
	cublasStatus_t status = make_layouts(c, &j->work);
	if (!status)
		status = make_product(c, &j->work, j->session->flush);
	if (!status)
		status = choose(c, j->session->blas, j->rank);
	int rc = paleo_cublas_check(status, "find an algorithm for the matrix product", err);
	if (rc) {
		release(&step);
		return rc;
	}
	paleo_job_need_workspace(j, (double)c->choice.workspaceSize);
	name_choice(j, c);
	return paleo_job_add(j, PALEO_TIMED, &step, err);
}

int paleo_plan_gemm(struct paleo_job *j, struct paleo_error *err)
{
	int fwd = j->work.pass == PALEO_FWD;
	struct paleo_error why;

	if (!j->work.geom.gemm.bias)
		return add_product(j, PALEO_ROLES, err);
	if (!add_product(j, fwd ? PALEO_BIAS : PALEO_DBIAS, &why))
		return PALEO_OK;
	int rc = add_product(j, PALEO_ROLES, err);
	if (rc)
		return rc;
	return fwd ? paleo_plan_bias(j, err) : paleo_plan_bias_gradient(j, err);
}
