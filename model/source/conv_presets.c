/* conv_presets.c - convolutions as fitted to published times of GPUs, and a guess for others. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/source/presets.h"

/*
 * Starting values of fits, and parameters for GPUs without measurements. Fitted by paleo_fit_conv()
 * to measurements published by NeuSight (MIT, 1000 rows each) and DeepBench (Apache-2.0); each is
 * followed by its mean training error in percent. P100's f16 gradients of the data have none: half
 * of them run 10 to 100 times slower than all others, which no cost model explains.
 */
#define SHARED(t0, pm, cl2, pl2, q, th, zs)                                                        \
	.launch_us = (t0), .ppp_memory = (pm), .cache_share = (cl2), .ppp_cache = (pl2),           \
	.sharpness = (q), .droop = (th), .stride_share = (zs), .droop_us = 1000

#define PRECOMP(pc, ih, k0, al, ah, tsk)                                                           \
	[PALEO_CONV_PRECOMP] = {.ppp_compute = (pc),                                               \
				.half_intensity = (ih),                                            \
				.prologue_k = (k0),                                                \
				.wave = (al),                                                      \
				.half_accumulators = (ah),                                         \
				.split_us = (tsk)}

/* Fixed parameters are as in paleo_conv_params_init(). */
#define IMPLICIT(pc, k0, al, ah)                                                                   \
	[PALEO_CONV_IMPLICIT] = {.ppp_compute = (pc),                                              \
				 .half_intensity = 6,                                              \
				 .prologue_k = (k0),                                               \
				 .wave = (al),                                                     \
				 .half_accumulators = (ah),                                        \
				 .split_us = 1000}

#define WINOGRAD(pc, k0, al, ah, tl)                                                               \
	[PALEO_CONV_WINOGRAD] = {.ppp_compute = (pc),                                              \
				 .half_intensity = 1e-6,                                           \
				 .prologue_k = (k0),                                               \
				 .wave = (al),                                                     \
				 .half_accumulators = (ah),                                        \
				 .extra_us = (tl)}

#define STEPS(pc, k0, al, tl)                                                                      \
	[PALEO_CONV_NONFUSED] = {.ppp_compute = (pc),                                              \
				 .half_intensity = 4,                                              \
				 .prologue_k = (k0),                                               \
				 .wave = (al),                                                     \
				 .half_accumulators = 1,                                           \
				 .extra_us = (tl)}

#define FFT(pc, k0, tl)                                                                            \
	[PALEO_CONV_FFT] = {.ppp_compute = (pc),                                                   \
			    .half_intensity = 4,                                                   \
			    .prologue_k = (k0),                                                    \
			    .wave = 0.5,                                                           \
			    .half_accumulators = 1,                                                \
			    .extra_us = (tl)}

