/* residual.h - what a law errs by near shapes that were measured: the last correction. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_RESIDUAL_H
#define PALEO_MODEL_PREDICT_RESIDUAL_H

#include "model/work/work.h"

/*
 * A law of few parameters leaves errors that neighbouring shapes share: the library takes a
 * kernel there that the law does not know. With r_i = log(measured/predicted) at the
 * fitted shapes, the correction of a law's logarithm is a shrunk kernel average,
 *
 *   sum of w_i r_i / (sum of w_i + shrink),  w_i = (1 - d_i^2/reach^2)^2,  0 beyond,
 *
 * over the nearest neighbours, d the distance between the logarithms (base 2) of the sizes; far
 * from all that was measured nothing is corrected. Whether it helps is for calib/fit_residual.h to
 * find out. The study that docs/reference/law.md speaks of had a Gaussian of 0.7 doublings for w;
 * this one ends, at a reach of 1.6.
 */
enum {
	PALEO_RESIDUAL_AXES = 8,
	PALEO_RESIDUAL_NEIGHBOURS = 12
};

/* One fitted work. */
struct paleo_residual_point {
	double at[PALEO_RESIDUAL_AXES]; /* paleo_residual_place() */
	double log_ratio;               /* log(measured/predicted by the law) */
	int group;                      /* works with the same number are left out together; >= 0 */
	double key;                     /* of paleo_residual_sort() */
};

/* Points of one class of work, pass and number type. */
struct paleo_residual {
	struct paleo_residual_point *points; /* owned; in the order of a tree */
	int count;                           /* 0: no correction */
	struct paleo_residual_leaf *leaves;  /* owned; of paleo_residual_sort() */
	int axes[PALEO_RESIDUAL_AXES];       /* likewise: those along which points differ first */
	int varied;                          /* so many of them */
};

/* Where a work lies: the logarithms of its sizes; axes that its kind lacks are 0. */
void paleo_residual_place(const struct paleo_work *w, double at[PALEO_RESIDUAL_AXES]);

/* Orders the points and makes the leaves, which paleo_residual_log() relies on; once. The same
 * points in any order give the same bits. ENOMEM. */
int paleo_residual_sort(struct paleo_residual *r, struct paleo_error *err);

/* The correction: predicted times are multiplied by its exponential. 0 without points. Points of
 * group `except` count for nothing; -1: all count. */
double paleo_residual_log(const struct paleo_residual *r, const double at[PALEO_RESIDUAL_AXES],
			  int except);

void paleo_residual_release(struct paleo_residual *r); /* NULL allowed */

#endif
