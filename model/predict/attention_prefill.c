/* attention_prefill.c - attention of many queries on a GPU: blocks of them, in waves. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/attention.h"
#include "model/predict/kernel_models.h"

PALEO_KERNEL_FITS(struct paleo_prefill_params);

#define AT(field) offsetof(struct paleo_prefill_params, field)
// clang-format off
static const struct paleo_parameter parameters[] = {
	{ .name = "launch_us", .symbol = "t0", .unit = "us",
	  .meaning = "launch and dispatch", .offset = AT(launch_us),
	  .init = 8, .low = 0.01, .high = 300, .prior_sd = 1.5 },
	{ .name = "ppp_compute", .symbol = "pc", .unit = "1",
	  .meaning = "fraction of the peak FLOP/s of a wide head", .offset = AT(ppp_compute),
	  .init = 0.6, .low = 0.05, .high = 1, .prior_sd = 0.7 },
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", .offset = AT(ppp_memory),
	  .init = 0.5, .low = 0.05, .high = 4, .prior_sd = 0.7 },
	{ .name = "thin", .symbol = "h", .unit = "128 numbers",
	  .meaning = "what a head costs besides its numbers: maxima, exponentials, sums",
	  .offset = AT(thin), .init = 0.2, .low = 0.001, .high = 10, .prior_sd = 1.5 },
	{ .name = "block_us", .symbol = "tb", .unit = "us",
	  .meaning = "start and end of a block", .offset = AT(block_us),
	  .init = 1, .low = 0.001, .high = 100, .prior_sd = 1.5 },
	{ .name = "wave", .symbol = "alpha", .unit = "1",
	  .meaning = "what an unfilled last wave costs of a full one", .offset = AT(wave),
	  .init = 0.5, .low = 0.01, .high = 1, .prior_sd = 0.7 },
	{0},
};
// clang-format on

static double parts_of(double size)
{
	return ceil(size / PALEO_PREFILL_SIDE);
}

struct paleo_prefill_blocks paleo_prefill_blocks_of(const struct paleo_work *w)
{
	const struct paleo_attention_geom *g = &w->geom.attention;
	struct paleo_attention_geom tiles = *g;

	tiles.q = (int)parts_of(g->q);
	tiles.keys = (int)fmax(parts_of(g->keys), tiles.q);
	/* the first query of a block and the last see windows that begin a side apart */
	tiles.window = g->window ? (int)parts_of((double)g->window + PALEO_PREFILL_SIDE - 1) : 0;
	return (struct paleo_prefill_blocks){
		.count = (double)g->batch * g->heads * tiles.q,
		.tiles = paleo_attention_pairs(&tiles) / tiles.q,
		.longest = tiles.window ? fmin(tiles.window, tiles.keys) : tiles.keys,
	};
}

/* Seconds of a tile of queries and keys; a backward pass has more products. */
static double tile_s(const struct paleo_prefill_params *p, const struct paleo_tile_device *d,
		     const struct paleo_work *w)
{
	const struct paleo_attention_geom *g = &w->geom.attention;
	double products =
		w->pass == PALEO_FWD ? 2.0 * g->qk + 2.0 * g->v : 6.0 * g->qk + 4.0 * g->v;
	double flops = PALEO_PREFILL_SIDE * PALEO_PREFILL_SIDE * products;

	return flops * (1 + p->thin * 256 / (g->qk + g->v)) /
	       (p->ppp_compute * d->flop_per_s / d->sm_count);
}

static void price(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		  const struct paleo_work *w, struct paleo_parts *out)
{
	const struct paleo_prefill_params *p = (const void *)m->params;
	struct paleo_prefill_blocks b = paleo_prefill_blocks_of(w);
	double tile = tile_s(p, d, w), start = p->block_us * 1e-6;
	double waves = b.count / d->sm_count, mean = b.tiles * tile + start;
	double unfilled = waves > 1 ? (ceil(waves) - waves) * p->wave : 0;

	out->compute_s = fmax(waves * mean, b.longest * tile + start) + unfilled * mean;
	out->memory_s = (w->read_bytes + w->write_bytes) / (p->ppp_memory * d->mem_bytes_per_s);
	out->overhead_s = p->launch_us * 1e-6;
	out->total_s = out->overhead_s + out->compute_s + out->memory_s;
}

static int is_prefill(const struct paleo_work *w)
{
	return w->kind == PALEO_ATTENTION && !paleo_attention_decodes(w);
}

/* How many blocks there are, how full the last wave and tile, and what shares a head of keys. */
static int features(const struct paleo_tile_device *d, const struct paleo_work *w, double *x)
{
	const struct paleo_attention_geom *g = &w->geom.attention;
	struct paleo_prefill_blocks b = paleo_prefill_blocks_of(w);
	double waves = b.count / d->sm_count;
	int n = 0;

	x[n++] = log2(waves);
	x[n++] = ceil(waves) / waves;
	x[n++] = log2(b.tiles);
	x[n++] = log2((double)g->heads / g->kv_heads);
	x[n++] = log2((double)g->batch * g->kv_heads);
	x[n++] = log2(w->read_bytes + w->write_bytes);
	x[n++] = log2((double)g->batch * g->q);
	x[n++] = g->window ? log2(g->window) : 24;
	return n;
}

const struct paleo_kernel_model paleo_kernel_attention_prefill = {
	.name = "attention_prefill",
	.what = "attention of many queries: blocks of them over the multiprocessors, in waves",
	.parameters = parameters,
	.count = 6,
	.is_guess = 1,
	.kernels = 2, /* positions and the cache; attention */
	.applies = is_prefill,
	.price = price,
	.features = features,
};
