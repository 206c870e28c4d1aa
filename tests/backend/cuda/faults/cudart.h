/* cudart.h - what the stand-in for the CUDA runtime keeps: one stream, whose clock is a count. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_BACKEND_CUDA_FAULTS_CUDART_H
#define PALEO_TESTS_BACKEND_CUDA_FAULTS_CUDART_H

#include <cuda_runtime_api.h>

#include "bench/backends/cuda/kernels/frame.h"

/*
 * There is one stream. What is put into it runs at once, on the CPU, and takes 10 us of
 * the stream's own clock. While a graph is captured nothing runs. A graph that is launched
 * runs what was captured the first time, and later only moves the clock: nothing has
 * changed what the first launch gave.
 */
enum {
	KERNELS = 256 /* more than there are */
};

/* What a capture keeps of an operation: a kernel, or a host's function with a copy of its argument.
 */
struct cuda_operation {
	int kernel; /* -1: the function */
	unsigned blocks;
	struct paleo_frame frame;
	struct paleo_parts parts;
	void (*function)(void *argument);
	void *argument;
};

struct cuda_state {
	cudaError_t lost; /* not 0: the context is lost, and every call says so */
	int is_capturing;
	int captured;                /* operations since the capture began */
	struct cuda_operation *kept; /* those of them that compute */
	int kept_count, kept_room;
	long long done;       /* operations: the clock */
	char kernel[64];      /* the one that was looked up last */
	char loaded[KERNELS]; /* kernels that were launched before, by their numbers */
	int hangs;            /* the stream will never be done */
	long long queued;     /* operations that were put into it since it was last waited for */
};

/* The process's state; exported to no one. */
struct cuda_state *cuda_state(void);

/* Takes an operation into the stream; 1 if it is to be run now. */
int cuda_take(void);

/* Puts a host's function into the stream, with a copy of its argument where it is captured. The
 * stand-in for cublasLt has its products run so. */
cudaError_t cudaStandInRun(void (*function)(void *argument), const void *argument, size_t size);

#endif
