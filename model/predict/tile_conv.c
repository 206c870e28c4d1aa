/* tile_conv.c - the time of a convolution on a GPU: the best of a library's algorithms. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/tile_conv.h"

#include <assert.h>
#include <math.h>

/* GEMM tiles of fixed-tile algorithms. */
enum {
	TILE_64X64 = 7,
	TILE_64X32 = 10,
	TILE_32X32 = 12
};

static const struct block {
	const char *name;
	double images, rows, columns; /* of tiles of 2x2 results */
} blocks[PALEO_CONV_BLOCKS] = {
	{"148", 1, 4, 8}, {"244", 2, 4, 4}, {"228", 2, 2, 8},
	{"424", 4, 2, 4}, {"418", 4, 1, 8}, {"442", 4, 4, 2},
};

const char *paleo_conv_block_name(int block)
{
	return block >= 0 && block < PALEO_CONV_BLOCKS ? blocks[block].name : NULL;
}

const char *paleo_conv_algorithm_name(enum paleo_conv_algorithm a)
{
	static const char *const names[PALEO_CONV_ALGORITHMS] = {
		[PALEO_CONV_PRECOMP] = "implicit_precomp_gemm",
		[PALEO_CONV_IMPLICIT] = "implicit_gemm",
		[PALEO_CONV_WINOGRAD] = "winograd",
		[PALEO_CONV_NONFUSED] = "winograd_nonfused",
		[PALEO_CONV_FFT] = "fft",
	};

	return names[a];
}

static double up(double a, double b)
{
	double x = a / b, whole = (double)(long long)x;

	return whole < x ? whole + 1 : whole;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static void set_images(struct paleo_conv_job *j, const struct paleo_conv_geom *g)
{
	double x = (double)g->h * g->w, y = (double)g->p * g->q, in, out = y;

	j->in = g->c;
	j->out = g->k;
	j->rows = g->p;
	j->columns = g->q;
	if (j->pass == PALEO_BWD_DATA) {
		j->in = g->k;
		j->out = g->c;
		j->rows = g->h;
		j->columns = g->w;
		in = y;
		out = x;
	} else {
		/* Strides skip rows; of those that are read, whole lines come. */
		in = smaller(g->h, (double)g->p * g->r) * g->w;
	}
	j->read_positions = in;
	j->in_bytes = j->element * j->images * j->in * in;
	j->out_bytes = j->element * j->images * j->out * out;
}

/* Channels of a group: whole, and in eights for tensor cores. */
static double rounded(double channels, int tensor)
{
	return tensor ? up(channels, 8) * 8 : up(channels, 1);
}

/* Channels that a tap sums over: tensor cores read each pixel in steps of 64 bytes. Kernels for a
 * few channels, or for several groups at once, pack them; the filter's gradient sums over pixels.
 */
static double summed(const struct paleo_conv_job *j, int tensor)
{
	double step = 64 / j->element;

	if (!tensor || j->groups > 1 || j->in <= 8 || j->pass == PALEO_BWD_FILTER)
		return rounded(j->in / j->groups, tensor);
	return up(j->in, step) * step;
}

struct paleo_conv_job paleo_conv_job_of(const struct paleo_tile_device *d, const struct paleo_op *w)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	struct paleo_conv_job j = {.pass = w->pass};

	assert(w->kind == PALEO_CONV && w->pass <= PALEO_BWD_FILTER);
	j.images = g->n;
	j.r = g->r;
	j.s = g->s;
	j.groups = g->groups;
	j.skipped = (double)g->stride_h * g->stride_w;
	j.element = paleo_dtype_bytes(w->dtype);
	set_images(&j, g);
	j.bytes = j.in_bytes + j.element * j.in * j.out / j.groups * j.r * j.s + j.out_bytes;
	j.group_in = summed(&j, d->tensor);
	j.group_out = rounded(j.out / j.groups, d->tensor);
	j.turned = d->tensor && w->layout == PALEO_NCHW && paleo_dtype_bytes(w->dtype) == 2;
	j.plain = !d->tensor && g->stride_h == 1 && g->stride_w == 1 && g->dil_h == 1 &&
		  g->dil_w == 1 && g->groups == 1;
	return j;
}

/* A job with its parameters. */
struct pricing {
	const struct paleo_conv_params *params;
	struct paleo_tile_device device;
	const struct paleo_conv_sets *sets;
	const struct paleo_conv_job *job;
	double memory_rate, cache_rate; /* bytes a second */
	double s_per_byte;              /* of the faster of the two */
};

