/* fit_trees.h - fits boosted trees to values, and keeps them where that helps. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_TREES_H
#define PALEO_CALIB_FIT_TREES_H

#include <stdint.h>

#include "base/error.h"
#include "model/predict/trees.h"

enum {
	PALEO_CORRECTED_ROWS = 40 /* the fewest that a correction is fitted to */
};

struct paleo_trees_row {
	double x[PALEO_FEATURES_MAX];
	double value; /* target value at x */
	double weight;
	uint64_t group; /* rows of one group are held out together */
};

/*
 * Gradient boosting (Friedman 2001, 2002) under the pseudo-Huber loss of the other fits: `count`
 * trees, each of the residuals of those before it on 60 % of the rows, with a shrinkage of a tenth.
 * Thresholds are drawn between two neighbouring values, so that many trees together have no step
 * where there is no row. The same rows give the same bits. Release *out. ENOMEM.
 */
int paleo_fit_trees(const struct paleo_trees_row *rows, int rows_count, int features, int count,
		    struct paleo_trees *out, struct paleo_error *err);

/* Error of the trees on held-out rows. */
struct paleo_trees_gain {
	double without, with; /* mean of |value|, and of the residual after the trees */
	int trees;            /* kept; 0: none */
};

/*
 * The same with the fewest trees, at most `most`, that leave about the smallest loss of rows held
 * out by groups, and with none unless that loss is 2 % below that without trees, or with less than
 * PALEO_CORRECTED_ROWS rows. `gain` may be NULL. Release *out. ENOMEM.
 */
int paleo_fit_correction(const struct paleo_trees_row *rows, int rows_count, int features, int most,
			 struct paleo_trees *out, struct paleo_trees_gain *gain,
			 struct paleo_error *err);

#endif
