/* fit.h - from measured works to the factors of a calibration. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_H
#define PALEO_CALIB_FIT_H

#include "base/told.h"
#include "model/predict/predict.h"
#include "model/predict/smooth.h"
#include "model/record/record.h"

/* How to fit. A plain value; zero is a good default. */
struct paleo_fit_options {
	const char *mode;        /* cache state of the records to use; NULL: "cold" */
	const char *created_utc; /* for the calibration; NULL: "" */
	/* Parts held out in turn; 0: 5 of what is judged, and paleo_intervals_parts() of what a fit
	 * sees; 1: none, no held-out error. */
	int folds;
	const unsigned char *skip; /* r->count flags: 1 leaves a record out; NULL: none */
	/* In mode "hot": the loop that timed took turns with so many sets of the weights at most,
	 * just enough to fill the cache; 0 and 1: always the same operands. */
	int operand_sets;
	/* The share that the fits of paleo_fit_heldout() see of what is not held
	 * out, chosen by a hash; 0: all of it. */
	double share;
	int rows_max;           /* fit to so many rows of a group at most; 0: PALEO_FIT_ROWS_MAX */
	struct paleo_told told; /* how many of the parts are done that are held out in turn */
};

enum {
	PALEO_FIT_ROWS_MAX = 1000 /* of a group; more tell nothing new */
};

/* What became of the records. */
struct paleo_fit_report {
	int used;
	int skipped;   /* by the options */
	int not_ok;    /* not measured, or with a wrong answer */
	int mode;      /* in another cache state */
	int disturbed; /* without a time, as other processes disturbed all samples */
	int no_peak;   /* the device has no peak for their number type */
	int surplus;   /* beyond PALEO_FIT_ROWS_MAX of a group, chosen by a hash */
};

/*
 * Fits one factor for each class, pass and number type in `r`, each by robust bounded least squares
 * on log(predicted / measured), with weak priors: what is common to the records of its kind. What
 * few records cannot tell stays at the values of their kind. A group's own kernel model
 * (model/predict/kernel_models.h: a GPU's or a processor's) is fitted beside it, and the one with
 * the smaller held-out error stays; with few rows the model, whose presets know more. What is left
 * at works like measured ones is corrected where that is shown to help (fit_trees.h). The held-out
 * errors come from fits that have not seen the shape, in any pass. The same records give the same
 * bits. *out is owned by the caller: paleo_calibration_release(). `report` may be NULL. EINPUT when
 * no record can be used; ENOMEM.
 */
int paleo_fit(const struct paleo_results *r, const struct paleo_fit_options *o,
	      struct paleo_calibration *out, struct paleo_fit_report *report,
	      struct paleo_error *err);

/* A record as predicted by a fit that has not seen its shape. */
struct paleo_heldout {
	double predicted_s;             /* NaN for records that were not used */
	struct paleo_interval interval; /* from that fit alone; NaN where it has none */
	double before_s; /* the same at the calibration's speed, as no other is known before it is
			    measured */
	double paleo_s; /* by PALEO's law, refitted like that fit: at the datasheet's rates over one
			   percentage of the peak; NaN where the fit has none */
};

#define PALEO_HELDOUT_NONE                                                                         \
	((struct paleo_heldout){.predicted_s = NAN,                                                \
				.interval = PALEO_NO_INTERVAL,                                     \
				.before_s = NAN,                                                   \
				.paleo_s = NAN})

/* What was predicted for a work on `d`, the calibration's device at some speed. */
struct paleo_heldout paleo_heldout_of(const struct paleo_device *d, const struct paleo_work *w,
				      const struct paleo_prediction *p);

/* Whether the law of tiles applies: what was measured on a GPU, or stands in a table. */
int paleo_fit_has_kernel_models(const struct paleo_results *r);

/* The calibration's device at the speed seen beside a record; at its own where either is not known.
 */
struct paleo_device paleo_fit_device_at(const struct paleo_calibration *c,
					const struct paleo_record *r);

/* The medians of the rates beside records: of record(of, i) for i below count, where it is not NULL
 * and has a time and rates; 0 where none has. ENOMEM. */
int paleo_fit_rates(const struct paleo_record *(*record)(const void *of, int i), const void *of,
		    int count, struct paleo_rates *out, struct paleo_error *err);

/*
 * The held-out predictions themselves: out[i] for record i. With `intervals`, each
 * fit finds its intervals by holding out again within its own records, which takes
 * as many times longer as there are parts. EINPUT, ENOMEM.
 */
int paleo_fit_heldout(const struct paleo_results *r, const struct paleo_fit_options *o,
		      int intervals, struct paleo_heldout *out, struct paleo_error *err);

#endif
