/* tile_conv_kernel.c - the kernel model conv: convolutions on a GPU, and its parameters. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/kernel_model.h"
#include "model/predict/tile_conv.h"

PALEO_KERNEL_FITS(struct paleo_conv_params);

static int is_convolution(const struct paleo_op *w)
{
	return w->kind == PALEO_CONV;
}

static void init_conv(struct paleo_fitted_kernel *m, enum paleo_dtype dtype)
{
	(void)dtype;
	*(struct paleo_conv_params *)(void *)m->params = paleo_conv_params_init();
}

/* Parts of the total time of the available algorithm. */
static void conv_parts(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_op *w, enum paleo_conv_algorithm a,
		       struct paleo_parts *out)
{
	const struct paleo_conv_params *p = (const void *)m->params;

	out->overhead_s = paleo_conv_launches_s(p, a);
	out->memory_s = (w->read_bytes + w->write_bytes) / (p->ppp_memory * d->mem_bytes_per_s);
	out->compute_s = out->total_s - out->overhead_s;
}

static void price_conv(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_op *w, struct paleo_parts *out)
{
	const struct paleo_conv_params *p = (const void *)m->params;
	const struct paleo_conv_sets sets = {m->sets[0], m->sets[1], m->sets[2]};
	enum paleo_conv_algorithm a = PALEO_CONV_PRECOMP;

	out->total_s = paleo_conv_fastest_s(p, d, w, &sets, &a);
	conv_parts(m, d, w, a, out);
}

/* Prices a library's algorithm in the cost model's terms: the faster of two. A matrix of patches,
 * or transposed images, add the memory traffic of its workspace rather than the cost model's. An
 * engine without tensor cores is the plain implicit GEMM, whose parameters are of CUDA cores. */
