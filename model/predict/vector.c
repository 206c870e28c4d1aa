/* vector.c - the time of a depthwise convolution on a GPU: vector units, or memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/vector.h"

#include <math.h>

#include "model/predict/kernel_models.h"

PALEO_KERNEL_FITS(struct paleo_vector_params);

#define AT(field) offsetof(struct paleo_vector_params, field)
/* Both fractions are fitted to whole nets on two GPUs (docs/method/answers.md). */
// clang-format off
const struct paleo_parameter paleo_vector_parameters[] = {
	{ .name = "launch_us", .symbol = "t0", .unit = "us",
	  .meaning = "launch and dispatch", .offset = AT(launch_us),
	  .init = 3, .low = 0.01, .high = 300, .prior_sd = 1.5 },
	{ .name = "ppp_compute", .symbol = "pc", .unit = "1",
	  .meaning = "fraction of the vector units' f32 peak", .offset = AT(ppp_compute),
	  .init = 0.2, .low = 0.005, .high = 1, .prior_sd = 0.7 },
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", .offset = AT(ppp_memory),
	  .init = 1, .low = 0.05, .high = 2, .prior_sd = 0.35 },
	{0},
};
// clang-format on

double paleo_vector_compute_s(const struct paleo_vector_params *p,
			      const struct paleo_tile_device *d, double flops)
{
	return flops / (p->ppp_compute * d->vector_flop_per_s);
}

double paleo_vector_memory_s(const struct paleo_vector_params *p, const struct paleo_tile_device *d,
			     double bytes)
{
	return bytes / (p->ppp_memory * d->mem_bytes_per_s);
}

static int is_depthwise(const struct paleo_work *w)
{
	return w->kind == PALEO_CONV && w->geom.conv.groups > 1 &&
	       w->geom.conv.groups == w->geom.conv.c;
}

static void price_vector(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			 const struct paleo_work *w, struct paleo_parts *out)
{
	const struct paleo_vector_params *p = (const void *)m->params;

	out->compute_s = paleo_vector_compute_s(p, d, w->flops);
	out->memory_s = paleo_vector_memory_s(p, d, w->read_bytes + w->write_bytes);
	out->overhead_s = p->launch_us * 1e-6;
	out->total_s = out->overhead_s + fmax(out->compute_s, out->memory_s);
}

const struct paleo_kernel_model paleo_kernel_vector = {
	.name = "vector",
	.what = "depthwise convolutions: vector units or memory, whichever takes longer",
	.parameters = paleo_vector_parameters,
	.count = PALEO_VECTOR_PARAMETERS,
	.applies = is_depthwise,
	.price = price_vector,
};
