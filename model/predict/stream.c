/* stream.c - the time of a memory-bound op on a GPU: two levels of memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/stream.h"

#include <math.h>

#include "model/predict/kernel_model.h"
#include "model/predict/parameter.h"
#include "model/predict/scan.h"

#define ROW(...) PALEO_PARAMETER(struct paleo_stream_params, __VA_ARGS__)
// clang-format off
const struct paleo_parameter paleo_stream_parameters[] = {
	ROW(launch_us, "t0", "us", 3, 0.01, 300, 1.5, "launch and dispatch of one op"),
	ROW(ppp_memory, "pm", "1", 0.78, 0.05, 2, 0.35, "fraction of the memory's bandwidth"),
	ROW(cache_share, "cl2", "1", 0.8, 0.05, 5, 0.8, "usable fraction of the L2"),
	ROW(ppp_cache, "pl2", "64 bytes per SM and clock", 0.5, 0.02, 6, 0.8,
	    "bandwidth from the L2 to the multiprocessors"),
	ROW(overlap, "q", "1", 1.4, 1, 6, 0.3, "exponent of the soft maximum of launch and memory"),
	ROW(half_cols, "ch", "elements", 5, 0.1, 1000, 1.5,
	    "length of a row at which half the rate is reached"),
	ROW(half_rows, "cr", "rows per SM", 1, 0.01, 100, 1.5,
	    "rows at which half the rate is reached"),
	ROW(long_cols, "cx", "elements", 1200, 50, 1e5, 1,
	    "length of a row at which another kernel takes over"),
	ROW(long_extra, "ex", "1", 0.3, 0.001, 5, 1.2, "slowdown of that kernel"),
	{0},
};
static const struct paleo_parameter state_parameters[] = {
	ROW(launch_us, "t0", "us", 4.5, 0.01, 300, 1.5, "launch and dispatch of one op"),
	ROW(ppp_memory, "pm", "1", 0.52, 0.05, 2, 0.35, "fraction of the memory's bandwidth"),
	ROW(cache_share, "cl2", "1", 0.55, 0.05, 5, 0.8, "usable fraction of the L2"),
	ROW(ppp_cache, "pl2", "64 bytes per SM and clock", 0.2, 0.02, 6, 0.8,
	    "bandwidth from the L2 to the multiprocessors"),
	ROW(overlap, "q", "1", 1.1, 1, 6, 0.3, "exponent of the soft maximum of launch and memory"),
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

/* Rows and columns of an op on rows; 0 of others. */
static double rows_of(const struct paleo_op *w, double *cols)
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

static int is_on_rows(const struct paleo_op *w)
{
	double cols;

	return rows_of(w, &cols) > 0;
}

static int is_stream(const struct paleo_op *w)
{
	return w->kind != PALEO_CONV && w->kind != PALEO_GEMM && w->kind != PALEO_ATTENTION &&
	       w->kind != PALEO_MOE && !is_on_rows(w) && !paleo_is_state_step(w);
}

static void price_stream(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			 const struct paleo_op *w, struct paleo_parts *out)
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
	.what = "memory-bound ops: two levels of memory",
	.parameters = paleo_stream_parameters,
	.count = PALEO_STREAM_FLAT,
	.applies = is_stream,
	.price = price_stream,
};

const struct paleo_kernel_model paleo_kernel_stream_rows = {
	.name = "stream_rows",
	.what = "row-wise memory-bound ops: two levels of memory, short and long rows",
	.parameters = paleo_stream_parameters,
	.count = PALEO_STREAM_ROWS,
	.applies = is_on_rows,
	.price = price_stream,
};

const struct paleo_kernel_model paleo_kernel_stream_state = {
	.name = "stream_state",
	.what = "one token of each sequence: a state is read, updated and written",
	.parameters = state_parameters,
	.count = PALEO_STREAM_FLAT,
	.applies = paleo_is_state_step,
	.price = price_stream,
};
