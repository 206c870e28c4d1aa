/* fit_comm.h - fits a link's latencies and rates, by size, to measured collectives. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_COMM_H
#define PALEO_CALIB_FIT_COMM_H

#include "calib/comm_log.h"
#include "model/simulate/collective.h"

/* Form of the dependence of time on size. A link stores each as ranges of size with a latency and a
 * rate. */
enum paleo_comm_form {
	PALEO_COMM_RANGES,  /* few ranges, cut where the times say so */
	PALEO_COMM_CURVE,   /* one curve of three parameters */
	PALEO_COMM_BETWEEN, /* a line from each measured size to the next */
	PALEO_COMM_FORMS
};

/* Error of the fitted link at the times it was fitted to. */
struct paleo_comm_fit {
	int points;
	double median_error, max_error; /* relative */
	enum paleo_comm_form form;
	double overlap; /* v of a curve; else NaN */
	/* paleo_fit_comm_best(): mean |log(predicted/measured)| of sizes that were left out in
	 * turn; NaN: not tried. */
	double held_out[PALEO_COMM_FORMS];
};

/*
 * Fits time = passes (n - 1) (latency + bytes/n / rate), the ring's formula
 * (Patarasuk and Yuan 2009) for n ranks; `passes` is 2 for an all-reduce, 1 for an
 * all-gather or a reduce-scatter. By least squares of relative errors, in ranges of
 * size: as many, up to `ranges_max` and eight, as lower the Bayesian information criterion
 * (Schwarz 1978). A range ends where it meets the next one, if that is between its last
 * size and the other's first, else halfway on the logarithms. Fills the ranges of *link with
 * standard errors, and its latency_s and bytes_per_s with those of the last one; where the times do
 * not grow with the size, the rate is 10^15 and its standard error NaN. *points is sorted by size.
 * EINPUT for fewer than three points; ENOMEM.
 */
int paleo_fit_comm(struct paleo_comm_points *points, int passes, int ranges_max,
		   struct paleo_link *link, struct paleo_comm_fit *fit, struct paleo_error *err);

/* The same line, fitted to the times of each two neighbouring sizes: interpolation for times that
 * grow no faster than their sizes. EINPUT for one size; EUNSUPPORTED for more than
 * PALEO_LINK_RANGES_MAX + 1. */
int paleo_fit_comm_between(struct paleo_comm_points *points, int passes, struct paleo_link *link,
			   struct paleo_comm_fit *fit, struct paleo_error *err);

/*
 * Fits time = passes (n - 1) (latency^v + (bytes/n / rate)^v)^(1/v): v = 1 is the line above;
 * smaller values approach the rate slowly, as with protocols that change with the size. Uses the
 * robust loss of the other fits, pseudo-Huber at a tenth of a logarithm. *link gets its chords; its
 * latency_s and bytes_per_s are the curve's, fit->overlap is v. EUNSUPPORTED for points of several
 * numbers of ranks: the ranges of a link are in bytes of the whole vector, the curve in bytes of a
 * message. EINPUT for one size or fewer than three points; ENOMEM.
 */
int paleo_fit_comm_curve(struct paleo_comm_points *points, int passes, struct paleo_link *link,
			 struct paleo_comm_fit *fit, struct paleo_error *err);

/*
 * The form with the smallest error at sizes that it has not seen: each size is left out in turn, or
 * an eighth of them where there are more than 32. Lines between sizes are excluded where there are
 * too many sizes for them. With fewer than five sizes nothing can be left out, and ranges are used.
 * EINPUT, ENOMEM.
 */
int paleo_fit_comm_best(struct paleo_comm_points *points, int passes, struct paleo_link *link,
			struct paleo_comm_fit *fit, struct paleo_error *err);

/* For those who write such a fit. The time of a point by a link's ranges, in seconds. */
double paleo_comm_link_s(const struct paleo_link *link, const struct paleo_comm_point *p,
			 int passes);
/* Fills in *fit for a link with ranges, its form PALEO_COMM_RANGES. ENOMEM. */
int paleo_comm_fit_sum(const struct paleo_comm_points *points, int passes,
		       const struct paleo_link *link, struct paleo_comm_fit *fit,
		       struct paleo_error *err);

#endif
