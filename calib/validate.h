/* validate.h - how far predictions are from measurements that the fit has not seen. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_VALIDATE_H
#define PALEO_CALIB_VALIDATE_H

#include "calib/fit.h"

/* Errors |predicted / measured - 1| of `count` ops; NaN where count is 0. */
struct paleo_errors {
	int count;
	double median, mean, p90;
	double before; /* median error of predictions without machine speed; NaN where no speed was
			  probed */
	double bias;   /* geometric mean of predicted / measured, less 1 */
	double sum;    /* of all predicted times over all measured ones, less 1 */
	double coverage, coverage50; /* share of measured times within the 90 and the 50 %
					interval; NaN without intervals */
	double width;                /* mean of (high - low)/predicted of the 90 % intervals */
};

/* All ops of one class, pass and dtype. */
struct paleo_validated_group {
	char class_name[32];
	enum paleo_pass pass;
	enum paleo_dtype dtype;
	struct paleo_errors errors;
	struct paleo_errors paleo; /* of PALEO's cost model with one percentage of the peak for the
				      class, pass and dtype, fitted to the same rows */
};

/* All ops that have something in common. */
struct paleo_validated_slice {
	const char *by; /* "kind", "pass", "type", "time", "batch"; "measurements" */
	char name[32];  /* "conv" */
	struct paleo_errors errors, paleo;
};

/* A net: its rows one by one, and their sums. Measured times are those of the net's own file; where
 * that lacks an op or it failed there, of any other. */
struct paleo_validated_net {
	char net[64];
	int batch;
	enum paleo_dtype dtype;
	struct paleo_errors errors; /* of the rows that were measured */
	int rows;                   /* in the net */
	int missing;                /* rows that are not measured; in neither sum */
	int seen;                   /* measured rows whose op the calibration was fitted to */
	int borrowed;               /* measured rows without a factor of their class and pass */
	int fitted;                 /* records that the factors were fitted to; 0: all are of this
				       net, so it was not judged, and its sums are NaN */
	/* Sums over the measured rows; the second pair is forward and backward without update. */
	double predicted_fwd_s, measured_fwd_s;
	double predicted_s, measured_s;
	double before_fwd_s, before_s;  /* at the calibration's speed: before it is measured */
	double paleo_fwd_s, paleo_s;    /* by PALEO's cost model fitted to the same records */
	struct paleo_interval interval; /* of predicted_s; NaN where a row has none */
};

struct paleo_validation {
	struct paleo_validated_group *groups; /* owned */
	int group_count;
	struct paleo_errors all, all_paleo;   /* of all groups together */
	struct paleo_validated_slice *slices; /* owned */
	int slice_count;
	struct paleo_validated_slice
		*few; /* owned; as if the device were new: paleo_few_shot_judge() */
	int few_count;
	struct paleo_validated_net *nets; /* owned */
	int net_count;
	int seen;       /* records that the calibration was fitted to */
	int seen_known; /* 0: the calibration does not record it, so `seen` is 0 */
};

/*
 * Judges the cost model on records alone. Groups: each record predicted by a fit that has not seen
 * its shape, in any pass; intervals come from that fit's own held-out records. Nets: each predicted
 * by a fit to all records but those of the net's ops, whatever the batch size and dtype. For a GPU
 * also the few-shot error. `seen` is 0 by construction. *out is owned by the caller:
 * paleo_validation_release(). EINPUT when no record can be used; ENOMEM.
 */
int paleo_validate(const struct paleo_results *r, const struct paleo_fit_options *o,
		   struct paleo_validation *out, struct paleo_error *err);

/*
 * Judges a given calibration on records in its mode. Whether it has seen them is
 * counted, not hidden. EINPUT when no record can be used, or they are of another
 * device; ENOMEM.
 */
int paleo_validate_calibration(const struct paleo_calibration *c, const struct paleo_results *r,
			       struct paleo_validation *out, struct paleo_error *err);

void paleo_validation_release(struct paleo_validation *v); /* NULL allowed */

/* Errors of predictions, over all of them and by slices. */

/* One measured time and its prediction. */
struct paleo_judged {
	const struct paleo_op *op;
	double measured_s;
	struct paleo_heldout predicted;
	long key; /* of the slice, while one is made */
};

/* No ops: NaN all over. */
struct paleo_errors paleo_errors_none(void);

/* Errors of `count` ops; `scratch` has room for so many values. */
struct paleo_errors paleo_errors_of(const struct paleo_judged *p, int count, double *scratch);

/* Errors of PALEO's cost model on the same ops; they have no intervals. */
struct paleo_errors paleo_errors_of_paleo(const struct paleo_judged *p, int count, double *scratch);

/*
 * Errors by kind of op, pass, dtype, measured time and batch size, in this order; dimensions with a
 * single value are omitted. *out is owned by the caller: free(). The list is sorted in the course
 * of it. ENOMEM.
 */
int paleo_slices_make(struct paleo_judged *list, int count, struct paleo_validated_slice **out,
		      int *slices, struct paleo_error *err);

/* Verdict on errors on ops held out of a fit. */
enum paleo_trust {
	PALEO_TRUST_GOOD,
	PALEO_TRUST_ROUGH, /* right in size, wrong in detail */
	PALEO_TRUST_NOT,
	PALEO_TRUST_UNKNOWN, /* too few ops were held out to say */
	PALEO_TRUSTS
};

/* The rules of docs/guide/validate.md: shares, and a number of ops. */
#define PALEO_TRUST_GOOD_MEDIAN 0.10
#define PALEO_TRUST_GOOD_P90 0.30
#define PALEO_TRUST_ROUGH_MEDIAN 0.25
#define PALEO_TRUST_OPS 10

/* By the median and the 90th percentile of |predicted / measured - 1| of so many ops; NaN: none.
 */
enum paleo_trust paleo_trust_of(double median, double p90, int ops);

/*
 * Few-shot error of a GPU. For 0, 5, 20 and 100 measurements of each class, pass and dtype: how
 * records are predicted by a fit to no more, which has not seen their shape. Presets of the GPU
 * itself, and of cards with its chip, are excluded. With 0 the prediction is from presets only,
 * without an interval, and PALEO's is at its authors' half of the peak. `held` are predictions by
 * all records: those that are not NaN are judged. Numbers that no group exceeds are omitted, and
 * all are where the tile cost model does not apply (paleo_fit_has_kernel_models()). *out, of
 * *count, is owned by the caller: free(). ENOMEM; errors of paleo_fit_heldout().
 */
int paleo_few_shot_judge(const struct paleo_results *r, const struct paleo_fit_options *o,
			 const struct paleo_heldout *held, struct paleo_validated_slice **out,
			 int *count, struct paleo_error *err);

/*
 * Few rows are no reason to predict worse than without any: a kernel model of one dtype that was
 * fitted to at most PALEO_FEW_ROWS of the records in `mode` is replaced by that of `prior`, made of
 * others' times, unless it predicts those held out better by more than a standard error than
 * `prior` predicts the records. The factor then has prior's interval and corrections, which are
 * taken from it. Returns how many were replaced, or ENOMEM.
 */
int paleo_few_shot_lean(const struct paleo_results *r, const char *mode, enum paleo_dtype dtype,
			struct paleo_calibration *prior, struct paleo_calibration *c,
			struct paleo_error *err);

#define PALEO_FEW_ROWS 100

#endif
