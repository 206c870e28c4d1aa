/* onednn_conv.c - the time of convolutions and poolings in oneDNN on a CPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/onednn_conv.h"

#include <math.h>

#include "model/predict/kernel_model.h"
#include "model/predict/parameter.h"

/* Channels of an image whose blocks are worked on at the same time, at most. */
#define BESIDE 256.0

/* The starts are an AVX2 CPU's, rounded, with priors wide enough for others. */
#define ROW(...) PALEO_PARAMETER(struct paleo_onednn_conv, __VA_ARGS__)
// clang-format off
const struct paleo_parameter paleo_onednn_conv_parameters[] = {
	ROW(lanes, "l", "channels", 8, 4, 32, 1, "channels of a block"),
	ROW(launch_us, "t0", "us", 8, 0.01, 1000, 1, "dispatch and thread wake-up"),
	ROW(ppp_weights, "pw", "1", 0.3, 0.01, 16, 0.7,
	    "fraction of the memory's bandwidth for weights"),
	ROW(overlap, "v", "1", 2, 1, 16, 0.4, "exponent of the soft maximum of compute and memory"),
	ROW(chains, "ch", "1", 8, 1, 32, 0.05, "latency of a dependent sum, in multiply-adds"),
	ROW(fetch, "f", "1", 1.5, 0.01, 30, 0.5,
	    "vector of weights from beyond the first cache, in multiply-adds"),
	ROW(cache_share, "cs", "1", 0.1, 1e-3, 4, 0.7,
	    "share of the last cache that keeps weights for the next image"),
	ROW(bias, "b", "sweeps", 4, 0.01, 100, 1,
	    "the bias's gradient, in sweeps over the output's"),
	ROW(ppp_compute, "pc", "1", 0.9, 0.02, 2, 0.3, "percent of peak of multiply-adds"),
	ROW(ppp_memory, "pm", "1", 0.5, 0.01, 16, 0.7, "fraction of the memory's bandwidth"),
	ROW(accumulator_spill, "tn", "1", 3, 0.01, 100, 0.5,
	    "loading and storing a sum, in multiply-adds"),
	ROW(l1_kb, "nr", "KiB", 32, 4, 512, 0.2, "size of weights that stay in the first cache"),
	ROW(edge, "e", "1", 0.4, 0.01, 4, 0.7,
	    "share of the taps outside the image that are computed"),
	ROW(row_ns, "tr", "ns", 20, 0.1, 1e4, 1, "start of a row of some blocks"),
	ROW(ppp_compute_1x1, "pc1", "1", 0.9, 0.02, 2, 0.3,
	    "percent of peak of multiply-adds, filters of one pixel"),
	ROW(ppp_memory_1x1, "pm1", "1", 0.7, 0.01, 16, 0.7,
	    "fraction of the memory's bandwidth, likewise"),
	ROW(accumulator_spill_1x1, "tn1", "1", 2, 0.01, 100, 0.5,
	    "loading and storing a sum, likewise"),
	ROW(gather, "g", "1", 3, 0.01, 100, 1,
	    "time of gathering strided pixels, over that at the bandwidth"),
	{0},
};

#undef ROW
#define ROW(...) PALEO_PARAMETER(struct paleo_onednn_pool, __VA_ARGS__)
const struct paleo_parameter paleo_onednn_pool_parameters[] = {
	ROW(lanes, "l", "channels", 8, 4, 32, 1, "channels of a block"),
	ROW(launch_us, "t0", "us", 5, 0.01, 1000, 1, "dispatch and thread wake-up"),
	ROW(ppp_memory, "pm", "1", 0.5, 0.01, 16, 0.7, "fraction of the memory's bandwidth"),
	ROW(overlap, "v", "1", 2, 1, 16, 0.4, "exponent of the soft maximum of compute and memory"),
	ROW(output_ns, "to", "ns", 2, 1e-3, 1000, 1.5, "time of a thread for an output"),
	ROW(tap_ns, "tt", "ns", 0.1, 1e-4, 100, 1.5, "time of a thread for a pixel of a window"),
	ROW(row_ns, "tr", "ns", 15, 0.1, 10000, 1, "start of a row of a block"),
	ROW(wide, "wc", "1", 0.2, 0.0001, 10, 1.5, "slowdown with many channels"),
	{0},
};
// clang-format on

