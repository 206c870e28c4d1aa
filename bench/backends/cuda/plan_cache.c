/* plan_cache.c - what comes before cuDNN's attention: its cache, queries in e4m3; own kernels. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans.h"

/* Keys or values of all rows that are seen. */
static int hide_cache(struct paleo_job *j, enum paleo_role role, int width, struct paleo_error *err)
{
	const struct paleo_attention_geom *g = &j->work.geom.attention;
	double rows = (double)g->batch * paleo_attention_seen(g) * g->kv_heads;

	return paleo_job_hide(j, role, rows * width,
			      paleo_dtype_bytes(paleo_operand_dtype(&j->work, PALEO_K)), err);
}

static double blocks_for(double count)
{
	return ceil(count / PALEO_KERNEL_THREADS);
}

/*
 * cuDNN reads keys and values from one tensor each. So the past is laid into a cache that has
 * room for the new rows, before the timing; what is timed appends these, and rotates.
 */
int paleo_plan_cache(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_attention_geom *g = &j->work.geom.attention;
	struct paleo_frame f = paleo_frame_of(&j->work);
	const struct paleo_operand *past = paleo_job_operand(j, PALEO_K);
	double queries = paleo_operand_count(paleo_job_operand(j, PALEO_X));
	double old = past ? paleo_operand_count(past) : 0;
	int rc = hide_cache(j, PALEO_DK, g->qk, err);

	f.count = (long long)(paleo_operand_count(paleo_job_operand(j, PALEO_NEW)) +
			      (g->rope ? queries : 0));
	if (!rc && !g->latent)
		rc = hide_cache(j, PALEO_DV, g->v, err);
	if (!rc && g->rope)
		rc = paleo_job_hide_like(j, PALEO_DX, PALEO_X, err);
	if (!rc && old > 0)
		rc = paleo_kernel_add(j, PALEO_SETUP, "past", blocks_for(old), &f, err);
	if (rc)
		return rc;
	paleo_job_name(j, "kernel", "append");
	return paleo_kernel_add(j, PALEO_TIMED, "append", blocks_for((double)f.count), &f, err);
}

/* The factors that no step finds are there before the timing. */
int paleo_plan_narrow_queries(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);
	int rc = paleo_plan_quantise(j, f.rope ? PALEO_DX : PALEO_X, err);

	return rc ? rc : paleo_kernel_add(j, PALEO_SETUP, "attention_scalars", 1, &f, err);
}
