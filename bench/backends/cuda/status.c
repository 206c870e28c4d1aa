/* status.c - converts statuses of NVIDIA's libraries into a status and a sentence. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/session.h"

/* Some errors end the context: every later call fails, until the process is replaced. A harmless
 * call shows which kind it was; during capture it is refused, which is inconclusive. Returns 1 if
 * the context is lost. */
static int context_is_lost(void)
{
	(void)cudaGetLastError();
	cudaError_t answer = cudaDeviceSynchronize();
	int is_capturing = answer >= cudaErrorStreamCaptureUnsupported &&
			   answer <= cudaErrorStreamCaptureWrongThread;

	if (is_capturing)
		(void)cudaGetLastError();
	return answer != cudaSuccess && !is_capturing;
}

static int fail_after_probe(const char *what, const char *words, struct paleo_error *err)
{
	if (context_is_lost())
		return paleo_fail(err, PALEO_ECRASH,
				  "cannot %s: %s; the device's context is lost, the worker must be "
				  "replaced",
				  what, words);
	return paleo_fail(err, PALEO_EBACKEND, "cannot %s: %s", what, words);
}

int paleo_cuda_check(cudaError_t answer, const char *what, struct paleo_error *err)
{
	if (answer == cudaSuccess)
		return PALEO_OK;
	const char *words = cudaGetErrorString(answer);
	if (answer == cudaErrorMemoryAllocation || answer == cudaErrorNotSupported) {
		(void)cudaGetLastError();
		return paleo_fail(
			err, answer == cudaErrorNotSupported ? PALEO_EUNSUPPORTED : PALEO_ENOMEM,
			"cannot %s: %s", what, words);
	}
	return fail_after_probe(what, words, err);
}

/* cuDNN numbers its answers by category: 1000 not ready, 2000 bad parameter, 3000 not supported,
 * 4000 internal, 5000 execution failed. */
enum {
	NOT_READY = 1,
	NOT_SUPPORTED = 3,
	INTERNAL = 4,
	EXECUTION = 5
};

int paleo_cudnn_fail(cudnnStatus_t answer, const char *what, const char *words,
		     struct paleo_error *err)
{
	const char *name = cudnnGetErrorString(answer);

	if (answer == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED ||
	    answer == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED)
		return paleo_fail(err, PALEO_ENOMEM, "cudnn cannot %s: %s %s", what, name, words);
	int category = (int)answer / 1000;
	if (category == INTERNAL || category == EXECUTION)
		return fail_after_probe(what, *words ? words : name, err);
	return paleo_fail(err,
			  category == NOT_READY       ? PALEO_ELIBRARY
			  : category == NOT_SUPPORTED ? PALEO_EUNSUPPORTED
						      : PALEO_EBACKEND,
			  "cudnn cannot %s: %s %s", what, name, words);
}

int paleo_cudnn_check(cudnnStatus_t answer, const char *what, struct paleo_error *err)
{
	char words[512] = "";

	if (answer == CUDNN_STATUS_SUCCESS)
		return PALEO_OK;
	cudnnGetLastErrorString(words, sizeof(words));
	return paleo_cudnn_fail(answer, what, words, err);
}

void paleo_cudnn_set(cudnnStatus_t *status, cudnnBackendDescriptor_t d,
		     cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
		     int64_t count, const void *values)
{
	if (!*status)
		*status = cudnnBackendSetAttribute(d, name, type, count, values);
}

int paleo_cublas_check(cublasStatus_t answer, const char *what, struct paleo_error *err)
{
	const char *words = cublasLtGetStatusString(answer);

	if (answer == CUBLAS_STATUS_SUCCESS)
		return PALEO_OK;
	int status = answer == CUBLAS_STATUS_ALLOC_FAILED      ? PALEO_ENOMEM
		     : answer == CUBLAS_STATUS_NOT_SUPPORTED   ? PALEO_EUNSUPPORTED
		     : answer == CUBLAS_STATUS_ARCH_MISMATCH   ? PALEO_EUNSUPPORTED
		     : answer == CUBLAS_STATUS_NOT_INITIALIZED ? PALEO_ELIBRARY
							       : PALEO_OK;
	if (status)
		return paleo_fail(err, status, "cublasLt cannot %s: %s", what, words);
	return fail_after_probe(what, words, err);
}