/* CUDA cores accumulate convolutions in f32, whatever the type, as cuDNN does. */
static struct pricing pricing_of(const struct paleo_conv_params *p,
				 const struct paleo_tile_device *d, const struct paleo_conv_job *j,
				 const struct paleo_conv_sets *sets)
{
	struct pricing c = {.params = p, .device = *d, .sets = sets, .job = j};

	if (!d->tensor && d->vector_flop_per_s > 0)
		c.device.flop_per_s = d->vector_flop_per_s;

	c.memory_rate = p->ppp_memory * d->mem_bytes_per_s;
	c.cache_rate = p->ppp_cache * 64 * d->sm_count * d->clock_hz;
	c.s_per_byte = 1 / (c.memory_rate > c.cache_rate ? c.memory_rate : c.cache_rate);
	return c;
}

/* GEMM parameters with those shared by convolutions and those of one algorithm. */
static struct paleo_tile_params params_of(const struct paleo_conv_params *p,
					  enum paleo_conv_algorithm a)
{
	const struct paleo_conv_kernel *k = &p->kernels[a];

	return (struct paleo_tile_params){.launch_us = p->launch_us,
					  .ppp_compute = k->ppp_compute,
					  .prologue_k = k->prologue_k,
					  .half_accumulators = k->half_accumulators,
					  .ppp_memory = p->ppp_memory,
					  .cache_share = p->cache_share,
					  .ppp_cache = p->ppp_cache,
					  .split_us = k->split_us,
					  .droop = p->droop,
					  .tlb_k = INFINITY,
					  .half_intensity = k->half_intensity,
					  .wave = k->wave,
					  .sharpness = p->sharpness,
					  .droop_us = p->droop_us,
					  .unpadded = p->unpadded};
}

/* A GEMM within a convolution, of `bytes`. */
static struct paleo_tile_product product(const struct paleo_conv_job *j, double m, double n,
					 double k, double batch, double bytes)
{
	return (struct paleo_tile_product){.m = m,
					   .n = n,
					   .k = k,
					   .batch = batch,
					   .element_bytes = j->element,
					   .result_bytes = j->element,
					   .bytes = bytes,
					   .foot_bytes = bytes,
					   .a_share = 1};
}

/* Seconds to move `bytes` by themselves. */
static double move_s(const struct pricing *c, double bytes)
{
	const struct paleo_tile_params cache = {.cache_share = c->params->cache_share};
	double miss = paleo_tile_miss(&cache, &c->device, bytes);

	return bytes * (miss / c->memory_rate + (1 - miss) / c->cache_rate);
}

/* The pass as one GEMM, channels rounded up for tensor cores. */
static struct paleo_tile_product implicit_product(const struct pricing *c, int scattered)
{
	const struct paleo_conv_job *j = c->job;
	double positions = j->images * j->rows * j->columns, taps = j->r * j->s;
	struct paleo_tile_product g;

	if (j->pass == PALEO_BWD_FILTER)
		return product(j, j->group_out, j->group_in * taps, positions, j->groups, j->bytes);
	if (scattered) {
		g = product(j, j->images * j->read_positions, j->group_out * taps, j->group_in,
			    j->groups, j->bytes);
		g.result_bytes *= 2;
		return g;
	}
	if (j->pass == PALEO_BWD_DATA && j->skipped > 1)
		taps /= pow(j->skipped, c->params->stride_share);
	g = product(j, positions, j->group_out, j->group_in * taps, j->groups, j->bytes);
	g.a_share = 0.3;
	return g;
}

/* The most parts that the library splits sums into: on tensor cores those of windows into none, but
 * for the filter's gradient. */
static int splits_of(const struct pricing *c)
{
	const struct paleo_conv_job *j = c->job;

	return c->device.tensor && j->pass != PALEO_BWD_FILTER && j->r * j->s > 1 ? 1 : 64;
}

static double implicit_s(const struct pricing *c, enum paleo_conv_algorithm a, double limit_s,
			 struct paleo_tile_choice *near)
{
	const struct paleo_conv_job *j = c->job;
	const struct paleo_tile_params params = params_of(c->params, a);
	int scattered = j->pass == PALEO_BWD_DATA && a == PALEO_CONV_IMPLICIT;
	double turn_s = 0;

	if (scattered && c->device.tensor)
		return INFINITY;
	if (j->turned)
		turn_s = move_s(c, 2 * j->in_bytes) + move_s(c, 2 * j->out_bytes);
	if (turn_s >= limit_s)
		return INFINITY;
	const struct paleo_tile_product g = implicit_product(c, scattered);
	return turn_s + paleo_tile_kernel_near_s(&params, &c->device, &g, c->sets->implicit_tiles,
						 splits_of(c), limit_s - turn_s, near);
}

static double precomp_s(const struct pricing *c, double limit_s, struct paleo_tile_choice *near)
{
	return implicit_s(c, PALEO_CONV_PRECOMP, limit_s, near);
}