static int price_conv_method(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			     const struct paleo_op *w, const struct paleo_method_cost *how,
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
	struct paleo_op unturned = *w;
	struct paleo_tile_device on = *d;

	if (d->tensor && how->on_cuda_cores) {
		on.tensor = 0;
		a = other;
	}
	unturned.layout = PALEO_NHWC;
	paleo_conv_times(p, &on, &unturned, &sets, times_s);
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

/* Features: results and sums of the GEMM, and occupancy of the last tiles and of their last
 * wave. */
static int conv_features(const struct paleo_tile_device *d, const struct paleo_op *w, double *x)
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

/* The parameters of convolutions: units, bounds, priors. */

#define SHARED(field, ...) PALEO_PARAMETER(struct paleo_conv_params, field, __VA_ARGS__)
#define OF(word, of, field, sign, ...)                                                             \
	PALEO_PARAMETER_AT(word "." #field,                                                        \
			   offsetof(struct paleo_conv_params, kernels[PALEO_CONV_##of].field),     \
			   word "." sign, __VA_ARGS__)
#define COMPUTE(word, of, start, ...)                                                              \
	OF(word, of, ppp_compute, "pc", "1", start, __VA_ARGS__,                                   \
	   "platform percent of peak of a full machine")
#define PROLOGUE(word, of, start, most)                                                            \
	OF(word, of, prologue_k, "K0", "steps of k", start, 0.01, most, 1.2,                       \
	   "start and end of a block")
#define WAVE(word, of, start)                                                                      \
	OF(word, of, wave, "al", "1", start, 0.1, 1, 0.3, "share of a last wave that is not full")
#define HALF(word, of, start)                                                                      \
	OF(word, of, half_accumulators, "Ah", "accumulators per SM", start, 1, 200000, 1.3,        \
	   "accumulators at which half the rate is reached")
#define EXTRA(word, of, start)                                                                     \
	OF(word, of, extra_us, "tl", "us", start, 0.01, 300, 1.2,                                  \
	   "launches in addition to the GEMMs'")

// clang-format off
const struct paleo_parameter paleo_conv_parameters[] = {
	SHARED(launch_us, "t0", "us", 2, 0.01, 300, 1.5, "launch and dispatch of one convolution"),
	SHARED(ppp_memory, "pm", "1", 0.6, 0.05, 1.5, 0.35, "fraction of the memory's bandwidth"),
	SHARED(cache_share, "cl2", "1", 1, 0.05, 5, 0.8, "usable fraction of the L2"),
	SHARED(ppp_cache, "pl2", "64 bytes per SM and clock", 0.3, 0.02, 6, 0.8,
	       "bandwidth from the L2 to the multiprocessors"),
	SHARED(sharpness, "q", "1", 3, 1, 8, 0.5, "exponent of the soft maximum of compute and data"),
	SHARED(droop, "th", "1", 0.05, 0.001, 4, 1.2, "slowdown under sustained load"),
	COMPUTE("implicit_precomp_gemm", PRECOMP, 0.95, 0.2, 1.6, 0.35),
	OF("implicit_precomp_gemm", PRECOMP, half_intensity, "Ih", "1", 6, 0.5, 50, 0.8,
	   "m n/(m + n) of a tile at which half the rate is reached"),
	PROLOGUE("implicit_precomp_gemm", PRECOMP, 8, 300),
	WAVE("implicit_precomp_gemm", PRECOMP, 0.8),
	HALF("implicit_precomp_gemm", PRECOMP, 1500),
	OF("implicit_precomp_gemm", PRECOMP, split_us, "tsk", "us", 20, 0.01, 200, 1,
	   "penalty of splitting the sums"),
	COMPUTE("implicit_gemm", IMPLICIT, 0.8, 0.2, 1.6, 0.35),
	PROLOGUE("implicit_gemm", IMPLICIT, 10, 300),
	WAVE("implicit_gemm", IMPLICIT, 0.8),
	HALF("implicit_gemm", IMPLICIT, 1500),
	PALEO_PARAMETER_AT("implicit_precomp_gemm.stride_share",
			   offsetof(struct paleo_conv_params, stride_share),
			   "implicit_precomp_gemm.zs", "1", 0.3, 0.02, 1, 0.7,
			   "share of a stride's skipped terms that the data gradient skips"),
	COMPUTE("winograd", WINOGRAD, 0.8, 0.2, 1.6, 0.35),
	PROLOGUE("winograd", WINOGRAD, 15, 300),
	WAVE("winograd", WINOGRAD, 0.85),
	HALF("winograd", WINOGRAD, 50),
	EXTRA("winograd", WINOGRAD, 1.5),
	COMPUTE("winograd_nonfused", NONFUSED, 0.95, 0.2, 1.6, 0.35),
	PROLOGUE("winograd_nonfused", NONFUSED, 2, 300),
	WAVE("winograd_nonfused", NONFUSED, 0.95),
	EXTRA("winograd_nonfused", NONFUSED, 8),
	COMPUTE("fft", FFT, 0.9, 0.1, 3, 0.6),
	PROLOGUE("fft", FFT, 30, 1000),
	EXTRA("fft", FFT, 5),
	{0},
};
// clang-format on

struct paleo_conv_params paleo_conv_params_init(void)
{
	/* Fixed parameters: a penalty that keeps the plain implicit GEMM from splitting, whole
	 * waves for the FFT's GEMMs, occupancy where blocks are always large. */
	struct paleo_conv_params p = {
		.droop_us = 1000,
		.kernels = {
			[PALEO_CONV_IMPLICIT] = {.half_intensity = 6, .split_us = 1000},
			[PALEO_CONV_WINOGRAD] = {.half_intensity = 1e-6},
			[PALEO_CONV_NONFUSED] = {.half_intensity = 4, .half_accumulators = 1},
			[PALEO_CONV_FFT] = {.half_intensity = 4,
					    .half_accumulators = 1,
					    .wave = 0.5},
		}};

	for (const struct paleo_parameter *q = paleo_conv_parameters; q->name; q++)
		paleo_parameter_set(q, &p, q->init);
	return p;
}
