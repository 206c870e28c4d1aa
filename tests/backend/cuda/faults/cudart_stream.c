/* cudart_stream.c - stand-in for the CUDA runtime: the stream, its events, graphs and kernels. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "../host_kernels.h"
#include "cudart.h"
#include "fault.h"

#define OPERATION_MS 0.01
#define LATENCY 3 /* operations' time until a graph begins on a stream that has not more to do */
#define LARGE_BLOCKS                                                                               \
	1024 /* only ceilings and warm-up have more, and no one looks at their results */

int cuda_take(void)
{
	struct cuda_state *s = cuda_state();

	if (s->lost)
		return 0;
	if (s->is_capturing) {
		s->captured++;
	} else {
		s->queued++;
		s->done++;
	}
	return !s->is_capturing;
}

/* Handles are addresses that are never read. */
static void *some_handle(void)
{
	static char handle;

	return &handle;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
	(void)flags;
	*out = some_handle();
	return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	(void)stream;
	return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	(void)stream;
	while (cuda_state()->hangs)
		pause();
	cuda_state()->queued = 0;
	return cuda_state()->is_capturing ? cudaErrorStreamCaptureUnsupported : cuda_state()->lost;
}

/* Puts a host's function into the stream; the stand-in for cublasLt has its products run so. */
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument)
{
	(void)stream;
	if (cuda_take())
		function(argument);
	return cuda_state()->lost;
}

cudaError_t cudaEventCreate(cudaEvent_t *out)
{
	*out = calloc(1, sizeof(long long));
	return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	free(event);
	return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	(void)stream;
	memcpy(event, &cuda_state()->done, sizeof(long long));
	return cuda_state()->lost;
}

/* An event inside of a graph is never reached: what a replay takes is known as a whole only. */
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
	(void)flags;
	return cudaEventRecord(event, stream);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
	long long from, to;

	memcpy(&from, start, sizeof(from));
	memcpy(&to, stop, sizeof(to));
	*ms = (float)((double)(to - from) * OPERATION_MS);
	return cuda_state()->lost;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	struct cuda_state *s = cuda_state();

	(void)stream;
	(void)mode;
	s->is_capturing = !s->lost;
	s->captured = 0;
	return s->lost;
}

/* A graph is the number of its operations. */
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)
{
	struct cuda_state *s = cuda_state();
	int *graph = malloc(sizeof(*graph));

	(void)stream;
	s->is_capturing = 0;
	if (!graph)
		return cudaErrorMemoryAllocation;
	*graph = s->captured;
	*out = (cudaGraph_t)(void *)graph;
	return s->lost;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
	int *copy = malloc(sizeof(*copy));

	(void)flags;
	if (!copy)
		return cudaErrorMemoryAllocation;
	memcpy(copy, graph, sizeof(*copy));
	*out = (cudaGraphExec_t)(void *)copy;
	return cuda_state()->lost;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream)
{
	(void)graph;
	(void)stream;
	return cuda_state()->lost;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream)
{
	int operations;

	struct cuda_state *s = cuda_state();

	(void)stream;
	memcpy(&operations, graph, sizeof(operations));
	s->done += operations + (s->queued < LATENCY ? LATENCY - s->queued : 0);
	s->queued += operations + LATENCY;
	return s->lost;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	free(graph);
	return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph)
{
	free(graph);
	return cudaSuccess;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
				enum cudaJitOption *jit_options, void **jit_values,
				unsigned jit_count, enum cudaLibraryOption *library_options,
				void **library_values, unsigned library_count)
{
	(void)code;
	(void)jit_options;
	(void)jit_values;
	(void)jit_count;
	(void)library_options;
	(void)library_values;
	(void)library_count;
	*library = some_handle();
	return cuda_state()->lost;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
	(void)library;
	return cudaSuccess;
}

/* A kernel's handle is its number in the list of those that run on the CPU, from 1. */
cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name)
{
	struct cuda_state *s = cuda_state();
	int number = host_kernel_find(name);

	(void)library;
	if (number < 0)
		return cudaErrorSymbolNotFound;
	snprintf(s->kernel, sizeof(s->kernel), "%s", name);
	*out = (cudaKernel_t)(intptr_t)(number + 1);
	return s->lost;
}

/* The host is busy for 100 us, ten times as long as the stream is with any operation. */
static void launch_slowly(void)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (1e6 * (double)(now.tv_sec - start.tv_sec) +
		       1e-3 * (double)(now.tv_nsec - start.tv_nsec) <
	       100);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
				void **arguments)
{
	struct cuda_state *s = cuda_state();
	int number = (int)(intptr_t)function - 1;

	if (config->blockDim.x != PALEO_KERNEL_THREADS || config->gridDim.x < 1)
		return cudaErrorInvalidConfiguration;
	if (is_fault_of("slow-launch", host_kernel_name(number)))
		launch_slowly();
	/* A kernel is loaded at its first launch, for which a capture is no place. */
	if (s->is_capturing && (!s->loaded[number % KERNELS] ||
				is_fault_of("capture-fails", host_kernel_name(number))))
		return cudaErrorStreamCaptureUnsupported;
	s->loaded[number % KERNELS] = 1;
	if (!cuda_take() || config->gridDim.x > LARGE_BLOCKS)
		return s->lost;
	if (is_fault_of("sticky", host_kernel_name(number)))
		s->lost = cudaErrorIllegalAddress;
	else if (is_fault_of("hang", host_kernel_name(number)))
		s->hangs = 1;
	else if (strcmp(host_kernel_name(number), "read_all") != 0) /* it leaves nothing */
		host_kernel_run(number, config->gridDim.x, arguments[0], arguments[1]);
	return cudaSuccess; /* a launch does not tell what becomes of it */
}
