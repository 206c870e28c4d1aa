/* learning_curve.h - how the held-out error falls as records are added. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_LEARNING_CURVE_H
#define PALEO_CALIB_LEARNING_CURVE_H

#include "calib/fit.h"

enum {
	PALEO_LEARNING_POINTS = 3,
	PALEO_LEARNING_MIN = 40 /* fewer records make no curve */
};

/* Fits to a share of the records, and how far they are off on the same held-out records. */
struct paleo_learning {
	int records[PALEO_LEARNING_POINTS];   /* that went in: a quarter, half, all; rising */
	double median[PALEO_LEARNING_POINTS]; /* of |predicted / measured - 1| */
	double floor, slope;                  /* median = floor + slope / sqrt(records) */
	double twice; /* by these, with twice as many records as the last point has */
};

/*
 * Fits to a quarter, half and all of the records, chosen by a hash, each in turn without the shapes
 * that it is judged on: the same held-out groups for all three. The same records give the same
 * bits. EINPUT with less than PALEO_LEARNING_MIN usable records; ENOMEM.
 */
int paleo_learning_curve(const struct paleo_results *r, const struct paleo_fit_options *o,
			 struct paleo_learning *out, struct paleo_error *err);

/* Floor and slope of the given points by least squares of relative errors, neither below 0, and
 * what they say of twice as many records. */
void paleo_learning_extrapolate(struct paleo_learning *l);

#endif