// clang-format off
static const struct paleo_conv_preset presets[] = {
	{ .source = "deepbench", .gpu = "M40", .dtype = "fp32", .pass = PALEO_FWD, /* 7.9 */
	  .model = { .sets = { 0x120, 0x100, 0x1 },
		.params = { SHARED(35.01, 0.5606, 1.543, 0.4048, 5.79, 0.02138, 0.3), .kernels = {
			PRECOMP(0.6015, 2.6, 4.727, 0.9697, 5192, 89.99), IMPLICIT(0.623, 9.806, 0.8454, 1551),
			WINOGRAD(0.7341, 32.64, 0.8475, 50.11, 1.253), STEPS(0.583, 1.884, 0.95, 9.399),
			FFT(0.3304, 142, 5) } } } },
	{ .source = "deepbench", .gpu = "M40", .dtype = "fp32", .pass = PALEO_BWD_DATA, /* 11.3 */
	  .model = { .sets = { 0x120, 0x100, 0x1 },
		.params = { SHARED(32.24, 0.6826, 0.8999, 0.2973, 4.304, 0.06258, 0.08512), .kernels = {
			PRECOMP(0.5853, 6.276, 4.528, 0.8278, 1438, 50.42), IMPLICIT(0.4987, 213.5, 0.8729, 790.1),
			WINOGRAD(0.7008, 26.07, 0.8161, 51.65, 1.362), STEPS(0.5785, 1.946, 0.95, 8.067),
			FFT(0.8227, 34.6, 4.983) } } } },
	{ .source = "deepbench", .gpu = "M40", .dtype = "fp32", .pass = PALEO_BWD_FILTER, /* 18.6 */
	  .model = { .sets = { 0xa0, 0x80, 0x1 },
		.params = { SHARED(59.82, 0.3389, 0.9767, 0.1776, 1.525, 0.03554, 0.3), .kernels = {
			PRECOMP(1.161, 4.891, 300, 0.6205, 563.4, 4.67), IMPLICIT(0.6951, 12.4, 0.8, 1500),
			WINOGRAD(0.8, 15, 0.85, 50, 1.5), STEPS(0.452, 2.068, 0.95, 8.535),
			FFT(0.8155, 39.38, 5.059) } } } },
	{ .source = "deepbench", .gpu = "GTX1080TI", .dtype = "fp32", .pass = PALEO_FWD, /* 7.2 */
	  .model = { .sets = { 0x120, 0x8, 0x10 },
		.params = { SHARED(12.76, 0.8428, 1.152, 0.1714, 3.815, 0.0259, 0.3), .kernels = {
			PRECOMP(1.068, 4.087, 23.28, 0.6456, 8173, 78.72), IMPLICIT(0.8786, 15.97, 0.7709, 3314),
			WINOGRAD(0.9726, 32.33, 0.8748, 44.5, 1.27), STEPS(1.492, 1.956, 0.95, 7.549),
			FFT(1.531, 21.19, 6.42) } } } },
	{ .source = "deepbench", .gpu = "GTX1080TI", .dtype = "fp32", .pass = PALEO_BWD_DATA, /* 12.5 */
	  .model = { .sets = { 0x1024, 0x2, 0x1 },
		.params = { SHARED(15.65, 0.8524, 1.742, 0.4855, 1.697, 0.0354, 0.09594), .kernels = {
			PRECOMP(1.052, 4.63, 4.559, 0.7413, 5162, 42.84), IMPLICIT(0.4852, 38.94, 1, 1464),
			WINOGRAD(1.07, 31.36, 0.6824, 38.11, 0.9045), STEPS(1.215, 1.99, 0.8977, 6.552),
			FFT(1.063, 23.46, 4.865) } } } },
	{ .source = "deepbench", .gpu = "GTX1080TI", .dtype = "fp32", .pass = PALEO_BWD_FILTER, /* 17.4 */
	  .model = { .sets = { 0x80, 0x40, 0x1 },
		.params = { SHARED(11.39, 0.6772, 1.688, 0.3273, 1.632, 0.02356, 0.3), .kernels = {
			PRECOMP(1.055, 4.298, 135, 1, 3.736e+04, 3.727), IMPLICIT(0.6158, 10.95, 0.8286, 2812),
			WINOGRAD(0.8, 15, 0.85, 50, 1.5), STEPS(1.6, 1.969, 0.9267, 6.039),
			FFT(0.7374, 61.68, 4.667) } } } },
	{ .source = "deepbench", .gpu = "P100_SXM2", .dtype = "fp32", .pass = PALEO_FWD, /* 6.9 */
	  .model = { .sets = { 0x124, 0x100, 0x10 },
		.params = { SHARED(14.2, 0.5898, 0.8024, 0.2662, 4.304, 0.02787, 0.3), .kernels = {
			PRECOMP(0.95, 9.403, 22.65, 0.6686, 1.058e+04, 177.9), IMPLICIT(0.6645, 15.47, 0.7868, 4578),
			WINOGRAD(0.8, 34.2, 0.8579, 171.1, 2.821), STEPS(0.9163, 2.097, 0.9768, 27.48),
			FFT(1.447, 56.11, 6.828) } } } },
	{ .source = "deepbench", .gpu = "P100_SXM2", .dtype = "fp32", .pass = PALEO_BWD_DATA, /* 14.8 */
	  .model = { .sets = { 0x104, 0x1, 0x1 },
		.params = { SHARED(10.16, 0.5598, 1.194, 0.3884, 1.693, 0.02391, 0.1978), .kernels = {
			PRECOMP(0.7354, 4.313, 10.14, 0.7435, 1.241e+04, 24.94), IMPLICIT(0.5308, 45.17, 1, 1.109e+04),
			WINOGRAD(0.899, 43.51, 0.5911, 29.54, 1.161), STEPS(1.143, 2.053, 0.8925, 8.191),
			FFT(0.9748, 27.12, 4.928) } } } },
	{ .source = "deepbench", .gpu = "P100_SXM2", .dtype = "fp32", .pass = PALEO_BWD_FILTER, /* 12.7 */
	  .model = { .sets = { 0x1080, 0x4, 0x1 },
		.params = { SHARED(36.29, 0.6739, 0.9961, 0.379, 1.606, 0.03934, 0.3), .kernels = {
			PRECOMP(0.8384, 3.682, 77.4, 0.9105, 4125, 6.399), IMPLICIT(0.7515, 10.32, 0.8254, 3513),
			WINOGRAD(0.8, 15, 0.85, 50, 1.5), STEPS(1.005, 2.398, 0.8315, 7.849),
			FFT(0.3337, 31.55, 5.005) } } } },
	{ .source = "deepbench", .gpu = "TITAN_X_MAXWELL", .dtype = "fp32", .pass = PALEO_FWD, /* 7.6 */
	  .model = { .sets = { 0x120, 0x8, 0x10 },
		.params = { SHARED(33.01, 0.6385, 1.952, 0.3619, 4.52, 0.02384, 0.3), .kernels = {
			PRECOMP(0.8977, 8.991, 19.5, 1, 3946, 165.2), IMPLICIT(0.4852, 48.03, 0.8158, 1500),
			WINOGRAD(0.7431, 20.12, 0.837, 49.06, 1.483), STEPS(0.6155, 2.153, 0.95, 8.307),
			FFT(0.2905, 80.61, 5.129) } } } },
	{ .source = "deepbench", .gpu = "TITAN_X_MAXWELL", .dtype = "fp32", .pass = PALEO_BWD_DATA, /* 9.9 */
	  .model = { .sets = { 0x120, 0x1, 0x10 },
		.params = { SHARED(33.93, 0.6437, 0.95, 0.2561, 4.053, 0.05704, 0.09458), .kernels = {
			PRECOMP(0.6962, 6.365, 4.209, 0.8319, 1335, 51.88), IMPLICIT(0.5855, 214.8, 0.8637, 723.9),
			WINOGRAD(0.7876, 22.38, 0.8637, 50.66, 1.522), STEPS(0.6134, 2.139, 0.965, 8.21),
			FFT(0.9071, 29.77, 5) } } } },
	{ .source = "deepbench", .gpu = "TITAN_X_MAXWELL", .dtype = "fp32", .pass = PALEO_BWD_FILTER, /* 14.3 */
	  .model = { .sets = { 0x1080, 0x100, 0x1 },
		.params = { SHARED(50.29, 0.2313, 0.7527, 1.013, 1.606, 0.0558, 0.3), .kernels = {
			PRECOMP(0.9208, 4.034, 300, 0.7189, 282.9, 9.949), IMPLICIT(0.5673, 11.29, 0.8, 1500),
			WINOGRAD(0.8, 15, 0.85, 50, 1.5), STEPS(0.5434, 2.063, 0.95, 8.5),
			FFT(0.9, 30, 5) } } } },
	{ .source = "neusight", .gpu = "P4", .dtype = "fp32", .pass = PALEO_FWD, /* 10.0 */
	  .model = { .sets = { 0x120, 0x80, 0x11 },
		.params = { SHARED(3.154, 0.5977, 2.838, 1.752, 1.755, 0.00737, 0.3), .kernels = {
			PRECOMP(0.95, 6.071, 0.8333, 1, 4657, 200), IMPLICIT(0.5585, 8.26, 0.7876, 1475),
			WINOGRAD(0.8, 30.54, 0.4488, 19.51, 0.7257), STEPS(0.8202, 0.794, 1, 33.71),
			FFT(1.644, 21.78, 5) } } } },
	{ .source = "neusight", .gpu = "T4", .dtype = "fp32", .pass = PALEO_FWD, /* 7.1 */
	  .model = { .sets = { 0x100, 0x20, 0x1 },
		.params = { SHARED(4.418, 0.6469, 1.893, 0.2781, 1.684, 0.1717, 0.3), .kernels = {
			PRECOMP(0.7693, 1.397, 10.82, 0.5101, 3928, 200), IMPLICIT(0.8063, 9.248, 0.7548, 2572),
			WINOGRAD(0.623, 27.07, 0.7834, 8.707, 0.8954), STEPS(0.8637, 0.7609, 1, 52.64),
			FFT(0.8814, 36.54, 4.903) } } } },
	{ .source = "neusight", .gpu = "P100_PCIE", .dtype = "fp32", .pass = PALEO_FWD, /* 7.3 */
	  .model = { .sets = { 0x20, 0x80, 0x13 },
		.params = { SHARED(0.7719, 0.5494, 1.151, 0.1101, 4.588, 0.006807, 0.3), .kernels = {
			PRECOMP(0.95, 5.579, 18.6, 0.5175, 1364, 200), IMPLICIT(0.7765, 10.02, 0.8, 1500),
			WINOGRAD(0.8, 14.43, 0.7299, 13.92, 0.7809), STEPS(0.95, 0.7935, 1, 23.54),
			FFT(1.445, 79.73, 5.056) } } } },
	{ .source = "deepbench", .gpu = "P100_SXM2", .dtype = "fp16", .pass = PALEO_FWD, /* 11.2 */
	  .model = { .sets = { 0x20, 0x20, 0x30 },
		.params = { SHARED(16.43, 0.5007, 0.7632, 0.2577, 4.014, 0.01636, 0.3), .kernels = {
			PRECOMP(0.7368, 3.793, 20.72, 0.3841, 1.173e+05, 200), IMPLICIT(0.3446, 8.356, 0.6089, 6866),
			WINOGRAD(0.5782, 37.06, 0.8001, 625.6, 54.2), STEPS(0.7373, 3.027, 0.9212, 49.44),
			FFT(1.242, 24.2, 6.131) } } } },
	{ .source = "deepbench", .gpu = "P100_SXM2", .dtype = "fp16", .pass = PALEO_BWD_FILTER, /* 11.1 */
	  .model = { .sets = { 0x100, 0x1, 0x1 },
		.params = { SHARED(48.45, 0.4888, 1.293, 0.3783, 1.949, 0.02904, 0.3), .kernels = {
			PRECOMP(0.8384, 4.542, 281.8, 0.9248, 1.508e+05, 85.24), IMPLICIT(0.6853, 142.6, 0.7026, 319.5),
			WINOGRAD(0.8, 15, 0.85, 50, 1.5), STEPS(1.043, 2.438, 0.9692, 17.82),
			FFT(0.1564, 100.7, 5.107) } } } },
};
// clang-format on

