/* status.h - turns what NVIDIA's libraries answer into a status and a sentence. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_STATUS_H
#define PALEO_BENCH_BACKENDS_CUDA_STATUS_H

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <nvrtc.h>

#include "base/error.h"

/*
 * Each takes a library's answer and what was asked of it ("allocate 3 MB"), and
 * returns PALEO_OK or fails with the library's own words:
 *   ENOMEM        memory ran out; the error is cleared and work can go on
 *   EUNSUPPORTED  the library cannot do this
 *   ELIBRARY      the library is unusable
 *   EBACKEND      anything else that the device survives
 *   ECRASH        the device's context is lost (an illegal address, a hardware fault): this
 *                 process can do nothing more on the device and must be replaced
 */
int paleo_cuda_check(cudaError_t answer, const char *what, struct paleo_error *err);
int paleo_cudnn_check(cudnnStatus_t answer, const char *what, struct paleo_error *err);
int paleo_cublas_check(cublasStatus_t answer, const char *what, struct paleo_error *err);
int paleo_nvrtc_check(nvrtcResult answer, const char *what, struct paleo_error *err);

/* As paleo_cudnn_check(), with words that were kept from when it happened. */
int paleo_cudnn_fail(cudnnStatus_t answer, const char *what, const char *words,
		     struct paleo_error *err);

#endif
