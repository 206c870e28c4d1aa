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

/* Keeps an operation for the graph that is captured. */
static cudaError_t keep(const struct cuda_operation *o)
{
	struct cuda_state *s = cuda_state();

	if (s->kept_count == s->kept_room) {
		int room = s->kept_room ? 2 * s->kept_room : 64;
		struct cuda_operation *kept = realloc(s->kept, (size_t)room * sizeof(*kept));
		if (!kept)
			return cudaErrorMemoryAllocation;
		s->kept = kept;
		s->kept_room = room;
	}
	s->kept[s->kept_count++] = *o;
	return cudaSuccess;
}

cudaError_t cudaStandInRun(void (*function)(void *argument), const void *argument, size_t size)
{
	struct cuda_operation o = {.kernel = -1, .function = function, .argument = malloc(size)};

	if (!o.argument)
		return cudaErrorMemoryAllocation;
	memcpy(o.argument, argument, size);
	int is_now = cuda_take();
	if (is_now)
		function(o.argument);
	if (!is_now && cuda_state()->is_capturing)
		return keep(&o);
	free(o.argument);
	return cuda_state()->lost;
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

/* Puts a host's function into the stream. In a graph it does nothing. */
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
	*ms = (float)((double)(to - from) * OPERATION_MS / (is_fault("quick") ? 10 : 1));
	return cuda_state()->lost;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	struct cuda_state *s = cuda_state();

	(void)stream;
	(void)mode;
	s->is_capturing = !s->lost;
	s->captured = s->kept_count = 0; /* of a device that was lost some may be left */
	return s->lost;
}

/* A graph: how many operations there are, and those that compute. */
struct graph {
	int operations, count, has_run;
	struct cuda_operation *kept;
};

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)
{
	struct cuda_state *s = cuda_state();
	struct graph *g = malloc(sizeof(*g));

	(void)stream;
	s->is_capturing = 0;
	if (!g)
		return cudaErrorMemoryAllocation;
	*g = (struct graph){.operations = s->captured, .count = s->kept_count, .kept = s->kept};
	s->kept = NULL;
	s->kept_count = s->kept_room = 0;
	*out = (cudaGraph_t)(void *)g;
	return s->lost;
}

/* What can be launched takes all from the graph, which is made into one such thing alone. */
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
	struct graph *g = malloc(sizeof(*g)), *from = (void *)graph;

	(void)flags;
	if (!g)
		return cudaErrorMemoryAllocation;
	*g = *from;
	from->kept = NULL;
	from->count = 0;
	*out = (cudaGraphExec_t)(void *)g;
	return cuda_state()->lost;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream)
{
	(void)graph;
	(void)stream;
	return cuda_state()->lost;
}

static void run_operation(struct cuda_operation *o)
{
	if (o->kernel < 0)
		o->function(o->argument);
	else
		host_kernel_run(o->kernel, o->blocks, &o->frame, &o->parts);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream)
{
	struct graph *g = (void *)graph;
	struct cuda_state *s = cuda_state();

	(void)stream;
	for (int i = 0; i < g->count && !g->has_run && !is_fault("replay-lost"); i++)
		run_operation(&g->kept[i]);
	g->has_run = 1;
	s->done += g->operations + (s->queued < LATENCY ? LATENCY - s->queued : 0);
	s->queued += g->operations + LATENCY;
	return s->lost;
}

static void free_graph(struct graph *g)
{
	for (int i = 0; i < g->count; i++)
		free(g->kept[i].argument);
	free(g->kept);
	free(g);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	free_graph((void *)graph);
	return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph)
{
	free_graph((void *)graph);
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
	int is_now = cuda_take();
	if (config->gridDim.x > LARGE_BLOCKS || s->lost)
		return s->lost;
	if (!is_now) {
		struct cuda_operation o = {.kernel = number, .blocks = config->gridDim.x};
		o.frame = *(const struct paleo_frame *)arguments[0];
		if (arguments[1]) /* few kernels look at it */
			o.parts = *(const struct paleo_parts *)arguments[1];
		return keep(&o);
	}
	if (is_fault_of("sticky", host_kernel_name(number)))
		s->lost = cudaErrorIllegalAddress;
	else if (is_fault_of("hang", host_kernel_name(number)))
		s->hangs = 1;
	else if (strcmp(host_kernel_name(number), "read_all") != 0) /* it leaves nothing */
		host_kernel_run(number, config->gridDim.x, arguments[0], arguments[1]);
	return cudaSuccess; /* a launch does not tell what becomes of it */
}
