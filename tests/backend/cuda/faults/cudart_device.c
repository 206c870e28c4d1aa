/* cudart_device.c - stand-in for the CUDA runtime: the device, its memory, its errors. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "cudart.h"
#include "fault.h"

#define PAGE ((size_t)4096)
#define HUGE_BYTES 2147483648 /* what the bandwidth is measured by copies of */
#define LARGE_BYTES 16777216  /* only ceilings and warm-up copy more, and no one looks at it */

struct cuda_state *cuda_state(void)
{
	static struct cuda_state state;

	return &state;
}

cudaError_t cudaDriverGetVersion(int *version)
{
	*version = is_fault("no-driver") ? 0 : is_fault("old-driver") ? 12000 : CUDART_VERSION;
	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	*version = CUDART_VERSION;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
	if (is_fault("no-driver") || is_fault("old-driver"))
		return cudaErrorInsufficientDriver;
	if (is_fault("no-device"))
		return cudaErrorNoDevice;
	*count = 1;
	return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
	return device ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	const char *name = getenv("PALEO_STAND_IN");

	memset(p, 0, sizeof(*p));
	snprintf(p->name, sizeof(p->name), "%s", name ? name : "Stand-in");
	p->major = is_fault("old-device") ? 8 : is_fault("new-device") ? 10 : 9;
	p->minor = is_fault("odd-device") ? 9 : 0;
	p->l2CacheSize = 65536;
	p->multiProcessorCount = 4;
	p->totalGlobalMem = (size_t)8 << 30;
	return cudaSetDevice(device);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
	*value = attribute == cudaDevAttrClockRate ? 1000000 : 0;
	return cudaSetDevice(device);
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device)
{
	static const char id[] = "0000:0f:00.0";

	if (size < (int)sizeof(id))
		return cudaErrorInvalidValue;
	memcpy(text, id, sizeof(id));
	return cudaSetDevice(device);
}

cudaError_t cudaMallocHost(void **out, size_t size)
{
	return cudaMalloc(out, size);
}

cudaError_t cudaFreeHost(void *memory)
{
	return cudaFree(memory);
}

/* Not allowed while something is captured. */
cudaError_t cudaDeviceSynchronize(void)
{
	if (cuda_state()->is_capturing)
		return cudaErrorStreamCaptureUnsupported;
	return cuda_state()->lost;
}

/* A lost context stays lost. */
cudaError_t cudaGetLastError(void)
{
	return cuda_state()->lost;
}

const char *cudaGetErrorString(cudaError_t error)
{
	switch ((int)error) {
	case cudaErrorMemoryAllocation:
		return "out of memory";
	case cudaErrorNoDevice:
		return "no CUDA-capable device is detected";
	case cudaErrorInsufficientDriver:
		return "CUDA driver version is insufficient for CUDA runtime version";
	case cudaErrorIllegalAddress:
		return "an illegal memory access was encountered";
	default:
		return "an error of the stand-in";
	}
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
	*available = (size_t)8 << 30;
	*total = (size_t)8 << 30;
	return cuda_state()->lost;
}

/* The size stands in a page before the memory; pages that are never touched cost nothing. */
cudaError_t cudaMalloc(void **out, size_t size)
{
	struct cuda_state *s = cuda_state();

	if (s->lost)
		return s->lost;
	if (is_fault_of("oom", s->kernel))
		return cudaErrorMemoryAllocation;
	size_t whole = size + PAGE;
	char *at = mmap(NULL, whole, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return cudaErrorMemoryAllocation;
	memcpy(at, &whole, sizeof(whole));
	*out = at + PAGE;
	return cudaSuccess;
}

cudaError_t cudaFree(void *memory)
{
	size_t whole;

	if (!memory)
		return cuda_state()->lost;
	char *at = (char *)memory - PAGE;
	memcpy(&whole, at, sizeof(whole));
	munmap(at, whole);
	return cuda_state()->lost;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
			    cudaStream_t stream)
{
	(void)stream;
	if (is_fault("copy-fail") && kind == cudaMemcpyDeviceToDevice && size >= HUGE_BYTES)
		return cudaErrorUnknown;
	if (cuda_take() && size <= LARGE_BYTES)
		memcpy(to, from, size);
	return cuda_state()->lost;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
	return cudaMemcpyAsync(to, from, size, kind, NULL);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
	(void)stream;
	if (cuda_take() && size <= LARGE_BYTES)
		memset(to, value, size);
	return cuda_state()->lost;
}
