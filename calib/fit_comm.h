/* fit_comm.h - fits a link's latency and rate, by ranges of size, to measured collectives. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_COMM_H
#define PALEO_CALIB_FIT_COMM_H

#include "calib/comm_log.h"
#include "model/comm.h"

/* How well the fitted link tells the times it was fitted to. */
struct paleo_comm_fit {
	int points;
	double median_error, max_error; /* relative */
};

/*
 * Fits time = passes (n - 1) (latency + bytes/n / rate), the ring's formula
 * (Patarasuk and Yuan 2009) for n ranks; `passes` is 2 for an all-reduce, 1 for an
 * all-gather or a reduce-scatter. By least squares of relative errors, in ranges of
 * size: as many, up to `ranges_max`, as lower the Bayesian information criterion
 * (Schwarz 1978). A range ends where it meets the next one, if that is between its last
 * size and the other's first, else halfway on the logarithms. Fills the ranges of *link with
 * standard errors, and its latency_s and bytes_per_s with those of the last one; where the times do
 * not grow with the size, the rate is 10^15 and its standard error NaN. *points is sorted by size.
 * EINPUT for fewer than three points.
 */
int paleo_fit_comm(struct paleo_comm_points *points, int passes, int ranges_max,
		   struct paleo_link *link, struct paleo_comm_fit *fit, struct paleo_error *err);

#endif
