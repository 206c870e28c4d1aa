/* plan_experts.c - experts: kernels that order tokens, cuDNN's grouped products between. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans.h"
#include "bench/fill.h"

static int hide_all(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_moe_geom *g = &j->work.geom.moe;
	int bytes = paleo_dtype_bytes(paleo_dtype_wide(j->work.dtype)), rc = PALEO_OK;
	double rows = paleo_fill_expert_rows(g), pairs = (double)g->tokens * g->topk;
	const struct {
		enum paleo_role role;
		double count;
	} hidden[] = {
		{PALEO_DX, rows * g->hidden},
		{PALEO_INNER, rows * g->inter * (g->gated ? 2 : 1)},
		{PALEO_DINNER, rows * g->inter},
		{PALEO_DY, rows * g->hidden},
	};

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]) && !rc; i++)
		rc = paleo_job_hide(j, hidden[i].role, hidden[i].count, bytes, err);
	if (rc)
		return rc;
	return paleo_job_hide(j, PALEO_STATE1, g->local + pairs + rows, sizeof(int), err);
}

/* A kernel over rows of `width` elements, which go by packs where these are whole. */
static int add_rows(struct paleo_job *j, const char *name, double rows, int width,
		    struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);
	double each = width % paleo_kernel_pack(j) ? 1 : paleo_kernel_pack(j);

	f.count = (long long)(rows * width);
	paleo_job_name(j, "kernel", name);
	return paleo_kernel_add(j, PALEO_TIMED, name,
				ceil(rows * width / each / PALEO_KERNEL_THREADS), &f, err);
}

int paleo_plan_moe(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_moe_geom *g = &j->work.geom.moe;
	struct paleo_frame f = paleo_frame_of(&j->work);
	double rows = paleo_fill_expert_rows(g);
	int rc = hide_all(j, err);

	if (rc)
		return rc;
	paleo_job_name(j, "kernel", "experts_order");
	rc = paleo_kernel_add(j, PALEO_TIMED, "experts_order", g->local, &f, err);
	if (!rc)
		rc = add_rows(j, "experts_gather", rows, g->hidden, err);
	if (!rc)
		rc = paleo_plan_experts_product(j, 0, err);
	if (!rc)
		rc = add_rows(j, g->gated ? "experts_gated" : "experts_squared", rows, g->inter,
			      err);
	if (!rc)
		rc = paleo_plan_experts_product(j, 1, err);
	return rc ? rc : add_rows(j, "experts_sum", g->tokens, g->hidden, err);
}