/* Convolutions that oneDNN's AVX2 kernels leave to its GEMM path. */
enum {
	LANES = 8,
	WIDE_PAD = 3,
	WIDE = 7,
	WIDEST = 14
};

/* Fills in memory and the whole; compute and overhead are there. */
static void add_up(double bytes_s, double overlap, struct paleo_parts *t)
{
	t->memory_s = bytes_s;
	t->total_s = t->overhead_s + paleo_soft_sum(t->compute_s, bytes_s, overlap);
}

static double elements_s(const struct paleo_tile_device *d, const struct paleo_op *w, double count)
{
	return count * paleo_dtype_bytes(w->dtype) / d->mem_bytes_per_s;
}

static double extra_s(const struct paleo_onednn_conv *p, const struct paleo_tile_device *d,
		      const struct paleo_op *w, int product)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	double outputs = (double)g->n * g->p * g->q, seconds = 0;

	if (product && (g->stride_h > 1 || g->stride_w > 1))
		seconds += p->gather * elements_s(d, w, 2 * outputs * g->c);
	if (w->pass == PALEO_BWD_FILTER && g->bias)
		seconds += p->bias * elements_s(d, w, outputs * p->lanes * ceil(g->k / p->lanes));
	return seconds;
}

void paleo_onednn_conv_time(const struct paleo_onednn_conv *p, const struct paleo_tile_device *d,
			    const struct paleo_op *w, struct paleo_parts *out)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	int product = paleo_onednn_is_product(g, (int)p->lanes);
	double weights =
		(double)paleo_dtype_bytes(w->dtype) * g->c * g->k / g->groups * g->r * g->s;
	struct paleo_op group = *w; /* one of them; the counts are of all */
	struct paleo_onednn_count count;

	group.geom.conv.c /= g->groups;
	group.geom.conv.k /= g->groups;
	if (product)
		paleo_onednn_count_product(p, d->sm_count, &group, &count);
	else
		paleo_onednn_count_rows(p, d->sm_count, &group, &count);
	out->compute_s = 2 * p->lanes * (count.adds + p->fetch * count.fetched) /
				 (d->flop_per_s * (product ? p->ppp_compute_1x1 : p->ppp_compute)) +
			 count.calls * p->row_ns * 1e-9 / d->sm_count;
	out->overhead_s = p->launch_us * 1e-6;
	double rest = w->read_bytes + w->write_bytes - weights;
	double again = count.again * weights / (weights + p->cache_share * d->cache_bytes);
	add_up(rest / (d->mem_bytes_per_s * (product ? p->ppp_memory_1x1 : p->ppp_memory)) +
		       weights * (1 + again) / (d->mem_bytes_per_s * p->ppp_weights),
	       p->overlap, out);
	double extra = extra_s(p, d, w, product);
	out->memory_s += extra;
	out->total_s += extra;
}

/* 1: each group has whole blocks of channels, and the kernels treat it as an image. */
static int whole_blocks(const struct paleo_conv_geom *g)
{
	return g->c / g->groups % LANES == 0 && g->k / g->groups % LANES == 0;
}

int paleo_onednn_conv_applies(const struct paleo_op *w)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	int strided = g->stride_h > 1 || g->stride_w > 1;

	if (w->kind != PALEO_CONV || (g->groups > 1 && !whole_blocks(g)))
		return 0;
	if (g->r == 1 && g->s == 1 && strided)
		return paleo_onednn_is_product(g, LANES);
	if (w->pass == PALEO_FWD)
		return g->pad_l <= WIDE_PAD &&
		       !(g->s > WIDE && strided && (g->pad_t > 0 || g->pad_l > 0));
	if (w->pass == PALEO_BWD_DATA)
		return !(g->c < LANES && g->s > 3 && g->stride_w > 1) &&
		       !(strided && (g->dil_h > 1 || g->dil_w > 1));
	return g->r <= g->h && g->s < WIDEST && g->dil_h == 1 && g->dil_w == 1;
}

