/* description.h - a GPU that is only described, as cuDNN takes it, from a file. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_BACKEND_CUDA_DESCRIPTION_H
#define PALEO_TESTS_BACKEND_CUDA_DESCRIPTION_H

#include <cudnn.h>

#include "base/error.h"

/* Reads a file like those of bench/backends/cuda/devices/. *out is owned:
 * cudnnBackendDestroyDescriptor(), also on failure if it is not NULL. */
int description_read(const char *path, cudnnBackendDescriptor_t *out, struct paleo_error *err);

#endif
