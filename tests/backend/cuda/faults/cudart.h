/* cudart.h - what the stand-in for the CUDA runtime keeps: one stream, whose clock is a count. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_BACKEND_CUDA_FAULTS_CUDART_H
#define PALEO_TESTS_BACKEND_CUDA_FAULTS_CUDART_H

#include <cuda_runtime_api.h>

/*
 * There is one stream. What is put into it runs at once, on the CPU, and takes 10 us of
 * the stream's own clock. While a graph is captured nothing runs; a graph that is
 * replayed only moves the clock: its works have run once before, and what they gave is
 * not looked at again.
 */
enum {
	KERNELS = 256 /* more than there are */
};

struct cuda_state {
	cudaError_t lost; /* not 0: the context is lost, and every call says so */
	int is_capturing;
	int captured;         /* operations since the capture began */
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

#endif
