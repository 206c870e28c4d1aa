/* study.h - how well a law predicts other people's measurements that its fit has not seen. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_STUDY_H
#define PALEO_CALIB_STUDY_H

#include "calib/validate.h"
#include "model/measured.h"

struct paleo_study_options {
	enum paleo_dtype dtype; /* of the products to study */
	int folds;              /* >= 2 */
	int rows_max;           /* fitted to so many rows at most, chosen by a hash; >= 1 */
	/* The loop that timed took turns with so many copies of the weights at most, just enough to
	 * fill the cache; 1: always the same operands. */
	int copies_max;
};

/* One law on the rows that were held out. */
struct paleo_study_errors {
	struct paleo_errors errors;
	double sum; /* of all predicted times over all measured ones, less 1 */
};

struct paleo_study {
	struct paleo_study_errors tile;  /* the law of tiles (model/laws/tile.h) */
	struct paleo_study_errors paleo; /* (bytes/bandwidth + FLOPs/peak) / PPP, refitted */
	int rows;                        /* held out in turn: all that were studied */
	int fitted;                      /* rows of the largest fit */
};

/*
 * Matrix products: all rows with the same n and k, the weights of a layer, are held
 * out together. Both laws are fitted to the very same rows with the same robust loss.
 * EINPUT when there are fewer such rows than twice the folds; EUNSUPPORTED when the
 * device lacks a number that the law needs; ENOMEM.
 */
int paleo_study_products(const struct paleo_measured *m, const struct paleo_device *d,
			 const struct paleo_study_options *o, struct paleo_study *out,
			 struct paleo_error *err);

#endif
