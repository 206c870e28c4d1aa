/* scan.c - the time of scans in chunks, and of causal convolutions, of many tokens on a GPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/scan.h"

#include <math.h>

#include "model/predict/kernel_models.h"

PALEO_KERNEL_FITS(struct paleo_scan_params);
PALEO_KERNEL_FITS(struct paleo_causal_params);

#define AT(field) offsetof(struct paleo_scan_params, field)
// clang-format off
static const struct paleo_parameter scan_parameters[] = {
	{ .name = "launch_us", .symbol = "t0", .unit = "us",
	  .meaning = "launch and dispatch of all kernels", .offset = AT(launch_us),
	  .init = 16, .low = 0.01, .high = 300, .prior_sd = 1.5 },
	{ .name = "ppp_compute", .symbol = "pc", .unit = "1",
	  .meaning = "fraction of the peak FLOP/s", .offset = AT(ppp_compute),
	  .init = 0.3, .low = 0.001, .high = 1, .prior_sd = 1 },
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", .offset = AT(ppp_memory),
	  .init = 0.8, .low = 0.05, .high = 4, .prior_sd = 0.5 },
	{ .name = "step_us", .symbol = "ts", .unit = "us",
	  .meaning = "from a chunk's state to the next one's", .offset = AT(step_us),
	  .init = 1.5, .low = 0.01, .high = 100, .prior_sd = 1 },
	{ .name = "slots", .symbol = "s", .unit = "heads per SM",
	  .meaning = "heads whose states are passed on at the same time", .offset = AT(slots),
	  .init = 1, .low = 0.1, .high = 64, .prior_sd = 1 },
	{0},
};
#undef AT
#define AT(field) offsetof(struct paleo_causal_params, field)
static const struct paleo_parameter causal_parameters[] = {
	{ .name = "launch_us", .symbol = "t0", .unit = "us",
	  .meaning = "launch and dispatch", .offset = AT(launch_us),
	  .init = 4, .low = 0.01, .high = 300, .prior_sd = 1.5 },
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", .offset = AT(ppp_memory),
	  .init = 0.7, .low = 0.05, .high = 4, .prior_sd = 0.5 },
	{ .name = "block_us", .symbol = "tb", .unit = "us",
	  .meaning = "a multiprocessor's time for a channel's block", .offset = AT(block_us),
	  .init = 0.1, .low = 0.001, .high = 100, .prior_sd = 1 },
	{0},
};
// clang-format on

int paleo_is_state_step(const struct paleo_work *w)
{
	const struct paleo_scan_geom *scan = &w->geom.scan;
	const struct paleo_causal_conv_geom *conv = &w->geom.causal_conv;

	return (w->kind == PALEO_SCAN && scan->cache && scan->tokens == 1) ||
	       (w->kind == PALEO_CAUSAL_CONV && conv->cache && conv->tokens == 1);
}

struct paleo_scan_chunks paleo_scan_chunks_of(const struct paleo_work *w)
{
	const struct paleo_scan_geom *g = &w->geom.scan;
	int most = g->chunk ? g->chunk : PALEO_SCAN_CHUNK;
	double c = most < g->tokens ? most : g->tokens, n = g->qk, p = g->v;
	int delta = g->rule == PALEO_SCAN_DELTA || g->rule == PALEO_SCAN_KDA;
	double times = w->pass == PALEO_FWD ? 1 : 2;
	struct paleo_scan_chunks s = {.count = ceil(g->tokens / c),
				      .heads = (double)g->batch * g->heads};
	double all = s.heads * s.count * times;

	s.flops = all * (2 * c * c * (n + p) + 4 * c * n * p);
	if (delta)
		s.flops += all * (2 * c * c * (2 * n + p) + 2 * c * n * p);
	s.bytes = w->read_bytes + w->write_bytes + all * 2 * ((2 * n + 4 * p) * c + 2 * n * p);
	return s;
}

static void price_scan(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_work *w, struct paleo_parts *out)
{
	const struct paleo_scan_params *p = (const void *)m->params;
	struct paleo_scan_chunks s = paleo_scan_chunks_of(w);
	double passed = s.count * p->step_us * 1e-6 * fmax(1, s.heads / (d->sm_count * p->slots));

	out->compute_s = s.flops / (d->flop_per_s * p->ppp_compute);
	out->memory_s = s.bytes / (d->mem_bytes_per_s * p->ppp_memory);
	out->overhead_s = p->launch_us * 1e-6 + passed;
	out->total_s = out->overhead_s + hypot(out->compute_s, out->memory_s);
}

static int is_scan(const struct paleo_work *w)
{
	return w->kind == PALEO_SCAN && !paleo_is_state_step(w);
}

static int scan_features(const struct paleo_tile_device *d, const struct paleo_work *w, double *x)
{
	struct paleo_scan_chunks s = paleo_scan_chunks_of(w);
	double tokens = w->geom.scan.tokens;
	int n = 0;

	x[n++] = log2(s.heads);
	x[n++] = log2(s.count);
	x[n++] = log2(tokens);
	x[n++] = log2(s.bytes);
	x[n++] = ceil(s.heads / d->sm_count) * d->sm_count / s.heads;
	return n;
}

const struct paleo_kernel_model paleo_kernel_scan_chunks = {
	.name = "scan_chunks",
	.what = "a scan of many tokens: products in chunks, states that are passed on",
	.parameters = scan_parameters,
	.count = 5,
	.is_guess = 1,
	.kernels = 6, /* lengths, products of keys, their inverse, values, states, results */
	.applies = is_scan,
	.price = price_scan,
	.features = scan_features,
};

static double blocks_of(const struct paleo_work *w)
{
	return (double)w->geom.causal_conv.batch * w->geom.causal_conv.channels;
}

static void price_causal(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			 const struct paleo_work *w, struct paleo_parts *out)
{
	const struct paleo_causal_params *p = (const void *)m->params;
	double blocks_s = blocks_of(w) / d->sm_count * p->block_us * 1e-6;
	double memory_s = (w->read_bytes + w->write_bytes) / (d->mem_bytes_per_s * p->ppp_memory);

	out->compute_s = 0;
	out->overhead_s = p->launch_us * 1e-6;
	out->memory_s = hypot(blocks_s, memory_s);
	out->total_s = out->overhead_s + out->memory_s;
}

static int is_causal(const struct paleo_work *w)
{
	return w->kind == PALEO_CAUSAL_CONV && !paleo_is_state_step(w);
}

static int causal_features(const struct paleo_tile_device *d, const struct paleo_work *w, double *x)
{
	(void)d;
	x[0] = log2(blocks_of(w));
	x[1] = log2(w->geom.causal_conv.tokens);
	x[2] = log2(w->read_bytes + w->write_bytes);
	return 3;
}

const struct paleo_kernel_model paleo_kernel_causal_conv = {
	.name = "causal_conv",
	.what = "a causal convolution of many tokens: a block for each channel of each sequence",
	.parameters = causal_parameters,
	.count = 3,
	.is_guess = 1,
	.applies = is_causal,
	.price = price_causal,
	.features = causal_features,
};
