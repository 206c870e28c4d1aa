/* blocks.c - the time of convolutions and poolings on a processor: blocks of channels, rows. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/laws/blocks.h"

#include <math.h>

#define CONV(field) #field, .offset = offsetof(struct paleo_blocks_conv, field)
#define POOL(field) #field, .offset = offsetof(struct paleo_blocks_pool, field)
#define RANGE(start, least, most, sd)                                                              \
	.init = (start), .low = (least), .high = (most), .prior_sd = (sd)

/* The starts are an AVX2 processor's, rounded, with priors wide enough for others. */
// clang-format off
const struct paleo_parameter paleo_blocks_conv_parameters[] = {
	{ .name = CONV(lanes), .symbol = "l", .unit = "channels",
	  .meaning = "channels of a block", RANGE(8, 4, 32, 1) },
	{ .name = CONV(launch_us), .symbol = "t0", .unit = "us",
	  .meaning = "dispatch, threads that wake up", RANGE(10, 0.01, 1000, 1) },
	{ .name = CONV(ppp_compute), .symbol = "pc", .unit = "1",
	  .meaning = "percent of peak of a large work", RANGE(0.95, 0.02, 2, 0.3) },
	{ .name = CONV(ppp_memory), .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", RANGE(0.5, 0.01, 16, 0.7) },
	{ .name = CONV(overlap), .symbol = "v", .unit = "1",
	  .meaning = "exponent of the sum of arithmetic and traffic", RANGE(2, 1, 16, 0.4) },
	{ .name = CONV(half_in), .symbol = "hc", .unit = "channels",
	  .meaning = "input channels at which half the rate is reached",
	  RANGE(0.3, 1e-3, 1000, 2) },
	{ .name = CONV(half_out), .symbol = "hk", .unit = "channels",
	  .meaning = "output channels at which half the rate is reached",
	  RANGE(0.3, 1e-3, 1000, 2) },
	{ .name = CONV(half_taps), .symbol = "hs", .unit = "columns",
	  .meaning = "width of a filter at which half the rate is reached",
	  RANGE(0.1, 1e-3, 100, 1.5) },
	{ .name = CONV(edge), .symbol = "e", .unit = "1",
	  .meaning = "share of the taps beside the image that are computed",
	  RANGE(0.7, 0.01, 4, 1) },
	{ .name = CONV(thin), .symbol = "th", .unit = "1",
	  .meaning = "rate with up to four input channels, over the others'",
	  RANGE(0.7, 0.01, 4, 0.7) },
	{ .name = CONV(lone), .symbol = "lo", .unit = "1",
	  .meaning = "what fewer than four blocks in registers cost", RANGE(0.03, 1e-4, 2, 1) },
	{ .name = CONV(row_ns), .symbol = "tr", .unit = "ns",
	  .meaning = "start of a row of some blocks", RANGE(50, 0.1, 1e4, 1) },
	{ .name = CONV(bias), .symbol = "b", .unit = "sweeps",
	  .meaning = "the bias's gradient, in sweeps over the output's", RANGE(3, 0.01, 100, 1) },
	{ .name = CONV(reread), .symbol = "rr", .unit = "1",
	  .meaning = "share of large weights read again for each image",
	  RANGE(0.8, 1e-3, 10, 1) },
	{ .name = CONV(launch_1x1_us), .symbol = "t1", .unit = "us",
	  .meaning = "the same of filters of one pixel, and so on", RANGE(10, 0.01, 1000, 1) },
	{ .name = CONV(ppp_compute_1x1), .symbol = "pc1", .unit = "1",
	  .meaning = "percent of peak of a large work", RANGE(0.95, 0.02, 2, 0.3) },
	{ .name = CONV(ppp_memory_1x1), .symbol = "pm1", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", RANGE(0.7, 0.01, 16, 0.7) },
	{ .name = CONV(overlap_1x1), .symbol = "v1", .unit = "1",
	  .meaning = "exponent of the sum of arithmetic and traffic", RANGE(2, 1, 16, 0.4) },
	{ .name = CONV(half_in_1x1), .symbol = "hc1", .unit = "channels",
	  .meaning = "input channels at which half the rate is reached",
	  RANGE(1, 1e-3, 1000, 1.5) },
	{ .name = CONV(half_out_1x1), .symbol = "hk1", .unit = "channels",
	  .meaning = "output channels at which half the rate is reached",
	  RANGE(1, 1e-3, 1000, 1.5) },
	{ .name = CONV(half_pixels), .symbol = "hp1", .unit = "pixels",
	  .meaning = "pixels of an image at which half the rate is reached",
	  RANGE(3, 1e-3, 1000, 1) },
	{ .name = CONV(gather), .symbol = "g", .unit = "1",
	  .meaning = "time of gathering strided pixels, over that at the bandwidth",
	  RANGE(2, 0.01, 100, 1) },
	{ .name = CONV(bias_1x1), .symbol = "b1", .unit = "sweeps",
	  .meaning = "the bias's gradient, in sweeps over the output's", RANGE(3, 0.01, 100, 1) },
	{ .name = CONV(reread_1x1), .symbol = "rr1", .unit = "1",
	  .meaning = "share of large weights read again for each image",
	  RANGE(0.8, 1e-3, 10, 1) },
	{0},
};

const struct paleo_parameter paleo_blocks_pool_parameters[] = {
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
	{0},
};
// clang-format on

enum {
	THIN = 4,
	IN_REGISTERS = 4
};

static double blocks_of(int channels, double lanes)
{
	return ceil(channels / lanes);
}

static double padded(int channels, double lanes)
{
	return channels <= THIN ? channels : lanes * blocks_of(channels, lanes);
}

double paleo_blocks_taps(int size, int outputs, int taps, int stride, int pad, int dilation)
{
	double pairs = 0;

	for (int t = 0; t < taps; t++) {
		/* outputs i with 0 <= i stride + at < size */
		int at = t * dilation - pad;
		double first = at < 0 ? ceil((double)-at / stride) : 0;
		double last = floor((double)(size - 1 - at) / stride);
		pairs += fmax(0, fmin(last, outputs - 1) - first + 1);
	}
	return pairs;
}

/* Fills in memory and the whole; compute and overhead are there. */
static void add_up(double bytes_s, double overlap, struct paleo_blocks_time *t)
{
	double high = fmax(t->compute_s, bytes_s), low = fmin(t->compute_s, bytes_s);

	t->memory_s = bytes_s;
	t->total_s = t->overhead_s + high * pow(1 + pow(low / high, overlap), 1 / overlap);
}

/* All that moves: of weights beyond the cache, a share with each further image again. */
static double moved_bytes(const struct paleo_tile_device *d, const struct paleo_work *w,
			  double reread)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	double weights = (double)paleo_dtype_bytes(w->dtype) * g->c * g->k * g->r * g->s;

	return w->read_bytes + w->write_bytes +
	       reread * (g->n - 1) * weights * weights / (weights + d->cache_bytes);
}

static int is_product(const struct paleo_conv_geom *g)
{
	return g->r == 1 && g->s == 1 && g->p * g->stride_h == g->h && g->q * g->stride_w == g->w;
}

static void time_product(const struct paleo_blocks_conv *p, const struct paleo_tile_device *d,
			 const struct paleo_work *w, struct paleo_blocks_time *out)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	double cp = padded(g->c, p->lanes), kp = p->lanes * blocks_of(g->k, p->lanes);
	double pixels = (double)g->p * g->q, element = paleo_dtype_bytes(w->dtype);
	int strided = g->stride_h > 1 || g->stride_w > 1;

	out->compute_s = 2 * g->n * cp * kp * pixels / (d->flop_per_s * p->ppp_compute_1x1) *
			 (1 + p->half_in_1x1 / cp) * (1 + p->half_out_1x1 / kp) *
			 (1 + p->half_pixels / pixels);
	double extra = strided ? p->gather * 2 * element * g->n * g->c * pixels : 0;
	if (w->pass == PALEO_BWD_FILTER && g->bias)
		extra += p->bias_1x1 * element * g->n * kp * pixels;
	out->overhead_s = p->launch_1x1_us * 1e-6 + extra / d->mem_bytes_per_s;
	add_up(moved_bytes(d, w, p->reread_1x1) / (d->mem_bytes_per_s * p->ppp_memory_1x1),
	       p->overlap_1x1, out);
}

