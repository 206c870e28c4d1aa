/* nvrtc.c - stand-in for NVRTC: says that it compiled, as the kernels are on the CPU already. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <nvrtc.h>
#include <string.h>

#include "fault.h"

nvrtcResult nvrtcVersion(int *major, int *minor)
{
	*major = 0;
	*minor = 0;
	return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult result)
{
	return result ? "an error of the stand-in" : "no error";
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
	*count = 2;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *architectures)
{
	architectures[0] = 80;
	architectures[1] = 90;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
			       int headers, const char *const *texts, const char *const *names)
{
	(void)source;
	(void)name;
	(void)headers;
	(void)texts;
	(void)names;
	*program = NULL;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
	(void)program;
	(void)count;
	(void)options;
	return is_fault("no-compiler") || is_fault("odd-device") ? NVRTC_ERROR_COMPILATION
								 : NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
	(void)program;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size)
{
	(void)program;
	*size = 1;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
	(void)program;
	*log = '\0';
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
	return nvrtcGetProgramLogSize(program, size);
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *image)
{
	return nvrtcGetProgramLog(program, image);
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size)
{
	return nvrtcGetProgramLogSize(program, size);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *image)
{
	return nvrtcGetProgramLog(program, image);
}
