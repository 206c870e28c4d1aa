/* fit_tile.h - fits the tile cost model to measured GEMMs of one device and dtype. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_TILE_H
#define PALEO_CALIB_FIT_TILE_H

#include "model/source/presets.h"

struct paleo_tile_row {
	struct paleo_tile_product product;
	double time_s; /* measured, > 0 */
	double weight; /* of the row: 1, or less where the time is in doubt */
};

struct paleo_tile_fit {
	struct paleo_tile_model model;
	unsigned held; /* bit i: paleo_tile_parameters[i] stayed at its start, and was not fitted */
};

enum {
	PALEO_TILE_GREEDY_ROWS = 5,  /* the fewest that choose a set of tiles of their own */
	PALEO_TILE_FREE_ROWS = 15,   /* the fewest that may let tlb_rows go */
	PALEO_TILE_SHAPE_ROWS = 50,  /* the fewest that identify half_intensity to droop_us */
	PALEO_TILE_SCREEN_ROWS = 400 /* the most that the choice looks at */
};

/*
 * The parameters of the table and the set of tiles, on the robust loss, the sum of 2 (sqrt(1 +
 * (r/0.1)^2) - 1), r = log(predicted/measured), with priors in logarithms around
 * paleo_tile_guess(): parameters that the rows do not identify stay at other GPUs' values,
 * excluding presets of `except_gpu`, which have seen the rows that a study of it holds out. Of
 * launch_us two priors are tried, those of paleo_tile_launches(); one without a preset must lower
 * the loss by 4. The search is Levenberg-Marquardt's, by the slopes of the fastest candidate of
 * each row. To allow for overfitting n rows, the loss is quadratic up to errors of 0.1 sqrt(1 +
 * 20/n). With PALEO_TILE_GREEDY_ROWS rows or more a separate set of tiles grows, up to four, as
 * long as each lowers the loss by 3 % and by 4: few rows do not identify many tiles. With
 * PALEO_TILE_FREE_ROWS or more tlb_rows is fitted where that lowers the loss by 4, and stays at its
 * start otherwise; with PALEO_TILE_SHAPE_ROWS or more half_intensity, wave, sharpness, overlap and
 * droop_us, too. rows: count >= 1 of any order, their elements of `dtype`; the choice of tiles
 * looks at evenly spaced ones. The same rows give the same bits. ENOMEM.
 */
int paleo_fit_tile(const struct paleo_tile_device *d, enum paleo_dtype dtype,
		   const struct paleo_tile_row *rows, int count, const char *except_gpu,
		   struct paleo_tile_fit *out, struct paleo_error *err);

/* Predicted time with launch, in seconds. */
double paleo_tile_predict_s(const struct paleo_tile_model *m, const struct paleo_tile_device *d,
			    const struct paleo_tile_product *g);

#endif
