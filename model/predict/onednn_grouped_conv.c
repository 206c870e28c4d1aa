/* onednn_grouped_conv.c - the time of convolutions of several groups on a processor. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/onednn_grouped_conv.h"

#include <math.h>

#include "model/predict/kernel_models.h"
#include "model/predict/soft_sum.h"

#define FIELD(field) #field, .offset = offsetof(struct paleo_onednn_grouped, field)
#define RANGE(start, least, most, sd)                                                              \
	.init = (start), .low = (least), .high = (most), .prior_sd = (sd)

// clang-format off
const struct paleo_parameter paleo_onednn_grouped_parameters[] = {
	{ .name = FIELD(lanes), .symbol = "l", .unit = "channels",
	  .meaning = "channels of a block", RANGE(8, 4, 32, 1) },
	{ .name = FIELD(launch_us), .symbol = "t0", .unit = "us",
	  .meaning = "dispatch, threads that wake up", RANGE(5, 0.01, 1000, 1) },
	{ .name = FIELD(ppp_compute), .symbol = "pc", .unit = "1",
	  .meaning = "percent of peak of a large depthwise work", RANGE(0.5, 0.01, 2, 0.7) },
	{ .name = FIELD(ppp_memory), .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", RANGE(0.3, 0.01, 16, 0.7) },
	{ .name = FIELD(overlap), .symbol = "v", .unit = "1",
	  .meaning = "exponent of the sum of arithmetic and traffic", RANGE(2, 1, 16, 0.4) },
	{ .name = FIELD(call_us), .symbol = "tc", .unit = "us",
	  .meaning = "a group of an image, whatever its size", RANGE(2, 0.01, 1000, 1) },
	{ .name = FIELD(patch_ns), .symbol = "tp", .unit = "ns",
	  .meaning = "an element of the matrix of patches", RANGE(1, 0.01, 100, 0.7) },
	{ .name = FIELD(ppp_product), .symbol = "pp", .unit = "1",
	  .meaning = "percent of peak of a thread's product", RANGE(0.5, 0.01, 2, 0.7) },
	{0},
};
// clang-format on

enum {
	BLOCK = 8,
	DEPTHWISE_FILTER = 3 /* the widest whose gradient has a kernel */
};

static int is_depthwise(const struct paleo_conv_geom *g)
{
	return g->c == g->groups && g->k == g->groups;
}

static int is_direct(const struct paleo_work *w)
{
	const struct paleo_conv_geom *g = &w->geom.conv;

	return is_depthwise(g) && (w->pass != PALEO_BWD_FILTER || g->s <= DEPTHWISE_FILTER);
}

int paleo_onednn_grouped_apply(const struct paleo_work *w)
{
	const struct paleo_conv_geom *g = &w->geom.conv;

	return w->kind == PALEO_CONV && g->groups > 1 &&
	       (is_depthwise(g) || g->c / g->groups % BLOCK || g->k / g->groups % BLOCK);
}

static void time_direct(const struct paleo_onednn_grouped *p, const struct paleo_tile_device *d,
			const struct paleo_work *w, struct paleo_parts *out)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	double channels = p->lanes * ceil(g->c / p->lanes);
	double flops = 2 * channels * g->n * g->p * g->q * g->r * g->s;

	out->compute_s = flops / (d->flop_per_s * p->ppp_compute);
	out->memory_s = (w->read_bytes + w->write_bytes) / (d->mem_bytes_per_s * p->ppp_memory);
	out->total_s = out->overhead_s + paleo_soft_sum(out->compute_s, out->memory_s, p->overlap);
}

static void time_one_by_one(const struct paleo_onednn_grouped *p, const struct paleo_tile_device *d,
			    const struct paleo_work *w, struct paleo_parts *out)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	double turns = ceil((double)g->n * g->groups / d->sm_count);
	double patches = (double)g->c / g->groups * g->r * g->s * g->p * g->q;
	double flops = 2 * patches * g->k / g->groups;

	out->overhead_s += turns * p->call_us * 1e-6;
	out->memory_s = turns * patches * p->patch_ns * 1e-9;
	out->compute_s = turns * flops * d->sm_count / (d->flop_per_s * p->ppp_product);
	out->total_s = out->overhead_s + out->memory_s + out->compute_s;
}

void paleo_onednn_grouped_time(const struct paleo_onednn_grouped *p,
			       const struct paleo_tile_device *d, const struct paleo_work *w,
			       struct paleo_parts *out)
{
	out->overhead_s = p->launch_us * 1e-6;
	if (is_direct(w))
		time_direct(p, d, w, out);
	else
		time_one_by_one(p, d, w, out);
}

unsigned long long paleo_onednn_grouped_uses(const struct paleo_work *w)
{
	const size_t direct = offsetof(struct paleo_onednn_grouped, ppp_compute);
	const size_t single = offsetof(struct paleo_onednn_grouped, call_us);
	unsigned long long uses = 0;

	for (int i = 0; i < PALEO_GROUPS; i++) {
		size_t at = paleo_onednn_grouped_parameters[i].offset;
		int used = at < direct || (at < single) == is_direct(w);
		uses |= (unsigned long long)used << i;
	}
	return uses;
}

PALEO_KERNEL_FITS(struct paleo_onednn_grouped);

static void price(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		  const struct paleo_work *w, struct paleo_parts *out)
{
	paleo_onednn_grouped_time((const void *)m->params, d, w, out);
}

const struct paleo_kernel_model paleo_kernel_onednn_grouped_conv = {
	.name = "onednn_grouped_conv",
	.what = "convolutions of groups on a processor: depthwise, or one by one",
	.host = 1,
	.parameters = paleo_onednn_grouped_parameters,
	.count = PALEO_GROUPS,
	.first = paleo_onednn_lanes,
	.uses = paleo_onednn_grouped_uses,
	.across = 1,
	.applies = paleo_onednn_grouped_apply,
	.price = price,
};
