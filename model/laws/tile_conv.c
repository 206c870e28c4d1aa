/* tile_conv.c - the time of a convolution on a GPU: the best of a library's algorithms. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/laws/tile_conv.h"

#include <assert.h>
#include <math.h>

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

/* A convolution in numbers that every algorithm wants. */
struct job {
	const struct paleo_conv_params *params;
	const struct paleo_tile_device *device;
	const struct paleo_conv_sets *sets;
	double n, c, h, w, k, r, s, p, q, groups;
	double element;             /* bytes */
	double in_bytes, out_bytes; /* of the input that is read, of the result */
	double bytes;               /* with the filters: each operand once */
	double channel_step;        /* tensor cores want channels in eights */
	int plain;                  /* stride 1, no dilation, one group */
};

static double up(double a, double b)
{
	return ceil(a / b);
}

static struct job job_of(const struct paleo_conv_params *p, const struct paleo_tile_device *d,
			 const struct paleo_work *w, const struct paleo_conv_sets *sets)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	struct job j = {.params = p, .device = d, .sets = sets};

	j.n = g->n;
	j.c = g->c;
	j.h = g->h;
	j.w = g->w;
	j.k = g->k;
	j.r = g->r;
	j.s = g->s;
	j.p = g->p;
	j.q = g->q;
	j.groups = g->groups;
	j.element = paleo_dtype_bytes(w->dtype);
	/* Large strides skip inputs. */
	j.in_bytes = j.element * j.n * j.c * fmin(j.h * j.w, j.p * j.q * j.r * j.s);
	j.out_bytes = j.element * j.n * j.k * j.p * j.q;
	j.bytes = j.in_bytes + j.element * j.k * j.c / j.groups * j.r * j.s + j.out_bytes;
	j.channel_step = w->dtype == PALEO_F32 ? 1 : 8;
	j.plain = g->stride_h == 1 && g->stride_w == 1 && g->dil_h == 1 && g->dil_w == 1 &&
		  g->groups == 1;
	return j;
}

/* The law of products with what convolutions share and what is of one algorithm. */
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
					  .droop_us = p->droop_us};
}

/* A product within a convolution, of `bytes`. */
static struct paleo_tile_product product(const struct job *j, double m, double n, double k,
					 double batch, double bytes)
{
	struct paleo_tile_product g = paleo_tile_product_of(m, n, k, batch, j->element);

	g.bytes = bytes;
	g.foot_bytes = bytes;
	return g;
}

/* Seconds to move `bytes` by themselves. */
static double move_s(const struct job *j, double bytes)
{
	const struct paleo_conv_params *p = j->params;
	const struct paleo_tile_device *d = j->device;
	const struct paleo_tile_params cache = {.cache_share = p->cache_share};
	double miss = paleo_tile_miss(&cache, d, bytes);

	return bytes * (miss / (p->ppp_memory * d->mem_bytes_per_s) +
			(1 - miss) / (p->ppp_cache * 64 * d->sm_count * d->clock_hz));
}

static double implicit_s(const struct job *j, enum paleo_conv_algorithm a)
{
	const struct paleo_tile_params params = params_of(j->params, a);
	double channels = up(j->c / j->groups, j->channel_step) * j->channel_step;
	double filters = up(j->k / j->groups, j->channel_step) * j->channel_step;
	struct paleo_tile_product g = product(j, j->n * j->p * j->q, filters,
					      channels * j->r * j->s, j->groups, j->bytes);

	g.a_share = 0.3;
	return paleo_tile_kernel_s(&params, j->device, &g, j->sets->implicit_tiles, 64, NULL);
}

