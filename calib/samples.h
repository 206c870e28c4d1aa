/* samples.h - a few works of every class, pass and layout: what a calibration may be asked for. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_SAMPLES_H
#define PALEO_CALIB_SAMPLES_H

#include "model/work/work.h"

enum {
	PALEO_SAMPLE_SIZES = 3 /* small, of a net, large */
};

/* What is done with one; a status that is not 0 ends the list. */
typedef int paleo_sample_take(void *context, const struct paleo_work *w, struct paleo_error *err);

/*
 * Calls `take` for one work of every class, pass and layout that there is in a number type, of size
 * 0 to PALEO_SAMPLE_SIZES - 1. Returns the first status of `take` that is not 0.
 */
int paleo_samples_each(enum paleo_dtype dtype, int size, paleo_sample_take *take, void *context,
		       struct paleo_error *err);

#endif
