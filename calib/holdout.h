/* holdout.h - predicts every row by a fit that has not seen it, nor others of its group. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_HOLDOUT_H
#define PALEO_CALIB_HOLDOUT_H

#include <stdint.h>

#include "base/told.h"
#include "calib/validate.h"
#include "model/predict/trees.h"

/* The laws that a row is predicted by, each fitted to the same rows. */
enum paleo_holdout_by {
	PALEO_HOLDOUT_LAW,       /* the one that is judged */
	PALEO_HOLDOUT_CORRECTED, /* by what it errs at the fitted rows */
	PALEO_HOLDOUT_PALEO,     /* PALEO's: paleo_s over one factor */
	PALEO_HOLDOUT_LAWS
};

/* Intervals are of 90 and 50 %, from rows held out within the fit; NaN with too few of them. */
struct paleo_holdout_prediction {
	double time_s;
	struct paleo_interval interval;
};

/* One measured time. Fill in the first block; paleo_holdout() fills in the second. */
struct paleo_holdout_row {
	double time_s;  /* measured, > 0 */
	double paleo_s; /* at the datasheet's rates: FLOPs/peak + bytes/bandwidth */
	uint64_t group; /* rows of one group are held out together */
	uint64_t order; /* of the choice of rows to fit: the smallest are taken */

	struct paleo_holdout_prediction by[PALEO_HOLDOUT_LAWS];
	int fold;
};

/* A law that is judged. Rows go by their index. */
struct paleo_holdout_law {
	/* Fits to `count` rows; 0 rows where none may be used. A status. */
	int (*fit)(void *context, const int *rows, int count, struct paleo_error *err);
	double (*predict_s)(const void *context, int row); /* by the last fit */
	void *context;
	/* What a correction is told of a row, by the last fit: fills in x, returns how many. NULL:
	 * nothing is corrected. */
	int (*features)(const void *context, int row, double x[PALEO_FEATURES_MAX]);
};

struct paleo_holdout_options {
	int folds;              /* >= 2 */
	int rows_max;           /* fitted to so many at most; >= 0 */
	struct paleo_told told; /* how many folds are done */
};

struct paleo_holdout_counts {
	int fitted;    /* rows of the largest fit */
	int corrected; /* folds whose correction was kept */
};

/* Without a row to fit, PALEO's factor is this: the paper's, of its own measurements. */
#define PALEO_HOLDOUT_PPP 0.5

/*
 * Deals the groups into folds, fits both laws to the rows of the other folds
 * (with the same robust loss, pseudo-Huber at a tenth of a logarithm) and predicts those
 * of each fold. The law is corrected where its rows themselves say that it helps
 * (calib/fit_trees.h). For the intervals each fit holds out once more, group by
 * group within its own rows (calib/intervals.h). What paleo_holdout_deal() and fit() return;
 * ENOMEM.
 */
int paleo_holdout(struct paleo_holdout_row *rows, int count, const struct paleo_holdout_options *o,
		  const struct paleo_holdout_law *law, struct paleo_holdout_counts *counts,
		  struct paleo_error *err);

/*
 * Fills in the fold of each row: by a hash of its group; or each group alone, where there are five
 * and no more than folds. *dealt is how many folds there are. EINPUT where groups are not dealt one
 * by one, when there are fewer rows than twice the folds or one fold has them all; ENOMEM.
 */
int paleo_holdout_deal(struct paleo_holdout_row *rows, int count, int folds, int *dealt,
		       struct paleo_error *err);

#endif
