/* nvrtc.h - compiles the text of our kernels for a device; needs no device itself. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_NVRTC_H
#define PALEO_BENCH_BACKENDS_CUDA_NVRTC_H

#include "model/work/work.h"

/*
 * Compiles all kernels of kernels/ for elements of this type and a device of this
 * compute capability (90 for 9.0). *image is owned: free(). It is machine code, or, for a
 * device newer than NVRTC, PTX for the newest that it knows, ending with a NUL.
 * What was compiled before is taken from the cache (cubins.h). ELIBRARY with the compiler's first
 * complaint.
 */
int paleo_nvrtc_compile(enum paleo_dtype dtype, int compute_capability, char **image,
			struct paleo_error *err);

#endif
