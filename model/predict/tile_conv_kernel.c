/* tile_conv_kernel.c - the kernel model conv: convolutions on a GPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/kernel_models.h"
#include "model/predict/tile_conv.h"

PALEO_KERNEL_FITS(struct paleo_conv_params);

static int is_convolution(const struct paleo_work *w)
{
	return w->kind == PALEO_CONV;
}

static void init_conv(struct paleo_fitted_kernel *m, enum paleo_dtype dtype)
{
	(void)dtype;
	*(struct paleo_conv_params *)(void *)m->params = paleo_conv_params_init();
}

/* The parts of what an algorithm takes in all, which is there. */
static void conv_parts(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_work *w, enum paleo_conv_algorithm a,
		       struct paleo_parts *out)
{
	const struct paleo_conv_params *p = (const void *)m->params;

	out->overhead_s = paleo_conv_launches_s(p, a);
	out->memory_s = (w->read_bytes + w->write_bytes) / (p->ppp_memory * d->mem_bytes_per_s);
	out->compute_s = out->total_s - out->overhead_s;
}

static void price_conv(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_work *w, struct paleo_parts *out)
{
	const struct paleo_conv_params *p = (const void *)m->params;
	const struct paleo_conv_sets sets = {m->sets[0], m->sets[1], m->sets[2]};
	enum paleo_conv_algorithm a = PALEO_CONV_PRECOMP;

	out->total_s = paleo_conv_fastest_s(p, d, w, &sets, &a);
	conv_parts(m, d, w, a, out);
}

/* What a library calls its algorithm, in the law's terms: the faster of two. A matrix of patches,
 * or images in another order, are moved besides, as its workspace says and not as the law would. */
static int price_conv_method(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			     const struct paleo_work *w, const struct paleo_method_cost *how,
			     struct paleo_parts *out)
{
	static const struct {
		enum paleo_conv_algorithm one, other;
		int moves;
	} ways[PALEO_METHODS] = {
		[PALEO_METHOD_IMPLICIT] = {PALEO_CONV_PRECOMP, PALEO_CONV_IMPLICIT, 0},
		[PALEO_METHOD_EXPLICIT] = {PALEO_CONV_PRECOMP, PALEO_CONV_IMPLICIT, 1},
		[PALEO_METHOD_TRANSPOSED] = {PALEO_CONV_PRECOMP, PALEO_CONV_IMPLICIT, 1},
		[PALEO_METHOD_WINOGRAD] = {PALEO_CONV_WINOGRAD, PALEO_CONV_WINOGRAD, 0},
		[PALEO_METHOD_WINOGRAD_STEPS] = {PALEO_CONV_NONFUSED, PALEO_CONV_NONFUSED, 0},
		[PALEO_METHOD_FFT] = {PALEO_CONV_FFT, PALEO_CONV_FFT, 0},
	};
	const struct paleo_conv_params *p = (const void *)m->params;
	const struct paleo_conv_sets sets = {m->sets[0], m->sets[1], m->sets[2]};
	enum paleo_conv_algorithm a = ways[how->method].one, other = ways[how->method].other;
	double times_s[PALEO_CONV_ALGORITHMS];
	struct paleo_work unturned = *w;

	unturned.layout = PALEO_NHWC;
	paleo_conv_times(p, d, &unturned, &sets, times_s);
	if (times_s[other] < times_s[a])
		a = other;
	if (!isfinite(times_s[a]))
		return 0;
	out->total_s = times_s[a];
	if (ways[how->method].moves)
		out->total_s += paleo_conv_move_s(p, d, how->more_bytes);
	conv_parts(m, d, w, a, out);
	return 1;
}

/* Results and sums of the product that it is, and how full tiles of results, of filters and the
 * last wave of them are. */
static int conv_features(const struct paleo_tile_device *d, const struct paleo_work *w, double *x)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	double results = (double)g->n * g->p * g->q, k = (double)g->k / g->groups;
	double sums = (double)g->c / g->groups * g->r * g->s;
	double tiles = ceil(results / 128) * ceil(k / 64) * g->groups / d->sm_count;
	int count = 0;

	x[count++] = log2(results);
	x[count++] = log2(sums);
	x[count++] = ceil(g->p / 4.0) * 4 / g->p * (ceil(g->q / 4.0) * 4 / g->q);
	x[count++] = ceil(k / 64) * 64 / k;
	x[count++] = log2(tiles);
	x[count++] = ceil(tiles) / tiles;
	return count;
}

const struct paleo_kernel_model paleo_kernel_conv = {
	.name = "conv",
	.what = "convolutions: the best of a library's algorithms",
	.parameters = paleo_conv_parameters,
	.count = PALEO_CONV_PARAMETERS,
	.sets = {{"implicit_tiles", paleo_tile_name},
		 {"nonfused_tiles", paleo_tile_name},
		 {"winograd_blocks", paleo_conv_block_name}},
	.applies = is_convolution,
	.init = init_conv,
	.price = price_conv,
	.features = conv_features,
	.price_method = price_conv_method,
};