static double plain_implicit_s(const struct pricing *c, double limit_s,
			       struct paleo_tile_choice *near)
{
	return implicit_s(c, PALEO_CONV_IMPLICIT, limit_s, near);
}

/* Each GEMM of the transformed tile is one of sixteen that a block does at a step. */
static double winograd_s(const struct pricing *c, double limit_s, struct paleo_tile_choice *near)
{
	const struct paleo_conv_job *j = c->job;
	const struct paleo_tile_params params = params_of(c->params, PALEO_CONV_WINOGRAD);
	struct paleo_tile_device d = c->device;
	unsigned tile = 1U << TILE_32X32;
	double best = INFINITY;

	if (!(j->plain && j->r == 3 && j->s == 3) || j->pass == PALEO_BWD_FILTER)
		return INFINITY;
	/* The filters are transformed: 9 numbers read and 16 written for each. */
	double filters_s = move_s(c, j->element * 25 * j->in * j->out);
	double below_s = limit_s - filters_s;
	if (below_s <= 0)
		return INFINITY;
	d.flop_per_s /= 16;
	for (int i = 0; i < PALEO_CONV_BLOCKS; i++) {
		if (!(c->sets->winograd_blocks & 1U << i))
			continue;
		double count = up(j->images, blocks[i].images) * up(j->rows, 2 * blocks[i].rows) *
			       up(j->columns, 2 * blocks[i].columns);
		struct paleo_tile_product g =
			product(j, count * 32, j->out, up(j->in, 8) * 8, 1, j->bytes);
		double s = paleo_tile_kernel_near_s(&params, &d, &g, tile, 1, below_s, near);
		if (s < below_s)
			below_s = best = s;
	}
	return best + filters_s;
}

/* An algorithm that transforms images and filters, multiplies point by point, and transforms back.
 */
struct transform {
	enum paleo_conv_algorithm algorithm;
	unsigned tiles;
	double points; /* of a transformed tile: number of GEMMs */
	double count;  /* of tiles */
	double size;   /* bytes of a transformed number */
	double filter_bytes;
	double slower; /* the GEMMs' FLOPs over those of real numbers */
};

/* The GEMMs with their operands read and written through memory. In the gradient of the filter the
 * sum is over tiles. */
static double transformed_s(const struct pricing *c, const struct transform *t, double limit_s,
			    struct paleo_tile_choice *near)
{
	const struct paleo_conv_job *j = c->job;
	double point = t->size * t->points;
	double in = point * t->count * j->in, out = point * t->count * j->out;
	double filters = point * j->in * j->out, bytes = in + filters + out;
	double moved = j->in_bytes + in + (filters + t->filter_bytes) + out + j->out_bytes;
	double flops = 2 * t->points * t->count * j->in * j->out * t->slower;
	double peak = c->device.flop_per_s * c->params->kernels[t->algorithm].ppp_compute;

	if (flops / peak + moved * c->s_per_byte > limit_s * PALEO_TILE_SURELY)
		return INFINITY;
	double moved_s = move_s(c, j->in_bytes + in) + move_s(c, filters + t->filter_bytes) +
			 move_s(c, out + j->out_bytes);
	if (moved_s >= limit_s)
		return INFINITY;
	const struct paleo_tile_params params = params_of(c->params, t->algorithm);
	struct paleo_tile_device d = c->device;
	d.flop_per_s /= t->slower;
	struct paleo_tile_product g = product(j, t->count, j->out, j->in, t->points, bytes);
	if (j->pass == PALEO_BWD_FILTER)
		g = product(j, j->out, j->in, t->count, t->points, bytes);
	return moved_s +
	       paleo_tile_kernel_near_s(&params, &d, &g, t->tiles, 1, limit_s - moved_s, near);
}

/* F(4x4, 3x3). */
static double nonfused_s(const struct pricing *c, double limit_s, struct paleo_tile_choice *near)
{
	const struct paleo_conv_job *j = c->job;
	double together = j->pass == PALEO_BWD_FILTER ? 1 : 16; /* images in a side of a GEMM */

	if (!(j->plain && j->r == 3 && j->s == 3))
		return INFINITY;
	const struct transform t = {.algorithm = PALEO_CONV_NONFUSED,
				    .tiles = c->sets->nonfused_tiles,
				    .points = 36,
				    .count = up(j->images, together) * together * up(j->rows, 4) *
					     up(j->columns, 4),
				    .size = j->element,
				    .filter_bytes = j->element * j->r * j->s * j->in * j->out,
				    .slower = 1};
	return transformed_s(c, &t, limit_s, near);
}

