/* presets.h - parameters fitted to published times of GPUs, and their use for another GPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SOURCE_PRESETS_H
#define PALEO_MODEL_SOURCE_PRESETS_H

#include "model/predict/predict.h"
#include "model/predict/tile.h"
#include "model/predict/tile_conv.h"

/* The cost model of tiles with its numbers. A plain value. */
struct paleo_tile_model {
	struct paleo_tile_params params;
	unsigned tiles; /* the candidates, a mask; not 0 */
};

/* The cost model of a library's convolutions with its numbers. A plain value. */
struct paleo_conv_model {
	struct paleo_conv_params params;
	struct paleo_conv_sets sets;
};

/* The tile cost model fitted to published measurements of GEMMs, batched or not. */
struct paleo_tile_preset {
	const char *source;
	const char *gpu; /* as our devices are called */
	enum paleo_dtype dtype;
	int batched;
	struct paleo_tile_params params;
};

/* The cost model of convolutions, likewise. */
struct paleo_conv_preset {
	const char *source, *gpu, *dtype;
	enum paleo_pass pass;
	struct paleo_conv_model model;
};

/* The presets of the study (docs/reference/kernels-gpu.md), *count of them. Fits start from them,
 * including those of results/presets/, so these cannot replace them. */
const struct paleo_tile_preset *paleo_tile_presets(int *count);
const struct paleo_conv_preset *paleo_conv_presets(int *count);

/*
 * The cost model of a device without a measurement: all tiles, and of each parameter the geometric
 * mean of other GPUs' presets and of the table's start, which counts as one of them but for the
 * launch. Presets apply to a device with the same element size where both or neither have tensor
 * cores for it (for tf32 those of f16 and bf16); those of batched GEMMs or not, as requested, and
 * if there are none, all. The device's power limit (paleo_tile_power_flop_per_s()) is added to the
 * droop of cards with enough power. Presets of `except_gpu` (may be NULL) and of cards with its
 * chip are excluded. Returns the number of presets used; with 0 *out is the table's start. Launches
 * differ between ways to time more than between GPUs: launch_us is the least reliable; with a row
 * use paleo_tile_launches().
 */
int paleo_tile_guess(const struct paleo_tile_device *d, enum paleo_dtype dtype, int batched,
		     const char *except_gpu, struct paleo_tile_model *out);

/* Slowdown of sustained load by the power limit, relative to the peak: 0 where it is not known. */
double paleo_tile_power_droop(const struct paleo_tile_device *d);

enum {
	PALEO_TILE_LAUNCHES = 2 /* ways to time: a replayed graph; calls that are waited for */
};

/* Launch overhead of a GEMM in a timing method. */
struct paleo_tile_launch {
	double us;
	int seen; /* 1: presets of elements as long were timed so */
};

/* Timing methods, and which of them have presets other than those of `except_gpu` (may be NULL). */
void paleo_tile_launches(enum paleo_dtype dtype, const char *except_gpu,
			 struct paleo_tile_launch launches[PALEO_TILE_LAUNCHES]);

/* Blocks that most libraries have, and the table's start. */
struct paleo_conv_model paleo_conv_model_plain(void);

/* 1 if a preset is of the pass, and not of `except_gpu` (may be NULL) or a card with its chip. */
int paleo_conv_preset_speaks(const struct paleo_conv_preset *preset, enum paleo_pass pass,
			     const char *except_gpu);

/* 1 where parameters of convolutions are those of GEMMs: on tensor cores with 16-bit elements, for
 * which all presets are of GEMMs. */
int paleo_conv_by_gemms(const struct paleo_tile_device *d);

/*
 * Convolutions of a device without a measurement: of each parameter the geometric mean of other
 * GPUs' presets, and the blocks that half of them have; the plain model if there are none. Where
 * paleo_conv_by_gemms() the implicit GEMM has those blocks and the parameters of GEMMs
 * (paleo_tile_guess()); its ppp_compute is less by as much as on CUDA cores, and it skips all that
 * strides leave out.
 */
struct paleo_conv_model paleo_conv_guess(const struct paleo_tile_device *d, enum paleo_pass pass,
					 const char *except_gpu);

/* Target of the presets. */
struct paleo_presets_for {
	const struct paleo_device *device;
	enum paleo_dtype dtype;
	int operand_sets; /* of the weights, as in struct paleo_fit_options; 0 is 1 */
	/* 1: launches of GEMMs and convolutions as in a queue, of which some presets timed the
	 * CPU's dispatch; 0: as they were timed. */
	int queued;
	int except_self; /* 1: without those of the device itself and of cards with its chip */
};

/*
 * Makes factors of one dtype (fp8: also of bf16) from the presets fitted to published measurements:
 * GEMMs by the average of the applicable ones (paleo_tile_guess()), convolutions by that of all or
 * as GEMMs (paleo_conv_guess()), memory-bound ops by the start of their table. There are no
 * intervals, as nothing was measured by the user. `method` is "presets". *out is released by the
 * caller. EUNSUPPORTED when the device lacks what the cost model needs; ENOMEM.
 */
int paleo_calibration_presets(const struct paleo_presets_for *of, struct paleo_calibration *out,
			      struct paleo_error *err);

#endif
