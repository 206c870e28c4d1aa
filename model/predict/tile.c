/* tile.c - products on a GPU: the parameters of their law, tiles, quantising. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/tile.h"

#include <math.h>
#include <string.h>

#include "model/predict/soft_sum.h"
#include "model/work/weight_type.h"

static const struct tile {
	const char *name;
	double rows, columns;
} tiles[PALEO_TILES] = {
#define TILE(rows, columns) {#rows "x" #columns, rows, columns},
#include "model/predict/tiles.def"
#undef TILE
};

#define AT(field) offsetof(struct paleo_tile_params, field)
// clang-format off
const struct paleo_parameter paleo_tile_parameters[] = {
	{ .name = "launch_us", .symbol = "t0", .unit = "us",
	  .meaning = "launch and dispatch of one product", .offset = AT(launch_us),
	  .init = 3, .low = 0.01, .high = 300, .prior_sd = 0.9 },
	{ .name = "ppp_compute", .symbol = "pc", .unit = "1",
	  .meaning = "platform percent of peak of a full machine", .offset = AT(ppp_compute),
	  .init = 0.95, .low = 0.2, .high = 1.6, .prior_sd = 0.35 },
	{ .name = "prologue_k", .symbol = "K0", .unit = "steps of k",
	  .meaning = "start and end of a block", .offset = AT(prologue_k),
	  .init = 20, .low = 0.01, .high = 3000, .prior_sd = 1.2 },
	{ .name = "half_accumulators", .symbol = "Ah", .unit = "accumulators per SM",
	  .meaning = "accumulators at which half the rate is reached",
	  .offset = AT(half_accumulators),
	  .init = 1200, .low = 1, .high = 2e5, .prior_sd = 1.3 },
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", .offset = AT(ppp_memory),
	  .init = 0.78, .low = 0.05, .high = 1.5, .prior_sd = 0.35 },
	{ .name = "cache_share", .symbol = "cl2", .unit = "1",
	  .meaning = "usable fraction of the L2", .offset = AT(cache_share),
	  .init = 0.8, .low = 0.05, .high = 5, .prior_sd = 0.8 },
	{ .name = "ppp_cache", .symbol = "pl2", .unit = "64 bytes per SM and clock",
	  .meaning = "bandwidth from the L2 to the multiprocessors", .offset = AT(ppp_cache),
	  .init = 0.5, .low = 0.02, .high = 6, .prior_sd = 0.8 },
	{ .name = "split_us", .symbol = "tsk", .unit = "us",
	  .meaning = "penalty of splitting the sums", .offset = AT(split_us),
	  .init = 4, .low = 0.01, .high = 200, .prior_sd = 1 },
	{ .name = "droop", .symbol = "th", .unit = "1",
	  .meaning = "how much slower sustained work gets", .offset = AT(droop),
	  .init = 0.05, .low = 0.001, .high = 4, .prior_sd = 1.2 },
	{ .name = "tlb_k", .symbol = "kc", .unit = "elements of 4 bytes",
	  .meaning = "k where rows leave the reach of the TLB", .offset = AT(tlb_k),
	  .init = 2e5, .low = 1e3, .high = 1e7, .prior_sd = 1.5 },
	{ .name = "tlb_rows", .symbol = "mr", .unit = "rows of A",
	  .meaning = "rows of which half that k is counted", .offset = AT(tlb_rows),
	  .init = 1e-6, .low = 1e-7, .high = 1e5, .prior_sd = 1.5 },
	{ .name = "half_intensity", .symbol = "Ih", .unit = "elements",
	  .meaning = "intensity of a tile at which half the rate is reached",
	  .offset = AT(half_intensity),
	  .init = 4, .low = 0.1, .high = 100, .prior_sd = 1 },
	{ .name = "wave", .symbol = "alpha", .unit = "1",
	  .meaning = "what an unfilled last wave costs of a full one", .offset = AT(wave),
	  .init = 0.8, .low = 0.1, .high = 1.2, .prior_sd = 0.3 },
	{ .name = "sharpness", .symbol = "q", .unit = "1",
	  .meaning = "how well computing hides what memory and L2 take; 1: not at all",
	  .offset = AT(sharpness),
	  .init = 4, .low = 1, .high = 16, .prior_sd = 0.5 },
	{ .name = "overlap", .symbol = "o", .unit = "1",
	  .meaning = "how well the launch hides the work, or the work the launch; 1: not at all",
	  .offset = AT(overlap),
	  .init = 1, .low = 1, .high = 6, .prior_sd = 0.5 },
	{ .name = "droop_us", .symbol = "tau", .unit = "us",
	  .meaning = "time of computing at which half of the droop has come",
	  .offset = AT(droop_us),
	  .init = 1000, .low = 1, .high = 1e6, .prior_sd = 1.5 },
	{ .name = "ppp_quantise", .symbol = "pq", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth while activations are quantised",
	  .offset = AT(ppp_quantise),
	  .init = 0.4, .low = 0.02, .high = 4, .prior_sd = 0.5 },
	{0},
};
// clang-format on

struct paleo_tile_params paleo_tile_params_init(enum paleo_dtype dtype)
{
	struct paleo_tile_params p = {0};

	for (const struct paleo_parameter *q = paleo_tile_parameters; q->name; q++)
		paleo_parameter_set(q, &p, q->init);
	if (dtype != PALEO_F32)
		p.prologue_k = 200;
	return p;
}

struct paleo_tile_product paleo_tile_product_of(double m, double n, double k, double batch,
						double element_bytes)
{
	double bytes = batch * element_bytes * (m * k + k * n + m * n);

	return (struct paleo_tile_product){.m = m,
					   .n = n,
					   .k = k,
					   .batch = batch,
					   .element_bytes = element_bytes,
					   .result_bytes = element_bytes,
					   .bytes = bytes,
					   .foot_bytes = bytes,
					   .a_share = 1};
}

struct paleo_tile_product paleo_tile_product_of_work(const struct paleo_work *w, int as_codes)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	double stored = paleo_stored_bytes(g->stored, w->dtype);
	double element = as_codes ? stored : paleo_dtype_bytes(w->dtype);
	double wide = paleo_dtype_bytes(paleo_dtype_wide(w->dtype));
	struct paleo_tile_product p = paleo_tile_product_of(g->m, g->n, g->k, g->batch, element);

	p.bytes += (stored - element) * ((double)g->n * g->k);
	p.foot_bytes = p.bytes;
	if (wide == element)
		return p;
	p.result_bytes = wide;
	p.bytes += (wide - element) * g->batch * ((double)g->m * g->n);
	p.foot_bytes = p.bytes;
	p.quantise_bytes = (wide + element) * g->batch * ((double)g->m * g->k);
	return p;
}

double paleo_tile_quantise_s(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			     const struct paleo_tile_product *g)
{
	if (!(g->quantise_bytes > 0))
		return 0;
	return g->quantise_bytes / (p->ppp_quantise * d->mem_bytes_per_s);
}

double paleo_tile_launched_s(const struct paleo_tile_params *p, double work_s)
{
	double launch_s = p->launch_us * 1e-6;

	return p->overlap == 1 ? launch_s + work_s : paleo_soft_sum(launch_s, work_s, p->overlap);
}

const char *paleo_tile_name(int tile)
{
	return tile >= 0 && tile < PALEO_TILES ? tiles[tile].name : NULL;
}

void paleo_tile_size(int tile, double *rows, double *columns)
{
	*rows = tiles[tile].rows;
	*columns = tiles[tile].columns;
}

int paleo_tile_find(const char *name)
{
	for (int i = 0; i < PALEO_TILES; i++)
		if (!strcmp(name, tiles[i].name))
			return i;
	return -1;
}
