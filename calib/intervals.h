/* intervals.h - from held-out errors to prediction intervals (split conformal). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_INTERVALS_H
#define PALEO_CALIB_INTERVALS_H

#include "model/predict/calibration.h"
#include "model/predict/trees.h"

enum {
	PALEO_INTERVALS_MIN = 8 /* fewer held-out rows give no interval */
};

/* A row as predicted by a fit that has not seen it. */
struct paleo_heldout_row {
	double predicted_s;    /* NaN: it was not predicted */
	double ratio;          /* measured / predicted */
	double spread;         /* log of the error that is usual for such a row over the group's */
	uint64_t shape;        /* of the row: rows of one shape err together */
	int group;             /* class, pass and dtype */
	int part;              /* with which it was held out */
	double at[PALEO_AXES]; /* paleo_op_place() */
};

/*
 * Fills in the held-out errors of a factor and its intervals: bands of equal numbers of rows by
 * predicted time, for each 40 shapes or more one; in each the 5, 25, 75 and 95 % quantiles of
 * measured / predicted, those that a new op exceeds with just that probability if it is drawn like
 * these (rank p (n + 1), Vovk, Gammerman and Shafer 2005, type 6 of Hyndman and Fan 1996). Rows of
 * one shape have correlated errors, so the effective sample size w is below n; the quantiles are
 * farther from the median, in logarithms, by the ratio of Student's prediction intervals for w and
 * for n values. The errors of bands are divided by what is usual for each row, those of ratio_low
 * and ratio_high are not. Under PALEO_INTERVALS_MIN rows there are none, and the factor keeps what
 * it has. `correlation` is paleo_intervals_correlation(), 0.05 at least. ENOMEM.
 */
int paleo_intervals_judge(const struct paleo_heldout_row *held, int count,
			  struct paleo_class_model *f, struct paleo_error *err);

/*
 * Correlation of the errors of two ops, 0 to 1: of each row and the most similar row in the same
 * part, both held out of the fit; with `apart` the most similar of another group, such as the same
 * layer's in another pass. NaN where fewer than 20 have one.
 */
double paleo_intervals_correlation(const struct paleo_heldout_row *held, int count, int apart);

/*
 * In how many parts to hold `count` >= 1 rows out, to judge a fit to all of them: 5 to 10. A fit
 * without a part knows less than the one that is judged by it; the fewer the rows, the more this
 * matters, and the less it costs to leave out but a few of them.
 */
int paleo_intervals_parts(int count);

/* Mean of |log ratio| over the rows that were predicted, and their number. */
double paleo_intervals_error(const struct paleo_heldout_row *held, int count, int *n);

#endif