/* Blocks that stay in registers, of so many that are written. */
static double kept_blocks(double blocks)
{
	for (int b = IN_REGISTERS; b > 1; b--)
		if (fmod(blocks, b) == 0)
			return b;
	return 1;
}

/* Seconds in which nothing is computed: rows of blocks are started. */
static double row_starts_s(const struct paleo_blocks_conv *p, const struct paleo_tile_device *d,
			   const struct paleo_work *w, double in, double out, double kept)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	double rows = w->pass == PALEO_BWD_DATA ? g->h : g->p;

	return g->n * rows * in * out / kept * p->row_ns * 1e-9 / d->sm_count;
}

static void time_rows(const struct paleo_blocks_conv *p, const struct paleo_tile_device *d,
		      const struct paleo_work *w, struct paleo_blocks_time *out)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	double in = blocks_of(g->c, p->lanes), result = blocks_of(g->k, p->lanes);
	double cp = padded(g->c, p->lanes), kp = p->lanes * result;
	double taps_h = paleo_blocks_taps(g->h, g->p, g->r, g->stride_h, g->pad_t, g->dil_h);
	double taps_w = paleo_blocks_taps(g->w, g->q, g->s, g->stride_w, g->pad_l, g->dil_w);
	double all_w =
		w->pass == PALEO_BWD_DATA ? (double)g->w * g->s / g->stride_w : (double)g->q * g->s;
	double kept = kept_blocks(w->pass == PALEO_BWD_DATA ? in : result);
	double rate = d->flop_per_s * p->ppp_compute * (g->c <= THIN ? p->thin : 1);

	/* A filter with no tap in the image has nothing to compute. */
	taps_h = fmax(taps_h, 1);
	taps_w = fmax(taps_w, 1);
	double flops = 2 * g->n * cp * kp * taps_h * taps_w * pow(all_w / taps_w, p->edge);
	out->compute_s = flops / rate * (1 + p->half_in / cp) * (1 + p->half_out / kp) *
				 (1 + p->half_taps / g->s) *
				 (1 + p->lone * (IN_REGISTERS / kept - 1)) +
			 row_starts_s(p, d, w, in, result, kept);
	out->overhead_s = p->launch_us * 1e-6;
	if (w->pass == PALEO_BWD_FILTER && g->bias)
		out->overhead_s += p->bias * paleo_dtype_bytes(w->dtype) * g->n * kp * g->p * g->q /
				   d->mem_bytes_per_s;
	add_up(moved_bytes(d, w, p->reread) / (d->mem_bytes_per_s * p->ppp_memory), p->overlap,
	       out);
}