enum {
	PRESETS = sizeof(presets) / sizeof(presets[0])
};

const struct paleo_conv_preset *paleo_conv_presets(int *count)
{
	*count = PRESETS;
	return presets;
}

int paleo_conv_preset_speaks(const struct paleo_conv_preset *preset, enum paleo_pass pass,
			     const char *except_gpu)
{
	return preset->pass == pass &&
	       !(except_gpu && paleo_device_same_chip(preset->gpu, except_gpu));
}

struct paleo_conv_model paleo_conv_model_plain(void)
{
	return (struct paleo_conv_model){.params = paleo_conv_params_init(),
					 .sets = {.implicit_tiles = 1U << 8 | 1U << 5,
						  .nonfused_tiles = 1U << 7,
						  .winograd_blocks = 1}};
}

/* Of CUDA cores, as all presets are. */
static struct paleo_conv_model average(enum paleo_pass pass, const char *except_gpu)
{
	int used = 0, have[3][PALEO_TILES] = {{0}};
	struct paleo_conv_model m = paleo_conv_model_plain();
	unsigned *const sets[] = {&m.sets.implicit_tiles, &m.sets.nonfused_tiles,
				  &m.sets.winograd_blocks};
	double sum[PALEO_CONV_PARAMETERS] = {0};

	for (int i = 0; i < PRESETS; i++) {
		const struct paleo_conv_sets *s = &presets[i].model.sets;
		const unsigned its[] = {s->implicit_tiles, s->nonfused_tiles, s->winograd_blocks};
		if (!paleo_conv_preset_speaks(&presets[i], pass, except_gpu))
			continue;
		for (int j = 0; j < PALEO_CONV_PARAMETERS; j++)
			sum[j] += log(paleo_parameter_get(&paleo_conv_parameters[j],
							  &presets[i].model.params));
		for (int b = 0; b < 3 * PALEO_TILES; b++)
			have[b / PALEO_TILES][b % PALEO_TILES] +=
				(int)(its[b / PALEO_TILES] >> b % PALEO_TILES & 1);
		used++;
	}
	for (int j = 0; used && j < PALEO_CONV_PARAMETERS; j++)
		paleo_parameter_set_log(&paleo_conv_parameters[j], &m.params, sum[j] / used);
	for (int k = 0; used && k < 3; k++) {
		unsigned set = 0;
		for (int b = 0; b < PALEO_TILES; b++)
			set |= (unsigned)(2 * have[k][b] >= used) << b;
		*sets[k] = set ? set : *sets[k];
	}
	return m;
}

