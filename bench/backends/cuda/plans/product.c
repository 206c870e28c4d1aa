/* product.c - GEMMs by cublasLt as steps of a job: operands, scales, epilogue. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/plans/product.h"

#include <cublasLt.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/backends/cuda/session.h"
#include "model/op/dtype.h"

/*
 * cublasLt is column-major: our row-major [r, c] is its c x r. It computes the transposed GEMM, C^T
 * = op(B)^T op(A)^T: the operands are swapped and keep their transposition. Then the bias, which
 * must be as long as the result has rows there, has length n, and the reduction of its second
 * operand over the inner dimension is the one of our A, of length m.
 */
#define WORKSPACE_BYTES 33554432.0 /* 32 MiB, as given by NVIDIA's own libraries */

struct call {
	struct paleo_product p;
	cublasLtMatmulDesc_t product;
	cublasLtMatrixLayout_t a, b, c;
	cublasLtMatmulHeuristicResult_t choice;
	size_t workspace_bytes;
};

/* Type of the unquantised operands: in fp8 the bias and the result. */
static cudaDataType_t stored_type(enum paleo_dtype dtype)
{
	switch (dtype) {
	case PALEO_F16:
		return CUDA_R_16F;
	case PALEO_BF16:
	case PALEO_FP8:
		return CUDA_R_16BF;
	case PALEO_F32:
	case PALEO_TF32:
	case PALEO_DTYPES:
		break;
	}
	return CUDA_R_32F;
}

/* Type of both factors. */
static cudaDataType_t factor_type(const struct paleo_product *p)
{
	if (p->scaling == PALEO_NOT_SCALED)
		return stored_type(p->dtype);
	if (p->scaling == PALEO_BLOCK_SCALED && paleo_stored_blocks(p->stored)->code_bits == 4)
		return CUDA_R_4F_E2M1;
	return CUDA_R_8F_E4M3;
}

