/* tile.c - GEMMs on a GPU: their parameters, devices and kernel models. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/tile.h"

#include <math.h>
#include <string.h>

#include "model/op/dtype.h"
#include "model/predict/kernel_model.h"
#include "model/predict/parameter.h"

static const struct tile {
	const char *name;
	double rows, columns;
} tiles[PALEO_TILES] = {
#define TILE(rows, columns) {#rows "x" #columns, rows, columns},
#include "model/predict/tiles.def"
#undef TILE
};

#define ROW(...) PALEO_PARAMETER(struct paleo_tile_params, __VA_ARGS__)
// clang-format off
const struct paleo_parameter paleo_tile_parameters[] = {
	ROW(launch_us, "t0", "us", 3, 0.01, 300, 0.9, "launch and dispatch of one GEMM"),
	ROW(ppp_compute, "pc", "1", 0.95, 0.2, 1.6, 0.35,
	    "platform percent of peak of a full machine"),
	ROW(prologue_k, "K0", "steps of k", 20, 0.01, 3000, 1.2, "start and end of a block"),
	ROW(half_accumulators, "Ah", "accumulators per SM", 1200, 1, 2e5, 1.3,
	    "accumulators at which half the rate is reached"),
	ROW(ppp_memory, "pm", "1", 0.78, 0.05, 1.5, 0.35, "fraction of the memory's bandwidth"),
	ROW(cache_share, "cl2", "1", 0.8, 0.05, 5, 0.8, "usable fraction of the L2"),
	ROW(ppp_cache, "pl2", "64 bytes per SM and clock", 0.5, 0.02, 6, 0.8,
	    "bandwidth from the L2 to the multiprocessors"),
	ROW(split_us, "tsk", "us", 4, 0.01, 200, 1, "penalty of splitting the sums"),
	ROW(droop, "th", "1", 0.05, 0.001, 4, 1.2, "slowdown under sustained load"),
	ROW(tlb_k, "kc", "elements of 4 bytes", 2e5, 1e3, 1e7, 1.5,
	    "k where rows leave the reach of the TLB"),
	ROW(tlb_rows, "mr", "rows of A", 1e-6, 1e-7, 1e5, 1.5,
	    "rows at which half of that k counts"),
	ROW(half_intensity, "Ih", "elements", 4, 0.1, 100, 1,
	    "intensity of a tile at which half the rate is reached"),
	ROW(wave, "alpha", "1", 0.8, 0.1, 1.2, 0.3,
	    "cost of a partial last wave relative to a full one"),
	ROW(sharpness, "q", "1", 4, 1, 16, 0.5, "overlap of compute with memory and L2; 1: none"),
	ROW(overlap, "o", "1", 1, 1, 6, 0.5, "overlap of launch and execution; 1: none"),
	ROW(droop_us, "tau", "us", 1000, 1, 1e6, 1.5,
	    "compute time at which half of the droop is reached"),
	ROW(ppp_quantise, "pq", "1", 0.4, 0.02, 4, 0.5,
	    "fraction of the memory's bandwidth when quantising activations"),
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
					   .a_share = 1,
					   .launches = 1};
}

struct paleo_tile_product paleo_tile_product_of_op(const struct paleo_op *w,
						   const struct paleo_kernel_model *kernel)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	double stored = paleo_stored_bytes(g->stored, w->dtype);
	int as_codes = kernel && kernel->cores != PALEO_CORES_NONE;
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
	if (g->codes && kernel && kernel->kernels)
		p.launches = 1.0 / kernel->kernels;
	if (!g->codes)
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

double paleo_tile_launched_s(const struct paleo_tile_params *p, double launches, double op_s)
{
	double launch_s = launches * p->launch_us * 1e-6;

	return p->overlap == 1 ? launch_s + op_s : paleo_soft_sum(launch_s, op_s, p->overlap);
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

/* Properties of a GPU for the tile cost model: datasheet values, and sustained power. */

