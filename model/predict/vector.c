/* vector.c - the time of a depthwise convolution on a GPU: vector units, or memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/kernel_model.h"

/*
 * Depthwise convolutions (each channel its own group) are not GEMMs and do not use tensor cores: in
 * any dtype each output is summed by the f32 units.
 *
 *   time = launch + max(flops / (vector peak ppp_compute), bytes / (bandwidth ppp_memory))
 *
 * Both gradients have the same formula, with separate fractions. The same holds for gradients of
 * groups without a kernel for tensor cores (paleo_conv_is_direct()).
 */
struct vector_params {
	double launch_us;
	double ppp_compute; /* of the f32 peak */
	double ppp_memory;
};

PALEO_KERNEL_FITS(struct vector_params);

#define ROW(...) PALEO_PARAMETER(struct vector_params, __VA_ARGS__)
/* All four fractions are fitted to whole networks, on two GPUs and on one
 * (docs/method/frameworks.md). */
// clang-format off
#define LAUNCH ROW(launch_us, "t0", "us", 3, 0.01, 300, 1.5, "launch and dispatch")
#define COMPUTE(start) ROW(ppp_compute, "pc", "1", start, 0.005, 1, 0.7, \
			   "fraction of the vector units' f32 peak")
#define MEMORY(start) ROW(ppp_memory, "pm", "1", start, 0.05, 2, 0.35, \
			  "fraction of the memory's bandwidth")
static const struct paleo_parameter of_forward[] = {LAUNCH, COMPUTE(0.2), MEMORY(1), {0}};
static const struct paleo_parameter of_gradients[] = {LAUNCH, COMPUTE(0.05), MEMORY(0.17), {0}};
// clang-format on

/* Seconds of computing and of moving data, without the launch; the longer one counts. */
static double compute_s(const struct vector_params *p, const struct paleo_tile_device *d,
			double flops)
{
	return flops / (p->ppp_compute * d->vector_flop_per_s);
}

static double memory_s(const struct vector_params *p, const struct paleo_tile_device *d,
		       double bytes)
{
	return bytes / (p->ppp_memory * d->mem_bytes_per_s);
}

static int is_depthwise(const struct paleo_op *w)
{
	return w->kind == PALEO_CONV && w->geom.conv.groups > 1 &&
	       w->geom.conv.groups == w->geom.conv.c;
}

static int is_forward(const struct paleo_op *w)
{
	return is_depthwise(w) && w->pass == PALEO_FWD;
}

static int is_gradient(const struct paleo_op *w)
{
	return (is_depthwise(w) && w->pass != PALEO_FWD) || paleo_conv_is_direct(w);
}

static void price_vector(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			 const struct paleo_op *w, struct paleo_parts *out)
{
	const struct vector_params *p = (const void *)m->params;

	out->compute_s = compute_s(p, d, w->flops);
	out->memory_s = memory_s(p, d, w->read_bytes + w->write_bytes);
	out->overhead_s = p->launch_us * 1e-6;
	out->total_s = out->overhead_s + fmax(out->compute_s, out->memory_s);
}

const struct paleo_kernel_model paleo_kernel_vector = {
	.name = "vector",
	.what = "depthwise convolutions: vector units or memory, whichever takes longer",
	.parameters = of_forward,
	.count = 3,
	.applies = is_forward,
	.price = price_vector,
};

const struct paleo_kernel_model paleo_kernel_vector_gradient = {
	.name = "vector_gradient",
	.what = "gradients on vector units, depthwise and grouped: separate fractions",
	.parameters = of_gradients,
	.count = 3,
	.applies = is_gradient,
	.price = price_vector,
};
