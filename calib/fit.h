/* fit.h - from measured ops to the factors of a calibration, and to those of whole passes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_H
#define PALEO_CALIB_FIT_H

#include "base/error.h"
#include "model/predict/calibration.h"
#include "model/predict/predict.h"
#include "model/predict/smooth.h"
#include "model/record/graph_record.h"
#include "model/record/record.h"

/* Options of a fit. A plain value; zero is a good default. */
struct paleo_fit_options {
	const char *mode;        /* cache state of the records to use; NULL: "cold" */
	const char *created_utc; /* for the calibration; NULL: "" */
	/* Parts held out in turn; 0: 5 for judging, and paleo_intervals_parts() within a fit; 1:
	 * none, no held-out error. */
	int folds;
	const unsigned char *skip; /* r->count flags: 1 leaves a record out; NULL: none */
	/* In mode "hot": the loop that timed took turns with so many sets of the weights at most,
	 * just enough to fill the cache; 0 and 1: always the same operands. */
	int operand_sets;
	/* The share of rows not held out that the fits of paleo_fit_heldout() use, chosen by a
	 * hash; 0: all. */
	double share;
	int rows_max; /* fit to so many rows of a group at most; 0: PALEO_FIT_ROWS_MAX */
	struct paleo_progress
		progress; /* how many of the parts are done that are held out in turn */
};

enum {
	PALEO_FIT_ROWS_MAX = 1000 /* of a group; more add no information */
};

/* Counts of records used and rejected. */
struct paleo_fit_report {
	int used;
	int skipped;   /* by the options */
	int not_ok;    /* not measured, or with a wrong answer */
	int mode;      /* in another cache state */
	int differs;   /* of a device unlike the others that ops were divided over */
	int disturbed; /* without a time, as other processes disturbed all samples */
	int no_peak;   /* the device has no peak for their dtype */
	int surplus;   /* beyond PALEO_FIT_ROWS_MAX of a group, chosen by a hash */
};

/*
 * Fits one factor for each class, pass and dtype in `r`, each by robust bounded least squares on
 * log(predicted / measured), with weak priors: what is common to the records of its kind.
 * Parameters that few records do not identify stay at the values of their kind. A group's own
 * kernel model (model/predict/kernel_model.h: a GPU's or a CPU's) is fitted, too, and the one with
 * the smaller held-out error is kept; with few rows the kernel model, for its presets. Residuals
 * are corrected where held-out rows show that it helps (fit_trees.h). The held-out errors come from
 * fits that have not seen the shape, in any pass. The same records give the same bits. *out is
 * owned by the caller: paleo_calibration_release(). `report` may be NULL. EINPUT when no record can
 * be used; ENOMEM.
 */
int paleo_fit(const struct paleo_results *r, const struct paleo_fit_options *o,
	      struct paleo_calibration *out, struct paleo_fit_report *report,
	      struct paleo_error *err);

/*
 * Fits the power of ops to the records that have an energy: a law of all, and trees for each class
 * where held-out shapes show that they help. Intervals are from fits without the shape. *out is the
 * caller's (paleo_power_release()), and empty with less than PALEO_CORRECTED_ROWS such records or
 * where the device's TDP is not known. ENOMEM.
 */
int paleo_fit_power(const struct paleo_results *r, const struct paleo_fit_options *o,
		    struct paleo_power *out, struct paleo_error *err);

/* A record as predicted by a fit that has not seen its shape. */
struct paleo_heldout {
	double predicted_s;             /* NaN for records that were not used */
	struct paleo_interval interval; /* from that fit alone; NaN where it has none */
	double before_s; /* the same at the calibration's speed, as no other is known before it is
			    measured */
	double paleo_s;  /* by PALEO's cost model, refitted like that fit: at the datasheet's rates
			    over one  percentage of the peak; NaN where the fit has none */
};

#define PALEO_HELDOUT_NONE                                                                         \
	((struct paleo_heldout){.predicted_s = NAN,                                                \
				.interval = PALEO_NO_INTERVAL,                                     \
				.before_s = NAN,                                                   \
				.paleo_s = NAN})

/* Prediction for an op on `d`, the calibration's device at some machine speed. */
struct paleo_heldout paleo_heldout_of(const struct paleo_device *d, const struct paleo_op *w,
				      const struct paleo_prediction *p);

/* Returns 1 if the tile cost model applies: for records of a GPU, or of a table. */
int paleo_fit_has_kernel_models(const struct paleo_results *r);

/* The calibration's device at the machine speed of a time; at its own, as uncertain as that is,
 * where either is not known. */
struct paleo_device paleo_fit_device_at(const struct paleo_calibration *c,
					const struct paleo_timing *t);

/* The medians of the rates of times and the standard deviations of their logarithms: timing(of, i)
 * for i below count, where it is not NULL and has rates; 0 where none has. ENOMEM. */
int paleo_fit_rates(const struct paleo_timing *(*timing)(const void *of, int i), const void *of,
		    int count, struct paleo_rates *out, struct paleo_speed *sd,
		    struct paleo_error *err);

/*
 * The held-out predictions themselves: out[i] for record i. With `intervals`, each
 * fit finds its intervals by holding out again within its own records, which takes
 * as many times longer as there are parts. EINPUT, ENOMEM.
 */
int paleo_fit_heldout(const struct paleo_results *r, const struct paleo_fit_options *o,
		      int intervals, struct paleo_heldout *out, struct paleo_error *err);

/*
 * Fits corrections of full passes relative to the sum of their ops, from measured ones.
 *
 * For each extent, dtype, layout and fusion: the factor is exp(sum of log(whole / sum) / (n + k)),
 * k being 1/2: a prior of half a net without an effect, as one net is weak evidence for others.
 * Counted are passes whose rows have all been measured alone; the sum is of these. A net at two
 * batches is two points, and one net in `nets`.
 *
 * A step has two factors, one for its forward and backward ops and one for its updates, that
 * minimise the sum of log(whole / (f layers + g updates))^2, with a prior of half a net on f at the
 * factor of forward and backward without updates, and hardly any on g.
 *
 * `without` names a net that is left out; NULL: none. Returns how many corrections there are, at
 * most PALEO_PASS_CORRECTIONS_MAX.
 */
int paleo_fit_passes(const struct paleo_graph_record *passes, int count, const char *without,
		     struct paleo_pass_correction out[PALEO_PASS_CORRECTIONS_MAX]);

#endif
