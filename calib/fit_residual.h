/* fit_residual.h - keeps what a law errs by near measured shapes, where it is shown to help. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_RESIDUAL_H
#define PALEO_CALIB_FIT_RESIDUAL_H

#include "model/predict/residual.h"

enum {
	PALEO_RESIDUAL_ROWS = 100 /* the fewest that are corrected */
};

/* How the correction did on works that it had not seen. */
struct paleo_residual_gain {
	double without, with; /* mean of |log(measured/predicted)|, held out by groups */
	int kept;
};

/*
 * `points`: one for each row that the law was fitted to, key apart; they are copied. Each
 * is corrected by the points of other groups, and they are kept in *out only where the robust
 * loss (pseudo-Huber at 0.1) of what is left is at least 2 % below that of the law alone, and
 * there are PALEO_RESIDUAL_ROWS of them and two groups; else out->count is 0. `gain` may be
 * NULL. The law itself has seen all rows: with few parameters to many rows that hardly matters.
 * Release *out with paleo_residual_release(). ENOMEM.
 */
int paleo_fit_residual(const struct paleo_residual_point *points, int count,
		       struct paleo_residual *out, struct paleo_residual_gain *gain,
		       struct paleo_error *err);

#endif
