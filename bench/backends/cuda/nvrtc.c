/* nvrtc.c - compiles the text of our kernels for a device; needs no device itself. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "bench/backends/cuda/cubins.h"
#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/status.h"

/* The number of kernels/element.inc for a number type. */
static int element_of(enum paleo_dtype dtype)
{
	switch (dtype) {
	case PALEO_F16:
		return 16;
	case PALEO_BF16:
	case PALEO_FP8: /* what is around its products */
		return 8;
	case PALEO_F32:
	case PALEO_TF32:
	case PALEO_DTYPES:
		break;
	}
	return 32;
}

/* The newest architecture that NVRTC compiles for and that `wanted` can run; 0 if there is none. */
static int best_architecture(int wanted)
{
	int count = 0, best = 0;

	if (nvrtcGetNumSupportedArchs(&count) || count <= 0)
		return 0;
	int *known = malloc((size_t)count * sizeof(*known));
	if (known && nvrtcGetSupportedArchs(known) == NVRTC_SUCCESS)
		for (int i = 0; i < count; i++)
			if (known[i] <= wanted && known[i] > best)
				best = known[i];
	free(known);
	return best;
}

/* Puts the compiler's first line into the sentence. */
static int fail_with_log(nvrtcProgram program, nvrtcResult answer, struct paleo_error *err)
{
	size_t size = 0;
	char *log = NULL;

	if (nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS && size > 0)
		log = calloc(1, size + 1);
	if (log && nvrtcGetProgramLog(program, log) == NVRTC_SUCCESS)
		log[strcspn(log, "\n")] = '\0';
	paleo_error_set(err, PALEO_ELIBRARY, "nvrtc cannot compile the kernels: %s: %s",
			nvrtcGetErrorString(answer), log ? log : "");
	free(log);
	return PALEO_ELIBRARY;
}

static int take_image(nvrtcProgram program, int is_ptx, char **image, size_t *image_size,
		      struct paleo_error *err)
{
	size_t size = 0;
	nvrtcResult answer =
		is_ptx ? nvrtcGetPTXSize(program, &size) : nvrtcGetCUBINSize(program, &size);
	int rc = paleo_nvrtc_check(answer, "say how large the kernels are", err);

	if (rc)
		return rc;
	char *taken = calloc(1, size + 1);
	if (!taken)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for compiled kernels");
	answer = is_ptx ? nvrtcGetPTX(program, taken) : nvrtcGetCUBIN(program, taken);
	rc = paleo_nvrtc_check(answer, "give the compiled kernels", err);
	if (rc) {
		free(taken);
		return rc;
	}
	*image = taken;
	*image_size = size;
	return PALEO_OK;
}

/* Of all that decides what comes out: the text, the options, the compiler's version. */
static uint64_t key_of(const char *const options[], int count)
{
	int version[2] = {0, 0};

	nvrtcVersion(&version[0], &version[1]);
	uint64_t key = paleo_hash_bytes(0, version, sizeof(version));
	for (int i = 0; i < count; i++)
		key = paleo_hash_bytes(key, options[i], strlen(options[i]) + 1);
	return paleo_hash_bytes(key, paleo_kernel_source, strlen(paleo_kernel_source));
}

static int compile(const char *const options[], int count, int is_ptx, char **image, size_t *size,
		   struct paleo_error *err)
{
	nvrtcProgram program = NULL;
	int rc = paleo_nvrtc_check(
		nvrtcCreateProgram(&program, paleo_kernel_source, "paleo_kernels", 0, NULL, NULL),
		"read the kernels", err);

	if (rc)
		return rc;
	nvrtcResult answer = nvrtcCompileProgram(program, count, options);
	rc = answer ? fail_with_log(program, answer, err)
		    : take_image(program, is_ptx, image, size, err);
	nvrtcDestroyProgram(&program);
	return rc;
}

int paleo_nvrtc_compile(enum paleo_dtype dtype, int compute_capability, char **image,
			struct paleo_error *err)
{
	int best = best_architecture(compute_capability);
	int is_ptx = best != compute_capability;
	char architecture[48], element[32];
	const char *options[] = {architecture, element, "--std=c++17"};
	const int count = (int)(sizeof(options) / sizeof(*options));
	size_t size = 0;

	if (!best)
		return paleo_fail(err, PALEO_ELIBRARY,
				  "nvrtc cannot compile for compute capability %d.%d",
				  compute_capability / 10, compute_capability % 10);
	snprintf(architecture, sizeof(architecture), "--gpu-architecture=%s_%d",
		 is_ptx ? "compute" : "sm", best);
	snprintf(element, sizeof(element), "-DPALEO_ELEMENT=%d", element_of(dtype));
	uint64_t key = key_of(options, count);
	char *kept = paleo_cubins_find(key);
	if (kept) {
		*image = kept;
		return PALEO_OK;
	}
	int rc = compile(options, count, is_ptx, image, &size, err);
	if (!rc)
		paleo_cubins_keep(key, *image, size);
	return rc;
}
