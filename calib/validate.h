/* validate.h - how far predictions are from measurements that the fit has not seen. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_VALIDATE_H
#define PALEO_CALIB_VALIDATE_H

#include "calib/fit.h"

/* Errors |predicted / measured - 1| of `count` works; NaN where count is 0. */
struct paleo_errors {
	int count;
	double median, mean, p90;
	double before;               /* median of what was predicted before a speed was seen
					beside the works; NaN where none was */
	double bias;                 /* geometric mean of predicted / measured, less 1 */
	double sum;                  /* of all predicted times over all measured ones, less 1 */
	double coverage, coverage50; /* share of measured times within the 90 and the 50 %
					interval; NaN without intervals */
	double width;                /* mean of (high - low)/predicted of the 90 % intervals */
};

/* All works of one class, pass and number type. */
struct paleo_validated_group {
	char class_name[32];
	enum paleo_pass pass;
	enum paleo_dtype dtype;
	struct paleo_errors errors;
	struct paleo_errors paleo; /* of PALEO's law with one percentage of the peak for the class,
				      pass and number type, fitted to the same rows */
};

/* All works that have something in common. */
struct paleo_validated_slice {
	const char *by; /* "kind", "pass", "type", "time", "batch"; "measurements" */
	char name[32];  /* "conv" */
	struct paleo_errors errors, paleo;
};

/* A net: its rows one by one, and their sums. Measured is what stands in the net's own file; where
 * that lacks a work or it failed there, any other's. */
struct paleo_validated_net {
	char net[64];
	int batch;
	enum paleo_dtype dtype;
	struct paleo_errors errors; /* of the rows that were measured */
	int rows;                   /* in the net */
	int missing;                /* rows that are not measured; in neither sum */
	int seen;                   /* measured rows whose work the calibration was fitted to */
	int borrowed;               /* measured rows without a factor of their class and pass */
	int fitted;                 /* records that the factors were fitted to; 0: all are of this
				       net, so it was not judged, and its sums are NaN */
	/* Sums over the measured rows; the second pair is forward and backward without update. */
	double predicted_fwd_s, measured_fwd_s;
	double predicted_s, measured_s;
	double before_fwd_s, before_s;  /* at the calibration's speed: before it is measured */
	double paleo_fwd_s, paleo_s;    /* by PALEO's law fitted to the same records */
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
	int seen_known; /* 0: the calibration does not say, so `seen` is 0 for want of knowledge */
};

/*
 * Judges the law on records alone. Groups: each record predicted by a fit that has
 * not seen its shape, in any pass; intervals come from that fit's own held-out
 * records. Nets: each predicted by a fit to all records but those of the net's
 * works, whatever the batch size and number type. Of a GPU also how few records would do. `seen` is
 * 0 by construction. *out is owned by the caller: paleo_validation_release(). EINPUT when no record
 * can be used; ENOMEM.
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

#endif