static void free_call(struct call *c)
{
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

static void release(struct paleo_step *step)
{
	free_call(step->state);
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

static cublasStatus_t make_layouts(struct call *c)
{
	const struct paleo_product *p = &c->p;
	cudaDataType_t type = factor_type(p);
	cublasStatus_t status = make_layout(&c->a, type, p->trans_a ? p->k : p->m,
					    p->trans_a ? p->m : p->k, p->batch);

	if (!status)
		status = make_layout(&c->b, type, p->trans_b ? p->n : p->k,
				     p->trans_b ? p->k : p->n, p->batch);
	if (!status)
		status = make_layout(&c->c, stored_type(p->dtype), p->m, p->n, p->batch);
	return status;
}

/* Sets an attribute of the GEMM, unless *status has an earlier failure. */
static void set(struct call *c, cublasStatus_t *status, cublasLtMatmulDescAttributes_t name,
		const void *value, size_t size)
{
	if (!*status)
		*status = cublasLtMatmulDescSetAttribute(c->product, name, value, size);
}

/* Sets the scales of both factors: in cublasLt's order, A is our w. */
static void set_scales(struct call *c, cublasStatus_t *status, void *of_x, void *of_w)
{
	set(c, status, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &of_w, sizeof(of_w));
	set(c, status, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &of_x, sizeof(of_x));
}

/* cublasLt's mode for the scales of blocks of so many rows. */
static cublasLtMatmulMatrixScale_t scale_mode(const struct paleo_blocks *b, int rows)
{
	switch (b->scale) {
	case PALEO_SCALE_FLOAT:
		return rows > 1 ? CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F
				: CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F;
	case PALEO_SCALE_UE8M0:
		return CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0;
	case PALEO_SCALE_HALF: /* of weights alone, which come here as numbers */
	case PALEO_SCALE_UE4M3:
		break;
	}
	return CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3;
}

static void set_scale_modes(struct call *c, cublasStatus_t *status)
{
	const struct paleo_blocks *b = paleo_stored_blocks(c->p.stored);
	const int32_t of_w = (int32_t)scale_mode(b, b->rows);
	const int32_t of_x = (int32_t)scale_mode(b, 1);

	set(c, status, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, &of_w, sizeof(of_w));
	set(c, status, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &of_x, sizeof(of_x));
}

static cublasLtEpilogue_t epilogue(const struct paleo_product *end)
{
	int with_bias = end->bias == PALEO_BIAS;

	if (end->act == 1 + PALEO_RELU)
		return with_bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
	if (end->act == 1 + PALEO_GELU)
		return with_bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
	if (end->bias == PALEO_DBIAS)
		return CUBLASLT_EPILOGUE_BGRADB;
	return with_bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

/* Fast accumulation in fp8: sums stay in the tensor cores, as in the forward passes of Transformer
 * Engine, XLA and torchao; gradients, where they do not, are never in fp8 here. With block scales
 * sums leave the cores anyway, at each block. */
static int accumulates_fast(const struct paleo_product *p)
{
	return p->scaling == PALEO_TENSOR_SCALED;
}

/* `stand_in` is some address on the device: the choice of an algorithm asks for one. */
static cublasStatus_t make_product(struct call *c, void *stand_in)
{
	const struct paleo_product *p = &c->p;
	cublasOperation_t first = p->trans_b ? CUBLAS_OP_T : CUBLAS_OP_N;
	cublasOperation_t second = p->trans_a ? CUBLAS_OP_T : CUBLAS_OP_N;
	cublasLtEpilogue_t end = epilogue(p);
	int8_t is_fast = 1;
	cublasStatus_t status = cublasLtMatmulDescCreate(
		&c->product,
		p->dtype == PALEO_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
		CUDA_R_32F);

	set(c, &status, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof(first));
	set(c, &status, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof(second));
	set(c, &status, CUBLASLT_MATMUL_DESC_EPILOGUE, &end, sizeof(end));
	if (accumulates_fast(p))
		set(c, &status, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &is_fast, sizeof(is_fast));
	if (p->scaling == PALEO_BLOCK_SCALED)
		set_scale_modes(c, &status);
	if (p->scaling != PALEO_NOT_SCALED)
		set_scales(c, &status, stand_in, stand_in);
	if (p->bias != PALEO_ROLES) /* aligned as the true one will be */
		set(c, &status, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &stand_in, sizeof(stand_in));
	return status;
}

/* The algorithms that the heuristics offer, the best first. */
static int find_offers(struct call *c, cublasLtHandle_t blas,
		       cublasLtMatmulHeuristicResult_t offers[PALEO_ALGORITHMS_MAX], int *count,
		       struct paleo_error *err)
{
	cublasLtMatmulPreference_t wish = NULL;
	cublasStatus_t status = cublasLtMatmulPreferenceCreate(&wish);

	*count = 0;
	if (!status)
		status = cublasLtMatmulPreferenceSetAttribute(
			wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &c->workspace_bytes,
			sizeof(c->workspace_bytes));
	if (!status)
		status = cublasLtMatmulAlgoGetHeuristic(blas, c->product, c->b, c->a, c->c, c->c,
							wish, PALEO_ALGORITHMS_MAX, offers, count);
	if (wish)
		cublasLtMatmulPreferenceDestroy(wish);
	if (!status && *count == 0)
		status = CUBLAS_STATUS_NOT_SUPPORTED;
	return paleo_cublas_check(status, "find an algorithm for the GEMM", err);
}

/* The first element of a factor. Two of e2m1 are a byte. */
static char *begin_of(const struct paleo_job *j, const struct paleo_factor *f, cudaDataType_t type,
		      int copy)
{
	double bits = type == CUDA_R_32F       ? 32
		      : type == CUDA_R_4F_E2M1 ? 4
		      : type == CUDA_R_8F_E4M3 ? 8
					       : 16;

	return (char *)paleo_job_address(j, f->role, 0, copy) + (size_t)(f->first * bits / 8);
}

static void point_to_scales(struct call *c, cublasStatus_t *status, const struct paleo_job *j,
			    int copy)
{
	char *of_x = paleo_job_address(j, PALEO_SCALE, 0, copy);

	if (c->p.scaling == PALEO_TENSOR_SCALED)
		set_scales(c, status, of_x, of_x + PALEO_PACK_BYTES);
	else
		set_scales(c, status, of_x, paleo_job_address(j, PALEO_SHIFT, 0, copy));
}

static int launch(const struct paleo_step *step, const struct paleo_job *j, int copy,
		  struct paleo_error *err)
{
	struct call *c = step->state;
	const struct paleo_product *p = &c->p;
	const float factor = p->factor != 0 ? p->factor : 1, zero = 0;
	cudaDataType_t type = factor_type(p);
	void *a = begin_of(j, &p->x, type, copy), *b = begin_of(j, &p->w, type, copy);
	void *y = begin_of(j, &p->y, stored_type(p->dtype), copy);
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

	if (p->scaling != PALEO_NOT_SCALED)
		point_to_scales(c, &status, j, copy);
	if (p->bias != PALEO_ROLES) {
		void *bias = paleo_job_address(j, p->bias, 0, copy);
		set(c, &status, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
	}
	if (!status)
		status = cublasLtMatmul(j->session->blas, c->product, &factor, b, c->b, a, c->a,
					&zero, y, c->c, y, c->c, &c->choice.algo,
					paleo_job_workspace(j), c->choice.workspaceSize,
					j->session->stream);
	return paleo_cublas_check(status, "multiply matrices", err);
}

/* A number of an algorithm's configuration; -1: cublasLt does not say. Two of them are shapes,
 * which are 16 bits wide. */
static int config_of(const cublasLtMatmulAlgo_t *a, cublasLtMatmulAlgoConfigAttributes_t name)
{
	int is_shape = name == CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID ||
		       name == CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID;
	int32_t value = -1;
	uint16_t shape = 0;
	size_t written;
	cublasStatus_t status = is_shape ? cublasLtMatmulAlgoConfigGetAttribute(
						   a, name, &shape, sizeof(shape), &written)
					 : cublasLtMatmulAlgoConfigGetAttribute(
						   a, name, &value, sizeof(value), &written);

	return status ? -1 : is_shape ? (int)shape : (int)value;
}

/* "cublasLt alg66 tile20 stages35 split1", and the knobs: numbers as cublasLt gives them. */
static void tell(const struct call *c, const cublasLtMatmulHeuristicResult_t *offer,
		 struct paleo_algorithm *out)
{
	static const struct {
		cublasLtMatmulAlgoConfigAttributes_t name;
		const char *word;
	} knobs[] = {
		{CUBLASLT_ALGO_CONFIG_TILE_ID, "tile"},
		{CUBLASLT_ALGO_CONFIG_STAGES_ID, "stages"},
		{CUBLASLT_ALGO_CONFIG_SPLITK_NUM, "split_k"},
		{CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, "cluster"},
		{CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, "inner"},
		{CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, "swizzle"},
		{CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, "reduction"},
		{CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, "custom"},
	};
	const cublasLtMatmulAlgo_t *a = &offer->algo;
	size_t used = 0;

	*out = (struct paleo_algorithm){.workspace_bytes = (double)offer->workspaceSize,
					.has_bias = c->p.bias != PALEO_ROLES};
	snprintf(out->engine, sizeof(out->engine), "%d", config_of(a, CUBLASLT_ALGO_CONFIG_ID));
	snprintf(out->notes, sizeof(out->notes), "%s",
		 accumulates_fast(&c->p) ? "fast_accumulation" : "");
	for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++) {
		int value = config_of(a, knobs[i].name);
		if (value >= 0 && used < sizeof(out->knobs))
			used += (size_t)snprintf(out->knobs + used, sizeof(out->knobs) - used,
						 "%s%s=%d", used ? " " : "", knobs[i].word, value);
	}
	snprintf(out->name, sizeof(out->name), "cublasLt alg%s tile%d stages%d split%d%s",
		 out->engine, config_of(a, CUBLASLT_ALGO_CONFIG_TILE_ID),
		 config_of(a, CUBLASLT_ALGO_CONFIG_STAGES_ID),
		 config_of(a, CUBLASLT_ALGO_CONFIG_SPLITK_NUM),
		 c->p.bias == PALEO_BIAS    ? " bias"
		 : c->p.bias == PALEO_DBIAS ? " bgrad"
					    : "");
}

/* Describes the GEMM and queries its algorithms, at least one. Owned: free_call(). */
static int describe(const struct paleo_session *s, const struct paleo_product *p,
		    double limit_bytes, struct call **out,
		    cublasLtMatmulHeuristicResult_t offers[PALEO_ALGORITHMS_MAX], int *count,
		    struct paleo_error *err)
{
	struct call *c = calloc(1, sizeof(*c));

	if (!c)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a step");
	c->p = *p;
	c->workspace_bytes =
		(size_t)(limit_bytes > 0 && limit_bytes < WORKSPACE_BYTES ? limit_bytes
									  : WORKSPACE_BYTES);
	cublasStatus_t status = make_layouts(c);
	if (!status)
		status = make_product(c, s->flush);
	int rc = paleo_cublas_check(status, "describe the GEMM", err);
	if (!rc)
		rc = find_offers(c, s->blas, offers, count, err);
	if (rc) {
		free_call(c);
		return rc;
	}
	*out = c;
	return PALEO_OK;
}

int paleo_product_list(struct paleo_session *s, const struct paleo_product *p, double limit_bytes,
		       int most, struct paleo_algorithms *out, struct paleo_error *err)
{
	cublasLtMatmulHeuristicResult_t offers[PALEO_ALGORITHMS_MAX];
	struct call *c = NULL;
	int count = 0;
	int rc = describe(s, p, limit_bytes, &c, offers, &count, err);

	if (rc)
		return rc;
	out->count = count < most ? count : most;
	for (int i = 0; i < out->count; i++)
		tell(c, &offers[i], &out->items[i]);
	free_call(c);
	return PALEO_OK;
}

int paleo_product_add(struct paleo_job *j, const struct paleo_product *p, int rank, int *offered,
		      struct paleo_error *err)
{
	cublasLtMatmulHeuristicResult_t offers[PALEO_ALGORITHMS_MAX];
	struct call *c = NULL;
	int count = 0;
	int rc = describe(j->session, p, j->options.workspace_limit_bytes, &c, offers, &count, err);

	if (offered)
		*offered = count;
	if (rc)
		return rc;
	if (rank >= count) {
		free_call(c);
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "cublasLt offers %d algorithms for this, none of rank %d", count,
				  rank);
	}
	c->choice = offers[rank];
	struct paleo_step step = {.state = c, .launch = launch, .release = release};
	paleo_job_need_workspace(j, (double)c->choice.workspaceSize);
	tell(c, &c->choice, &j->chosen);
	paleo_job_name(j, j->chosen.name, "");
	return paleo_job_add(j, PALEO_TIMED, &step, err);
}