/* Each product of the transformed tile is one of sixteen that a block does at a step. */
static double winograd_s(const struct job *j)
{
	const struct paleo_tile_params params = params_of(j->params, PALEO_CONV_WINOGRAD);
	struct paleo_tile_device d = *j->device;
	unsigned tile = 1U << paleo_tile_find("32x32");
	double best = INFINITY;

	if (!(j->plain && j->r == 3 && j->s == 3))
		return INFINITY;
	d.flop_per_s /= 16;
	for (int i = 0; i < PALEO_CONV_BLOCKS; i++) {
		if (!(j->sets->winograd_blocks & 1U << i))
			continue;
		double count = up(j->n, blocks[i].images) * up(j->p, 2 * blocks[i].rows) *
			       up(j->q, 2 * blocks[i].columns);
		struct paleo_tile_product g =
			product(j, count * 32, j->k, up(j->c, 8) * 8, 1, j->bytes);
		best = fmin(best, paleo_tile_kernel_s(&params, &d, &g, tile, 1, NULL));
	}
	/* The filters are transformed: 9 numbers read and 16 written for each. */
	return best + move_s(j, j->element * 25 * j->c * j->k);
}

static double nonfused_s(const struct job *j)
{
	const struct paleo_tile_params params = params_of(j->params, PALEO_CONV_NONFUSED);
	double e = j->element;

	if (!(j->plain && j->r == 3 && j->s == 3))
		return INFINITY;
	double count = up(j->n, 16) * 16 * up(j->p, 4) * up(j->q, 4);
	double in = e * 36 * count * j->c, filters = e * 36 * j->c * j->k,
	       out = e * 36 * count * j->k;
	struct paleo_tile_product g = product(j, count, j->k, j->c, 36, in + filters + out);
	return move_s(j, e * j->n * j->c * j->h * j->w + in) +
	       move_s(j, filters + e * 9 * j->c * j->k) + move_s(j, out + j->out_bytes) +
	       paleo_tile_kernel_s(&params, j->device, &g, j->sets->nonfused_tiles, 1, NULL);
}

static double fft_s(const struct job *j)
{
	const struct paleo_tile_params params = params_of(j->params, PALEO_CONV_FFT);
	const double points = 544; /* of a real 32x32 transform: 32 x 17 */
	struct paleo_tile_device d = *j->device;

	if (!(j->plain && j->r <= 32 && j->s <= 32))
		return INFINITY;
	d.flop_per_s /= 4; /* a complex product is 8 FLOP */
	unsigned tiles = 1U << paleo_tile_find("64x64") | 1U << paleo_tile_find("32x32") |
			 1U << paleo_tile_find("64x32");
	double count = j->n * up(j->p, 33 - j->r) * up(j->q, 33 - j->s);
	double in = 8 * points * count * j->c, filters = 8 * points * j->c * j->k,
	       out = 8 * points * count * j->k;
	struct paleo_tile_product g = product(j, count, j->k, j->c, points, in + filters + out);
	return move_s(j, in + j->in_bytes) + move_s(j, filters) + move_s(j, out + j->out_bytes) +
	       paleo_tile_kernel_s(&params, &d, &g, tiles, 1, NULL);
}

enum paleo_conv_algorithm paleo_conv_times(const struct paleo_conv_params *p,
					   const struct paleo_tile_device *d,
					   const struct paleo_work *w,
					   const struct paleo_conv_sets *sets,
					   double times_s[PALEO_CONV_ALGORITHMS])
{
	assert(w->kind == PALEO_CONV && w->pass == PALEO_FWD);
	const struct job j = job_of(p, d, w, sets);
	enum paleo_conv_algorithm best = PALEO_CONV_PRECOMP;

	times_s[PALEO_CONV_PRECOMP] = implicit_s(&j, PALEO_CONV_PRECOMP);
	times_s[PALEO_CONV_IMPLICIT] = implicit_s(&j, PALEO_CONV_IMPLICIT);
	times_s[PALEO_CONV_WINOGRAD] = winograd_s(&j);
	times_s[PALEO_CONV_NONFUSED] = nonfused_s(&j);
	times_s[PALEO_CONV_FFT] = fft_s(&j);
	for (int a = 0; a < PALEO_CONV_ALGORITHMS; a++) {
		times_s[a] += (p->launch_us + p->kernels[a].extra_us) * 1e-6;
		if (times_s[a] < times_s[best])
			best = (enum paleo_conv_algorithm)a;
	}
	return best;
}
