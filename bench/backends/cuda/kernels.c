/* kernels.c - loads our kernels into the device and launches them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cuda/session.h"

#define BLOCKS_MAX 2147483647.0

/* Dtypes with the same storage share their kernels; around fp8 GEMMs it is bf16. */
static enum paleo_dtype stored_as(enum paleo_dtype dtype)
{
	return dtype == PALEO_TF32 ? PALEO_F32 : paleo_dtype_wide(dtype);
}

/* Makes the kernels of a dtype ready, if they are not. */
static int load_kernels(struct paleo_session *s, enum paleo_dtype dtype, struct paleo_error *err)
{
	cudaLibrary_t *module = &s->modules[stored_as(dtype)];
	int capability = 10 * s->properties.major + s->properties.minor, rc = PALEO_OK;
	char *compiled = NULL;

	if (*module)
		return PALEO_OK;
	const char *image = paleo_kernel_image(stored_as(dtype), capability);
	if (!image) {
		rc = paleo_nvrtc_compile(dtype, capability, &compiled, NULL, err);
		image = compiled;
	}
	if (!rc)
		rc = paleo_cuda_check(
			cudaLibraryLoadData(module, image, NULL, NULL, 0, NULL, NULL, 0),
			"load the kernels", err);
	free(compiled);
	return rc;
}

int paleo_kernels_find(struct paleo_session *s, enum paleo_dtype dtype, const char *name,
		       cudaKernel_t *out, struct paleo_error *err)
{
	int rc = load_kernels(s, dtype, err);

	if (!rc)
		rc = paleo_cuda_check(cudaLibraryGetKernel(out, s->modules[stored_as(dtype)], name),
				      "find a kernel", err);
	if (rc)
		paleo_error_prefix(err, "kernel '%s'", name);
	return rc;
}

/* Most kernels take the frame alone. */
static int run_parts(struct paleo_session *s, cudaKernel_t kernel, double blocks,
		     struct paleo_frame *f, struct paleo_parts *parts, struct paleo_error *err)
{
	void *arguments[] = {f, parts};
	cudaLaunchConfig_t config;

	memset(&config, 0, sizeof(config));
	config.gridDim = (dim3){.x = (unsigned)blocks, .y = 1, .z = 1};
	config.blockDim = (dim3){.x = PALEO_KERNEL_THREADS, .y = 1, .z = 1};
	config.stream = s->stream;
	return paleo_cuda_check(cudaLaunchKernelExC(&config, (const void *)kernel, arguments),
				"launch a kernel", err);
}

int paleo_kernels_run(struct paleo_session *s, cudaKernel_t kernel, double blocks,
		      const struct paleo_frame *f, struct paleo_error *err)
{
	struct paleo_frame frame = *f;

	return run_parts(s, kernel, blocks, &frame, NULL, err);
}

int paleo_kernels_fill(struct paleo_session *s, enum paleo_dtype dtype, const char *name,
		       const struct paleo_frame *f, struct paleo_error *err)
{
	double blocks = ceil((double)f->count / PALEO_KERNEL_THREADS);
	cudaKernel_t kernel;
	int rc = paleo_kernels_find(s, dtype, name, &kernel, err);

	return rc ? rc : paleo_kernels_run(s, kernel, fmin(blocks, 1 << 20), f, err);
}

/* The state of a kernel's step. */
struct call {
	cudaKernel_t kernel;
	double blocks;
	struct paleo_frame frame;
};

static int launch(const struct paleo_step *step, const struct paleo_job *j, int copy,
		  struct paleo_error *err)
{
	const struct call *c = step->state;
	struct paleo_frame f = c->frame;
	struct paleo_parts parts;

	paleo_frame_bind(&f, j, copy);
	paleo_parts_bind(&parts, j, copy);
	return run_parts(j->session, c->kernel, c->blocks, &f, &parts, err);
}

static void release(struct paleo_step *step)
{
	free(step->state);
}

int paleo_kernel_add(struct paleo_job *j, enum paleo_job_phase phase, const char *name,
		     double blocks, const struct paleo_frame *f, struct paleo_error *err)
{
	cudaKernel_t kernel;

	if (blocks > BLOCKS_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "kernel '%s' would need %.0f blocks, a grid has 2^31 - 1 at most",
				  name, blocks);
	int rc = paleo_kernels_find(j->session, j->op.dtype, name, &kernel, err);
	if (rc)
		return rc;
	struct call *c = malloc(sizeof(*c));
	if (!c)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a step");
	*c = (struct call){.kernel = kernel, .blocks = blocks, .frame = *f};
	struct paleo_step step = {.state = c, .launch = launch, .release = release};
	return paleo_job_add(j, phase, &step, err);
}
