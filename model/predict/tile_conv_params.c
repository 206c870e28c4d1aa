/* tile_conv_params.c - the parameters of convolutions: units, bounds, priors. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/tile_conv.h"

#define SHARED(field) offsetof(struct paleo_conv_params, field)
#define OF(algorithm, field)                                                                       \
	offsetof(struct paleo_conv_params, kernels[PALEO_CONV_##algorithm].field)

// clang-format off
const struct paleo_parameter paleo_conv_parameters[] = {
	{ .name = "launch_us", .symbol = "t0", .unit = "us",
	  .meaning = "launch and dispatch of one convolution", .offset = SHARED(launch_us),
	  .init = 2, .low = 0.01, .high = 300, .prior_sd = 1.5 },
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", .offset = SHARED(ppp_memory),
	  .init = 0.6, .low = 0.05, .high = 1.5, .prior_sd = 0.35 },
	{ .name = "cache_share", .symbol = "cl2", .unit = "1",
	  .meaning = "usable fraction of the L2", .offset = SHARED(cache_share),
	  .init = 1, .low = 0.05, .high = 5, .prior_sd = 0.8 },
	{ .name = "ppp_cache", .symbol = "pl2", .unit = "64 bytes per SM and clock",
	  .meaning = "bandwidth from the L2 to the multiprocessors", .offset = SHARED(ppp_cache),
	  .init = 0.3, .low = 0.02, .high = 6, .prior_sd = 0.8 },
	{ .name = "sharpness", .symbol = "q", .unit = "1",
	  .meaning = "exponent of the soft maximum of compute and data", .offset = SHARED(sharpness),
	  .init = 3, .low = 1, .high = 8, .prior_sd = 0.5 },
	{ .name = "droop", .symbol = "th", .unit = "1",
	  .meaning = "how much slower sustained work gets", .offset = SHARED(droop),
	  .init = 0.05, .low = 0.001, .high = 4, .prior_sd = 1.2 },
	{ .name = "implicit_precomp_gemm.ppp_compute", .symbol = "implicit_precomp_gemm.pc",
	  .unit = "1", .meaning = "platform percent of peak of a full machine",
	  .offset = OF(PRECOMP, ppp_compute), .init = 0.95, .low = 0.2, .high = 1.6, .prior_sd = 0.35 },
	{ .name = "implicit_precomp_gemm.half_intensity", .symbol = "implicit_precomp_gemm.Ih",
	  .unit = "1", .meaning = "m n/(m + n) of a tile at which half the rate is reached",
	  .offset = OF(PRECOMP, half_intensity), .init = 6, .low = 0.5, .high = 50, .prior_sd = 0.8 },
	{ .name = "implicit_precomp_gemm.prologue_k", .symbol = "implicit_precomp_gemm.K0",
	  .unit = "steps of k", .meaning = "start and end of a block",
	  .offset = OF(PRECOMP, prologue_k), .init = 8, .low = 0.01, .high = 300, .prior_sd = 1.2 },
	{ .name = "implicit_precomp_gemm.wave", .symbol = "implicit_precomp_gemm.al",
	  .unit = "1", .meaning = "share of a last wave that is not full",
	  .offset = OF(PRECOMP, wave), .init = 0.8, .low = 0.1, .high = 1, .prior_sd = 0.3 },
	{ .name = "implicit_precomp_gemm.half_accumulators", .symbol = "implicit_precomp_gemm.Ah",
	  .unit = "accumulators per SM", .meaning = "accumulators at which half the rate is reached",
	  .offset = OF(PRECOMP, half_accumulators), .init = 1500, .low = 1, .high = 200000, .prior_sd = 1.3 },
	{ .name = "implicit_precomp_gemm.split_us", .symbol = "implicit_precomp_gemm.tsk",
	  .unit = "us", .meaning = "penalty of splitting the sums",
	  .offset = OF(PRECOMP, split_us), .init = 20, .low = 0.01, .high = 200, .prior_sd = 1 },
	{ .name = "implicit_gemm.ppp_compute", .symbol = "implicit_gemm.pc",
	  .unit = "1", .meaning = "platform percent of peak of a full machine",
	  .offset = OF(IMPLICIT, ppp_compute), .init = 0.8, .low = 0.2, .high = 1.6, .prior_sd = 0.35 },
	{ .name = "implicit_gemm.prologue_k", .symbol = "implicit_gemm.K0",
	  .unit = "steps of k", .meaning = "start and end of a block",
	  .offset = OF(IMPLICIT, prologue_k), .init = 10, .low = 0.01, .high = 300, .prior_sd = 1.2 },
	{ .name = "implicit_gemm.wave", .symbol = "implicit_gemm.al",
	  .unit = "1", .meaning = "share of a last wave that is not full",
	  .offset = OF(IMPLICIT, wave), .init = 0.8, .low = 0.1, .high = 1, .prior_sd = 0.3 },
	{ .name = "implicit_gemm.half_accumulators", .symbol = "implicit_gemm.Ah",
	  .unit = "accumulators per SM", .meaning = "accumulators at which half the rate is reached",
	  .offset = OF(IMPLICIT, half_accumulators), .init = 1500, .low = 1, .high = 200000, .prior_sd = 1.3 },
	{ .name = "implicit_precomp_gemm.stride_share", .symbol = "implicit_precomp_gemm.zs",
	  .unit = "1", .meaning = "how much of a stride's skipped terms the data's gradient skips",
	  .offset = SHARED(stride_share), .init = 0.3, .low = 0.02, .high = 1, .prior_sd = 0.7 },
	{ .name = "winograd.ppp_compute", .symbol = "winograd.pc",
	  .unit = "1", .meaning = "platform percent of peak of a full machine",
	  .offset = OF(WINOGRAD, ppp_compute), .init = 0.8, .low = 0.2, .high = 1.6, .prior_sd = 0.35 },
	{ .name = "winograd.prologue_k", .symbol = "winograd.K0",
	  .unit = "steps of k", .meaning = "start and end of a block",
	  .offset = OF(WINOGRAD, prologue_k), .init = 15, .low = 0.01, .high = 300, .prior_sd = 1.2 },
	{ .name = "winograd.wave", .symbol = "winograd.al",
	  .unit = "1", .meaning = "share of a last wave that is not full",
	  .offset = OF(WINOGRAD, wave), .init = 0.85, .low = 0.1, .high = 1, .prior_sd = 0.3 },
	{ .name = "winograd.half_accumulators", .symbol = "winograd.Ah",
	  .unit = "accumulators per SM", .meaning = "accumulators at which half the rate is reached",
	  .offset = OF(WINOGRAD, half_accumulators), .init = 50, .low = 1, .high = 200000, .prior_sd = 1.3 },
	{ .name = "winograd.extra_us", .symbol = "winograd.tl",
	  .unit = "us", .meaning = "launches beside that of the products",
	  .offset = OF(WINOGRAD, extra_us), .init = 1.5, .low = 0.01, .high = 300, .prior_sd = 1.2 },
	{ .name = "winograd_nonfused.ppp_compute", .symbol = "winograd_nonfused.pc",
	  .unit = "1", .meaning = "platform percent of peak of a full machine",
	  .offset = OF(NONFUSED, ppp_compute), .init = 0.95, .low = 0.2, .high = 1.6, .prior_sd = 0.35 },
	{ .name = "winograd_nonfused.prologue_k", .symbol = "winograd_nonfused.K0",
	  .unit = "steps of k", .meaning = "start and end of a block",
	  .offset = OF(NONFUSED, prologue_k), .init = 2, .low = 0.01, .high = 300, .prior_sd = 1.2 },
	{ .name = "winograd_nonfused.wave", .symbol = "winograd_nonfused.al",
	  .unit = "1", .meaning = "share of a last wave that is not full",
	  .offset = OF(NONFUSED, wave), .init = 0.95, .low = 0.1, .high = 1, .prior_sd = 0.3 },
	{ .name = "winograd_nonfused.extra_us", .symbol = "winograd_nonfused.tl",
	  .unit = "us", .meaning = "launches beside that of the products",
	  .offset = OF(NONFUSED, extra_us), .init = 8, .low = 0.01, .high = 300, .prior_sd = 1.2 },
	{ .name = "fft.ppp_compute", .symbol = "fft.pc",
	  .unit = "1", .meaning = "platform percent of peak of a full machine",
	  .offset = OF(FFT, ppp_compute), .init = 0.9, .low = 0.1, .high = 3, .prior_sd = 0.6 },
	{ .name = "fft.prologue_k", .symbol = "fft.K0",
	  .unit = "steps of k", .meaning = "start and end of a block",
	  .offset = OF(FFT, prologue_k), .init = 30, .low = 0.01, .high = 1000, .prior_sd = 1.2 },
	{ .name = "fft.extra_us", .symbol = "fft.tl",
	  .unit = "us", .meaning = "launches beside that of the products",
	  .offset = OF(FFT, extra_us), .init = 5, .low = 0.01, .high = 300, .prior_sd = 1.2 },
	{0},
};
// clang-format on

struct paleo_conv_params paleo_conv_params_init(void)
{
	/* What no fit moves: a penalty that keeps the plain implicit GEMM from splitting, the whole
	 * waves of the FFT's products, occupancy where blocks are always large. */
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