int paleo_conv_by_gemms(const struct paleo_tile_device *d)
{
	return d->tensor && paleo_dtype_bytes(d->dtype) == 2;
}

struct paleo_conv_model paleo_conv_guess(const struct paleo_tile_device *d, enum paleo_pass pass,
					 const char *except_gpu)
{
	struct paleo_conv_model m = average(pass, except_gpu);
	struct paleo_conv_kernel *k = &m.params.kernels[PALEO_CONV_PRECOMP];
	struct paleo_tile_device cuda = *d;
	struct paleo_tile_model gemm, on_cuda;

	if (!paleo_conv_by_gemms(d))
		return m;
	cuda.tensor = 0;
	paleo_tile_guess(&cuda, PALEO_F32, 0, except_gpu, &on_cuda);
	paleo_tile_guess(d, d->dtype, 0, except_gpu, &gemm);
	const struct paleo_tile_params *p = &gemm.params;
	m.params.launch_us = p->launch_us;
	m.params.ppp_memory = p->ppp_memory;
	m.params.cache_share = p->cache_share;
	m.params.ppp_cache = p->ppp_cache;
	m.params.sharpness = p->sharpness;
	m.params.droop = p->droop;
	m.params.droop_us = p->droop_us;
	k->ppp_compute *= p->ppp_compute / on_cuda.params.ppp_compute;
	k->half_intensity = p->half_intensity;
	k->prologue_k = p->prologue_k;
	k->wave = p->wave;
	k->half_accumulators = p->half_accumulators;
	k->split_us = p->split_us;
	m.params.stride_share = 1;
	return m;
}