/* The parameters that apply to this convolution: bit i for number i of the table. */
static unsigned long long conv_uses(const struct paleo_op *w)
{
	const size_t rows = offsetof(struct paleo_onednn_conv, ppp_compute);
	const size_t products = offsetof(struct paleo_onednn_conv, ppp_compute_1x1);
	int product = paleo_onednn_is_product(&w->geom.conv, LANES);
	int may_be = paleo_onednn_is_product(&w->geom.conv, 2 * LANES);
	unsigned long long uses = 0;

	for (int i = 0; i < PALEO_ONEDNN_CONV; i++) {
		size_t at = paleo_onednn_conv_parameters[i].offset;
		int used = at < rows || product != may_be || (at >= products) == product;
		uses |= (unsigned long long)used << i;
	}
	return uses;
}

void paleo_onednn_pool_time(const struct paleo_onednn_pool *p, const struct paleo_tile_device *d,
			    const struct paleo_op *w, struct paleo_parts *out)
{
	const struct paleo_pool_geom *g = &w->geom.pool;
	double blocks = g->n * ceil(g->c / p->lanes), images = blocks * p->lanes;
	int slows = g->mode == PALEO_POOL_MAX || w->pass == PALEO_FWD;
	double wide = slows ? fmin(g->c / BESIDE, 1) : 0;
	double slower = 1 + p->wide * wide * wide;
	double outputs = images * g->p * g->q;
	double taps = images * paleo_onednn_taps(g->h, g->p, g->r, g->stride_h, g->pad_t, 1) *
		      paleo_onednn_taps(g->w, g->q, g->s, g->stride_w, g->pad_l, 1);

	out->compute_s =
		((outputs * p->output_ns + taps * p->tap_ns) * slower + blocks * g->p * p->row_ns) *
		1e-9 / d->sm_count;
	out->overhead_s = p->launch_us * 1e-6;
	add_up((w->read_bytes + w->write_bytes) / (d->mem_bytes_per_s * p->ppp_memory), p->overlap,
	       out);
}

PALEO_KERNEL_FITS(struct paleo_onednn_conv);
PALEO_KERNEL_FITS(struct paleo_onednn_pool);

static void price_conv(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_op *w, struct paleo_parts *out)
{
	paleo_onednn_conv_time((const void *)m->params, d, w, out);
}

static void price_pool(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_op *w, struct paleo_parts *out)
{
	paleo_onednn_pool_time((const void *)m->params, d, w, out);
}

static int is_pooling(const struct paleo_op *w)
{
	return w->kind == PALEO_POOL;
}

const struct paleo_kernel_model paleo_kernel_onednn_conv = {
	.name = "onednn_conv",
	.what = "convolutions on a CPU: blocks of channels, row by row",
	.host = 1,
	.parameters = paleo_onednn_conv_parameters,
	.count = PALEO_ONEDNN_CONV,
	.first = paleo_onednn_lanes,
	.uses = conv_uses,
	.across = 1,
	.applies = paleo_onednn_conv_applies,
	.price = price_conv,
};

const struct paleo_kernel_model paleo_kernel_onednn_pool = {
	.name = "onednn_pool",
	.what = "poolings on a CPU: outputs and the pixels of their windows",
	.host = 1,
	.parameters = paleo_onednn_pool_parameters,
	.count = PALEO_ONEDNN_POOL,
	.first = paleo_onednn_lanes,
	.uses = paleo_kernel_uses_all,
	.applies = is_pooling,
	.price = price_pool,
};