static double fft_s(const struct pricing *c, double limit_s, struct paleo_tile_choice *near)
{
	const struct paleo_conv_job *j = c->job;

	if (!(j->plain && j->r <= 32 && j->s <= 32))
		return INFINITY;
	const struct transform t = {.algorithm = PALEO_CONV_FFT,
				    .tiles = 1U << TILE_64X64 | 1U << TILE_32X32 | 1U << TILE_64X32,
				    .points = 544, /* of a real 32x32 transform: 32 x 17 */
				    .count = j->images * up(j->rows, 33 - j->r) *
					     up(j->columns, 33 - j->s),
				    .size = 8,
				    .slower = 4 /* a complex multiply-add is 8 FLOP */};
	return transformed_s(c, &t, limit_s, near);
}

static double (*const cost_models[PALEO_CONV_ALGORITHMS])(const struct pricing *c, double limit_s,
							  struct paleo_tile_choice *near) = {
	[PALEO_CONV_PRECOMP] = precomp_s,   [PALEO_CONV_IMPLICIT] = plain_implicit_s,
	[PALEO_CONV_WINOGRAD] = winograd_s, [PALEO_CONV_NONFUSED] = nonfused_s,
	[PALEO_CONV_FFT] = fft_s,
};

double paleo_conv_launches_s(const struct paleo_conv_params *p, enum paleo_conv_algorithm a)
{
	return (p->launch_us + p->kernels[a].extra_us) * 1e-6;
}

/* Infinite if not below limit_s. */
static double priced_s(const struct pricing *c, enum paleo_conv_algorithm a, double limit_s)
{
	struct paleo_tile_choice none = {.tile = -1};
	double launches_s = paleo_conv_launches_s(c->params, a);

	if (launches_s >= limit_s)
		return INFINITY;
	return launches_s + cost_models[a](c, limit_s - launches_s, &none);
}

double paleo_conv_kernels_s(const struct paleo_conv_params *p, const struct paleo_tile_device *d,
			    const struct paleo_conv_job *j, const struct paleo_conv_sets *sets,
			    enum paleo_conv_algorithm a, double limit_s,
			    struct paleo_tile_choice *near)
{
	const struct pricing c = pricing_of(p, d, j, sets);

	return cost_models[a](&c, limit_s, near);
}

double paleo_conv_move_s(const struct paleo_conv_params *p, const struct paleo_tile_device *d,
			 double bytes)
{
	const struct pricing c = pricing_of(p, d, NULL, NULL);

	return move_s(&c, bytes);
}

double paleo_conv_algorithm_s(const struct paleo_conv_params *p, const struct paleo_tile_device *d,
			      const struct paleo_op *w, const struct paleo_conv_sets *sets,
			      enum paleo_conv_algorithm a)
{
	const struct paleo_conv_job j = paleo_conv_job_of(d, w);
	const struct pricing c = pricing_of(p, d, &j, sets);

	return priced_s(&c, a, INFINITY);
}

double paleo_conv_fastest_s(const struct paleo_conv_params *p, const struct paleo_tile_device *d,
			    const struct paleo_op *w, const struct paleo_conv_sets *sets,
			    enum paleo_conv_algorithm *which)
{
	/* Frequent winners come first, so that the others need not be priced to the end. */
	static const enum paleo_conv_algorithm order[PALEO_CONV_ALGORITHMS] = {
		PALEO_CONV_WINOGRAD, PALEO_CONV_NONFUSED, PALEO_CONV_PRECOMP, PALEO_CONV_IMPLICIT,
		PALEO_CONV_FFT};
	const struct paleo_conv_job j = paleo_conv_job_of(d, w);
	const struct pricing c = pricing_of(p, d, &j, sets);
	double best = INFINITY;

	for (int i = 0; i < PALEO_CONV_ALGORITHMS; i++) {
		double s = priced_s(&c, order[i], best);
		if (s < best) {
			best = s;
			if (which)
				*which = order[i];
		}
	}
	return best;
}

enum paleo_conv_algorithm paleo_conv_times(const struct paleo_conv_params *p,
					   const struct paleo_tile_device *d,
					   const struct paleo_op *w,
					   const struct paleo_conv_sets *sets,
					   double times_s[PALEO_CONV_ALGORITHMS])
{
	const struct paleo_conv_job j = paleo_conv_job_of(d, w);
	const struct pricing c = pricing_of(p, d, &j, sets);
	enum paleo_conv_algorithm best = PALEO_CONV_PRECOMP;

	for (int a = 0; a < PALEO_CONV_ALGORITHMS; a++) {
		times_s[a] = priced_s(&c, (enum paleo_conv_algorithm)a, INFINITY);
		if (times_s[a] < times_s[best])
			best = (enum paleo_conv_algorithm)a;
	}
	return best;
}
