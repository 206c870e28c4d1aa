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

/* What the product ends with. */
struct ending {
	enum paleo_role bias; /* PALEO_BIAS, PALEO_DBIAS, or PALEO_ROLES for none */
	int act;              /* as in work.h */
};

struct call {
	cublasLtMatmulDesc_t product;
	cublasLtMatrixLayout_t a, b, c;
	cublasLtMatmulHeuristicResult_t choice;
	struct ending end;
	size_t workspace_bytes;
};

/* Of what is not quantised: in fp8 the bias and the result. */
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

static cublasStatus_t make_layouts(struct call *c, const struct paleo_work *w)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	cudaDataType_t result = stored_type(w->dtype);
	cudaDataType_t type = w->dtype == PALEO_FP8 ? CUDA_R_8F_E4M3 : result;
	cublasStatus_t status = make_layout(&c->a, type, g->trans_a ? g->k : g->m,
					    g->trans_a ? g->m : g->k, g->batch);

	if (!status)
		status = make_layout(&c->b, type, g->trans_b ? g->n : g->k,
				     g->trans_b ? g->k : g->n, g->batch);
	if (!status)
		status = make_layout(&c->c, result, g->m, g->n, g->batch);
	return status;
}

static cublasStatus_t set(struct call *c, cublasLtMatmulDescAttributes_t name, const void *value,
			  size_t size)
{
	return cublasLtMatmulDescSetAttribute(c->product, name, value, size);
}

/* Where the factors of the quantised operands are: as cublasLt counts, A is our w. */
static cublasStatus_t set_scales(struct call *c, void *scales)
{
	char *of_x = scales, *of_w = of_x + PALEO_PACK_BYTES;
	cublasStatus_t status = set(c, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &of_w, sizeof(of_w));

	return status ? status : set(c, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &of_x, sizeof(of_x));
}

/* cublasLt's GELU is the approximation with tanh, up to 5e-4 from the exact one: it does for
 * numbers that are rounded more coarsely than that. */
static int has_epilogue(const struct paleo_work *w)
{
	int act = w->geom.gemm.act;

	int bytes = paleo_dtype_bytes(paleo_dtype_wide(w->dtype)); /* of the result */

	return act == 1 + PALEO_RELU || (act == 1 + PALEO_GELU && bytes == 2);
}

static cublasLtEpilogue_t epilogue(const struct ending *end)
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

/* `stand_in` is some address on the device: the choice of an algorithm asks for one. */
static cublasStatus_t make_product(struct call *c, const struct paleo_work *w, void *stand_in)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	cublasOperation_t first = g->trans_b ? CUBLAS_OP_T : CUBLAS_OP_N;
	cublasOperation_t second = g->trans_a ? CUBLAS_OP_T : CUBLAS_OP_N;
	cublasLtEpilogue_t end = epilogue(&c->end);
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
	if (!status && w->dtype == PALEO_FP8)
		status = set_scales(c, stand_in);
	if (!status && c->end.bias != PALEO_ROLES) /* aligned as the true one will be */
		status = set(c, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &stand_in, sizeof(stand_in));
	return status;
}

/* The algorithms that the heuristics offer, the best first. */
static cublasStatus_t list_offers(struct call *c, cublasLtHandle_t blas,
				  cublasLtMatmulHeuristicResult_t offers[PALEO_ALGORITHMS_MAX],
				  int *count)
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
	return status;
}

static int launch(const struct paleo_step *step, const struct paleo_job *j, int copy,
		  struct paleo_error *err)
{
	struct call *c = step->state;
	const float one = 1, zero = 0;
	int is_fp8 = j->work.dtype == PALEO_FP8;
	void *a = paleo_job_address(j, is_fp8 ? PALEO_MASK : PALEO_X, 0, copy);
	void *b = paleo_job_address(j, PALEO_W, 0, copy);
	void *y = paleo_job_address(j, PALEO_Y, 0, copy);
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

	if (is_fp8)
		status = set_scales(c, paleo_job_address(j, PALEO_SCALE, 0, copy));
	if (!status && c->end.bias != PALEO_ROLES) {
		void *bias = paleo_job_address(j, c->end.bias, 0, copy);
		status = set(c, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
	}
	if (!status)
		status = cublasLtMatmul(j->session->blas, c->product, &one, b, c->b, a, c->a, &zero,
					y, c->c, y, c->c, &c->choice.algo, paleo_job_workspace(j),
					c->choice.workspaceSize, j->session->stream);
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
					.has_bias = c->end.bias != PALEO_ROLES};
	snprintf(out->engine, sizeof(out->engine), "%d", config_of(a, CUBLASLT_ALGO_CONFIG_ID));
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
		 c->end.bias == PALEO_BIAS    ? " bias"
		 : c->end.bias == PALEO_DBIAS ? " bgrad"
					      : "");
}

/* Describes the product and what it ends with. *out is owned:
 * free_call(). */
static int make_call(const struct paleo_session *s, const struct paleo_work *w,
		     const struct ending *end, double limit_bytes, struct call **out,
		     struct paleo_error *err)
{
	struct call *c = calloc(1, sizeof(*c));

	if (!c)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a step");
	c->end = *end;
	c->workspace_bytes =
		(size_t)(limit_bytes > 0 && limit_bytes < WORKSPACE_BYTES ? limit_bytes
									  : WORKSPACE_BYTES);
	cublasStatus_t status = make_layouts(c, w);
	if (!status)
		status = make_product(c, w, s->flush);
	int rc = paleo_cublas_check(status, "describe the matrix product", err);
	if (rc) {
		free_call(c);
		return rc;
	}
	*out = c;
	return PALEO_OK;
}

