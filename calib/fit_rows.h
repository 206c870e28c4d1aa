/* fit_rows.h - the records that a fit uses: inputs of the cost model, grouped and split. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_ROWS_H
#define PALEO_CALIB_FIT_ROWS_H

#include "calib/fit.h"

struct paleo_fit_row {
	struct paleo_cost_model_terms terms;
	const struct paleo_op *op; /* of the results */
	const char *algorithm;     /* that ran, of the results; "" where it is not known */
	double log_s;              /* logarithm of the median, as at the usual speed */
	struct paleo_speed speed;  /* machine speed, relative to the usual one */
	double weight;             /* 1, or less where the time is in doubt */
	uint64_t shape;            /* the same for ops that are nearly the same */
	uint64_t part;             /* the same for equal parts of a layer that workers have */
	int record;                /* its number in the results */
	int fold;                  /* 0 .. folds - 1, the same for all rows of a shape and class */
};

struct paleo_fit_rows {
	struct paleo_fit_row *rows; /* by kind, dtype, class, pass, then file order */
	int count;
	int folds;
	struct paleo_rates speed;    /* the usual one: medians of the records */
	struct paleo_speed speed_sd; /* of their logarithms */
};

/* Release with paleo_fit_rows_release(). EINPUT when no record can be used; ENOMEM. */
int paleo_fit_rows_collect(const struct paleo_results *r, const struct paleo_fit_options *o,
			   struct paleo_fit_rows *out, struct paleo_fit_report *report,
			   struct paleo_error *err);
void paleo_fit_rows_release(struct paleo_fit_rows *rows); /* NULL allowed */

/* Keeps `most` rows of each group, chosen by a hash of the op, in their order. ENOMEM. */
int paleo_fit_rows_thin(struct paleo_fit_row *rows, int *count, int most, struct paleo_error *err);
/* The same with a share of all, 0 to 1, rounded up; a smaller share is part of a larger. ENOMEM. */
int paleo_fit_rows_share(struct paleo_fit_row *rows, int *count, double share,
			 struct paleo_error *err);

/* Where a class has fewer shapes than can be held out in turn, each part of a layer that a worker
 * may have is one shape: sets `shape`. */
void paleo_fit_rows_part(struct paleo_fit_row *rows, int count);

/* Deals the shapes of each class out to `parts` in turn, so that these differ by one shape at most:
 * sets `fold`. ENOMEM. */
int paleo_fit_rows_deal(struct paleo_fit_row *rows, int count, int parts, struct paleo_error *err);

/* The number of rows from `first` on that are of the same kind and dtype ... */
int paleo_fit_rows_kind(const struct paleo_fit_row *rows, int count);
/* ... of the same class and dtype ... */
int paleo_fit_rows_class(const struct paleo_fit_row *rows, int count);
/* ... and of the same class, pass and dtype. */
int paleo_fit_rows_group(const struct paleo_fit_row *rows, int count);

/* The paper's percentage of the peak, as a fraction: the median over the rows. ENOMEM. */
int paleo_fit_rows_ppp(const struct paleo_fit_row *rows, int count, double *ppp,
		       struct paleo_error *err);

/* Hash that is equal for nearly equal ops: a layer's shape without batch, image and pass. */
uint64_t paleo_fit_shape(const struct paleo_op *w);
/* The same of a worker's part of the layer: products of so many heads, its share of experts. */
uint64_t paleo_fit_part(const struct paleo_op *w);

#endif
