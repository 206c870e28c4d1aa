/* plan_kernels.c - steps of the works that our own kernels compute. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans.h"

/* The largest window whose pixels a byte of the mask can number. */
#define WINDOW_MAX 256

int paleo_plan_eltwise(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);
	enum paleo_eltwise_op op = (enum paleo_eltwise_op)j->work.geom.eltwise.op;
	char name[32];

	snprintf(name, sizeof(name), "%s%s_%s", paleo_eltwise_name(op), f.small ? "_repeated" : "",
		 j->work.pass == PALEO_FWD ? "fwd" : "bwd");
	paleo_job_name(j, "kernel", name);
	return paleo_kernel_add_packs(j, PALEO_TIMED, name, (double)f.count, &f, err);
}

int paleo_plan_update(struct paleo_job *j, struct paleo_error *err)
{
	static const char *const names[] = {
		[PALEO_SGD] = "sgd", [PALEO_MOMENTUM] = "momentum", [PALEO_ADAM] = "adam"};
	struct paleo_frame f = paleo_frame_of(&j->work);
	const char *name = names[j->work.geom.update.rule];

	paleo_job_name(j, "kernel", name);
	return paleo_kernel_add_packs(j, PALEO_TIMED, name, (double)f.count, &f, err);
}

static double inputs(const struct paleo_frame *f)
{
	return (double)f->n * f->c * f->in_h * f->in_w;
}

static double outputs(const struct paleo_frame *f)
{
	return (double)f->n * f->c * f->out_h * f->out_w;
}

/* A thread for each pixel of the result: y forward, dx backward. */
static int add_pixel_step(struct paleo_job *j, const char *name, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);
	double count = j->work.pass == PALEO_FWD ? outputs(&f) : inputs(&f);

	paleo_job_name(j, "kernel", name);
	return paleo_kernel_add_pixels(j, PALEO_TIMED, name, count, &f, err);
}

int paleo_plan_upsample(struct paleo_job *j, struct paleo_error *err)
{
	int fwd = j->work.pass == PALEO_FWD;

	if (j->work.geom.upsample.mode == PALEO_NEAREST)
		return add_pixel_step(j, fwd ? "nearest_fwd" : "nearest_bwd", err);
	return add_pixel_step(j, fwd ? "bilinear_fwd" : "bilinear_bwd", err);
}

/* The mask comes from a forward pass on x, which the timed step does not need. */
static int add_mask_setup(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);
	int rc = paleo_job_hide_like(j, PALEO_X, PALEO_DX, err);

	if (rc)
		return rc;
	return paleo_kernel_add_pixels(j, PALEO_SETUP, "max_pool_fwd", outputs(&f), &f, err);
}

int paleo_plan_pool_kernels(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_pool_geom *g = &j->work.geom.pool;
	int fwd = j->work.pass == PALEO_FWD;

	if (g->mode != PALEO_POOL_MAX)
		return add_pixel_step(j, fwd ? "avg_pool_fwd" : "avg_pool_bwd", err);
	if ((double)g->r * g->s > WINDOW_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "a maximum over %d x %d pixels: a mask of a byte numbers %d at "
				  "most",
				  g->r, g->s, WINDOW_MAX);
	int rc = fwd ? PALEO_OK : add_mask_setup(j, err);
	if (rc)
		return rc;
	return add_pixel_step(j, fwd ? "max_pool_fwd" : "max_pool_bwd", err);
}

int paleo_plan_bias(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);
	const struct paleo_operand *y = paleo_job_operand(j, PALEO_Y);

	paleo_job_name(j, "kernel", "bias");
	if (j->work.kind == PALEO_GEMM) { /* y[m, n]: n channels of one pixel */
		f.n = j->work.geom.gemm.m;
		f.c = j->work.geom.gemm.n;
		f.in_h = f.in_w = 1;
	}
	/* The kernel finds an element's channel by its number, as pixel kernels do. */
	if (paleo_operand_count(y) >= 4294967296.0)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "a bias is added to fewer than 2^32 elements");
	return paleo_kernel_add_packs(j, PALEO_TIMED, "bias_add", paleo_operand_count(y), &f, err);
}

int paleo_plan_act(struct paleo_job *j, int act, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);
	const struct paleo_operand *y = paleo_job_operand(j, PALEO_Y);
	char name[32];

	snprintf(name, sizeof(name), "%s_fwd",
		 paleo_eltwise_name((enum paleo_eltwise_op)(act - 1)));
	f.in_place = 1;
	paleo_job_name(j, "kernel", name);
	return paleo_kernel_add_packs(j, PALEO_TIMED, name, paleo_operand_count(y), &f, err);
}

int paleo_plan_bias_gradient(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);

	if (f.n == INT_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "a bias gradient sums up fewer than 2^31 pixels");
	paleo_job_name(j, "kernel", "bias gradient");
	return paleo_kernel_add_sums(j, PALEO_TIMED, "bias", &f, err);
}
