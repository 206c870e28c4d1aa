/* stream.c - the time of a work that mostly moves data on a GPU: two levels of memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/stream.h"

#include <math.h>

#include "model/predict/kernel_models.h"
#include "model/predict/scan.h"
#include "model/predict/soft_sum.h"

#define AT(field) offsetof(struct paleo_stream_params, field)
// clang-format off
const struct paleo_parameter paleo_stream_parameters[] = {
	{ .name = "launch_us", .symbol = "t0", .unit = "us",
	  .meaning = "launch and dispatch of one work", .offset = AT(launch_us),
	  .init = 3, .low = 0.01, .high = 300, .prior_sd = 1.5 },
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", .offset = AT(ppp_memory),
	  .init = 0.78, .low = 0.05, .high = 2, .prior_sd = 0.35 },
	{ .name = "cache_share", .symbol = "cl2", .unit = "1",
	  .meaning = "usable fraction of the L2", .offset = AT(cache_share),
	  .init = 0.8, .low = 0.05, .high = 5, .prior_sd = 0.8 },
	{ .name = "ppp_cache", .symbol = "pl2", .unit = "64 bytes per SM and clock",
	  .meaning = "bandwidth from the L2 to the multiprocessors", .offset = AT(ppp_cache),
	  .init = 0.5, .low = 0.02, .high = 6, .prior_sd = 0.8 },
	{ .name = "overlap", .symbol = "q", .unit = "1",
	  .meaning = "exponent of the soft sum of launch and data", .offset = AT(overlap),
	  .init = 1.4, .low = 1, .high = 6, .prior_sd = 0.3 },
	{ .name = "half_cols", .symbol = "ch", .unit = "elements",
	  .meaning = "length of a row at which half the rate is reached", .offset = AT(half_cols),
	  .init = 5, .low = 0.1, .high = 1000, .prior_sd = 1.5 },
	{ .name = "half_rows", .symbol = "cr", .unit = "rows per SM",
	  .meaning = "rows at which half the rate is reached", .offset = AT(half_rows),
	  .init = 1, .low = 0.01, .high = 100, .prior_sd = 1.5 },
	{ .name = "long_cols", .symbol = "cx", .unit = "elements",
	  .meaning = "length of a row at which another kernel takes over", .offset = AT(long_cols),
	  .init = 1200, .low = 50, .high = 1e5, .prior_sd = 1 },
	{ .name = "long_extra", .symbol = "ex", .unit = "1",
	  .meaning = "how much slower that kernel is", .offset = AT(long_extra),
	  .init = 0.3, .low = 0.001, .high = 5, .prior_sd = 1.2 },
	{0},
};
static const struct paleo_parameter state_parameters[] = {
	{ .name = "launch_us", .symbol = "t0", .unit = "us",
	  .meaning = "launch and dispatch of one work", .offset = AT(launch_us),
	  .init = 4.5, .low = 0.01, .high = 300, .prior_sd = 1.5 },
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", .offset = AT(ppp_memory),
	  .init = 0.52, .low = 0.05, .high = 2, .prior_sd = 0.35 },
	{ .name = "cache_share", .symbol = "cl2", .unit = "1",
	  .meaning = "usable fraction of the L2", .offset = AT(cache_share),
	  .init = 0.55, .low = 0.05, .high = 5, .prior_sd = 0.8 },
	{ .name = "ppp_cache", .symbol = "pl2", .unit = "64 bytes per SM and clock",
	  .meaning = "bandwidth from the L2 to the multiprocessors", .offset = AT(ppp_cache),
	  .init = 0.2, .low = 0.02, .high = 6, .prior_sd = 0.8 },
	{ .name = "overlap", .symbol = "q", .unit = "1",
	  .meaning = "exponent of the soft sum of launch and data", .offset = AT(overlap),
	  .init = 1.1, .low = 1, .high = 6, .prior_sd = 0.3 },
	{0},
};
// clang-format on

double paleo_stream_s(const struct paleo_stream_params *p, const struct paleo_tile_device *d,
		      double bytes, double rows, double cols)
{
	const struct paleo_tile_params cache = {.cache_share = p->cache_share};
	double miss = paleo_tile_miss(&cache, d, bytes);
	double data = bytes * (miss / (p->ppp_memory * d->mem_bytes_per_s) +
			       (1 - miss) / (p->ppp_cache * 64 * d->sm_count * d->clock_hz));

	if (rows > 0) {
		double y = pow(cols / p->long_cols, 4);
		data *= 1 + p->long_extra * y / (1 + y);
		data /= cols / (cols + p->half_cols) * rows / (rows + p->half_rows * d->sm_count);
	}
	return paleo_soft_sum(p->launch_us * 1e-6, data, p->overlap);
}

PALEO_KERNEL_FITS(struct paleo_stream_params);

/* Rows and columns of a work on rows; 0 of others. */
static double rows_of(const struct paleo_work *w, double *cols)
{
	*cols = 0;
	if (w->kind == PALEO_SOFTMAX) {
		*cols = w->geom.softmax.cols;
		return w->geom.softmax.rows;
	}
	if (w->kind == PALEO_NORM &&
	    (w->geom.norm.mode == PALEO_LAYER_NORM || w->geom.norm.mode == PALEO_RMS_NORM)) {
		const struct paleo_norm_geom *g = &w->geom.norm;
		*cols = g->c;
		return (double)g->n * g->h * g->w;
	}
	if (w->kind == PALEO_CROSS_ENTROPY) {
		*cols = w->geom.cross_entropy.cols;
		return w->geom.cross_entropy.rows;
	}
	return 0;
}

static int is_on_rows(const struct paleo_work *w)
{
	double cols;

	return rows_of(w, &cols) > 0;
}

static int is_stream(const struct paleo_work *w)
{
	return w->kind != PALEO_CONV && w->kind != PALEO_GEMM && w->kind != PALEO_ATTENTION &&
	       w->kind != PALEO_MOE && !is_on_rows(w) && !paleo_is_state_step(w);
}

static void price_stream(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			 const struct paleo_work *w, struct paleo_parts *out)
{
	const struct paleo_stream_params *p = (const void *)m->params;
	double cols, rows = rows_of(w, &cols);

	out->total_s = paleo_stream_s(p, d, w->read_bytes + w->write_bytes, rows, cols);
	out->overhead_s = p->launch_us * 1e-6;
	out->compute_s = 0;
	out->memory_s = fmax(0, out->total_s - out->overhead_s);
}

const struct paleo_kernel_model paleo_kernel_stream = {
	.name = "stream",
	.what = "what moves data: two levels of memory",
	.parameters = paleo_stream_parameters,
	.count = PALEO_STREAM_FLAT,
	.applies = is_stream,
	.price = price_stream,
};

const struct paleo_kernel_model paleo_kernel_stream_rows = {
	.name = "stream_rows",
	.what = "what moves data row by row: two levels of memory, short and long rows",
	.parameters = paleo_stream_parameters,
	.count = PALEO_STREAM_ROWS,
	.applies = is_on_rows,
	.price = price_stream,
};

const struct paleo_kernel_model paleo_kernel_stream_state = {
	.name = "stream_state",
	.what = "one token of each sequence: a state is read, changed and written",
	.parameters = state_parameters,
	.count = PALEO_STREAM_FLAT,
	.applies = paleo_is_state_step,
	.price = price_stream,
};
