/* attention.c - fused attention on a GPU: prefill in waves of blocks, decoding over a cache. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/attention.h"

#include <math.h>

#include "model/predict/kernel_model.h"

PALEO_KERNEL_FITS(struct paleo_prefill_params);

#define ROW(...) PALEO_PARAMETER(struct paleo_prefill_params, __VA_ARGS__)
// clang-format off
static const struct paleo_parameter parameters[] = {
	ROW(launch_us, "t0", "us", 8, 0.01, 300, 1.5, "launch and dispatch"),
	ROW(ppp_compute, "pc", "1", 0.6, 0.05, 1, 0.7,
	    "fraction of the peak FLOP/s of a wide head"),
	ROW(ppp_memory, "pm", "1", 0.5, 0.05, 4, 0.7, "fraction of the memory's bandwidth"),
	ROW(thin, "h", "128 numbers", 0.2, 0.001, 10, 1.5,
	    "overhead of a head besides its channels: maxima, exponentials, sums"),
	ROW(block_us, "tb", "us", 1, 0.001, 100, 1.5, "start and end of a block"),
	ROW(wave, "alpha", "1", 0.5, 0.01, 1, 0.7,
	    "cost of a partial last wave relative to a full one"),
	{0},
};
// clang-format on

static double parts_of(double size)
{
	return ceil(size / PALEO_PREFILL_SIDE);
}

struct paleo_prefill_blocks paleo_prefill_blocks_of(const struct paleo_op *w)
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

/* Rate of the backward pass over the forward one's: 0.63 of the peak to 0.73 (Dao 2023, arXiv
 * 2307.08691, section 4.1, on an A100; on an H100 by Shah et al. 2024 as well). */
#define BACKWARD_RATE 0.86

/* Seconds of a tile of queries and keys; a backward pass has more GEMMs. */
static double tile_s(const struct paleo_prefill_params *p, const struct paleo_tile_device *d,
		     const struct paleo_op *w)
{
	const struct paleo_attention_geom *g = &w->geom.attention;
	double products =
		w->pass == PALEO_FWD ? 2.0 * g->qk + 2.0 * g->v : 6.0 * g->qk + 4.0 * g->v;
	double flops = PALEO_PREFILL_SIDE * PALEO_PREFILL_SIDE * products;

	double rate = w->pass == PALEO_FWD ? 1 : BACKWARD_RATE;

	return flops * (1 + p->thin * 256 / (g->qk + g->v)) /
	       (p->ppp_compute * rate * d->flop_per_s / d->sm_count);
}

static void price(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		  const struct paleo_op *w, struct paleo_parts *out)
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

/* 1 if one query of each sequence reads a cache; 0 if there are many. The op is of attention. */
static int decodes(const struct paleo_op *w)
{
	return w->geom.attention.q == 1 && w->geom.attention.keys > 1;
}

static int is_prefill(const struct paleo_op *w)
{
	return w->kind == PALEO_ATTENTION && !decodes(w);
}

/* Features: number of blocks, occupancy of the last wave and tile, and queries sharing a head of
 * keys. */
static int features(const struct paleo_tile_device *d, const struct paleo_op *w, double *x)
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
	.what = "attention of many queries: blocks of queries on the multiprocessors, in waves",
	.parameters = parameters,
	.count = 6,
	.is_guess = 1,
	.kernels = 2, /* positions and the cache; attention */
	.applies = is_prefill,
	.price = price,
	.features = features,
};

/* The time of attention of one query on a GPU: a cache read by many blocks. */

PALEO_KERNEL_FITS(struct paleo_decode_params);

enum {
	ROWS = 8, /* of a tile of tensor cores */
	SHARED_LIMIT = 1024
};

#undef ROW
#define ROW(...) PALEO_PARAMETER(struct paleo_decode_params, __VA_ARGS__)
// clang-format off
static const struct paleo_parameter decode_parameters[] = {
	ROW(launch_us, "t0", "us", 6, 0.01, 300, 1.5, "launch and dispatch"),
	ROW(ppp_compute, "pc", "1", 0.1, 0.001, 1, 1, "fraction of the peak FLOP/s"),
	ROW(ppp_memory, "pm", "1", 0.8, 0.05, 2, 0.35, "fraction of the memory's bandwidth"),
	ROW(cache_share, "cl2", "1", 0.5, 0.05, 5, 0.8, "usable fraction of the L2"),
	ROW(cache_gain, "g", "1", 1, 0.01, 10, 1, "L2 bandwidth over that of the memory"),
	ROW(slots, "s", "blocks per SM", 2, 0.25, 16, 0.7, "blocks running concurrently"),
	ROW(split_keys, "ks", "keys", 128, 8, 8192, 1, "minimum number of keys per block"),
	ROW(block_rate, "rb", "1", 1, 0.02, 16, 1,
	    "a block's bandwidth over an SM's share of the memory's"),
	ROW(block_us, "tb", "us", 2, 0.01, 100, 1.5,
	    "start and end of a block whose queries share keys"),
	ROW(single_us, "t1", "us", 2, 0.01, 100, 1.5, "start and end of a block of one query"),
	ROW(shared_most, "qs", "queries", 32, 1, SHARED_LIMIT, 1,
	    "most queries that share keys in a block; more run one by one"),
	ROW(wave, "alpha", "1", 0.5, 0.01, 1, 0.7,
	    "cost of a partial last wave relative to a full one"),
	{0},
};
// clang-format on

