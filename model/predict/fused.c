/* fused.c - the time of attention or experts in one kernel on a GPU: arithmetic, or memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/kernel_models.h"

/* A roofline with a launch: what there is before a model of such kernels themselves is fitted. */
struct fused_params {
	double launch_us, ppp_compute, ppp_memory;
};

PALEO_KERNEL_FITS(struct fused_params);

#define AT(field) offsetof(struct fused_params, field)
// clang-format off
static const struct paleo_parameter parameters[] = {
	{ .name = "launch_us", .symbol = "t0", .unit = "us",
	  .meaning = "launch and dispatch", .offset = AT(launch_us),
	  .init = 5, .low = 0.01, .high = 300, .prior_sd = 1.5 },
	{ .name = "ppp_compute", .symbol = "pc", .unit = "1",
	  .meaning = "fraction of the peak FLOP/s", .offset = AT(ppp_compute),
	  .init = 0.5, .low = 0.005, .high = 1, .prior_sd = 0.7 },
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", .offset = AT(ppp_memory),
	  .init = 0.75, .low = 0.05, .high = 2, .prior_sd = 0.35 },
	{0},
};
// clang-format on

static int is_fused(const struct paleo_work *w)
{
	return w->kind == PALEO_ATTENTION || w->kind == PALEO_MOE;
}

static void price(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		  const struct paleo_work *w, struct paleo_parts *out)
{
	const struct fused_params *p = (const void *)m->params;

	out->compute_s = w->flops / (p->ppp_compute * d->flop_per_s);
	out->memory_s = (w->read_bytes + w->write_bytes) / (p->ppp_memory * d->mem_bytes_per_s);
	out->overhead_s = p->launch_us * 1e-6;
	out->total_s = out->overhead_s + fmax(out->compute_s, out->memory_s);
}

const struct paleo_kernel_model paleo_kernel_fused = {
	.name = "fused",
	.what = "attention and experts in one kernel: arithmetic or memory, whichever takes longer",
	.parameters = parameters,
	.count = 3,
	.is_guess = 1,
	.applies = is_fused,
	.price = price,
};
