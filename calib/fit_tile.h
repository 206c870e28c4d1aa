/* fit_tile.h - fits the law of tiles to measured products of one device and number type. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_TILE_H
#define PALEO_CALIB_FIT_TILE_H

#include "model/laws/tile.h"

struct paleo_tile_row {
	struct paleo_tile_product product;
	double time_s; /* measured, > 0 */
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

/* The presets that the study left (docs/model.md), *count of them. */
const struct paleo_tile_preset *paleo_tile_presets(int *count);

/* 1 if it may speak for the device: its elements are as long, both have tensor cores for them or
 * neither has, and it is not of a card with the chip of `except_gpu` (may be NULL). */
int paleo_tile_preset_suits(const struct paleo_tile_preset *preset,
			    const struct paleo_tile_device *d, double element_bytes,
			    const char *except_gpu);

/*
 * What other GPUs' presets say of a device without a measurement: the geometric mean of each
 * parameter and all of their tiles, of those that suit it and are of batched products or
 * not, as asked; if there are none, of all that suit it. Returns how many these were; with 0
 * *out is the table's start and all tiles. Launches differ between ways to time more than
 * between GPUs: trust launch_us least.
 */
int paleo_tile_guess(const struct paleo_tile_device *d, enum paleo_dtype dtype, int batched,
		     const char *except_gpu, struct paleo_tile_model *out);

struct paleo_tile_fit {
	struct paleo_tile_model model;
	double loss; /* sum of 2 (sqrt(1 + (r/0.1)^2) - 1), r = log(predicted/measured), and the
			priors' share */
	int rows, evaluations;
	unsigned on_bound; /* bit i: paleo_tile_parameters[i] stands on one of its bounds */
};

enum {
	PALEO_TILE_FREE_ROWS = 15,   /* fewer stay near the preset that fits them best */
	PALEO_TILE_GREEDY_ROWS = 10, /* the fewest that choose a set of tiles of their own */
	PALEO_TILE_SCREEN_ROWS = 400 /* the most that the choice looks at */
};

/*
 * The ten parameters of the table and the set of tiles, by pattern search on the
 * robust loss with priors around `start`, in logarithms. It starts from each preset of
 * elements as long; with less than PALEO_TILE_FREE_ROWS rows the one that fits best is the
 * prior too, at 0.4 of the standard deviations. With PALEO_TILE_GREEDY_ROWS rows or more a
 * set of tiles of its own grows, up to four, as long as each lowers the loss by 3 % and by 3:
 * few rows do not tell many tiles. With PALEO_TILE_FREE_ROWS or more tlb_rows is let go where that
 * lowers the loss by 3, and stays at its start otherwise. Presets of `except_gpu` (and of cards
 * with its chip) are left out: they have seen what a study of that GPU holds out. NULL: none is.
 * rows: count >= 1 of any order; the choice of tiles looks at evenly spaced ones. The
 * same rows give the same bits. ENOMEM.
 */
int paleo_fit_tile(const struct paleo_tile_device *d, const struct paleo_tile_row *rows, int count,
		   const struct paleo_tile_params *start, const char *except_gpu,
		   struct paleo_tile_fit *out, struct paleo_error *err);

/* Predicted time with launch, in seconds. */
double paleo_tile_predict_s(const struct paleo_tile_model *m, const struct paleo_tile_device *d,
			    const struct paleo_tile_product *g);

#endif
