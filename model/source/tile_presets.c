/* tile_presets.c - tiles as fitted to published times of GPUs, and a guess for another GPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/source/presets.h"

/*
 * Starting values of fits. Fitted by the study (docs/reference/kernels-gpu.md) to measurements
 * published by NeuSight (MIT), aiconfigurator (Apache-2.0), DeepBench (Apache-2.0) and vidur (MIT);
 * each is followed by its mean training error in percent.
 */
enum {
	SINGLE,
	BATCHED
};

#define QUANTISED(b, s, g, t, t0, pc, k0, ah, pm, cl2, pl2, tsk, th, kc, pq)                       \
	{                                                                                          \
		.batched = (b), .source = (s), .gpu = (g), .dtype = (t), .params = {               \
			.launch_us = (t0),                                                         \
			.ppp_compute = (pc),                                                       \
			.prologue_k = (k0),                                                        \
			.half_accumulators = (ah),                                                 \
			.ppp_memory = (pm),                                                        \
			.cache_share = (cl2),                                                      \
			.ppp_cache = (pl2),                                                        \
			.split_us = (tsk),                                                         \
			.droop = (th),                                                             \
			.tlb_k = (kc),                                                             \
			.tlb_rows = 1e-6,                                                          \
			.ppp_quantise = (pq),                                                      \
			.half_intensity = 4,                                                       \
			.wave = 0.8,                                                               \
			.sharpness = 4,                                                            \
			.overlap = 1,                                                              \
			.droop_us = 1000                                                           \
		}                                                                                  \
	}
/* Presets without a quantisation stage; the start of the table is used instead. */
#define PRESET(...) QUANTISED(__VA_ARGS__, 0.4)

// clang-format off
static const struct paleo_tile_preset presets[] = {
	PRESET(SINGLE, "neusight", "p100-pcie", PALEO_F32,
	       80.28, 0.9986, 26.54, 1008, 0.2218, 2.514, 0.5999, 13.16, 0.2485, 21710), /* 10.3 */
	PRESET(SINGLE, "neusight", "v100-pcie", PALEO_F32,
	       57.18, 1.044, 19.99, 115.9, 0.6302, 1.261, 0.1997, 8.13, 0.05312, 221300), /* 5.8 */
	PRESET(SINGLE, "neusight", "t4", PALEO_F32,
	       45.37, 0.8425, 11.96, 208.3, 0.3678, 0.9409, 0.4994, 7.192, 1.089, 544400), /* 11.2 */
	PRESET(SINGLE, "neusight", "a100-40-pcie", PALEO_F32,
	       46.74, 0.9998, 1.207, 1263, 0.6341, 0.8533, 0.251, 1.187, 0.1395, 189300), /* 7.5 */
	PRESET(BATCHED, "neusight", "p100-pcie", PALEO_F32,
	       39.22, 1.046, 19.55, 1064, 0.729, 0.6326, 0.4762, 52.27, 0.03695, 194900), /* 4.3 */
	PRESET(BATCHED, "neusight", "v100-pcie", PALEO_F32,
	       38.46, 1.09, 0.7776, 3675, 0.615, 3.033, 0.1641, 36.4, 0.1553, 195900), /* 9.6 */
	PRESET(SINGLE, "aiconfigurator", "a100-80-sxm", PALEO_BF16,
	       3.206, 0.9937, 200.7, 304.7, 0.7399, 0.05302, 0.5258, 2.164, 0.1241, 514200), /* 7.3 */
	PRESET(SINGLE, "aiconfigurator", "h100-sxm", PALEO_BF16,
	       2.505, 1.222, 275.8, 3373, 0.8173, 0.4589, 2.551, 2.505, 0.1127, 303100), /* 5.5 */
	/* not from the study, which had no separate stage for the activations: fitted to 1000 rows
	 * as `calibrate --from --operand-sets 5` does; the error is on held-out rows */
	QUANTISED(SINGLE, "aiconfigurator", "h100-sxm", PALEO_FP8,
	       11.58, 1.6, 923.2, 1373, 0.7985, 0.293, 1.059, 2.124, 0.0451, 170000, 0.4079), /* 4.5 */
	PRESET(SINGLE, "deepbench", "titan-x", PALEO_F32,
	       61.49, 0.9271, 107.7, 3726, 0.3125, 1.205, 0.5939, 3.05, 0.03211, 165000), /* 14.9 */
	PRESET(SINGLE, "deepbench", "m40", PALEO_F32,
	       70.39, 0.8129, 28.15, 3460, 0.3439, 1.213, 0.5794, 3.311, 0.03138, 132000), /* 12.8 */
	PRESET(SINGLE, "deepbench", "gtx-1080-ti", PALEO_F32,
	       1.298, 1.114, 33.14, 3108, 0.5195, 1.514, 0.3838, 1.395, 0.05996, 194500), /* 16.6 */
	PRESET(SINGLE, "deepbench", "p100-sxm2", PALEO_F32,
	       1.136, 0.9054, 14.28, 775, 0.3493, 5, 0.4764, 1.311, 0.01911, 697800), /* 14.9 */
	PRESET(SINGLE, "deepbench", "p100-sxm2", PALEO_F16,
	       1.058, 0.4454, 8.985, 1230, 0.533, 1.029, 0.4987, 1.252, 0.01873, 380100), /* 11.7 */
	PRESET(SINGLE, "vidur", "a100-80-sxm", PALEO_F16,
	       0.7661, 1.262, 79.87, 1000, 0.8492, 0.3419, 0.29, 1.244, 0.02574, 58330), /* 5.7 */
};
// clang-format on

