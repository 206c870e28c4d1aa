/* kernel_works.h - the works that our kernels are compared with the reference on. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_BACKEND_CUDA_KERNEL_WORKS_H
#define PALEO_TESTS_BACKEND_CUDA_KERNEL_WORKS_H

/* Keys, in which '#' stands for the number type; NULL at the end. */
extern const char *const kernel_works[];

#endif
