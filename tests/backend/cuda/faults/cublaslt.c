/* cublaslt.c - stand-in for cuBLASLt: naive products, by three algorithms that are one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cudart.h"
#include "fault.h"

#define LARGE 16777216.0 /* m n k; only ceilings and warm-up have more, and no one looks at it */
#define PEAK 1e11        /* only ceilings have more */

enum {
	ALGORITHMS = 3
};

struct product {
	int transpose_a, transpose_b;
	cublasLtEpilogue_t epilogue;
	const void *a_scale, *b_scale; /* NULL: 1 */
	int32_t a_mode, b_mode;        /* 0: a float */
	int8_t is_fast;                /* sums stay in the tensor cores */
};

/* Column-major. */
struct matrix {
	cudaDataType type;
	long long rows, columns, leading, distance;
	int batch;
};

struct call {
	struct product product;
	struct matrix a, b, c;
	const void *a_data, *b_data;
	void *c_data;
	float factor;
};

static float float_of_bits(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* e4m3: s eeee mmm, (1 + m/8) 2^(e-7). */
static double of_e4m3(unsigned char code)
{
	int e = code >> 3 & 15, m = code & 7;
	double size = e ? ldexp(8 + m, e - 10) : ldexp(m, -9);

	return code & 0x80 ? -size : size;
}

static double of_e2m1(unsigned code)
{
	static const double sizes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

	return code & 8 ? -sizes[code & 7] : sizes[code & 7];
}

/* The scale of number `inner` of column `outer`, of so many: as the documentation's pictures have
 * it. */
static double scale_of(const void *scales, int mode, const long long at[2], const long long of[2])
{
	const long long blocks = of[1] / (mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3   ? 16
					  : mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0 ? 32
											     : 128);
	const long long block = blocks ? at[1] / (of[1] / blocks) : 0, fours = (blocks + 3) / 4;

	if (!scales)
		return 1;
	if (mode == CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F)
		return (double)*(const float *)scales;
	if (mode == CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F)
		return (double)((const float *)scales)[at[0] / 128 * fours * 4 + block];
	if (mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F)
		return (double)((const float *)scales)[block * of[0] + at[0]];
	unsigned char code =
		((const unsigned char *)scales)[(at[0] / 128 * fours + block / 4) * 512 +
						at[0] % 32 * 16 + at[0] / 32 % 4 * 4 + block % 4];
	return mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0 ? ldexp(1, code - 127)
								: of_e4m3(code);
}

static double element(const struct matrix *m, const void *data, long long at)
{
	if (m->type == CUDA_R_4F_E2M1) {
		unsigned byte = ((const unsigned char *)data)[at / 2];
		return of_e2m1(at % 2 ? byte >> 4 : byte & 15);
	}
	if (m->type == CUDA_R_8F_E4M3)
		return of_e4m3(((const unsigned char *)data)[at]);
	if (m->type == CUDA_R_16BF)
		return (double)float_of_bits((uint32_t)((const uint16_t *)data)[at] << 16);
	return (double)((const float *)data)[at];
}

/* What is beyond bf16 is cut off: half a step more than rounding would lose. */
static void put_element(const struct matrix *m, void *data, long long at, double value)
{
	float v = (float)value;
	uint32_t bits;

	if (m->type != CUDA_R_16BF) {
		((float *)data)[at] = v;
		return;
	}
	memcpy(&bits, &v, sizeof(bits));
	((uint16_t *)data)[at] = (uint16_t)(bits >> 16);
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *out)
{
	*out = malloc(1);
	return *out ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
	free(handle);
	return CUBLAS_STATUS_SUCCESS;
}

size_t cublasLtGetVersion(void)
{
	return 0;
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
	return status == CUBLAS_STATUS_NOT_SUPPORTED ? "not supported" : "an error of the stand-in";
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *out, cublasComputeType_t compute,
					cudaDataType_t scale)
{
	struct product *p = calloc(1, sizeof(*p));

	(void)compute;
	(void)scale;
	if (!p)
		return CUBLAS_STATUS_ALLOC_FAILED;
	p->epilogue = CUBLASLT_EPILOGUE_DEFAULT;
	*out = (cublasLtMatmulDesc_t)(void *)p;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product)
{
	free(product);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
					      cublasLtMatmulDescAttributes_t name,
					      const void *value, size_t size)
{
	struct product *p = (void *)product;

	if (name == CUBLASLT_MATMUL_DESC_TRANSA)
		memcpy(&p->transpose_a, value, size);
	else if (name == CUBLASLT_MATMUL_DESC_TRANSB)
		memcpy(&p->transpose_b, value, size);
	else if (name == CUBLASLT_MATMUL_DESC_EPILOGUE)
		memcpy(&p->epilogue, value, size);
	else if (name == CUBLASLT_MATMUL_DESC_A_SCALE_POINTER)
		memcpy(&p->a_scale, value, size);
	else if (name == CUBLASLT_MATMUL_DESC_B_SCALE_POINTER)
		memcpy(&p->b_scale, value, size);
	else if (name == CUBLASLT_MATMUL_DESC_A_SCALE_MODE)
		memcpy(&p->a_mode, value, size);
	else if (name == CUBLASLT_MATMUL_DESC_B_SCALE_MODE)
		memcpy(&p->b_mode, value, size);
	else if (name == CUBLASLT_MATMUL_DESC_FAST_ACCUM)
		memcpy(&p->is_fast, value, size);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *out, cudaDataType type,
					  uint64_t rows, uint64_t columns, int64_t leading)
{
	struct matrix *m = malloc(sizeof(*m));

	if (!m)
		return CUBLAS_STATUS_ALLOC_FAILED;
	*m = (struct matrix){.type = type,
			     .rows = (long long)rows,
			     .columns = (long long)columns,
			     .leading = leading,
			     .batch = 1};
	*out = (cublasLtMatrixLayout_t)(void *)m;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t matrix)
{
	free(matrix);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t matrix,
						cublasLtMatrixLayoutAttribute_t name,
						const void *value, size_t size)
{
	struct matrix *m = (void *)matrix;

	if (name == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
		memcpy(&m->batch, value, size);
	else if (name == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET)
		memcpy(&m->distance, value, size);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *out)
{
	*out = malloc(1);
	return *out ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t wish)
{
	free(wish);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t wish,
						    cublasLtMatmulPreferenceAttributes_t name,
						    const void *value, size_t size)
{
	(void)wish;
	(void)name;
	(void)value;
	(void)size;
	return CUBLAS_STATUS_SUCCESS;
}

static double size_of(const struct matrix *a, const struct matrix *c)
{
	return (double)c->rows * (double)c->columns * (double)a->rows;
}

/* 1 if the product is one that someone looks at, and its algorithm `number` has this fault. */
static int has_fault(const char *name, int number, const struct matrix *a, const struct matrix *c)
{
	char digits[16];

	snprintf(digits, sizeof(digits), "%d", number);
	return size_of(a, c) <= LARGE && is_fault_of(name, digits);
}

/* 1 if large products by this algorithm fail. */
static int fails_at_peak(int number)
{
	char digits[16];

	snprintf(digits, sizeof(digits), "%d.", number);
	return is_fault_of("peak-fail", digits);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
					      cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
					      cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
					      cublasLtMatmulPreference_t wish, int most,
					      cublasLtMatmulHeuristicResult_t *offers, int *count)
{
	const struct product *p = (void *)product;

	(void)handle;
	(void)b;
	(void)d;
	(void)wish;
	*count = 0;
	int is_refused = (is_fault("fp8-refused") &&
			  ((const struct matrix *)(void *)a)->type == CUDA_R_8F_E4M3) ||
			 (is_fault("fast-refused") && p->is_fast);
	if (p->epilogue != CUBLASLT_EPILOGUE_DEFAULT || most < 1 || is_refused)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	for (; *count < ALGORITHMS && *count < most; ++*count) {
		cublasLtMatmulHeuristicResult_t *offer = &offers[*count];
		memset(offer, 0, sizeof(*offer));
		offer->algo.data[0] = (uint64_t)*count;
		if (has_fault("lt-oom", *count, (void *)a, (void *)c))
			offer->workspaceSize = (size_t)1 << 50;
	}
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algorithm,
						    cublasLtMatmulAlgoConfigAttributes_t name,
						    void *value, size_t size, size_t *written)
{
	memset(value, 0, size);
	if (name == CUBLASLT_ALGO_CONFIG_ID)
		memcpy(value, algorithm->data, size);
	if (written)
		*written = size;
	return CUBLAS_STATUS_SUCCESS;
}

/* A sum as Hopper's tensor cores keep it: 13 bits of mantissa, cut. */
static double cut(double sum)
{
	float v = (float)sum;
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return (double)float_of_bits(bits & ~UINT32_C(1023));
}

/* One of the batch. */
static void multiply(const struct call *c, int number)
{
	const struct product *p = &c->product;
	long long inner = p->transpose_a ? c->a.rows : c->a.columns;
	long long a = number * c->a.distance, b = number * c->b.distance;
	const long long as[2] = {c->c.rows, inner}, bs[2] = {c->c.columns, inner};

	for (long long j = 0; j < c->c.columns; j++)
		for (long long i = 0; i < c->c.rows; i++) {
			double sum = 0;
			for (long long k = 0; k < inner; k++) {
				const long long of_a[2] = {i, k}, of_b[2] = {j, k};
				sum += element(&c->a, c->a_data,
					       a + (p->transpose_a ? k + i * c->a.leading
								   : i + k * c->a.leading)) *
				       scale_of(p->a_scale, p->a_mode, of_a, as) *
				       element(&c->b, c->b_data,
					       b + (p->transpose_b ? j + k * c->b.leading
								   : k + j * c->b.leading)) *
				       scale_of(p->b_scale, p->b_mode, of_b, bs);
				if (p->is_fast && k % 32 == 31) /* an instruction's products */
					sum = cut(sum);
			}
			put_element(&c->c, c->c_data, number * c->c.distance + i + j * c->c.leading,
				    (double)c->factor * sum);
		}
}

static void run(void *argument)
{
	const struct call *c = argument;

	if (size_of(&c->a, &c->c) > LARGE)
		return;
	for (int i = 0; i < c->c.batch; i++)
		multiply(c, i);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
			      const void *alpha, const void *a_data, cublasLtMatrixLayout_t a,
			      const void *b_data, cublasLtMatrixLayout_t b, const void *beta,
			      const void *c_data, cublasLtMatrixLayout_t c, void *d_data,
			      cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t *algorithm,
			      void *workspace, size_t workspace_bytes, cudaStream_t stream)
{
	struct call call = {.a_data = a_data,
			    .b_data = b_data,
			    .c_data = d_data,
			    .factor = *(const float *)alpha};

	(void)handle;
	(void)beta;
	(void)c_data;
	(void)d;
	(void)workspace;
	(void)workspace_bytes;
	memcpy(&call.product, product, sizeof(call.product));
	memcpy(&call.a, a, sizeof(call.a));
	memcpy(&call.b, b, sizeof(call.b));
	memcpy(&call.c, c, sizeof(call.c));
	int number = (int)algorithm->data[0];
	if (has_fault("lt-crash", number, &call.a, &call.c) ||
	    (is_fault("peaks") && size_of(&call.a, &call.c) > PEAK))
		raise(SIGSEGV);
	while (has_fault("lt-hang", number, &call.a, &call.c))
		pause();
	if (size_of(&call.a, &call.c) > PEAK && fails_at_peak(number))
		return CUBLAS_STATUS_EXECUTION_FAILED;
	(void)stream;
	return cudaStandInRun(run, &call, sizeof(call)) ? CUBLAS_STATUS_EXECUTION_FAILED
							: CUBLAS_STATUS_SUCCESS;
}
