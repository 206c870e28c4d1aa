/* fit_parts.h - the parts of a fit: factors, kernel models, corrections, intervals. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_PARTS_H
#define PALEO_CALIB_FIT_PARTS_H

#include "calib/fit_rows.h"
#include "calib/intervals.h"
#include "model/predict/kernel_model.h"

/* Prior of a factor. */
struct paleo_class_model paleo_fit_first_guess(void);

/* Level of a fit. */
enum paleo_fit_level {
	PALEO_FIT_KIND,  /* rows of many classes and passes: their common factors */
	PALEO_FIT_CLASS, /* rows of one class and dtype, of all passes */
	PALEO_FIT_GROUP, /* rows of one class, pass and dtype */
	PALEO_FIT_FEW,   /* the same, but too few to show the spread of their errors */
};

/*
 * Fits the numbers of *out to `count` >= 1 rows: the cost model's factors, the overlap, standard
 * errors and the number of records; of a group also whether compute, or the sizes of products,
 * matter. `prior` is the value of factors that the rows do not identify, and shrinks the others
 * weakly: a first guess for a kind, the kind's values for a class or a group; of few rows more, to
 * the values of their class. No ppp_compute is above
 * `compute_max`, 2 at most. Names and held-out errors are copied from `prior`. ENOMEM.
 */
int paleo_fit_group(const struct paleo_fit_row *rows, int count, enum paleo_fit_level level,
		    double compute_max, const struct paleo_class_model *prior,
		    struct paleo_class_model *out, struct paleo_error *err);

/*
 * Fits the parameters and sets of a kernel model to `count` >= 1 rows of one class, pass and dtype,
 * measured in a loop with so many sets of the weights (struct paleo_fitted_kernel). The search
 * starts at presets of other GPUs; those of the device itself are excluded. Each parameter's
 * standard error comes from the slopes at the end: the records' share and the prior's; NaN where
 * the prior has as much information as the records, at a bound, and where it was held. The same
 * rows give the same bits. EUNSUPPORTED when the device lacks a number that the cost model needs;
 * ENOMEM.
 */
int paleo_fit_form(const struct paleo_kernel_model *kernel, const struct paleo_device *device,
		   const struct paleo_fit_row *rows, int count, int operand_sets,
		   struct paleo_fitted_kernel *out, struct paleo_error *err);

/*
 * Fills in the held-out errors, intervals and correlations of `factors`, one for each group of the
 * sorted rows, in their order; held[i] is of rows[i]. Groups with less than PALEO_INTERVALS_MIN
 * held-out rows take the intervals of all such groups of their kind, else of all such groups, else
 * of the kind, else of all rows: the first that has so many. ENOMEM.
 */
int paleo_fit_judge(const struct paleo_fit_row *rows, int count,
		    const struct paleo_heldout_row *held, struct paleo_class_model *factors,
		    struct paleo_error *err);

/*
 * Fills in c->others: each class predicted by the factors of the others, every class with the same
 * weight. It stays as it is where there are less than PALEO_OTHERS_MIN classes. ENOMEM.
 */
int paleo_fit_judge_others(const struct paleo_fit_row *rows, int count, struct paleo_calibration *c,
			   struct paleo_error *err);

enum {
	PALEO_OTHERS_MIN = 10
};

/*
 * Fits a correction to each class of a calibration, where that helps. `rows` are those that the
 * calibration's cost models were fitted to: a group for each class model, in their order. Devices
 * without the data that features need get no correction. ENOMEM.
 */
int paleo_fit_corrections(const struct paleo_fit_row *rows, int count, struct paleo_calibration *c,
			  struct paleo_error *err);

/*
 * Fits `spread` of each factor to the held-out errors of its group, where that helps (locally
 * weighted conformal prediction: Lei, G'Sell, Rinaldo, Tibshirani and Wasserman 2018), and fills in
 * held[].spread by trees without the row's part. Before paleo_fit_judge(). ENOMEM.
 */
int paleo_fit_spreads(const struct paleo_fit_row *rows, int count, struct paleo_heldout_row *held,
		      const struct paleo_device *device, struct paleo_class_model *factors,
		      struct paleo_error *err);

/* Errors that go together by more than this are of one group. */
#define PALEO_CORRELATED 0.95

/*
 * Groups n parameters by the correlation of their errors, |c_ij| / sqrt(c_ii c_jj): those above
 * PALEO_CORRELATED, and those transitively connected to them, share a number, from 1 in the order
 * of their first members; all others get 0. `covariance` has rows of `stride` numbers. Parameters
 * flagged in left_out[] are in no group; NULL: none.
 */
void paleo_correlated_groups(const double *covariance, int stride, int n,
			     const unsigned char *left_out, unsigned char *group);

#endif