/* Adds the product. EUNSUPPORTED if there is no algorithm of the job's rank; *offered says how many
 * there are. */
static int add_product(struct paleo_job *j, const struct ending *end, int *offered,
		       struct paleo_error *err)
{
	cublasLtMatmulHeuristicResult_t offers[PALEO_ALGORITHMS_MAX];
	struct call *c = NULL;

	*offered = 0;
	int rc = make_call(j->session, &j->work, end, j->options.workspace_limit_bytes, &c, err);
	if (rc)
		return rc;
	cublasStatus_t status = list_offers(c, j->session->blas, offers, offered);
	if (!status && *offered == 0)
		status = CUBLAS_STATUS_NOT_SUPPORTED;
	rc = paleo_cublas_check(status, "find an algorithm for the matrix product", err);
	if (!rc && j->rank >= *offered)
		rc = paleo_fail(err, PALEO_EUNSUPPORTED,
				"cublasLt offers %d algorithms for this, none of rank %d", *offered,
				j->rank);
	if (rc) {
		free_call(c);
		return rc;
	}
	c->choice = offers[j->rank];
	struct paleo_step step = {.state = c, .launch = launch, .release = release};
	paleo_job_need_workspace(j, (double)c->choice.workspaceSize);
	tell(c, &c->choice, &j->chosen);
	paleo_job_name(j, j->chosen.name, "");
	return paleo_job_add(j, PALEO_TIMED, &step, err);
}

static enum paleo_role bias_of(const struct paleo_work *w)
{
	if (!w->geom.gemm.bias)
		return PALEO_ROLES;
	return w->pass == PALEO_FWD ? PALEO_BIAS : PALEO_DBIAS;
}

static int list_product(struct paleo_session *s, const struct paleo_work *w,
			const struct ending *end, double limit_bytes, int most,
			struct paleo_algorithms *out, struct paleo_error *err)
{
	cublasLtMatmulHeuristicResult_t offers[PALEO_ALGORITHMS_MAX];
	struct call *c = NULL;
	int count = 0;

	int rc = make_call(s, w, end, limit_bytes, &c, err);
	if (rc)
		return rc;
	cublasStatus_t status = list_offers(c, s->blas, offers, &count);
	if (!status && count == 0)
		status = CUBLAS_STATUS_NOT_SUPPORTED;
	rc = paleo_cublas_check(status, "find an algorithm for the matrix product", err);
	if (!rc) {
		out->count = count < most ? count : most;
		for (int i = 0; i < out->count; i++)
			tell(c, &offers[i], &out->items[i]);
	}
	free_call(c);
	return rc;
}

/* The endings to try, the most complete first; returns how many. */
static int list_endings(const struct paleo_work *w, struct ending out[3])
{
	enum paleo_role bias = bias_of(w);
	int count = 0;

	if (has_epilogue(w))
		out[count++] = (struct ending){bias, w->geom.gemm.act};
	if (bias != PALEO_ROLES)
		out[count++] = (struct ending){bias, 0};
	out[count++] = (struct ending){PALEO_ROLES, 0};
	return count;
}

/* What the tensor cores do not do in e4m3, in words of our own: cublasLt has none. */
static int check_fp8(const struct paleo_work *w, struct paleo_error *err)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;

	if (g->trans_a || !g->trans_b)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "products in fp8 are x w^T, as inner products have them: "
				  "trans_b=1 and no trans_a");
	if (g->k % 16 || g->n % 8)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "products in fp8 want rows of whole 16 bytes: k=%d should be a "
				  "multiple of 16, n=%d of 8",
				  g->k, g->n);
	return PALEO_OK;
}

int paleo_gemm_algorithms(struct paleo_session *s, const struct paleo_work *w,
			  const struct paleo_bench_options *o, int most,
			  struct paleo_algorithms *out, struct paleo_error *err)
{
	struct ending ends[3];
	int count = list_endings(w, ends);
	int rc = w->dtype == PALEO_FP8 ? check_fp8(w, err) : PALEO_OK;

	if (rc)
		return rc;
	rc = PALEO_EUNSUPPORTED;
	for (int i = 0; i < count && rc; i++) /* as paleo_plan_gemm() */
		rc = list_product(s, w, &ends[i], o->workspace_limit_bytes, most, out, err);
	return rc;
}

/* What the product could not do itself. */
static int add_rest(struct paleo_job *j, const struct ending *done, struct paleo_error *err)
{
	enum paleo_role bias = bias_of(&j->work);
	int act = j->work.geom.gemm.act, rc = PALEO_OK;

	if (bias == PALEO_BIAS && done->bias != bias)
		rc = paleo_plan_bias(j, err);
	if (bias == PALEO_DBIAS && done->bias != bias)
		rc = paleo_plan_bias_gradient(j, err);
	if (!rc && act && !done->act)
		rc = paleo_plan_act(j, act, err);
	return rc;
}

int paleo_plan_gemm(struct paleo_job *j, struct paleo_error *err)
{
	struct ending ends[3];
	int count = list_endings(&j->work, ends), rc = PALEO_OK, offered = 0;

	if (j->work.dtype == PALEO_FP8)
		rc = check_fp8(&j->work, err);
	if (!rc && j->work.dtype == PALEO_FP8)
		rc = paleo_plan_quantise(j, PALEO_X, err);
	if (rc)
		return rc;
	rc = PALEO_EUNSUPPORTED;
	for (int i = 0; i < count && rc && !offered; i++) {
		rc = add_product(j, &ends[i], &offered, err);
		if (!rc)
			return add_rest(j, &ends[i], err);
	}
	return rc;
}
