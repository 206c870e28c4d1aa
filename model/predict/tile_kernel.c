/* tile_kernel.c - the kernel models tile and quantised: matrix products on a GPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/kernel_models.h"

PALEO_KERNEL_FITS(struct paleo_tile_params);

static int is_product(const struct paleo_work *w)
{
	return w->kind == PALEO_GEMM && paleo_dtype_wide(w->dtype) == w->dtype;
}

static int is_quantised(const struct paleo_work *w)
{
	return w->kind == PALEO_GEMM && !is_product(w);
}

static void init_tile(struct paleo_fitted_kernel *m, enum paleo_dtype dtype)
{
	*(struct paleo_tile_params *)(void *)m->params = paleo_tile_params_init(dtype);
}

static void price_tile(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_work *w, struct paleo_parts *out)
{
	const struct paleo_tile_params *p = (const void *)m->params;
	struct paleo_tile_product product =
		paleo_tile_product_of_work(w, m->kernel->cores != PALEO_CORES_NONE);
	double quantise_s = paleo_tile_quantise_s(p, d, &product);
	struct paleo_tile_choice choice;

	product.foot_bytes = paleo_kernel_model_footprint(&product, d, m->operand_sets);
	paleo_tile_kernel_s(p, d, &product, m->sets[0], PALEO_TILE_SPLIT_MAX, &choice);
	out->compute_s = choice.compute_s;
	out->memory_s = fmax(choice.memory_s, choice.cache_s) + quantise_s;
	out->overhead_s = p->launch_us * 1e-6;
	out->total_s = paleo_tile_launched_s(p, quantise_s + choice.kernel_s);
}

/* How many tiles there are, and how full the last wave of them is. How full the last tile is, is
 * left to the law: corrections by that would make larger products faster. */
static int tile_features(const struct paleo_tile_device *d, const struct paleo_work *w, double *x)
{
	static const int columns[] = {64, 128, 256};
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	double rows = ceil(g->m / 128.0) * g->batch / d->sm_count;
	int count = 0;

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		double tiles = rows * ceil(g->n / (double)columns[i]);
		x[count++] = ceil(tiles) / tiles;
	}
	x[count++] = log2(rows * ceil(g->n / 128.0));
	return count;
}

const struct paleo_kernel_model paleo_kernel_tile = {
	.name = "tile",
	.what = "products: the best of a library's tiles and splits",
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
	.what = "products whose activations are quantised first: that, and the best of tiles",
	.parameters = paleo_tile_parameters,
	.count = PALEO_TILE_QUANTISED,
	.kernels = 3, /* the largest element; all scaled and rounded; the product */
	.sets = {{"tiles", paleo_tile_name}},
	.applies = is_quantised,
	.init = init_tile,
	.price = price_tile,
	.features = tile_features,
};

static int is_fp4(const struct paleo_work *w)
{
	return paleo_work_cores(w) == PALEO_CORES_FP4;
}

static int is_int8(const struct paleo_work *w)
{
	return paleo_work_cores(w) == PALEO_CORES_INT8;
}

const struct paleo_kernel_model paleo_kernel_quantised_fp4 = {
	.name = "quantised_fp4",
	.what = "products of e2m1, to which activations are quantised first, on cores for them",
	.parameters = paleo_tile_parameters,
	.count = PALEO_TILE_QUANTISED,
	.kernels = 2, /* all scaled and rounded; the product */
	.cores = PALEO_CORES_FP4,
	.sets = {{"tiles", paleo_tile_name}},
	.applies = is_fp4,
	.init = init_tile,
	.price = price_tile,
	.features = tile_features,
};

const struct paleo_kernel_model paleo_kernel_quantised_int8 = {
	.name = "quantised_int8",
	.what = "products of whole numbers of 8 bits, to which activations are quantised first",
	.parameters = paleo_tile_parameters,
	.count = PALEO_TILE_QUANTISED,
	.kernels = 2, /* all scaled and rounded; the product */
	.cores = PALEO_CORES_INT8,
	.sets = {{"tiles", paleo_tile_name}},
	.applies = is_int8,
	.init = init_tile,
	.price = price_tile,
	.features = tile_features,
};
