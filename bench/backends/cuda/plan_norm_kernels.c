/* plan_norm_kernels.c - normalisation by our own kernels: sums, then every element. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans.h"

static double rows(const struct paleo_frame *f)
{
	return (double)f->n * f->in_h * f->in_w;
}

/* A kernel row_stats, row_fwd or row_bwd: pack_row_... for rows of adjacent packs that the threads
 * of a warp, or of a block, can hold. */
static int add_rows(struct paleo_job *j, enum paleo_phase phase, const char *name,
		    struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);
	int pack = paleo_kernel_pack(j), held = pack * PALEO_ROW_PACKS;
	char full[32];

	f.lanes = PALEO_KERNEL_THREADS;
	int fits = f.in_h == 1 && f.in_w == 1 && f.c % pack == 0 && f.c <= f.lanes * held;
	if (fits && f.c <= PALEO_WARP * held)
		f.lanes = PALEO_WARP;
	snprintf(full, sizeof(full), "%s%s", fits ? "pack_" : "", name);
	return paleo_kernel_add(j, phase, full, ceil(rows(&f) * f.lanes / PALEO_KERNEL_THREADS), &f,
				err);
}

static int hide_statistics(struct paleo_job *j, double groups, struct paleo_error *err)
{
	int rc = paleo_job_hide(j, PALEO_STATE1, groups, sizeof(float), err);

	return rc ? rc : paleo_job_hide(j, PALEO_STATE2, groups, sizeof(float), err);
}

int paleo_plan_norm_statistics(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);
	int rc = hide_statistics(j, f.per_row ? rows(&f) : f.c, err);

	if (rc)
		return rc;
	if (f.per_row)
		return add_rows(j, PALEO_SETUP, "row_stats", err);
	return paleo_kernel_add_sums(j, PALEO_SETUP, "stats", &f, err);
}

static int batch_forward(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);
	int rc = hide_statistics(j, f.c, err);

	if (!rc)
		rc = paleo_kernel_add_sums(j, PALEO_TIMED, "stats", &f, err);
	if (!rc)
		rc = paleo_kernel_add_packs(j, PALEO_TIMED, "batch_fwd", rows(&f) * f.c, &f, err);
	return rc;
}

/* The gradients of scale and shift are sums that the gradient of x needs, too. */
static int batch_backward(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);
	int rc = paleo_plan_norm_statistics(j, err);

	if (!rc)
		rc = paleo_kernel_add_sums(j, PALEO_TIMED, "grad", &f, err);
	if (!rc)
		rc = paleo_kernel_add_packs(j, PALEO_TIMED, "batch_bwd", rows(&f) * f.c, &f, err);
	return rc;
}

static int row_backward(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);
	const struct paleo_norm_geom *g = &j->work.geom.norm;
	int rc = paleo_plan_norm_statistics(j, err);

	if (!rc)
		rc = add_rows(j, PALEO_TIMED, "row_bwd", err);
	if (!rc && (g->scale || g->shift))
		rc = paleo_kernel_add_sums(j, PALEO_TIMED, "grad", &f, err);
	return rc;
}

int paleo_plan_norm_kernels(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);
	int fwd = j->work.pass == PALEO_FWD;

	if (rows(&f) * f.c >= 4294967296.0)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "kernels normalise fewer than 2^32 elements");
	if (j->work.geom.norm.mode == PALEO_BATCH_INFERENCE) {
		paleo_job_name(j, "kernel", "batch_infer");
		return paleo_kernel_add_packs(j, PALEO_TIMED, "batch_infer", rows(&f) * f.c, &f,
					      err);
	}
	paleo_job_name(j, "kernel", f.per_row ? "row norm" : "batch norm");
	if (!f.per_row)
		return fwd ? batch_forward(j, err) : batch_backward(j, err);
	if (fwd)
		return add_rows(j, PALEO_TIMED, "row_fwd", err);
	return row_backward(j, err);
}