enum {
	PRESETS = sizeof(presets) / sizeof(presets[0])
};

const struct paleo_tile_preset *paleo_tile_presets(int *count)
{
	*count = PRESETS;
	return presets;
}

/* Its elements are as long, and it has not seen the device that is left out. */
static int is_told(const struct paleo_tile_preset *preset, double element_bytes,
		   const char *except_gpu)
{
	return paleo_dtype_bytes(preset->dtype) == element_bytes &&
	       !(except_gpu && paleo_device_same_chip(preset->gpu, except_gpu));
}

/* CUDA cores or tensor cores must match the device's peak. tf32 has no presets: those of f16 and
 * bf16 are used, as the same cores compute them. */
static int suits(const struct paleo_tile_preset *preset, const struct paleo_tile_device *d,
		 enum paleo_dtype dtype, const char *except_gpu)
{
	const struct paleo_device *its = paleo_device_find(preset->gpu);
	double element_bytes = paleo_dtype_bytes(dtype == PALEO_TF32 ? PALEO_F16 : dtype);
	struct paleo_tile_device other;
	struct paleo_error none;

	return is_told(preset, element_bytes, except_gpu) &&
	       !paleo_tile_device_of(its, preset->dtype, &other, &none) &&
	       other.tensor == d->tensor;
}

double paleo_tile_power_droop(const struct paleo_tile_device *d)
{
	double sustained = paleo_tile_power_flop_per_s(d);

	return sustained > 0 ? fmax(d->flop_per_s / sustained - 1, 0) : 0;
}

static int is_droop(const struct paleo_parameter *q)
{
	return q->offset == offsetof(struct paleo_tile_params, droop);
}

/* Sums of the logarithms of presets' parameters, and how many say something of each. */
struct logs {
	double sum[PALEO_TILE_QUANTISED];
	int count[PALEO_TILE_QUANTISED];
};

/* The droop of a power-limited card does not transfer to others. */
static void add_logs(const struct paleo_tile_preset *preset, struct logs *logs)
{
	const struct paleo_device *its = paleo_device_find(preset->gpu);
	struct paleo_tile_device d;
	struct paleo_error none;
	int limited = !paleo_tile_device_of(its, preset->dtype, &d, &none) &&
		      paleo_tile_power_droop(&d) > 0;

	for (int j = 0; j < PALEO_TILE_QUANTISED; j++) {
		const struct paleo_parameter *q = &paleo_tile_parameters[j];
		if (limited && is_droop(q))
			continue;
		logs->sum[j] += log(paleo_parameter_get(q, &preset->params));
		logs->count[j]++;
	}
}

int paleo_tile_guess(const struct paleo_tile_device *d, enum paleo_dtype dtype, int batched,
		     const char *except_gpu, struct paleo_tile_model *out)
{
	int used = 0;
	struct logs logs = {0};
	struct paleo_tile_model m = {.params = paleo_tile_params_init(dtype),
				     .tiles = PALEO_TILES_ALL};

	for (int any_op = 0; !used && any_op < 2; any_op++) {
		for (int i = 0; i < PRESETS; i++) {
			if ((presets[i].batched != batched && !any_op) ||
			    !suits(&presets[i], d, dtype, except_gpu))
				continue;
			add_logs(&presets[i], &logs);
			used++;
		}
	}
	for (int j = 0; used && j < PALEO_TILE_QUANTISED; j++) {
		const struct paleo_parameter *q = &paleo_tile_parameters[j];
		/* Presets know how launches are timed, the table does not. */
		int own = q->offset != offsetof(struct paleo_tile_params, launch_us);
		double start = log(paleo_parameter_get(q, &m.params));
		double middle = (logs.sum[j] + own * start) / (logs.count[j] + own);
		if (is_droop(q))
			middle = fmin(log(exp(middle) + paleo_tile_power_droop(d)), log(q->high));
		paleo_parameter_set_log(q, &m.params, middle);
	}
	*out = m;
	return used;
}

void paleo_tile_launches(enum paleo_dtype dtype, const char *except_gpu,
			 struct paleo_tile_launch launches[PALEO_TILE_LAUNCHES])
{
	/* Presets of graphs have 1 to 12 us, the most where activations are quantised first, those
	 * of calls 38 to 80. */
	static const double us[PALEO_TILE_LAUNCHES] = {2.5, 45}, calls_from_us = 20;

	for (int i = 0; i < PALEO_TILE_LAUNCHES; i++)
		launches[i] = (struct paleo_tile_launch){us[i], 0};
	for (int i = 0; i < PRESETS; i++)
		if (is_told(&presets[i], paleo_dtype_bytes(dtype), except_gpu))
			launches[presets[i].params.launch_us > calls_from_us].seen = 1;
}