/* Even these cards sustain only two thirds of their tensor cores' peak: large GEMMs in f16 and bf16
 * run at 205 of 312 TFLOP/s on an A100 of 250 W and at 460 of 756 on an H100 of 350 W, as users
 * measured them (results/studies/README.md). */
#define TENSOR_KEPT (2.0 / 3)

double paleo_tile_power_flop_per_s(const struct paleo_tile_device *d)
{
	static const struct {
		int capability;             /* and up to the next */
		const char *plain, *tensor; /* NULL: none in the catalogue */
	} frugal[] = {{100, NULL, NULL},
		      {90, "h100-pcie", "h100-pcie"},
		      {89, "h100-pcie", "rtx-6000-ada"},
		      {80, "a100-40-pcie", "a100-40-pcie"},
		      {70, "v100-pcie", "v100-pcie"},
		      {61, "p40", "p40"},
		      {60, "p100-pcie", "p100-pcie"}};

	for (size_t i = 0; i < sizeof(frugal) / sizeof(frugal[0]); i++) {
		if (d->compute_capability < frugal[i].capability)
			continue;
		if (!frugal[i].plain)
			return 0;
		const struct paleo_device *best =
			paleo_device_find(d->tensor ? frugal[i].tensor : frugal[i].plain);
		double kept = d->tensor ? TENSOR_KEPT : 1;
		return kept * best->flop_per_s[d->dtype] / best->tdp_w * d->tdp_w;
	}
	return 0;
}

/* f16 alone is computed by plain cores as well, at twice their rate in f32 at most; GeForce cards
 * with tensor cores at half their rate, from Ampere on, do not do more. */
static int has_tensor_cores(const struct paleo_device *d, enum paleo_dtype dtype)
{
	return dtype != PALEO_F32 && (dtype != PALEO_F16 || d->compute_capability >= 80 ||
				      d->flop_per_s[dtype] > 3 * d->flop_per_s[PALEO_F32]);
}

int paleo_tile_device_of(const struct paleo_device *d, enum paleo_dtype dtype,
			 struct paleo_tile_device *out, struct paleo_error *err)
{
	if (!(d->flop_per_s[dtype] > 0))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "device '%s' has no peak for %s",
				  d->name, paleo_dtype_name(dtype));
	if (!(d->mem_bytes_per_s > 0 && d->cache_bytes > 0 && d->clock_hz > 0 && d->sm_count > 0))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "device '%s': the tile cost model needs mem_bytes_per_s, "
				  "cache_bytes, clock_hz and sm_count",
				  d->name);
	*out = (struct paleo_tile_device){.flop_per_s = d->flop_per_s[dtype],
					  .fp4_flop_per_s = d->fp4_flop_per_s,
					  .fp8_flop_per_s = d->flop_per_s[PALEO_FP8],
					  .int8_flop_per_s = d->int8_flop_per_s,
					  .mem_bytes_per_s = d->mem_bytes_per_s,
					  .cache_bytes = d->cache_bytes,
					  .clock_hz = d->clock_hz,
					  .sm_count = d->sm_count,
					  .tensor = has_tensor_cores(d, dtype),
					  .tdp_w = d->tdp_w,
					  .compute_capability = d->compute_capability,
					  .dtype = dtype,
					  .vector_flop_per_s = d->flop_per_s[PALEO_F32] > 0
								       ? d->flop_per_s[PALEO_F32]
								       : d->flop_per_s[dtype]};
	return PALEO_OK;
}

/* The kernel models tile and quantised: GEMMs on a GPU. */

PALEO_KERNEL_FITS(struct paleo_tile_params);

static int is_product(const struct paleo_op *w)
{
	return w->kind == PALEO_GEMM && paleo_dtype_wide(w->dtype) == w->dtype;
}

static int is_quantised(const struct paleo_op *w)
{
	return w->kind == PALEO_GEMM && !is_product(w);
}