/* The time of convolutions of several groups on a CPU. */

#undef ROW
#define ROW(...) PALEO_PARAMETER(struct paleo_onednn_grouped, __VA_ARGS__)
// clang-format off
const struct paleo_parameter paleo_onednn_grouped_parameters[] = {
	ROW(lanes, "l", "channels", 8, 4, 32, 1, "channels of a block"),
	ROW(launch_us, "t0", "us", 5, 0.01, 1000, 1, "dispatch and thread wake-up"),
	ROW(ppp_compute, "pc", "1", 0.5, 0.01, 2, 0.7, "percent of peak of a large depthwise op"),
	ROW(ppp_memory, "pm", "1", 0.3, 0.01, 16, 0.7, "fraction of the memory's bandwidth"),
	ROW(overlap, "v", "1", 2, 1, 16, 0.4, "exponent of the soft maximum of compute and memory"),
	ROW(call_us, "tc", "us", 2, 0.01, 1000, 1, "overhead of a group of an image"),
	ROW(patch_ns, "tp", "ns", 1, 0.01, 100, 0.7, "an element of the matrix of patches"),
	ROW(ppp_product, "pp", "1", 0.5, 0.01, 2, 0.7, "percent of peak of a thread's GEMM"),
	{0},
};
// clang-format on

/* The widest depthwise filter whose gradient has a kernel. */
#define DEPTHWISE_FILTER 3

static int is_depthwise(const struct paleo_conv_geom *g)
{
	return g->c == g->groups && g->k == g->groups;
}

static int is_direct(const struct paleo_op *w)
{
	const struct paleo_conv_geom *g = &w->geom.conv;

	return is_depthwise(g) && (w->pass != PALEO_BWD_FILTER || g->s <= DEPTHWISE_FILTER);
}

/* 1: such a convolution. Groups of whole blocks of 8 channels are onednn_conv's. */
static int grouped_applies(const struct paleo_op *w)
{
	const struct paleo_conv_geom *g = &w->geom.conv;

	return w->kind == PALEO_CONV && g->groups > 1 && (is_depthwise(g) || !whole_blocks(g));
}

static void time_direct(const struct paleo_onednn_grouped *p, const struct paleo_tile_device *d,
			const struct paleo_op *w, struct paleo_parts *out)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	double channels = p->lanes * ceil(g->c / p->lanes);
	double flops = 2 * channels * g->n * g->p * g->q * g->r * g->s;

	out->compute_s = flops / (d->flop_per_s * p->ppp_compute);
	out->memory_s = (w->read_bytes + w->write_bytes) / (d->mem_bytes_per_s * p->ppp_memory);
	out->total_s = out->overhead_s + paleo_soft_sum(out->compute_s, out->memory_s, p->overlap);
}

static void time_one_by_one(const struct paleo_onednn_grouped *p, const struct paleo_tile_device *d,
			    const struct paleo_op *w, struct paleo_parts *out)
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
			       const struct paleo_tile_device *d, const struct paleo_op *w,
			       struct paleo_parts *out)
{
	out->overhead_s = p->launch_us * 1e-6;
	if (is_direct(w))
		time_direct(p, d, w, out);
	else
		time_one_by_one(p, d, w, out);
}

unsigned long long paleo_onednn_grouped_uses(const struct paleo_op *w)
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
		  const struct paleo_op *w, struct paleo_parts *out)
{
	paleo_onednn_grouped_time((const void *)m->params, d, w, out);
}

const struct paleo_kernel_model paleo_kernel_onednn_grouped_conv = {
	.name = "onednn_grouped_conv",
	.what = "convolutions of groups on a CPU: depthwise, or one by one",
	.host = 1,
	.parameters = paleo_onednn_grouped_parameters,
	.count = PALEO_GROUPS,
	.first = paleo_onednn_lanes,
	.uses = paleo_onednn_grouped_uses,
	.across = 1,
	.applies = grouped_applies,
	.price = price,
};
