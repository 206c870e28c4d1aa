/* scan.c - the time of scans in chunks, and of causal convolutions, of many tokens on a GPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/scan.h"

#include <math.h>

#include "model/predict/kernel_model.h"

PALEO_KERNEL_FITS(struct paleo_scan_params);
PALEO_KERNEL_FITS(struct paleo_causal_params);

#define ROW(...) PALEO_PARAMETER(struct paleo_scan_params, __VA_ARGS__)
// clang-format off
static const struct paleo_parameter scan_parameters[] = {
	ROW(launch_us, "t0", "us", 16, 0.01, 300, 1.5, "launch and dispatch of all kernels"),
	ROW(ppp_compute, "pc", "1", 0.3, 0.001, 1, 1, "fraction of the peak FLOP/s"),
	ROW(ppp_memory, "pm", "1", 0.8, 0.05, 4, 0.5, "fraction of the memory's bandwidth"),
	ROW(step_us, "ts", "us", 1.5, 0.01, 100, 1, "from a chunk's state to the next one's"),
	ROW(slots, "s", "heads per SM", 1, 0.1, 64, 1,
	    "heads whose states are passed on concurrently"),
	{0},
};
#undef ROW
#define ROW(...) PALEO_PARAMETER(struct paleo_causal_params, __VA_ARGS__)
static const struct paleo_parameter causal_parameters[] = {
	ROW(launch_us, "t0", "us", 4, 0.01, 300, 1.5, "launch and dispatch"),
	ROW(ppp_memory, "pm", "1", 0.7, 0.05, 4, 0.5, "fraction of the memory's bandwidth"),
	ROW(block_us, "tb", "us", 0.1, 0.001, 100, 1,
	    "a multiprocessor's time for a channel's block"),
	{0},
};
// clang-format on

int paleo_is_state_step(const struct paleo_op *w)
{
	const struct paleo_scan_geom *scan = &w->geom.scan;
	const struct paleo_causal_conv_geom *conv = &w->geom.causal_conv;

	return (w->kind == PALEO_SCAN && scan->cache && scan->tokens == 1) ||
	       (w->kind == PALEO_CAUSAL_CONV && conv->cache && conv->tokens == 1);
}

static struct paleo_scan_chunks chunks_of(const struct paleo_op *w)
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
		       const struct paleo_op *w, struct paleo_parts *out)
{
	const struct paleo_scan_params *p = (const void *)m->params;
	struct paleo_scan_chunks s = chunks_of(w);
	double passed = s.count * p->step_us * 1e-6 * fmax(1, s.heads / (d->sm_count * p->slots));

	out->compute_s = s.flops / (d->flop_per_s * p->ppp_compute);
	out->memory_s = s.bytes / (d->mem_bytes_per_s * p->ppp_memory);
	out->overhead_s = p->launch_us * 1e-6 + passed;
	out->total_s = out->overhead_s + hypot(out->compute_s, out->memory_s);
}

static int is_scan(const struct paleo_op *w)
{
	return w->kind == PALEO_SCAN && !paleo_is_state_step(w);
}

static int scan_features(const struct paleo_tile_device *d, const struct paleo_op *w, double *x)
{
	struct paleo_scan_chunks s = chunks_of(w);
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
	.what = "a scan of many tokens: GEMMs in chunks, states passed between them",
	.parameters = scan_parameters,
	.count = 5,
	.is_guess = 1,
	.kernels = 6, /* lengths, key GEMMs, their inverse, values, states, results */
	.applies = is_scan,
	.price = price_scan,
	.features = scan_features,
};

static double blocks_of(const struct paleo_op *w)
{
	return (double)w->geom.causal_conv.batch * w->geom.causal_conv.channels;
}

static void price_causal(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			 const struct paleo_op *w, struct paleo_parts *out)
{
	const struct paleo_causal_params *p = (const void *)m->params;
	double blocks_s = blocks_of(w) / d->sm_count * p->block_us * 1e-6;
	double memory_s = (w->read_bytes + w->write_bytes) / (d->mem_bytes_per_s * p->ppp_memory);

	out->compute_s = 0;
	out->overhead_s = p->launch_us * 1e-6;
	out->memory_s = hypot(blocks_s, memory_s);
	out->total_s = out->overhead_s + out->memory_s;
}

static int is_causal(const struct paleo_op *w)
{
	return w->kind == PALEO_CAUSAL_CONV && !paleo_is_state_step(w);
}

static int causal_features(const struct paleo_tile_device *d, const struct paleo_op *w, double *x)
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
