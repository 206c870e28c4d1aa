/* study.h - how well a law predicts other people's measurements that its fit has not seen. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_STUDY_H
#define PALEO_CALIB_STUDY_H

#include "calib/holdout.h"
#include "model/record/measured.h"

/* What is held out together. */
enum paleo_study_groups {
	PALEO_STUDY_LAYERS,   /* all rows with the same weights: n and k of a product, a convolution
				 whatever its batch; attention with the same heads and window,
				 experts however they are divided; elsewhere, the same sizes */
	PALEO_STUDY_CHANNELS, /* convolutions: with c and k between the same powers of two */
	PALEO_STUDY_IMAGES,   /* convolutions: with the same h and w */
	PALEO_STUDY_ROWS,     /* nothing: each row is drawn alone */
	PALEO_STUDY_GROUPS
};

struct paleo_study_options {
	enum paleo_work_kind kind; /* what is studied */
	enum paleo_pass pass;
	enum paleo_dtype dtype;
	const char *class_name; /* only works of this class (paleo_work_class()); NULL: all */
	enum paleo_study_groups groups;
	int folds;    /* >= 2 */
	int rows_max; /* fitted to so many rows at most, chosen by a hash; 0: to none */
	int draws;    /* of these rows, so many; 0 is 1. Errors are those of all of them */
	/* Products: the loop that timed took turns with so many sets of the weights at most, just
	 * enough to fill the cache; 1: always the same operands. */
	int operand_sets_max;
	struct paleo_told told; /* how many folds are done, or draws of several */
};

/* One law on the rows that were held out. */
struct paleo_study_errors {
	struct paleo_errors errors;
	double worst; /* the largest mean error of a draw; NaN of a single one */
};

struct paleo_study {
	struct paleo_study_errors law;       /* the law of the kind: model/laws/ */
	struct paleo_study_errors corrected; /* by what it errs at works like the fitted rows */
	struct paleo_study_errors paleo;     /* (bytes/bandwidth + FLOPs/peak) / PPP, refitted */
	struct paleo_holdout_row *held;      /* owned: every row, as it was predicted, by draws */
	int rows;                            /* held out in turn: all that were studied */
	int draws;                           /* 0 is 1 */
	struct paleo_holdout_counts counts;  /* the largest fit of all draws, their sum of folds */
};

/* Whether there is a law for the works of a kind and pass. */
int paleo_study_has(enum paleo_work_kind kind, enum paleo_pass pass);

/*
 * Studies the rows of one kind, pass and number type. Both laws are fitted to the very same rows
 * with the same robust loss; presets of the same chip take no part. *out is released with
 * paleo_study_release(). EINPUT when paleo_holdout_deal() cannot deal the rows; EUNSUPPORTED when
 * the device lacks a number that the law needs; ENOMEM.
 */
int paleo_study_works(const struct paleo_measured *m, const struct paleo_device *d,
		      const struct paleo_study_options *o, struct paleo_study *out,
		      struct paleo_error *err);
/* The errors of s->rows >= 1 held-out rows of each draw: fills in law, corrected and paleo. ENOMEM.
 */
int paleo_study_sum(struct paleo_study *s, struct paleo_error *err);

void paleo_study_release(struct paleo_study *s); /* NULL allowed */

#endif
