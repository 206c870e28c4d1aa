/* holdout.h - predicts every row by a fit that has not seen it, nor others of its group. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_HOLDOUT_H
#define PALEO_CALIB_HOLDOUT_H

#include <stdint.h>

#include "base/error.h"
#include "calib/fit.h"
#include "calib/validate.h"
#include "model/predict/trees.h"

/* The cost models that a row is predicted by, each fitted to the same rows. */
enum paleo_holdout_by {
	PALEO_HOLDOUT_COST_MODEL, /* the one that is judged */
	PALEO_HOLDOUT_CORRECTED,  /* with the correction fitted to its rows */
	PALEO_HOLDOUT_PALEO,      /* PALEO's: paleo_s over one factor */
	PALEO_HOLDOUT_COST_MODELS
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

	struct paleo_holdout_prediction by[PALEO_HOLDOUT_COST_MODELS];
	int fold;
};

/* A cost model to judge. Rows are addressed by their index. */
struct paleo_holdout_cost_model {
	/* Fits to `count` rows; 0 rows where none may be used. A status. */
	int (*fit)(void *context, const int *rows, int count, struct paleo_error *err);
	double (*predict_s)(const void *context, int row); /* by the last fit */
	void *context;
	/* Features of a row for a correction, by the last fit: fills in x, returns their number.
	 * NULL: no correction. */
	int (*features)(const void *context, int row, double x[PALEO_FEATURES_MAX]);
};

struct paleo_holdout_options {
	int folds;                      /* >= 2 */
	int rows_max;                   /* fitted to so many at most; >= 0 */
	struct paleo_progress progress; /* how many folds are done */
};

struct paleo_holdout_counts {
	int fitted;    /* rows of the largest fit */
	int corrected; /* folds whose correction was kept */
};

/* PALEO's factor without a row to fit: the paper's, from its own measurements. */
#define PALEO_HOLDOUT_PPP 0.5

/*
 * Deals the groups into folds, fits both cost models to the rows of the other folds (with the same
 * robust loss, pseudo-Huber at a tenth of a logarithm) and predicts those of each fold. The cost
 * model is corrected where that helps on its own rows (calib/fit_trees.h). For the intervals each
 * fit holds out once more, group by group within its own rows (calib/intervals.h). Errors of
 * paleo_holdout_deal() and fit(); ENOMEM.
 */
int paleo_holdout(struct paleo_holdout_row *rows, int count, const struct paleo_holdout_options *o,
		  const struct paleo_holdout_cost_model *cost_model,
		  struct paleo_holdout_counts *counts, struct paleo_error *err);

/*
 * Fills in the fold of each row: by a hash of its group; or each group alone, where there are five
 * and no more than folds. *dealt is how many folds there are. EINPUT where groups are not dealt one
 * by one, when there are fewer rows than twice the folds or one fold has them all; ENOMEM.
 */
int paleo_holdout_deal(struct paleo_holdout_row *rows, int count, int folds, int *dealt,
		       struct paleo_error *err);

/* Held-out error as a function of the number of records. */

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

/* Floor and slope of the given points by least squares of relative errors, neither below 0, and the
 * extrapolation to twice as many records. */
void paleo_learning_extrapolate(struct paleo_learning *l);

#endif
