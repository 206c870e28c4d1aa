/* host_kernel.c - the time of batch norms and of our own loops on a CPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/host_kernel.h"

#include <math.h>

#include "model/predict/kernel_model.h"

#define WIDE 256.0 /* channels beyond which the slowdown no longer grows */

#define ROW(...) PALEO_PARAMETER(struct paleo_host_norm, __VA_ARGS__)
// clang-format off
const struct paleo_parameter paleo_host_norm_parameters[] = {
	ROW(lanes, "l", "channels", 8, 1, 64, 1, "channels of a block"),
	ROW(launch_us, "t0", "us", 7, 0.01, 1000, 1, "dispatch and thread synchronisation"),
	ROW(row_ns, "tr", "ns", 40, 0.1, 10000, 1, "start of a block of an image"),
	ROW(element_ns, "te", "ns", 0.7, 0.001, 100, 1, "one element, by one thread"),
	ROW(wide, "wc", "1", 0.4, 0.0001, 10, 1.5, "slowdown with many channels"),
	ROW(half, "h2", "1", 0.3, 0.0001, 10, 1.5, "slowdown of blocks of half the lanes"),
	ROW(quarter, "h4", "1", 0.9, 0.0001, 30, 1.5,
	    "slowdown of blocks of a quarter of the lanes"),
	ROW(odd, "h1", "1", 2, 0.0001, 100, 1.5, "slowdown of other numbers of channels"),
	ROW(ppp_memory, "pm", "1", 1, 0.01, 16, 0.7, "fraction of the memory's bandwidth"),
	ROW(cache_share, "cs", "1", 0.8, 0.05, 8, 0.8, "usable fraction of the last cache"),
	{0},
};

#undef ROW
#define ROW(...) PALEO_PARAMETER(struct paleo_host_loop, __VA_ARGS__)
const struct paleo_parameter paleo_host_loop_parameters[] = {
	ROW(start_us, "t0", "us", 1, 0.01, 100, 1, "call of a loop"),
	ROW(ppp_alone, "p1", "1", 0.35, 0.001, 16, 0.7,
	    "fraction of the bandwidth reached by one thread"),
	ROW(fork_us, "tf", "us", 3, 0.01, 1000, 1, "thread wake-up"),
	ROW(ppp_memory, "pm", "1", 0.7, 0.001, 16, 0.7,
	    "fraction of the bandwidth reached by all threads"),
	ROW(part_ns, "tp", "ns", 100, 1, 10000, 1, "start of a part of a row"),
	{0},
};
// clang-format on

int paleo_host_is_norm(const struct paleo_op *w)
{
	return w->kind == PALEO_NORM && w->geom.norm.mode == PALEO_BATCH_NORM;
}

int paleo_host_is_loop(const struct paleo_op *w)
{
	int op = w->geom.eltwise.op;

	if (w->kind == PALEO_ELTWISE)
		return op == PALEO_DROPOUT || op == PALEO_SILU_MUL ||
		       (w->pass != PALEO_FWD && (op == PALEO_MUL || op == PALEO_MAX));
	return w->kind == PALEO_UPDATE || w->kind == PALEO_COPY;
}

/* 1 where the channels fill the library's blocks. */
static double slower(const struct paleo_host_norm *p, double channels)
{
	if (fmod(channels, p->lanes) == 0)
		return 1;
	if (fmod(channels, p->lanes / 2) == 0)
		return 1 + p->half;
	return 1 + (fmod(channels, p->lanes / 4) == 0 ? p->quarter : p->odd);
}

void paleo_host_norm_time(const struct paleo_host_norm *p, const struct paleo_tile_device *d,
			  const struct paleo_op *w, struct paleo_parts *out)
{
	const struct paleo_norm_geom *g = &w->geom.norm;
	double rows = g->n * ceil(g->c / p->lanes), bytes = w->read_bytes + w->write_bytes;
	double elements = (double)g->n * g->c * g->h * g->w;
	double element_ns = p->element_ns * (1 + p->wide * fmin(g->c / WIDE, 1)) * slower(p, g->c);
	double kept = p->cache_share * d->cache_bytes / bytes;

	out->overhead_s = p->launch_us * 1e-6;
	out->compute_s = (rows * p->row_ns + elements * element_ns) * 1e-9 / d->sm_count;
	out->memory_s = bytes / (1 + kept * kept) / (d->mem_bytes_per_s * p->ppp_memory);
	out->total_s = out->compute_s + out->memory_s + out->overhead_s;
}

static double elements_of(const struct paleo_op *w)
{
	if (w->kind == PALEO_COPY)
		return (double)w->geom.copy.rows * w->geom.copy.cols;
	return w->kind == PALEO_UPDATE ? w->geom.update.count : w->geom.eltwise.count;
}

static double parts_of(const struct paleo_op *w)
{
	return w->kind == PALEO_COPY ? (double)w->geom.copy.rows * w->geom.copy.parts : 0;
}

void paleo_host_loop_time(const struct paleo_host_loop *p, const struct paleo_tile_device *d,
			  const struct paleo_op *w, struct paleo_parts *out)
{
	int alone = elements_of(w) < PALEO_SWEEP_SERIAL;
	double rate = d->mem_bytes_per_s * (alone ? p->ppp_alone : p->ppp_memory);

	out->overhead_s = (p->start_us + (alone ? 0 : p->fork_us)) * 1e-6;
	out->compute_s = parts_of(w) * p->part_ns * 1e-9 / (alone ? 1 : d->sm_count);
	out->memory_s = (w->read_bytes + w->write_bytes) / rate;
	out->total_s = out->compute_s + out->memory_s + out->overhead_s;
}

PALEO_KERNEL_FITS(struct paleo_host_norm);
PALEO_KERNEL_FITS(struct paleo_host_loop);

static void price_norm(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_op *w, struct paleo_parts *out)
{
	paleo_host_norm_time((const void *)m->params, d, w, out);
}

static void price_loop(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_op *w, struct paleo_parts *out)
{
	paleo_host_loop_time((const void *)m->params, d, w, out);
}

const struct paleo_kernel_model paleo_kernel_onednn_batch_norm = {
	.name = "onednn_batch_norm",
	.what = "batch normalisations on a CPU: blocks of channels, and the last cache",
	.host = 1,
	.parameters = paleo_host_norm_parameters,
	.count = PALEO_SWEEP_NORM,
	.first = paleo_onednn_lanes,
	.uses = paleo_kernel_uses_all,
	.applies = paleo_host_is_norm,
	.price = price_norm,
};

const struct paleo_kernel_model paleo_kernel_host_kernel = {
	.name = "host_kernel",
	.what = "paleo's own loops on a CPU: by one thread, or by all",
	.host = 1,
	.parameters = paleo_host_loop_parameters,
	.count = PALEO_SWEEP_LOOP,
	.applies = paleo_host_is_loop,
	.price = price_loop,
};
