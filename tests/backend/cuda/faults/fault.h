/* fault.h - which fault the stand-ins for NVIDIA's libraries are to have, by the environment. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_BACKEND_CUDA_FAULTS_FAULT_H
#define PALEO_TESTS_BACKEND_CUDA_FAULTS_FAULT_H

#include <stdlib.h>
#include <string.h>

/*
 * PALEO_FAULT is one of
 *   no-driver, no-device, old-driver    what the runtime says of the machine
 *   old-device, new-device              it is of compute capability 8.0, of 10.0
 *   no-compiler, odd-device             NVRTC compiles nothing; nor for a device of 9.9
 *   norm-fails, norm-slow, norm-fast    cuDNN has an engine for normalisations, which fails when it
 *                                       runs, takes long, takes no time
 *   cudnn-major                         cuDNN is of another major version
 *   cudnn-9.27                          cuDNN is of this version
 *   cudnn-parts                         a library of cuDNN's parts does not load
 *   planner-crash, planner-hang         cuDNN's heuristics die, never end
 *   oom:KERNEL                          no memory for an op that uses this kernel
 *   sticky:KERNEL                       this kernel's launch ends the context
 *   hang:KERNEL                         this kernel never ends
 *   capture-fails:KERNEL                this kernel cannot be captured
 *   slow-launch:KERNEL                  launching this kernel takes the host 100 us
 *   nvml-hot, nvml-capped               the device is slowed down by heat, by its limit of power
 *   nvml-shared                         another process computes on the device
 *   nvml-used, nvml-starting            it is busy before we use it; only when first asked
 *   nvml-silent                         the driver's library cannot be used
 *   lt-oom:N, lt-crash:N, lt-hang:N     a small matrix product by cublasLt's algorithm N wants
 *                                       more workspace than there is, dies, never ends
 *   peaks                               a large product, as peaks are measured by, dies
 *   peak-fail:N                         a large product by algorithm N fails; N is ".": by any
 *   fp8-refused                         cublasLt has no algorithm for products in fp8
 *   fast-refused                        nor for products that are to be accumulated fast
 *   quick                               operations take a tenth of the time
 *   replay-lost                         what is in a graph does not run when it is launched
 *   copy-fail                           copies by which the bandwidth is measured fail
 * where KERNEL is a part of a kernel's name; unset, there is none. PALEO_STAND_IN is the device's
 * name, "Stand-in" if unset.
 */
static inline int is_fault(const char *name)
{
	const char *fault = getenv("PALEO_FAULT");

	return fault && !strcmp(fault, name);
}

/* 1 if the fault `name` is for this kernel. */
static inline int is_fault_of(const char *name, const char *kernel)
{
	const char *fault = getenv("PALEO_FAULT");
	size_t length = strlen(name);

	return fault && !strncmp(fault, name, length) && fault[length] == ':' &&
	       strstr(kernel, fault + length + 1);
}

#endif
