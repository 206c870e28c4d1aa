/* fit_group.h - one factor from the rows of one group, and what it starts from. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_GROUP_H
#define PALEO_CALIB_FIT_GROUP_H

#include "calib/fit_rows.h"

/* What a factor is before anything was measured. */
struct paleo_class_model paleo_fit_first_guess(void);

/* What is fitted. */
enum paleo_fit_level {
	PALEO_FIT_KIND,  /* rows of many classes and passes: what they have in common */
	PALEO_FIT_GROUP, /* rows of one class, pass and number type */
};

/*
 * Fits the numbers of *out to `count` >= 1 rows: the law's factors, the overlap,
 * standard errors and the number of records; of a group also whether compute, or
 * the sizes of products, matter. `prior` is where a factor stays that the rows
 * cannot tell, and near which the others are drawn weakly: a first guess for a
 * kind, the kind's values for a group. No ppp_compute is above `compute_max`, 2 at
 * most. Names and held-out errors are left as they are in `prior`. ENOMEM.
 */
int paleo_fit_group(const struct paleo_fit_row *rows, int count, enum paleo_fit_level level,
		    double compute_max, const struct paleo_class_model *prior,
		    struct paleo_class_model *out, struct paleo_error *err);

#endif
