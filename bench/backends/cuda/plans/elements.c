/* elements.c - ops by element and pixel, by our own kernels; how many blocks these get. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans/plans.h"

#define PIXELS_MAX 4294967296.0 /* 2^32 */

/* A sum is split so that so many blocks work on it, but each on so many elements at least: 8 packs
 * of 2 bytes an element a thread. */
#define BLOCKS_OF_A_SUM 1024.0
#define ELEMENTS_OF_A_SPLIT 16384.0

int paleo_kernel_pack(const struct paleo_job *j)
{
	return PALEO_PACK_BYTES / paleo_dtype_bytes(paleo_dtype_wide(j->op.dtype));
}

int paleo_kernel_add_packs(struct paleo_job *j, enum paleo_job_phase phase, const char *name,
			   double count, const struct paleo_frame *f, struct paleo_error *err)
{
	struct paleo_frame full = *f;

	full.count = (long long)count;
	return paleo_kernel_add(j, phase, name,
				ceil(count / paleo_kernel_pack(j) / PALEO_KERNEL_THREADS), &full,
				err);
}

int paleo_kernel_add_pixels(struct paleo_job *j, enum paleo_job_phase phase, const char *name,
			    double count, const struct paleo_frame *f, struct paleo_error *err)
{
	struct paleo_frame full = *f;

	if (count >= PIXELS_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "kernel '%s' takes tensors of fewer than 2^32 elements, not %.0f",
				  name, count);
	full.count = (long long)count;
	return paleo_kernel_add(j, phase, name, ceil(count / PALEO_KERNEL_THREADS), &full, err);
}

static int clamp_splits(double splits)
{
	return (int)fmin(fmax(splits, 1), BLOCKS_OF_A_SUM);
}

/* Groups of columns, a block for each; the kernel column_sums divides them in the same way. */
static double column_groups(const struct paleo_job *j, int columns)
{
	int pack = paleo_kernel_pack(j);
	double reads = columns % pack ? columns : columns / pack;

	return ceil(reads / PALEO_KERNEL_THREADS);
}

int paleo_kernel_add_sums(struct paleo_job *j, enum paleo_job_phase phase, const char *what,
			  struct paleo_frame *f, struct paleo_error *err)
{
	double plane = (double)f->in_h * f->in_w;
	double rows = f->n * plane;
	int columns = plane == 1; /* neighbours in memory are of different channels */
	double groups = columns ? column_groups(j, f->c) : f->c;
	double least = fmax(ELEMENTS_OF_A_SPLIT / (columns ? f->c / groups : 1), 1); /* rows */
	char name[48];

	if (rows >= PIXELS_MAX)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"a channel of %.0f elements is too long: fewer than 2^32 expected", rows);
	f->splits = clamp_splits(fmin(ceil(BLOCKS_OF_A_SUM / groups), floor(rows / least)));
	/* Two sums a split, and two in all. */
	paleo_job_need_workspace(j, 2.0 * f->c * (f->splits + 1) * sizeof(float));
	snprintf(name, sizeof(name), "%s_%s_sums", what, columns ? "column" : "plane");
	int rc = paleo_kernel_add(j, phase, name, groups * f->splits, f, err);
	if (rc)
		return rc;
	snprintf(name, sizeof(name), "%s_total", what);
	return paleo_kernel_add(j, phase, name,
				ceil((double)f->c * PALEO_WARP / PALEO_KERNEL_THREADS), f, err);
}

/* The largest window whose pixels a byte of the mask can number. */
#define WINDOW_MAX 256

/* Adds a timed step over `count` elements, and names it. */
static int add_named(struct paleo_job *j, const char *name, double count,
		     const struct paleo_frame *f, struct paleo_error *err)
{
	paleo_job_name(j, "kernel", name);
	return paleo_kernel_add_packs(j, PALEO_TIMED, name, count, f, err);
}

int paleo_plan_eltwise(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);
	enum paleo_eltwise_op op = (enum paleo_eltwise_op)j->op.geom.eltwise.op;
	char name[32];

	snprintf(name, sizeof(name), "%s%s_%s", paleo_eltwise_name(op), f.small ? "_repeated" : "",
		 j->op.pass == PALEO_FWD ? "fwd" : "bwd");
	return add_named(j, name, (double)f.count, &f, err);
}

int paleo_plan_update(struct paleo_job *j, struct paleo_error *err)
{
	static const char *const names[] = {
		[PALEO_SGD] = "sgd", [PALEO_MOMENTUM] = "momentum", [PALEO_ADAM] = "adam"};
	struct paleo_frame f = paleo_frame_of(&j->op);

	return add_named(j, names[j->op.geom.update.rule], (double)f.count, &f, err);
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
	struct paleo_frame f = paleo_frame_of(&j->op);
	double count = j->op.pass == PALEO_FWD ? outputs(&f) : inputs(&f);

	paleo_job_name(j, "kernel", name);
	return paleo_kernel_add_pixels(j, PALEO_TIMED, name, count, &f, err);
}

int paleo_plan_upsample(struct paleo_job *j, struct paleo_error *err)
{
	int fwd = j->op.pass == PALEO_FWD;

	if (j->op.geom.upsample.mode == PALEO_NEAREST)
		return add_pixel_step(j, fwd ? "nearest_fwd" : "nearest_bwd", err);
	return add_pixel_step(j, fwd ? "bilinear_fwd" : "bilinear_bwd", err);
}

/* The mask comes from a forward pass on x, which the timed step does not need. */
static int add_mask_setup(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);
	int rc = paleo_job_hide_like(j, PALEO_X, PALEO_DX, err);

	if (rc)
		return rc;
	return paleo_kernel_add_pixels(j, PALEO_SETUP, "max_pool_fwd", outputs(&f), &f, err);
}

int paleo_plan_pool(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_pool_geom *g = &j->op.geom.pool;
	int fwd = j->op.pass == PALEO_FWD;

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
	struct paleo_frame f = paleo_frame_of(&j->op);
	const struct paleo_operand *y = paleo_job_operand(j, PALEO_Y);

	paleo_job_name(j, "kernel", "bias");
	if (j->op.kind == PALEO_GEMM) { /* y[m, n]: n channels of one pixel */
		f.n = j->op.geom.gemm.m;
		f.c = j->op.geom.gemm.n;
		f.in_h = f.in_w = 1;
	}
	/* The kernel finds an element's channel by its number, as pixel kernels do. */
	if (paleo_operand_count(y) >= PIXELS_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "a bias is added to fewer than 2^32 elements");
	return paleo_kernel_add_packs(j, PALEO_TIMED, "bias_add", paleo_operand_count(y), &f, err);
}

int paleo_plan_act(struct paleo_job *j, int act, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);
	const struct paleo_operand *y = paleo_job_operand(j, PALEO_Y);
	char name[32];

	snprintf(name, sizeof(name), "%s_fwd",
		 paleo_eltwise_name((enum paleo_eltwise_op)(act - 1)));
	f.in_place = 1;
	return add_named(j, name, paleo_operand_count(y), &f, err);
}

int paleo_plan_bias_gradient(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);

	if (f.n == INT_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "a bias gradient sums up fewer than 2^31 pixels");
	paleo_job_name(j, "kernel", "bias gradient");
	return paleo_kernel_add_sums(j, PALEO_TIMED, "bias", &f, err);
}
