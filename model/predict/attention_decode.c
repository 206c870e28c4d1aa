/* attention_decode.c - the time of attention of one query on a GPU: a cache read by many blocks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/attention.h"
#include "model/predict/kernel_models.h"

PALEO_KERNEL_FITS(struct paleo_decode_params);

enum {
	ROWS = 8 /* of a tile of tensor cores */
};

#define AT(field) offsetof(struct paleo_decode_params, field)
// clang-format off
static const struct paleo_parameter parameters[] = {
	{ .name = "launch_us", .symbol = "t0", .unit = "us",
	  .meaning = "launch and dispatch", .offset = AT(launch_us),
	  .init = 6, .low = 0.01, .high = 300, .prior_sd = 1.5 },
	{ .name = "ppp_compute", .symbol = "pc", .unit = "1",
	  .meaning = "fraction of the peak FLOP/s", .offset = AT(ppp_compute),
	  .init = 0.1, .low = 0.001, .high = 1, .prior_sd = 1 },
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", .offset = AT(ppp_memory),
	  .init = 0.8, .low = 0.05, .high = 2, .prior_sd = 0.35 },
	{ .name = "cache_share", .symbol = "cl2", .unit = "1",
	  .meaning = "usable fraction of the L2", .offset = AT(cache_share),
	  .init = 0.5, .low = 0.05, .high = 5, .prior_sd = 0.8 },
	{ .name = "cache_gain", .symbol = "g", .unit = "1",
	  .meaning = "how much faster than the memory the L2 is", .offset = AT(cache_gain),
	  .init = 1, .low = 0.01, .high = 10, .prior_sd = 1 },
	{ .name = "slots", .symbol = "s", .unit = "blocks per SM",
	  .meaning = "blocks at work at the same time", .offset = AT(slots),
	  .init = 2, .low = 0.25, .high = 16, .prior_sd = 0.7 },
	{ .name = "split_keys", .symbol = "ks", .unit = "keys",
	  .meaning = "the fewest of a block", .offset = AT(split_keys),
	  .init = 128, .low = 8, .high = 8192, .prior_sd = 1 },
	{ .name = "block_rate", .symbol = "rb", .unit = "1",
	  .meaning = "a block's bandwidth over an SM's part of the memory's",
	  .offset = AT(block_rate), .init = 1, .low = 0.02, .high = 16, .prior_sd = 1 },
	{ .name = "block_us", .symbol = "tb", .unit = "us",
	  .meaning = "start and end of a block whose queries share keys", .offset = AT(block_us),
	  .init = 2, .low = 0.01, .high = 100, .prior_sd = 1.5 },
	{ .name = "single_us", .symbol = "t1", .unit = "us",
	  .meaning = "start and end of a block of one query", .offset = AT(single_us),
	  .init = 2, .low = 0.01, .high = 100, .prior_sd = 1.5 },
	{ .name = "shared_most", .symbol = "qs", .unit = "queries",
	  .meaning = "the most that share keys in a block; more go one by one",
	  .offset = AT(shared_most), .init = 32, .low = 1, .high = 1024, .prior_sd = 1 },
	{ .name = "wave", .symbol = "alpha", .unit = "1",
	  .meaning = "what an unfilled last wave costs of a full one", .offset = AT(wave),
	  .init = 0.5, .low = 0.01, .high = 1, .prior_sd = 0.7 },
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
						  const struct paleo_work *w)
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

/* What is stored of a key and its value. */
static double bytes_of_key(const struct paleo_work *w)
{
	const struct paleo_attention_geom *g = &w->geom.attention;
	enum paleo_dtype stored = g->kv ? (enum paleo_dtype)(g->kv - 1) : w->dtype;

	return (g->qk + (g->latent ? 0.0 : g->v)) * paleo_dtype_bytes(stored);
}

static void price(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		  const struct paleo_work *w, struct paleo_parts *out)
{
	const struct paleo_decode_params *p = (const void *)m->params;
	const struct paleo_tile_params cache = {.cache_share = p->cache_share};
	struct paleo_decode_blocks b = paleo_decode_blocks_of(p, d, w);
	double keys = paleo_attention_seen(&w->geom.attention) / b.splits;
	double bytes = w->read_bytes + w->write_bytes;
	double hit = 1 - paleo_tile_miss(&cache, d, bytes);
	double alone = keys * bytes_of_key(w) / (d->mem_bytes_per_s / d->sm_count * p->block_rate);
	/* A little less: what is a whole number but for rounding is no wave more. */
	double waves = b.waves + p->wave * (ceil(b.waves * (1 - 1e-9)) - b.waves);
	double blocks_s = waves * (alone + b.start_s);
	double memory_s = bytes / (d->mem_bytes_per_s * p->ppp_memory) / (1 + p->cache_gain * hit);

	out->compute_s = w->flops / (d->flop_per_s * p->ppp_compute);
	out->memory_s = pow(pow(blocks_s, 4) + pow(memory_s, 4), 0.25);
	out->overhead_s = p->launch_us * 1e-6;
	out->total_s = out->overhead_s + pow(pow(out->compute_s, 4) + pow(out->memory_s, 4), 0.25);
}

static int is_decode(const struct paleo_work *w)
{
	return w->kind == PALEO_ATTENTION && paleo_attention_decodes(w);
}

/* How many blocks there are for the multiprocessors, and how many queries share keys. */
static int features(const struct paleo_tile_device *d, const struct paleo_work *w, double *x)
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
	.what = "attention of one query: a cache that is read by many blocks",
	.parameters = parameters,
	.count = 12,
	.is_guess = 1,
	.kernels = 2, /* positions and the cache; attention */
	.applies = is_decode,
	.price = price,
	.features = features,
};
