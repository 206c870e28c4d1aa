/* vector.c - the time of a depthwise convolution on a GPU: vector units, or memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/vector.h"

#include <math.h>

#include "model/predict/kernel_models.h"

PALEO_KERNEL_FITS(struct paleo_vector_params);

#define AT(field) offsetof(struct paleo_vector_params, field)
/* All four fractions are fitted to whole nets, on two GPUs and on one (docs/method/answers.md). */
// clang-format off
#define LAUNCH \
	{ .name = "launch_us", .symbol = "t0", .unit = "us", \
	  .meaning = "launch and dispatch", .offset = AT(launch_us), \
	  .init = 3, .low = 0.01, .high = 300, .prior_sd = 1.5 }
#define COMPUTE(start) \
	{ .name = "ppp_compute", .symbol = "pc", .unit = "1", \
	  .meaning = "fraction of the vector units' f32 peak", .offset = AT(ppp_compute), \
	  .init = (start), .low = 0.005, .high = 1, .prior_sd = 0.7 }
#define MEMORY(start) \
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1", \
	  .meaning = "fraction of the memory's bandwidth", .offset = AT(ppp_memory), \
	  .init = (start), .low = 0.05, .high = 2, .prior_sd = 0.35 }

const struct paleo_parameter paleo_vector_parameters[] = {LAUNCH, COMPUTE(0.2), MEMORY(1), {0}};
static const struct paleo_parameter of_gradients[] = {LAUNCH, COMPUTE(0.05), MEMORY(0.17), {0}};
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

static int is_forward(const struct paleo_work *w)
{
	return is_depthwise(w) && w->pass == PALEO_FWD;
}

static int is_gradient(const struct paleo_work *w)
{
	return (is_depthwise(w) && w->pass != PALEO_FWD) || paleo_conv_is_direct(w);
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
	.applies = is_forward,
	.price = price_vector,
};

const struct paleo_kernel_model paleo_kernel_vector_gradient = {
	.name = "vector_gradient",
	.what = "gradients on vector units, depthwise and of groups: fractions of their own",
	.parameters = of_gradients,
	.count = PALEO_VECTOR_PARAMETERS,
	.applies = is_gradient,
	.price = price_vector,
};
