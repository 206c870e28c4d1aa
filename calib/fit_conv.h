/* fit_conv.h - fits the cost model of convolution algorithms to measurements of one device. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_CONV_H
#define PALEO_CALIB_FIT_CONV_H

#include "model/source/presets.h"

struct paleo_conv_row {
	const struct paleo_op *op; /* a finished CONV; pass and dtype as in all rows */
	double time_s;             /* measured, > 0 */
	int algorithm;             /* enum paleo_conv_algorithm; -1: not known */
	double weight;             /* of the row: 1, or less where the time is in doubt */
};

struct paleo_conv_fit {
	struct paleo_conv_model model;
};

enum {
	PALEO_CONV_FREE_ROWS = 40, /* fewer choose no blocks of their own, and stay near others' */
	PALEO_CONV_SCREEN_ROWS = 200 /* the most that the choice of blocks looks at */
};

/*
 * All parameters of the table and the sets of blocks, by pattern search. Each row has two errors:
 * that of its recorded algorithm, if any, and that of the fastest one; both count by the robust
 * loss of fit_tile.h, clipped at a factor of e^3. Priors are centred on the start of the table;
 * with fewer than PALEO_CONV_FREE_ROWS rows, or where paleo_conv_by_gemms(), on paleo_conv_guess().
 * With so few rows the blocks are that one's, or those of a preset where that lowers the loss by 3.
 * Presets of `except_gpu` (may be NULL) are left out. Without rows the result is
 * paleo_conv_guess(). The same rows give the same bits. ENOMEM.
 */
int paleo_fit_conv(const struct paleo_tile_device *d, enum paleo_pass pass,
		   const struct paleo_conv_row *rows, int count, const char *except_gpu,
		   struct paleo_conv_fit *out, struct paleo_error *err);

/* Index by a table's name for it ("winograd"); -1 if it is not one of the cost model's. */
int paleo_conv_algorithm_find(const char *name);

/*
 * Cache of the times of algorithms for rows, recomputed on demand. A search moves one parameter at
 * a time, and most belong to one algorithm: the times of the others are kept. Most algorithms are
 * slower than another for a row: pricing stops as soon as that is certain.
 */
struct paleo_conv_times {
	const struct paleo_tile_device *device;
	const struct paleo_conv_row *rows;
	int count;
	struct paleo_conv_memory *memory; /* owned */
};

/* For rows, all of one pass, that do not change. paleo_conv_times_release(). ENOMEM. */
int paleo_conv_times_make(const struct paleo_tile_device *d, const struct paleo_conv_row *rows,
			  int count, struct paleo_conv_times *out, struct paleo_error *err);
void paleo_conv_times_release(struct paleo_conv_times *t);

/* Turns to a model, which stays where it is until the next one. */
void paleo_conv_times_turn(struct paleo_conv_times *t, const struct paleo_conv_model *m);

/* Seconds of a row, launches included, by one algorithm (infinite where it does not apply), and by
 * the fastest one. */
double paleo_conv_times_s(struct paleo_conv_times *t, int row, enum paleo_conv_algorithm a);
double paleo_conv_times_fastest_s(struct paleo_conv_times *t, int row);

#endif