/* 1 if each block has one query: nothing is shared, or too much. Latent keys are read once for all
 * heads: kernels of their own see to that. */
static int is_single(const struct paleo_decode_params *p, const struct paleo_attention_geom *g)
{
	double shared = (double)g->heads / g->kv_heads;

	return shared == 1 || (!g->latent && shared > p->shared_most);
}

struct paleo_decode_blocks paleo_decode_blocks_of(const struct paleo_decode_params *p,
						  const struct paleo_tile_device *d,
						  const struct paleo_op *w)
{
	const struct paleo_attention_geom *g = &w->geom.attention;
	int single = is_single(p, g);
	double slots = d->sm_count * p->slots;
	struct paleo_decode_blocks b = {
		.heads = (double)g->batch * (single ? g->heads : g->kv_heads),
		.start_s = 1e-6 * (single ? p->single_us : p->block_us),
	};

	b.splits = fmax(1, fmin(slots / b.heads, g->keys / p->split_keys));
	b.waves = fmax(1, b.heads * b.splits / slots);
	return b;
}

/* Stored bytes of a key and its value. */
static double bytes_of_key(const struct paleo_op *w)
{
	const struct paleo_attention_geom *g = &w->geom.attention;
	enum paleo_dtype stored = g->kv ? (enum paleo_dtype)(g->kv - 1) : w->dtype;

	return (g->qk + (g->latent ? 0.0 : g->v)) * paleo_dtype_bytes(stored);
}

static void decode_price(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			 const struct paleo_op *w, struct paleo_parts *out)
{
	const struct paleo_decode_params *p = (const void *)m->params;
	const struct paleo_tile_params cache = {.cache_share = p->cache_share};
	struct paleo_decode_blocks b = paleo_decode_blocks_of(p, d, w);
	double keys = paleo_attention_seen(&w->geom.attention) / b.splits;
	double bytes = w->read_bytes + w->write_bytes;
	double hit = 1 - paleo_tile_miss(&cache, d, bytes);
	double alone = keys * bytes_of_key(w) / (d->mem_bytes_per_s / d->sm_count * p->block_rate);
	/* Slightly less, so that rounding does not add a wave. */
	double waves = b.waves + p->wave * (ceil(b.waves * (1 - 1e-9)) - b.waves);
	double blocks_s = waves * (alone + b.start_s);
	double memory_s = bytes / (d->mem_bytes_per_s * p->ppp_memory) / (1 + p->cache_gain * hit);

	out->compute_s = w->flops / (d->flop_per_s * p->ppp_compute);
	out->memory_s = pow(pow(blocks_s, 4) + pow(memory_s, 4), 0.25);
	out->overhead_s = p->launch_us * 1e-6;
	out->total_s = out->overhead_s + pow(pow(out->compute_s, 4) + pow(out->memory_s, 4), 0.25);
}

static int is_decode(const struct paleo_op *w)
{
	return w->kind == PALEO_ATTENTION && decodes(w);
}

/* Where no op has more queries on a key than the limit, none shows that more run one by one: there
 * is no limit then. */
static void decode_settle(struct paleo_fitted_kernel *m, const struct paleo_op *const *ops,
			  int count)
{
	struct paleo_decode_params *p = (void *)m->params;

	for (int i = 0; i < count; i++) {
		const struct paleo_attention_geom *g = &ops[i]->geom.attention;
		if (!g->latent && g->heads > p->shared_most * g->kv_heads)
			return;
	}
	p->shared_most = SHARED_LIMIT;
}

/* Features: blocks per multiprocessor, and queries sharing keys. */
static int decode_features(const struct paleo_tile_device *d, const struct paleo_op *w, double *x)
{
	const struct paleo_decode_params start = {.slots = 1, .split_keys = 256, .shared_most = 32};
	const struct paleo_attention_geom *g = &w->geom.attention;
	struct paleo_decode_blocks b = paleo_decode_blocks_of(&start, d, w);
	double shared = (double)g->heads / g->kv_heads, pairs = (double)g->batch * g->kv_heads;
	double heads = (double)g->batch * g->heads;
	int n = 0;

	x[n++] = log2(b.heads);
	x[n++] = log2(b.splits);
	x[n++] = ceil(b.waves * (1 - 1e-9)) / b.waves;
	x[n++] = log2(shared);
	x[n++] = ceil(shared / ROWS) * ROWS / shared;
	x[n++] = log2(pairs);
	x[n++] = ceil(pairs / d->sm_count) * d->sm_count / pairs;
	x[n++] = log2(w->read_bytes + w->write_bytes);
	x[n++] = log2(heads);
	x[n++] = log2(g->keys);
	x[n++] = log2(pairs * g->keys);
	x[n++] = log2(heads * g->keys);
	return n;
}

const struct paleo_kernel_model paleo_kernel_attention_decode = {
	.name = "attention_decode",
	.what = "attention of one query: a cache read by many blocks",
	.parameters = decode_parameters,
	.count = 12,
	.is_guess = 1,
	.kernels = 2, /* positions and the cache; attention */
	.applies = is_decode,
	.settle = decode_settle,
	.price = decode_price,
	.features = decode_features,
};
