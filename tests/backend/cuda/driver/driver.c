/* driver.c - takes the place of the driver's library where no GPU is, so that cuDNN compiles. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

/*
 * Before cuDNN compiles an engine at run time, also for a device that is only described, it opens
 * the driver's library, libcuda.so.1, and loads into it what it has compiled. With this one first
 * in LD_LIBRARY_PATH it comes to a plan where no driver is. Never installed.
 *
 * It pretends
 * - to be a driver for CUDA 13.0;
 * - that every image loads and holds every kernel that is asked for (none is ever looked at);
 * - that a kernel's attributes can be set, and are 1024 threads a block and 32 of all else;
 * - that two blocks of any kernel fit a multiprocessor, and clusters have up to 8 blocks.
 *
 * It does not pretend a device: what counts, opens or uses one answers that there is none. Nothing
 * is allocated, copied or launched.
 *
 * So a plan that is made with it shows that cuDNN offers an engine, writes its code and compiles
 * that. It does not show that the code loads, fits the device or computes anything.
 *
 * Parameters that do not matter here are left out, which C's calls allow on Linux.
 */
enum {
	SUCCESS = 0,
	NO_DEVICE = 100,      /* CUDA_ERROR_NO_DEVICE */
	THREADS_PER_BLOCK = 0 /* CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK */
};

#define ANSWERS(name, answer)                                                                      \
	int name(void);                                                                            \
	int name(void)                                                                             \
	{                                                                                          \
		return answer;                                                                     \
	}

#define GIVES_NUMBER(name, number)                                                                 \
	int name(int *out);                                                                        \
	int name(int *out)                                                                         \
	{                                                                                          \
		*out = number;                                                                     \
		return SUCCESS;                                                                    \
	}

/* What all handles point to; nobody looks there. */
static const char nothing = 0;

#define GIVES_HANDLE(name)                                                                         \
	int name(const void **out);                                                                \
	int name(const void **out)                                                                 \
	{                                                                                          \
		*out = &nothing;                                                                   \
		return SUCCESS;                                                                    \
	}

#define GIVES_ATTRIBUTE(name)                                                                      \
	int name(int *out, int attribute);                                                         \
	int name(int *out, int attribute)                                                          \
	{                                                                                          \
		*out = attribute == THREADS_PER_BLOCK ? 1024 : 32;                                 \
		return SUCCESS;                                                                    \
	}

#define GIVES_TEXT(name, text)                                                                     \
	int name(int error, const char **out);                                                     \
	int name(int error, const char **out)                                                      \
	{                                                                                          \
		*out = error ? (text) : "no error";                                                \
		return SUCCESS;                                                                    \
	}

GIVES_NUMBER(cuDriverGetVersion, 13000)
GIVES_NUMBER(cuOccupancyMaxActiveBlocksPerMultiprocessor, 2)
GIVES_NUMBER(cuOccupancyMaxPotentialClusterSize, 8)
GIVES_TEXT(cuGetErrorName, "CUDA_ERROR_NO_DEVICE")
GIVES_TEXT(cuGetErrorString, "the driver's stand-in has no device")
GIVES_HANDLE(cuModuleLoadData)
GIVES_HANDLE(cuModuleLoadDataEx)
GIVES_HANDLE(cuModuleGetFunction)
GIVES_HANDLE(cuLibraryLoadData)
GIVES_HANDLE(cuKernelGetFunction)
GIVES_HANDLE(cuLibraryGetKernel)
GIVES_ATTRIBUTE(cuFuncGetAttribute)
GIVES_ATTRIBUTE(cuKernelGetAttribute)
ANSWERS(cuFuncSetAttribute, SUCCESS)
ANSWERS(cuKernelSetAttribute, SUCCESS)
ANSWERS(cuModuleUnload, SUCCESS)
ANSWERS(cuLibraryUnload, SUCCESS)

int cuDeviceGetCount(int *count);

/* cuDNN reads the number, whatever the answer, and chooses by it. */
int cuDeviceGetCount(int *count)
{
	*count = 0;
	return NO_DEVICE;
}

/* cuDNN gives up where one of these is missing. */
ANSWERS(cuCtxGetCurrent, NO_DEVICE)
ANSWERS(cuCtxGetLimit, NO_DEVICE)
ANSWERS(cuCtxPopCurrent, NO_DEVICE)
ANSWERS(cuCtxPushCurrent, NO_DEVICE)
ANSWERS(cuDeviceGet, NO_DEVICE)
ANSWERS(cuInit, NO_DEVICE)
ANSWERS(cuLaunchCooperativeKernel, NO_DEVICE)
ANSWERS(cuLaunchKernel, NO_DEVICE)
ANSWERS(cuLaunchKernelEx, NO_DEVICE)
ANSWERS(cuLibraryLoadFromFile, NO_DEVICE)
ANSWERS(cuLinkAddData, NO_DEVICE)
ANSWERS(cuLinkComplete, NO_DEVICE)
ANSWERS(cuLinkCreate, NO_DEVICE)
ANSWERS(cuLinkDestroy, NO_DEVICE)
ANSWERS(cuStreamGetCtx, NO_DEVICE)
ANSWERS(cuTensorMapEncodeIm2col, NO_DEVICE)
ANSWERS(cuTensorMapEncodeTiled, NO_DEVICE)

int cuGetProcAddress_v2(const char *symbol, void (**out)(void), int version,
			unsigned long long flags, int *status);

/* Where CUDA's runtime takes all its functions from, this one, too: of them, two do anything. */
int cuGetProcAddress_v2(const char *symbol, void (**out)(void), int version,
			unsigned long long flags, int *status)
{
	(void)version;
	(void)flags;
	if (!strcmp(symbol, "cuDriverGetVersion"))
		*out = (void (*)(void))cuDriverGetVersion;
	else if (!strncmp(symbol, "cuGetProcAddress", strlen("cuGetProcAddress")))
		*out = (void (*)(void))cuGetProcAddress_v2;
	else
		*out = (void (*)(void))cuInit;
	if (status)
		*status = SUCCESS;
	return SUCCESS;
}
