/* kernel_ops.h - the ops that our kernels are compared with the reference on. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_BACKEND_CUDA_KERNEL_OPS_H
#define PALEO_TESTS_BACKEND_CUDA_KERNEL_OPS_H

/* Keys, in which '#' stands for the dtype; NULL at the end. */
extern const char *const kernel_ops[];

#endif
