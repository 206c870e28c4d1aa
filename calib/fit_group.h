/* fit_group.h - one factor from the rows of one group, and what it starts from. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_GROUP_H
#define PALEO_CALIB_FIT_GROUP_H

#include "calib/fit_rows.h"

/* What a factor is before anything was measured. */
struct paleo_factor paleo_fit_first_guess(void);

/*
 * Fits the numbers of *out to `count` >= 1 rows: the law's factors, which of the two
 * sizes of products matter, the overlap, standard errors and the number of records.
 * `prior` is where a factor stays that the rows cannot tell, and near which the
 * others are drawn weakly; `tightness` 1 for the values of its kind, less for a
 * first guess. Names and held-out errors are left as they are in `prior`. ENOMEM.
 */
int paleo_fit_group(const struct paleo_fit_row *rows, int count, const struct paleo_factor *prior,
		    double tightness, struct paleo_factor *out, struct paleo_error *err);

#endif
