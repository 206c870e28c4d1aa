/* conv_times.h - what each algorithm takes for each row, priced anew only where it changed. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_CONV_TIMES_H
#define PALEO_CALIB_CONV_TIMES_H

#include "calib/fit_conv.h"

/*
 * A search moves one parameter at a time, and most of them are of one algorithm: the
 * times of the others are remembered.
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

/* Logarithms of seconds of all rows by one algorithm; valid until three other calls for it. */
const double *paleo_conv_times_log(struct paleo_conv_times *t, const struct paleo_conv_model *m,
				   enum paleo_conv_algorithm a);

#endif
