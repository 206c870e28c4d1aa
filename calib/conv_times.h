/* conv_times.h - what algorithms take for rows, priced where it changed and is asked for. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_CONV_TIMES_H
#define PALEO_CALIB_CONV_TIMES_H

#include "calib/fit_conv.h"

/*
 * A search moves one parameter at a time, and most of them are of one algorithm: the
 * times of the others are remembered. Most algorithms are slower than another for a row: they are
 * priced until that is sure.
 */
struct paleo_conv_times {
	const struct paleo_tile_device *device;
	const struct paleo_conv_row *rows;
	int count;
	struct paleo_conv_memory *memory; /* owned */
};

/* Of rows, all of one pass, that stay as they are. paleo_conv_times_release(). ENOMEM. */
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
