/* capture.h - makes a CUDA graph of what is launched. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_CAPTURE_H
#define PALEO_BENCH_BACKENDS_CUDA_CAPTURE_H

#include <cuda_runtime_api.h>

#include "base/error.h"

/*
 * Calls launch(of) while `stream` captures, and makes a graph of what was launched,
 * ready to run. The capture is ended in any case. *out is owned by the caller:
 * cudaGraphExecDestroy(). Fails as launch() or as paleo_cuda_check().
 */
int paleo_cuda_capture(cudaStream_t stream, int (*launch)(const void *of, struct paleo_error *err),
		       const void *of, cudaGraphExec_t *out, struct paleo_error *err);

#endif
