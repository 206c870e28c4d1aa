/* fit_conv.h - fits the law of a library's algorithms to measured convolutions of one device. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_CONV_H
#define PALEO_CALIB_FIT_CONV_H

#include "model/predict/tile_conv.h"

struct paleo_conv_row {
	const struct paleo_work *work; /* a finished CONV; pass and number type as in all rows */
	double time_s;                 /* measured, > 0 */
	int algorithm;                 /* enum paleo_conv_algorithm; -1: not known */
	double weight;                 /* of the row: 1, or less where the time is in doubt */
};

/* The law with its numbers. A plain value. */
struct paleo_conv_model {
	struct paleo_conv_params params;
	struct paleo_conv_sets sets;
};

/* A model fitted to somebody's measurements. */
struct paleo_conv_preset {
	const char *source, *gpu, *dtype;
	enum paleo_pass pass;
	struct paleo_conv_model model;
};

/* The shipped presets, *count of them. */
const struct paleo_conv_preset *paleo_conv_presets(int *count);

struct paleo_conv_fit {
	struct paleo_conv_model model;
};

enum {
	PALEO_CONV_FREE_ROWS = 40, /* fewer choose no blocks of their own, and stay near others' */
	PALEO_CONV_SCREEN_ROWS = 200 /* the most that the choice of blocks looks at */
};

/*
 * All parameters of the table and the sets of blocks, by pattern search. Each row has
 * two errors: that of the algorithm it is known to have taken, where it is known, and
 * that of the fastest one; both count by the robust loss of fit_tile.h, clipped at a
 * factor of e^3. Priors stand around the start of the table, with less than PALEO_CONV_FREE_ROWS
 * rows around the middle of the presets of the same pass, whose blocks these keep, or those of a
 * preset where the loss is less by 3. Presets of `except_gpu` (may be NULL) are
 * left out. Without rows the answer is the middle of the presets: geometric means, and the blocks
 * that half of them have; the start if there are none. The same rows give the same bits. ENOMEM.
 */
int paleo_fit_conv(const struct paleo_tile_device *d, enum paleo_pass pass,
		   const struct paleo_conv_row *rows, int count, const char *except_gpu,
		   struct paleo_conv_fit *out, struct paleo_error *err);

/* By a table's word for it ("winograd"); -1 if it is none of the law's. */
int paleo_conv_algorithm_find(const char *name);

#endif
