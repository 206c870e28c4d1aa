/* experts.c - the time of a mixture of experts in one op on a GPU: weights, tiles, tokens. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/experts.h"

#include <math.h>

#include "model/op/dtype.h"
#include "model/predict/kernel_model.h"
#include "model/predict/parameter.h"
#include "model/predict/routing.h"

PALEO_KERNEL_FITS(struct paleo_experts_params);

#define ROW(...) PALEO_PARAMETER(struct paleo_experts_params, __VA_ARGS__)
// clang-format off
static const struct paleo_parameter parameters[] = {
	ROW(launch_us, "t0", "us", 20, 0.01, 500, 1.5, "launches, and routing of few tokens"),
	ROW(ppp_compute, "pc", "1", 0.5, 0.01, 1, 0.7, "fraction of the peak FLOP/s"),
	ROW(ppp_memory, "pm", "1", 0.7, 0.05, 2, 0.35, "fraction of the memory's bandwidth"),
	ROW(route, "r", "1", 2, 0.01, 100, 1, "how often tokens are moved for routing"),
	ROW(expert_ns, "te", "ns", 10, 0.01, 2000, 1.5, "of each local expert"),
	ROW(traffic, "tr", "1", 1, 0.02, 20, 1,
	    "how often the experts' inputs and outputs are moved"),
	ROW(tile, "tm", "rows", 64, PALEO_ROUTING_TILE_MIN, 512, 0.7, "most rows of a tile"),
	{0},
};
// clang-format on

enum {
	SHARPNESS = 4 /* of the larger of compute and memory */
};

static double matrices(const struct paleo_moe_geom *g)
{
	return (g->gated ? 3.0 : 2.0) * g->hidden * g->inter;
}

/* Peak of the units for quantised operands where there are such; on these, e2m1 by e4m3 runs at the
 * rate of fp8. */
static double peak_of(const struct paleo_op *w, const struct paleo_tile_device *d)
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
		  const struct paleo_op *w, struct paleo_parts *out)
{
	const struct paleo_experts_params *p = (const void *)m->params;
	const struct paleo_moe_geom *g = &w->geom.moe;
	struct paleo_routing r = paleo_routing_of(g, paleo_routing_tile(g, p->tile));
	double wide = paleo_dtype_bytes(paleo_dtype_wide(w->dtype));
	double weights = r.hit * matrices(g) * paleo_stored_bytes(g->stored, w->dtype);
	double moved = weights + r.pairs * 2 * ((double)g->hidden + g->inter) * wide * p->traffic;
	double routed = (double)g->tokens * g->hidden * wide * p->route / d->mem_bytes_per_s;

	out->compute_s = 2 * r.rows * matrices(g) / (p->ppp_compute * peak_of(w, d));
	out->memory_s = moved / (p->ppp_memory * d->mem_bytes_per_s);
	out->overhead_s = p->launch_us * 1e-6 + p->expert_ns * 1e-9 * g->local;
	out->total_s =
		out->overhead_s + routed + paleo_soft_sum(out->compute_s, out->memory_s, SHARPNESS);
	out->memory_s += routed;
}

static int is_experts(const struct paleo_op *w)
{
	return w->kind == PALEO_MOE;
}

enum {
	TILE_SMALL = 64, /* of most libraries' kernels */
	TILE_LARGE = 256
};

/* Features: tokens per expert, and as if all were local, as kernels are chosen by; how full tiles
 * are; number of other GPUs. */
static int features(const struct paleo_tile_device *d, const struct paleo_op *w, double *x)
{
	const struct paleo_moe_geom *g = &w->geom.moe;
	struct paleo_routing r = paleo_routing_of(g, paleo_routing_tile(g, TILE_SMALL));
	struct paleo_routing large = paleo_routing_of(g, paleo_routing_tile(g, TILE_LARGE));
	double each = r.pairs / r.hit;
	double tiles = r.hit * ceil(each / 128) * ceil(g->inter / 128.0) / d->sm_count;
	int n = 0;

	x[n++] = log2(r.pairs);
	x[n++] = log2(r.hit);
	x[n++] = log2(each);
	x[n++] = r.rows / r.pairs;
	x[n++] = large.rows / r.pairs;
	x[n++] = log2(tiles);
	x[n++] = log2((double)g->experts / g->local);
	x[n++] = log2((double)g->tokens * g->topk / g->local);
	x[n++] = log2((double)g->tokens * g->topk / g->experts);
	x[n++] = log2(matrices(g));
	x[n++] = log2(r.hit * matrices(g));
	x[n++] = log2(r.load);
	return n;
}

const struct paleo_kernel_model paleo_kernel_experts = {
	.name = "experts",
	.what = "a mixture of experts: weights of the experts used, tiles of rows, tokens",
	.parameters = parameters,
	.count = 7,
	.is_guess = 1,
	.kernels = 8, /* routing, sorting, gathering, two GEMMs, their epilogues, summing */
	.applies = is_experts,
	.price = price,
	.features = features,
};
