/* stats.h - median, spread and intervals: one definition each. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_STATS_H
#define PALEO_BASE_STATS_H

#include <stddef.h>

/*
 * All take `n` >= 1 finite values unless said otherwise. The functions named
 * `sorted` want them in ascending order; paleo_sort() puts them so.
 */
void paleo_sort(double *x, size_t n);

/* Quantile p in [0, 1] with linear interpolation (type 7 of Hyndman and Fan 1996). */
double paleo_quantile_sorted(const double *x, size_t n, double p);

/* Middle value, or the mean of the two middle ones. `scratch` has n values and is overwritten;
 * paleo_median() keeps x as it is. */
double paleo_median(const double *x, size_t n, double *scratch);
double paleo_mad(const double *x, size_t n,
		 double *scratch); /* median absolute deviation, unscaled */
double paleo_mean(const double *x, size_t n);

/*
 * Distribution-free interval of the median from order statistics: the narrowest
 * symmetric pair x[k], x[n-1-k] whose coverage under Binomial(n, 1/2) is at
 * least `confidence` (David and Nagaraja, Order Statistics, 7.1). For n too
 * small for that, the smallest and the largest value. Sorted input.
 */
void paleo_median_interval_sorted(const double *x, size_t n, double confidence, double *low,
				  double *high);

/* Fewer values in time have no interval of their median: how they correlate cannot be told. */
#define PALEO_INTERVAL_SAMPLES 20

/*
 * 95 % interval of the median of values that were taken one after the other and may correlate in
 * time. Their ranks' correlation from one to the next, made larger by what so few values understate
 * and by half its standard error, tells how many independent values they are worth; order
 * statistics for so many are the bounds (docs/method/intervals.md). 0, and NaN for both bounds, for
 * fewer than PALEO_INTERVAL_SAMPLES values and where they are worth less than 5. `scratch` has 2 n
 * values.
 */
int paleo_median_interval(const double *x, size_t n, double *scratch, double *low, double *high);

/* The 97.5 % quantile of Student's t; from 15 degrees of freedom on that of 15, which is larger. */
double paleo_student_t(size_t degrees);

/* Half the 95 % interval of the mean of `n` >= 2 values taken independently of one another, as the
 * means of batches far apart in time are. */
double paleo_mean_half(const double *x, size_t n);

#endif