void paleo_blocks_conv_time(const struct paleo_blocks_conv *p, const struct paleo_tile_device *d,
			    const struct paleo_work *w, struct paleo_blocks_time *out)
{
	if (is_product(&w->geom.conv))
		time_product(p, d, w, out);
	else
		time_rows(p, d, w, out);
}

unsigned long long paleo_blocks_conv_uses(const struct paleo_work *w)
{
	unsigned long long uses = 1; /* the lanes */
	int product = is_product(&w->geom.conv);

	for (int i = 1; i < PALEO_BLOCKS_CONV; i++) {
		size_t offset = paleo_blocks_conv_parameters[i].offset;
		int of_products = offset >= offsetof(struct paleo_blocks_conv, launch_1x1_us);
		uses |= (unsigned long long)(of_products == product) << i;
	}
	return uses;
}

void paleo_blocks_pool_time(const struct paleo_blocks_pool *p, const struct paleo_tile_device *d,
			    const struct paleo_work *w, struct paleo_blocks_time *out)
{
	const struct paleo_pool_geom *g = &w->geom.pool;
	double images = g->n * p->lanes * blocks_of(g->c, p->lanes);
	double outputs = images * g->p * g->q;
	double taps = images * paleo_blocks_taps(g->h, g->p, g->r, g->stride_h, g->pad_t, 1) *
		      paleo_blocks_taps(g->w, g->q, g->s, g->stride_w, g->pad_l, 1);

	out->compute_s = (outputs * p->output_ns + taps * p->tap_ns) * 1e-9 / d->sm_count;
	out->overhead_s = p->launch_us * 1e-6;
	add_up((w->read_bytes + w->write_bytes) / (d->mem_bytes_per_s * p->ppp_memory), p->overlap,
	       out);
}
