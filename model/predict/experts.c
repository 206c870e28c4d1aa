/* experts.c - the time of a mixture of experts in one work on a GPU: weights, tiles, tokens. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/experts.h"

#include <math.h>

#include "model/predict/kernel_models.h"
#include "model/predict/soft_sum.h"
#include "model/work/weight_type.h"

PALEO_KERNEL_FITS(struct paleo_experts_params);

#define AT(field) offsetof(struct paleo_experts_params, field)
// clang-format off
static const struct paleo_parameter parameters[] = {
	{ .name = "launch_us", .symbol = "t0", .unit = "us",
	  .meaning = "launches, and routing of few tokens", .offset = AT(launch_us),
	  .init = 20, .low = 0.01, .high = 500, .prior_sd = 1.5 },
	{ .name = "ppp_compute", .symbol = "pc", .unit = "1",
	  .meaning = "fraction of the peak FLOP/s", .offset = AT(ppp_compute),
	  .init = 0.5, .low = 0.01, .high = 1, .prior_sd = 0.7 },
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", .offset = AT(ppp_memory),
	  .init = 0.7, .low = 0.05, .high = 2, .prior_sd = 0.35 },
	{ .name = "route", .symbol = "r", .unit = "1",
	  .meaning = "times that the tokens are moved to find their experts", .offset = AT(route),
	  .init = 2, .low = 0.01, .high = 100, .prior_sd = 1 },
	{ .name = "expert_ns", .symbol = "te", .unit = "ns",
	  .meaning = "of each expert that is here", .offset = AT(expert_ns),
	  .init = 10, .low = 0.01, .high = 2000, .prior_sd = 1.5 },
	{ .name = "traffic", .symbol = "tr", .unit = "1",
	  .meaning = "times that what experts read and write is moved", .offset = AT(traffic),
	  .init = 1, .low = 0.02, .high = 20, .prior_sd = 1 },
	{ .name = "busy", .symbol = "b", .unit = "1",
	  .meaning = "exponent of the workers: how many more pairs the busiest has, with a power law",
	  .offset = AT(busy), .init = 0.2, .low = 0.001, .high = 1, .prior_sd = 1 },
	{0},
};
// clang-format on

enum {
	SHARPNESS = 4 /* of the larger of products and memory */
};

struct paleo_experts_load paleo_experts_load_of(const struct paleo_work *w, double busy)
{
	const struct paleo_moe_geom *g = &w->geom.moe;
	double workers = (double)g->experts / g->local, local = g->local;
	double pairs = paleo_moe_pairs(g) * (g->skew ? pow(workers, busy) : 1);

	pairs = fmax(1, fmin(pairs, g->tokens * fmin(g->topk, local)));
	/* in turn; or at random, as balls fall into boxes */
	double hit = g->skew ? local * (1 - pow(1 - 1 / local, pairs)) : fmin(local, pairs);

	hit = fmax(1, hit);
	return (struct paleo_experts_load){pairs, hit, pairs / hit};
}

static double matrices(const struct paleo_moe_geom *g)
{
	return (g->gated ? 3.0 : 2.0) * g->hidden * g->inter;
}

/* That of cores for codes where there are such; with these, e2m1 by e4m3 goes at the rate of fp8.
 */
static double peak_of(const struct paleo_work *w, const struct paleo_tile_device *d)
{
	int stored = w->geom.moe.stored;
	enum paleo_cores cores = paleo_stored_cores(stored);
	double peak = cores == PALEO_CORES_FP4    ? d->fp4_flop_per_s
		      : cores == PALEO_CORES_INT8 ? d->int8_flop_per_s
						  : 0;

	if (peak > 0)
		return peak;
	int is_mixed = stored && !cores && d->fp4_flop_per_s > 0 &&
		       paleo_stored_blocks(stored)->code == PALEO_CODE_E2M1;
	return is_mixed ? fmax(d->flop_per_s, d->fp8_flop_per_s) : d->flop_per_s;
}

static void price(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		  const struct paleo_work *w, struct paleo_parts *out)
{
	const struct paleo_experts_params *p = (const void *)m->params;
	const struct paleo_moe_geom *g = &w->geom.moe;
	struct paleo_experts_load l = paleo_experts_load_of(w, p->busy);
	double wide = paleo_dtype_bytes(paleo_dtype_wide(w->dtype));
	double rows = l.hit * ceil(l.each / PALEO_EXPERTS_ROWS) * PALEO_EXPERTS_ROWS;
	double weights = l.hit * matrices(g) * paleo_stored_bytes(g->stored, w->dtype);
	double moved = weights + l.pairs * 2 * ((double)g->hidden + g->inter) * wide * p->traffic;
	double routed = (double)g->tokens * g->hidden * wide * p->route / d->mem_bytes_per_s;

	out->compute_s = 2 * rows * matrices(g) / (p->ppp_compute * peak_of(w, d));
	out->memory_s = moved / (p->ppp_memory * d->mem_bytes_per_s);
	out->overhead_s = p->launch_us * 1e-6 + p->expert_ns * 1e-9 * g->local;
	out->total_s =
		out->overhead_s + routed + paleo_soft_sum(out->compute_s, out->memory_s, SHARPNESS);
	out->memory_s += routed;
}

static int is_experts(const struct paleo_work *w)
{
	return w->kind == PALEO_MOE;
}

/* What reaches an expert and how full its tiles are; how many GPUs there are beside. */
static int features(const struct paleo_tile_device *d, const struct paleo_work *w, double *x)
{
	const struct paleo_moe_geom *g = &w->geom.moe;
	struct paleo_experts_load l = paleo_experts_load_of(w, 0.2);
	double tiles = l.hit * ceil(l.each / 128) * ceil(g->inter / 128.0) / d->sm_count;
	int n = 0;

	x[n++] = log2(l.pairs);
	x[n++] = log2(l.hit);
	x[n++] = log2(l.each);
	x[n++] = ceil(l.each / PALEO_EXPERTS_ROWS) * PALEO_EXPERTS_ROWS / l.each;
	x[n++] = log2(tiles);
	x[n++] = log2((double)g->experts / g->local);
	x[n++] = log2(g->tokens * fmin(g->topk, g->local) / l.pairs);
	x[n++] = log2((double)g->tokens * g->topk / g->experts);
	x[n++] = log2(matrices(g));
	x[n++] = log2(l.hit * matrices(g));
	return n;
}

const struct paleo_kernel_model paleo_kernel_experts = {
	.name = "experts",
	.what = "a mixture of experts: weights of those that are hit, tiles of rows, tokens",
	.parameters = parameters,
	.count = 7,
	.is_guess = 1,
	.kernels = 8, /* routing, sorting, moving, two products, what follows them, summing */
	.applies = is_experts,
	.price = price,
	.features = features,
};
