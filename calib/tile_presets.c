/* tile_presets.c - the law of tiles as fitted to published measurements of GPUs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit_tile.h"

/*
 * Where a fit may start, and sets of tiles that libraries were seen to use. Fitted by the study
 * (docs/reference/law.md) to measurements published by NeuSight (MIT), aiconfigurator (Apache-2.0),
 * DeepBench (Apache-2.0) and vidur (MIT); behind each stands the mean error, in percent, on the
 * very rows that it was fitted to.
 */
enum {
	T256_128 = 1 << 0,
	T128_256 = 1 << 1,
	T128_128 = 1 << 2,
	T256_64 = 1 << 3,
	T64_256 = 1 << 4,
	T128_64 = 1 << 5,
	T64_128 = 1 << 6,
	T64_64 = 1 << 7,
	T128_32 = 1 << 8,
	T32_128 = 1 << 9,
	T64_32 = 1 << 10,
	T32_64 = 1 << 11,
	T32_32 = 1 << 12,
};

#define QUANTISED(o, s, g, t, set, t0, pc, k0, ah, pm, cl2, pl2, tsk, th, kc, pq)                  \
	{                                                                                          \
		.op = (o), .source = (s), .gpu = (g), .dtype = (t), .model = {                     \
			.tiles = (set),                                                            \
			.params = {.launch_us = (t0),                                              \
				   .ppp_compute = (pc),                                            \
				   .prologue_k = (k0),                                             \
				   .half_accumulators = (ah),                                      \
				   .ppp_memory = (pm),                                             \
				   .cache_share = (cl2),                                           \
				   .ppp_cache = (pl2),                                             \
				   .split_us = (tsk),                                              \
				   .droop = (th),                                                  \
				   .tlb_k = (kc),                                                  \
				   .tlb_rows = 1e-6,                                               \
				   .ppp_quantise = (pq),                                           \
				   .half_intensity = 4,                                            \
				   .wave = 0.8,                                                    \
				   .sharpness = 4,                                                 \
				   .overlap = 1,                                                   \
				   .droop_us = 1000}                                               \
		}                                                                                  \
	}
/* Nothing is quantised before these; the start of the table stands in the place. */
#define PRESET(...) QUANTISED(__VA_ARGS__, 0.4)

// clang-format off
static const struct paleo_tile_preset presets[] = {
	PRESET("gemm", "neusight", "p100-pcie", "fp32", T64_32,
	       80.28, 0.9986, 26.54, 1008, 0.2218, 2.514, 0.5999, 13.16, 0.2485, 21710), /* 10.3 */
	PRESET("gemm", "neusight", "v100-pcie", "fp32", T32_64 | T64_128 | T32_32,
	       57.18, 1.044, 19.99, 115.9, 0.6302, 1.261, 0.1997, 8.13, 0.05312, 221300), /* 5.8 */
	PRESET("gemm", "neusight", "t4", "fp32", T64_64 | T128_128,
	       45.37, 0.8425, 11.96, 208.3, 0.3678, 0.9409, 0.4994, 7.192, 1.089, 544400), /* 11.2 */
	PRESET("gemm", "neusight", "a100-40-pcie", "fp32", T32_32 | T64_256,
	       46.74, 0.9998, 1.207, 1263, 0.6341, 0.8533, 0.251, 1.187, 0.1395, 189300), /* 7.5 */
	PRESET("bmm", "neusight", "p100-pcie", "fp32", T64_128,
	       39.22, 1.046, 19.55, 1064, 0.729, 0.6326, 0.4762, 52.27, 0.03695, 194900), /* 4.3 */
	PRESET("bmm", "neusight", "v100-pcie", "fp32", T64_64,
	       38.46, 1.09, 0.7776, 3675, 0.615, 3.033, 0.1641, 36.4, 0.1553, 195900), /* 9.6 */
	PRESET("gemm", "aiconfigurator", "a100-80-sxm", "bf16", T64_64 | T128_256,
	       3.206, 0.9937, 200.7, 304.7, 0.7399, 0.05302, 0.5258, 2.164, 0.1241, 514200), /* 7.3 */
	PRESET("gemm", "aiconfigurator", "h100-sxm", "bf16", T32_64,
	       2.505, 1.222, 275.8, 3373, 0.8173, 0.4589, 2.551, 2.505, 0.1127, 303100), /* 5.5 */
	/* not the study's, which had no stage of its own for the activations: fitted to 1000 rows as
	 * `calibrate --from --operand-sets 5` does, the error is on rows held out */
	QUANTISED("gemm", "aiconfigurator", "h100-sxm", "fp8", T128_64,
	       11.58, 1.6, 923.2, 1373, 0.7985, 0.293, 1.059, 2.124, 0.0451, 170000, 0.4079), /* 4.5 */
	PRESET("gemm", "deepbench", "titan-x", "fp32", T64_32,
	       61.49, 0.9271, 107.7, 3726, 0.3125, 1.205, 0.5939, 3.05, 0.03211, 165000), /* 14.9 */
	PRESET("gemm", "deepbench", "m40", "fp32", T64_32,
	       70.39, 0.8129, 28.15, 3460, 0.3439, 1.213, 0.5794, 3.311, 0.03138, 132000), /* 12.8 */
	PRESET("gemm", "deepbench", "gtx-1080-ti", "fp32", T32_32 | T64_256,
	       1.298, 1.114, 33.14, 3108, 0.5195, 1.514, 0.3838, 1.395, 0.05996, 194500), /* 16.6 */
	PRESET("gemm", "deepbench", "p100-sxm2", "fp32", T64_64 | T128_256,
	       1.136, 0.9054, 14.28, 775, 0.3493, 5, 0.4764, 1.311, 0.01911, 697800), /* 14.9 */
	PRESET("gemm", "deepbench", "p100-sxm2", "fp16", T64_64 | T128_256,
	       1.058, 0.4454, 8.985, 1230, 0.533, 1.029, 0.4987, 1.252, 0.01873, 380100), /* 11.7 */
	PRESET("gemm", "vidur", "a100-80-sxm", "fp16", T128_256,
	       0.7661, 1.262, 79.87, 1000, 0.8492, 0.3419, 0.29, 1.244, 0.02574, 58330), /* 5.7 */
};
// clang-format on

const struct paleo_tile_preset *paleo_tile_presets(int *count)
{
	*count = (int)(sizeof(presets) / sizeof(presets[0]));
	return presets;
}
