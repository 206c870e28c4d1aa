/* host_kernels.h - runs the plug-in's kernels on the CPU, to test their arithmetic. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_BACKEND_CUDA_HOST_KERNELS_H
#define PALEO_TESTS_BACKEND_CUDA_HOST_KERNELS_H

#include "bench/backends/cuda/kernels/frame.h"

/* The kernel's number in kernels.def, or -1. */
int host_kernel_find(const char *name);

/* The name of the kernel with this number. */
const char *host_kernel_name(int number);

/* Runs all threads of all blocks; only join and split look at `p`. Those of a kernel with barriers
 * at the same time. */
void host_kernel_run(int number, unsigned blocks, const struct paleo_frame *f,
		     const struct paleo_parts *p);

/* An element as the kernels of this program store it. */
float host_element(const void *tensor, long long index);
void host_store(void *tensor, long long index, float v);
int host_element_bytes(void);

#endif
