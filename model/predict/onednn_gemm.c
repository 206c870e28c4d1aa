/* onednn_gemm.c - the time of GEMMs in oneDNN on a CPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/onednn_gemm.h"

#include <math.h>

/* oneDNN's own limits and blocks, of src/cpu/x64/gemm: fewer cycles a thread than CYCLES are not
 * worth waking it up; operands are copied below COPIED. */
#define CYCLES 3000.0
#define COPIED 0.0038

enum {
	TILE_ROWS = 6,
	BLOCK = 256,
	BLOCK_FILTER = 96,
	PACKED_ROWS = 4,
	PACKED_BLOCK = 192,
	PAGE = 1024, /* elements of 4 bytes */
	VECTORS = 2, /* of a register tile */
	AVX2 = 8     /* lanes */
};

#define ROW(...) PALEO_PARAMETER(struct paleo_onednn_gemm, __VA_ARGS__)
// clang-format off
const struct paleo_parameter paleo_onednn_gemm_parameters[] = {
	ROW(lanes, "l", "1", 8, 1, 64, 0.25, "elements of a vector"),
	ROW(launch_us, "t0", "us", 2, 0.01, 1000, 1, "dispatch"),
	ROW(fork_us, "tf", "us", 1.5, 0.01, 1000, 1, "thread wake-up"),
	ROW(overlap, "v", "1", 1.8, 1, 16, 0.5, "overlap of compute and traffic"),
	ROW(ppp_compute, "pc", "1", 0.85, 0.05, 1, 0.3, "fraction of the peak"),
	ROW(load, "ld", "rows", 0.4, 0.01, 30, 1, "reading the second operand for a register tile"),
	ROW(spill, "sp", "1", 2, 0.01, 1000, 1, "multiply-adds per store of a result"),
	ROW(stride, "st", "rows", 3, 0.01, 16, 0.7, "reading rows of whole pages"),
	ROW(pack, "pk", "1", 0.8, 0.01, 30, 1, "copying operands, over the bandwidth"),
	ROW(ppp_weights, "pw", "1", 0.25, 0.01, 4, 0.7, "fraction of the bandwidth for weights"),
	ROW(unaligned, "ua", "1", 0.4, 0.01, 4, 0.7, "slowdown of weights that cross cache lines"),
	ROW(ppp_memory, "pm", "1", 0.3, 0.01, 16, 0.7, "fraction of the bandwidth for activations"),
	ROW(ppp_vector, "pv", "1", 0.5, 0.01, 16, 0.7,
	    "fraction of the bandwidth for weights with one row"),
	{0},
};
// clang-format on

int paleo_onednn_gemm_applies(const struct paleo_op *w)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;

	return w->kind == PALEO_GEMM && g->batch == 1 && !g->stored;
}

/* The library's way to compute a GEMM. */
struct way {
	int packed;
	double rows, block; /* of a register tile, of the depth */
	double threads;
};

static struct way way_of(const struct paleo_onednn_gemm *p, double threads,
			 const struct paleo_op *w)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	double cycles = (double)g->m * g->n * g->k / (VECTORS * p->lanes);
	struct way way = {.rows = TILE_ROWS,
			  .block = w->pass == PALEO_BWD_FILTER ? BLOCK_FILTER : BLOCK,
			  .threads = cycles * (threads - 1) > CYCLES * threads ? threads : 1};

	if (p->lanes <= AVX2 && g->k > 2 * threads && 1.0 / g->m + 1.0 / g->n < COPIED)
		way = (struct way){1, PACKED_ROWS, PACKED_BLOCK, way.threads};
	return way;
}

/* The largest power of two that divides a row, of those of a page. */
static int page_share(int row)
{
	int share = row & -row;

	return share < PAGE ? share : PAGE;
}

static double loads(const struct paleo_onednn_gemm *p, const struct way *way,
		    const struct paleo_op *w)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	double share = page_share(g->n), filled = fmin(g->k / way->block, 1);

	if (way->packed || p->lanes > AVX2)
		return p->load;
	if (w->pass == PALEO_BWD_FILTER)
		share = fmax(share, page_share(g->m));
	return p->load + p->stride * filled * share / PAGE;
}

/* Over all threads, in FLOPs at the peak. */
static double compute_flops(const struct paleo_onednn_gemm *p, const struct way *way,
			    double threads, const struct paleo_op *w)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	double high = ceil(g->m / way->rows), wide = ceil(g->n / p->lanes);
	double tiles = high * ceil(wide / VECTORS);
	double turns = ceil(tiles / way->threads) * threads / tiles;
	double depth = g->k + p->spill * ceil(g->k / way->block);

	return 2 * (g->m + loads(p, way, w) * high) * wide * p->lanes * depth * turns /
	       p->ppp_compute;
}

void paleo_onednn_gemm_time(const struct paleo_onednn_gemm *p, const struct paleo_tile_device *d,
			    const struct paleo_op *w, struct paleo_parts *out)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	const struct way way = way_of(p, d->sm_count, w);
	double element = paleo_dtype_bytes(w->dtype);
	double a = element * g->m * g->k, b = element * g->k * g->n, c = element * g->m * g->n;
	double weights = w->pass == PALEO_BWD_FILTER ? c : b;
	int vector = g->m == 1 && w->pass != PALEO_BWD_FILTER;
	double crossing = fmod(g->n, p->lanes) == 0 ? 1 : 1 + p->unaligned;
	double weights_s = weights * crossing / (vector ? p->ppp_vector : p->ppp_weights);
	double pack_s = way.packed ? p->pack * (a + b) : 0;

	out->overhead_s = (p->launch_us + (way.threads > 1 ? p->fork_us : 0)) * 1e-6;
	out->compute_s = compute_flops(p, &way, d->sm_count, w) / d->flop_per_s +
			 pack_s / d->mem_bytes_per_s;
	out->memory_s = (weights_s + (a + b + c - weights) / p->ppp_memory) / d->mem_bytes_per_s;
	out->total_s = out->overhead_s + paleo_soft_sum(out->compute_s, out->memory_s, p->overlap);
}

PALEO_KERNEL_FITS(struct paleo_onednn_gemm);

static void price_gemm(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_op *w, struct paleo_parts *out)
{
	paleo_onednn_gemm_time((const void *)m->params, d, w, out);
}

const struct paleo_kernel_model paleo_kernel_onednn_gemm = {
	.name = "onednn_gemm",
	.what = "GEMMs on a CPU: register tiles, blocks of the depth, copied operands",
	.host = 1,
	.parameters = paleo_onednn_gemm_parameters,
	.count = PALEO_ONEDNN_GEMM,
	.first = paleo_onednn_lanes,
	.uses = paleo_kernel_uses_all,
	.applies = paleo_onednn_gemm_applies,
	.price = price_gemm,
};