static void init_tile(struct paleo_fitted_kernel *m, enum paleo_dtype dtype)
{
	*(struct paleo_tile_params *)(void *)m->params = paleo_tile_params_init(dtype);
}

static void price_tile(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_op *w, struct paleo_parts *out)
{
	const struct paleo_tile_params *p = (const void *)m->params;
	struct paleo_tile_product product = paleo_tile_product_of_op(w, m->kernel);
	double quantise_s = paleo_tile_quantise_s(p, d, &product);
	struct paleo_tile_choice choice;

	product.foot_bytes = paleo_kernel_model_footprint(&product, d, m->operand_sets);
	paleo_tile_kernel_s(p, d, &product, m->sets[0], PALEO_TILE_SPLIT_MAX, &choice);
	out->compute_s = choice.compute_s;
	out->memory_s = fmax(choice.memory_s, choice.cache_s) + quantise_s;
	out->overhead_s = product.launches * p->launch_us * 1e-6;
	out->total_s = paleo_tile_launched_s(p, product.launches, quantise_s + choice.kernel_s);
}

/* Features: number of tiles, and occupancy of their last wave. Occupancy of the last tile is left
 * to the cost model: corrections by it would make larger GEMMs faster. */
static int tile_features(const struct paleo_tile_device *d, const struct paleo_op *w, double *x)
{
	static const int columns[] = {64, 128, 256};
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	double rows = ceil(g->m / 128.0) * g->batch / d->sm_count;
	int count = 0;

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		double n = rows * ceil(g->n / (double)columns[i]);
		x[count++] = ceil(n) / n;
	}
	x[count++] = log2(rows * ceil(g->n / 128.0));
	return count;
}

const struct paleo_kernel_model paleo_kernel_tile = {
	.name = "tile",
	.what = "GEMMs: the best of a library's tiles and splits",
	.parameters = paleo_tile_parameters,
	.count = PALEO_TILE_PARAMETERS,
	.sets = {{"tiles", paleo_tile_name}},
	.applies = is_product,
	.init = init_tile,
	.price = price_tile,
	.features = tile_features,
};

const struct paleo_kernel_model paleo_kernel_quantised = {
	.name = "quantised",
	.what = "GEMMs with quantised activations: quantisation, and the best of tiles",
	.parameters = paleo_tile_parameters,
	.count = PALEO_TILE_QUANTISED,
	.kernels = 3, /* the largest element; scaling and rounding; the GEMM */
	.sets = {{"tiles", paleo_tile_name}},
	.applies = is_quantised,
	.init = init_tile,
	.price = price_tile,
	.features = tile_features,
};

static int is_fp4(const struct paleo_op *w)
{
	return paleo_op_cores(w) == PALEO_CORES_FP4;
}

static int is_int8(const struct paleo_op *w)
{
	return paleo_op_cores(w) == PALEO_CORES_INT8;
}

const struct paleo_kernel_model paleo_kernel_quantised_fp4 = {
	.name = "quantised_fp4",
	.what = "e2m1 GEMMs with quantised activations, on tensor cores for e2m1",
	.parameters = paleo_tile_parameters,
	.count = PALEO_TILE_QUANTISED,
	.kernels = 2, /* scaling and rounding; the GEMM */
	.cores = PALEO_CORES_FP4,
	.sets = {{"tiles", paleo_tile_name}},
	.applies = is_fp4,
	.init = init_tile,
	.price = price_tile,
	.features = tile_features,
};

const struct paleo_kernel_model paleo_kernel_quantised_int8 = {
	.name = "quantised_int8",
	.what = "8-bit integer GEMMs with quantised activations",
	.parameters = paleo_tile_parameters,
	.count = PALEO_TILE_QUANTISED,
	.kernels = 2, /* scaling and rounding; the GEMM */
	.cores = PALEO_CORES_INT8,
	.sets = {{"tiles", paleo_tile_name}},
	.applies = is_int8,
	.init = init_tile,
	.price = price_tile,
	.features = tile_features,
};
