/* onednn_conv.c - the time of convolutions and poolings in oneDNN on a processor. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/onednn_conv.h"

#include <math.h>

#include "model/predict/kernel_models.h"
#include "model/predict/onednn_conv_count.h"
#include "model/predict/soft_sum.h"

#define CONV(field) #field, .offset = offsetof(struct paleo_onednn_conv, field)
#define POOL(field) #field, .offset = offsetof(struct paleo_onednn_pool, field)
#define RANGE(start, least, most, sd)                                                              \
	.init = (start), .low = (least), .high = (most), .prior_sd = (sd)

/* Channels of an image whose blocks are worked on at the same time, at most. */
#define BESIDE 256.0

/* The starts are an AVX2 processor's, rounded, with priors wide enough for others. */
// clang-format off
const struct paleo_parameter paleo_onednn_conv_parameters[] = {
	{ .name = CONV(lanes), .symbol = "l", .unit = "channels",
	  .meaning = "channels of a block", RANGE(8, 4, 32, 1) },
	{ .name = CONV(launch_us), .symbol = "t0", .unit = "us",
	  .meaning = "dispatch, threads that wake up", RANGE(8, 0.01, 1000, 1) },
	{ .name = CONV(ppp_weights), .symbol = "pw", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth for weights", RANGE(0.3, 0.01, 16, 0.7) },
	{ .name = CONV(overlap), .symbol = "v", .unit = "1",
	  .meaning = "exponent of the sum of arithmetic and traffic", RANGE(2, 1, 16, 0.4) },
	{ .name = CONV(chains), .symbol = "ch", .unit = "1",
	  .meaning = "multiply-adds that a sum waits for the one before", RANGE(8, 1, 32, 0.05) },
	{ .name = CONV(fetch), .symbol = "f", .unit = "1",
	  .meaning = "vector of weights from beyond the first cache, in multiply-adds",
	  RANGE(1.5, 0.01, 30, 0.5) },
	{ .name = CONV(cache_share), .symbol = "cs", .unit = "1",
	  .meaning = "of the last cache, that which holds weights for another image",
	  RANGE(0.1, 1e-3, 4, 0.7) },
	{ .name = CONV(bias), .symbol = "b", .unit = "sweeps",
	  .meaning = "the bias's gradient, in sweeps over the output's", RANGE(4, 0.01, 100, 1) },
	{ .name = CONV(ppp_compute), .symbol = "pc", .unit = "1",
	  .meaning = "percent of peak of multiply-adds", RANGE(0.9, 0.02, 2, 0.3) },
	{ .name = CONV(ppp_memory), .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", RANGE(0.5, 0.01, 16, 0.7) },
	{ .name = CONV(accumulator_spill), .symbol = "tn", .unit = "1",
	  .meaning = "loading and storing a sum, in multiply-adds", RANGE(3, 0.01, 100, 0.5) },
	{ .name = CONV(l1_kb), .symbol = "nr", .unit = "KiB",
	  .meaning = "weights that stay in the first cache", RANGE(32, 4, 512, 0.2) },
	{ .name = CONV(edge), .symbol = "e", .unit = "1",
	  .meaning = "share of the taps beside the image that are computed",
	  RANGE(0.4, 0.01, 4, 0.7) },
	{ .name = CONV(row_ns), .symbol = "tr", .unit = "ns",
	  .meaning = "start of a row of some blocks", RANGE(20, 0.1, 1e4, 1) },
	{ .name = CONV(ppp_compute_1x1), .symbol = "pc1", .unit = "1",
	  .meaning = "percent of peak of multiply-adds, filters of one pixel",
	  RANGE(0.9, 0.02, 2, 0.3) },
	{ .name = CONV(ppp_memory_1x1), .symbol = "pm1", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth, likewise", RANGE(0.7, 0.01, 16, 0.7) },
	{ .name = CONV(accumulator_spill_1x1), .symbol = "tn1", .unit = "1",
	  .meaning = "loading and storing a sum, likewise", RANGE(2, 0.01, 100, 0.5) },
	{ .name = CONV(gather), .symbol = "g", .unit = "1",
	  .meaning = "time of gathering strided pixels, over that at the bandwidth",
	  RANGE(3, 0.01, 100, 1) },
	{0},
};

const struct paleo_parameter paleo_onednn_pool_parameters[] = {
	{ .name = POOL(lanes), .symbol = "l", .unit = "channels",
	  .meaning = "channels of a block", RANGE(8, 4, 32, 1) },
	{ .name = POOL(launch_us), .symbol = "t0", .unit = "us",
	  .meaning = "dispatch, threads that wake up", RANGE(5, 0.01, 1000, 1) },
	{ .name = POOL(ppp_memory), .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", RANGE(0.5, 0.01, 16, 0.7) },
	{ .name = POOL(overlap), .symbol = "v", .unit = "1",
	  .meaning = "exponent of the sum of arithmetic and traffic", RANGE(2, 1, 16, 0.4) },
	{ .name = POOL(output_ns), .symbol = "to", .unit = "ns",
	  .meaning = "time of a thread for an output", RANGE(2, 1e-3, 1000, 1.5) },
	{ .name = POOL(tap_ns), .symbol = "tt", .unit = "ns",
	  .meaning = "time of a thread for a pixel of a window", RANGE(0.1, 1e-4, 100, 1.5) },
	{ .name = POOL(row_ns), .symbol = "tr", .unit = "ns",
	  .meaning = "start of a row of a block", RANGE(15, 0.1, 10000, 1) },
	{ .name = POOL(wide), .symbol = "wc", .unit = "1",
	  .meaning = "how much slower many channels are", RANGE(0.2, 0.0001, 10, 1.5) },
	{0},
};
// clang-format on

/* What oneDNN's kernels for AVX2 leave to its matrices of patches. */
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

static double elements_s(const struct paleo_tile_device *d, const struct paleo_work *w,
			 double count)
{
	return count * paleo_dtype_bytes(w->dtype) / d->mem_bytes_per_s;
}

static double extra_s(const struct paleo_onednn_conv *p, const struct paleo_tile_device *d,
		      const struct paleo_work *w, int product)
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
			    const struct paleo_work *w, struct paleo_parts *out)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	int product = paleo_onednn_is_product(g, (int)p->lanes);
	double weights = (double)paleo_dtype_bytes(w->dtype) * g->c * g->k * g->r * g->s;
	struct paleo_onednn_count count;

	if (product)
		paleo_onednn_count_product(p, d->sm_count, w, &count);
	else
		paleo_onednn_count_rows(p, d->sm_count, w, &count);
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

int paleo_onednn_conv_applies(const struct paleo_work *w)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	int strided = g->stride_h > 1 || g->stride_w > 1;

	if (w->kind != PALEO_CONV || g->groups > 1)
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

unsigned long long paleo_onednn_conv_uses(const struct paleo_work *w)
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
			    const struct paleo_work *w, struct paleo_parts *out)
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
		       const struct paleo_work *w, struct paleo_parts *out)
{
	paleo_onednn_conv_time((const void *)m->params, d, w, out);
}

static void price_pool(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_work *w, struct paleo_parts *out)
{
	paleo_onednn_pool_time((const void *)m->params, d, w, out);
}

static int is_pooling(const struct paleo_work *w)
{
	return w->kind == PALEO_POOL;
}

const struct paleo_kernel_model paleo_kernel_onednn_conv = {
	.name = "onednn_conv",
	.what = "convolutions on a processor: blocks of channels, row by row",
	.host = 1,
	.parameters = paleo_onednn_conv_parameters,
	.count = PALEO_ONEDNN_CONV,
	.first = paleo_onednn_lanes,
	.uses = paleo_onednn_conv_uses,
	.across = 1,
	.applies = paleo_onednn_conv_applies,
	.price = price_conv,
};

const struct paleo_kernel_model paleo_kernel_onednn_pool = {
	.name = "onednn_pool",
	.what = "poolings on a processor: outputs and the pixels of their windows",
	.host = 1,
	.parameters = paleo_onednn_pool_parameters,
	.count = PALEO_ONEDNN_POOL,
	.first = paleo_onednn_lanes,
	.uses = paleo_kernel_uses_all,
	.applies = is_pooling,
	.price = price_pool,
};
