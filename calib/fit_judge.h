/* fit_judge.h - from rows held out of a fit to the intervals of all its factors. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_JUDGE_H
#define PALEO_CALIB_FIT_JUDGE_H

#include "calib/fit_rows.h"
#include "calib/intervals.h"

/*
 * Fills in the held-out errors, intervals and correlations of `factors`, one for each group of the
 * sorted rows, in their order; held[i] is of rows[i]. Groups with less than PALEO_INTERVALS_MIN
 * held-out rows take the intervals of all such groups of their kind, else of all such groups, else
 * of the kind, else of all rows: the first that has so many. ENOMEM.
 */
int paleo_fit_judge(const struct paleo_fit_row *rows, int count,
		    const struct paleo_heldout_row *held, struct paleo_class_model *factors,
		    struct paleo_error *err);

#endif
