/* host_kernel.c - the time of batch norms and of our own loops on a processor. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/host_kernel.h"

#include <math.h>

#include "model/predict/kernel_models.h"

#define WIDE 256.0 /* channels from which on there is no more to lose */

#define AT(field) offsetof(struct paleo_host_norm, field)
// clang-format off
const struct paleo_parameter paleo_host_norm_parameters[] = {
	{ .name = "lanes", .symbol = "l", .unit = "channels",
	  .meaning = "channels of a block", .offset = AT(lanes),
	  .init = 8, .low = 1, .high = 64, .prior_sd = 1 },
	{ .name = "launch_us", .symbol = "t0", .unit = "us",
	  .meaning = "dispatch, threads that wait for one another", .offset = AT(launch_us),
	  .init = 7, .low = 0.01, .high = 1000, .prior_sd = 1 },
	{ .name = "row_ns", .symbol = "tr", .unit = "ns",
	  .meaning = "start of a block of an image", .offset = AT(row_ns),
	  .init = 40, .low = 0.1, .high = 10000, .prior_sd = 1 },
	{ .name = "element_ns", .symbol = "te", .unit = "ns",
	  .meaning = "one element, by one thread", .offset = AT(element_ns),
	  .init = 0.7, .low = 0.001, .high = 100, .prior_sd = 1 },
	{ .name = "wide", .symbol = "wc", .unit = "1",
	  .meaning = "how much slower many channels are", .offset = AT(wide),
	  .init = 0.4, .low = 0.0001, .high = 10, .prior_sd = 1.5 },
	{ .name = "half", .symbol = "h2", .unit = "1",
	  .meaning = "how much slower blocks of half the lanes are", .offset = AT(half),
	  .init = 0.3, .low = 0.0001, .high = 10, .prior_sd = 1.5 },
	{ .name = "quarter", .symbol = "h4", .unit = "1",
	  .meaning = "how much slower blocks of a quarter are", .offset = AT(quarter),
	  .init = 0.9, .low = 0.0001, .high = 30, .prior_sd = 1.5 },
	{ .name = "odd", .symbol = "h1", .unit = "1",
	  .meaning = "how much slower other numbers of channels are", .offset = AT(odd),
	  .init = 2, .low = 0.0001, .high = 100, .prior_sd = 1.5 },
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", .offset = AT(ppp_memory),
	  .init = 1, .low = 0.01, .high = 16, .prior_sd = 0.7 },
	{ .name = "cache_share", .symbol = "cs", .unit = "1",
	  .meaning = "usable fraction of the last cache", .offset = AT(cache_share),
	  .init = 0.8, .low = 0.05, .high = 8, .prior_sd = 0.8 },
	{0},
};
#undef AT

#define AT(field) offsetof(struct paleo_host_loop, field)
const struct paleo_parameter paleo_host_loop_parameters[] = {
	{ .name = "start_us", .symbol = "t0", .unit = "us",
	  .meaning = "call of a loop", .offset = AT(start_us),
	  .init = 1, .low = 0.01, .high = 100, .prior_sd = 1 },
	{ .name = "ppp_alone", .symbol = "p1", .unit = "1",
	  .meaning = "fraction of the bandwidth that one thread has", .offset = AT(ppp_alone),
	  .init = 0.35, .low = 0.001, .high = 16, .prior_sd = 0.7 },
	{ .name = "fork_us", .symbol = "tf", .unit = "us",
	  .meaning = "threads that wake up", .offset = AT(fork_us),
	  .init = 3, .low = 0.01, .high = 1000, .prior_sd = 1 },
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the bandwidth that all threads have", .offset = AT(ppp_memory),
	  .init = 0.7, .low = 0.001, .high = 16, .prior_sd = 0.7 },
	{ .name = "part_ns", .symbol = "tp", .unit = "ns",
	  .meaning = "start of a part of a row", .offset = AT(part_ns),
	  .init = 100, .low = 1, .high = 10000, .prior_sd = 1 },
	{0},
};
// clang-format on

int paleo_host_is_norm(const struct paleo_work *w)
{
	return w->kind == PALEO_NORM && w->geom.norm.mode == PALEO_BATCH_NORM;
}

int paleo_host_is_loop(const struct paleo_work *w)
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
			  const struct paleo_work *w, struct paleo_parts *out)
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

static double elements_of(const struct paleo_work *w)
{
	if (w->kind == PALEO_COPY)
		return (double)w->geom.copy.rows * w->geom.copy.cols;
	return w->kind == PALEO_UPDATE ? w->geom.update.count : w->geom.eltwise.count;
}

static double parts_of(const struct paleo_work *w)
{
	return w->kind == PALEO_COPY ? (double)w->geom.copy.rows * w->geom.copy.parts : 0;
}

void paleo_host_loop_time(const struct paleo_host_loop *p, const struct paleo_tile_device *d,
			  const struct paleo_work *w, struct paleo_parts *out)
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
		       const struct paleo_work *w, struct paleo_parts *out)
{
	paleo_host_norm_time((const void *)m->params, d, w, out);
}

static void price_loop(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_work *w, struct paleo_parts *out)
{
	paleo_host_loop_time((const void *)m->params, d, w, out);
}

const struct paleo_kernel_model paleo_kernel_onednn_batch_norm = {
	.name = "onednn_batch_norm",
	.what = "batch normalisations on a processor: blocks of channels, and the last cache",
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
	.what = "loops of the program's own on a processor: by one thread, or by all",
	.host = 1,
	.parameters = paleo_host_loop_parameters,
	.count = PALEO_SWEEP_LOOP,
	.applies = paleo_host_is_loop,
	.price = price_loop,
};
