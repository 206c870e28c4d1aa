/* fit_tile.h - fits the law of tiles to measured products of one device and number type. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_TILE_H
#define PALEO_CALIB_FIT_TILE_H

#include "model/predict/tile.h"

struct paleo_tile_row {
	struct paleo_tile_product product;
	double time_s; /* measured, > 0 */
	double weight; /* of the row: 1, or less where the time is in doubt */
};

/* The law with its numbers. A plain value. */
struct paleo_tile_model {
	struct paleo_tile_params params;
	unsigned tiles; /* the candidates, a mask; not 0 */
};

/* A model fitted to somebody's measurements. */
struct paleo_tile_preset {
	const char *op; /* "gemm", "bmm" */
	const char *source;
	const char *gpu;   /* as our devices are called */
	const char *dtype; /* "fp32" "fp16" "bf16" "fp8" */
	struct paleo_tile_model model;
};

/* The presets that the study left (docs/reference/law.md), *count of them. */
const struct paleo_tile_preset *paleo_tile_presets(int *count);

/*
 * The law of a device without a measurement: all tiles, and of each parameter the geometric mean of
 * other GPUs' presets and of the table's start, which counts as one of them but for the launch.
 * Presets speak for a device whose elements are as long and that has tensor cores for them as
 * theirs has, or neither (for tf32 those of f16 and bf16); those of batched products or not, as
 * asked, and if there are none, all.
 * On top of the droop that cards with power enough have comes what the device's power takes of its
 * peak (paleo_tile_power_flop_per_s()).
 * Those of `except_gpu` (may be NULL) and of cards with its chip do not. Returns how many these
 * were; with 0 *out is the table's start. Launches differ between ways to time more than between
 * GPUs: trust launch_us least, and with a row ask paleo_tile_launches().
 */
int paleo_tile_guess(const struct paleo_tile_device *d, enum paleo_dtype dtype, int batched,
		     const char *except_gpu, struct paleo_tile_model *out);

/* How much slower sustained work gets because power runs out, over what it would take: 0 where it
 * is not known to. */
double paleo_tile_power_droop(const struct paleo_tile_device *d);

enum {
	PALEO_TILE_LAUNCHES = 2 /* ways to time: a replayed graph; calls that are waited for */
};

/* What launching a product takes in a way to time. */
struct paleo_tile_launch {
	double us;
	int seen; /* 1: presets of elements as long were timed so */
};

/* The ways to time, and which of them presets tell of but those of `except_gpu` (may be NULL). */
void paleo_tile_launches(enum paleo_dtype dtype, const char *except_gpu,
			 struct paleo_tile_launch launches[PALEO_TILE_LAUNCHES]);

struct paleo_tile_fit {
	struct paleo_tile_model model;
	unsigned held; /* bit i: paleo_tile_parameters[i] stayed at its start, and was not fitted */
};

enum {
	PALEO_TILE_GREEDY_ROWS = 5,  /* the fewest that choose a set of tiles of their own */
	PALEO_TILE_FREE_ROWS = 15,   /* the fewest that may let tlb_rows go */
	PALEO_TILE_SHAPE_ROWS = 50,  /* the fewest that tell half_intensity to droop_us */
	PALEO_TILE_SCREEN_ROWS = 400 /* the most that the choice looks at */
};

/*
 * The parameters of the table and the set of tiles, on the robust loss, the sum of
 * 2 (sqrt(1 + (r/0.1)^2) - 1), r = log(predicted/measured), with priors in logarithms around
 * paleo_tile_guess(): what the rows do not tell stays as other GPUs have it, presets of
 * `except_gpu` left out, which have seen what a study of it holds out. Of launch_us two priors are
 * tried, those of paleo_tile_launches(); one that no preset was timed by must lower the loss by 4.
 * The search is Levenberg-Marquardt's, by the slopes of the fastest candidate of each row. Fitted
 * to n rows a law errs more elsewhere than at these: the errors from which the loss is no longer a
 * square are 0.1 sqrt(1 + 20/n). With PALEO_TILE_GREEDY_ROWS rows or more a set of tiles of its own
 * grows, up to four, as long as each lowers the loss by 3 % and by 4: few rows do not tell many
 * tiles. With PALEO_TILE_FREE_ROWS or more tlb_rows is let go where that lowers the loss by 4, and
 * stays at its start otherwise; with PALEO_TILE_SHAPE_ROWS or more half_intensity, wave, sharpness,
 * overlap and droop_us, too. rows: count >= 1 of any order, their elements of `dtype`; the choice
 * of tiles looks at evenly spaced ones. The same rows give the same bits. ENOMEM.
 */
int paleo_fit_tile(const struct paleo_tile_device *d, enum paleo_dtype dtype,
		   const struct paleo_tile_row *rows, int count, const char *except_gpu,
		   struct paleo_tile_fit *out, struct paleo_error *err);

/* Predicted time with launch, in seconds. */
double paleo_tile_predict_s(const struct paleo_tile_model *m, const struct paleo_tile_device *d,
			    const struct paleo_tile_product *g);

#endif
