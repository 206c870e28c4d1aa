/* host_library.h - what cuDNN computes between our kernels, on the CPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_BACKEND_CUDA_HOST_LIBRARY_H
#define PALEO_TESTS_BACKEND_CUDA_HOST_LIBRARY_H

#include "bench/backends/cuda/job.h"

/* Fails unless attention over what lies in the second set's cache is what the reference says. */
void library_attends(struct paleo_job *j);

#endif
