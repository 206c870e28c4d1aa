/* stats.h - median, spread and intervals: one definition each; Student's t. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_STATS_H
#define PALEO_BASE_STATS_H

#include <stddef.h>

/*
 * All take `n` >= 1 finite values unless said otherwise. The functions named `sorted` require
 * ascending order; see paleo_sort().
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

/* Shorter time series have no interval of their median: the autocorrelation cannot be estimated. */
#define PALEO_INTERVAL_SAMPLES 20

/*
 * 95 % interval of the median of values of a time series, which may be autocorrelated. The lag-1
 * rank correlation, corrected for its small-sample bias and enlarged by half its standard error,
 * gives the effective sample size; order statistics for that size are the bounds
 * (docs/method/intervals.md). 0, and NaN for both bounds, for fewer than PALEO_INTERVAL_SAMPLES
 * values and where the effective size is below 5. `scratch` has 2 n values.
 */
int paleo_median_interval(const double *x, size_t n, double *scratch, double *low, double *high);

/* The 97.5 % quantile of Student's t; from 15 degrees of freedom on that of 15, which is larger. */
double paleo_student_t(size_t degrees);

/* The quantile of Student's t with `df` >= 1 degrees of freedom, of which `z` is the normal
 * distribution's. */
double paleo_student_quantile(double z, double df);

/* P(|T| >= t), t >= 0, for Student's t with `degrees` > 0; infinite degrees: normal. */
double paleo_student_p(double t, double degrees);

/* The t that |T| stays below in 95 % of cases. */
double paleo_student_t95(double degrees);

/* Prior of many variances, each with its own degrees of freedom: a typical `variance`, and its
 * weight relative to their own data, as `degrees`; 0 where it cannot be estimated. */
struct paleo_variance_prior {
	double variance, degrees;
};

/* By the method of Smyth (2004): the logarithms' variance in excess of sampling error, plus one
 * standard error, to be conservative about pooling. Variances of 0 are ignored; three others are
 * needed. */
struct paleo_variance_prior paleo_variance_prior_fit(const double *variances, const double *degrees,
						     size_t n);

/* A variance averaged with its prior by their degrees of freedom, which add up to *both; never
 * below the variance itself: one that is unlike the others would pass for small. Degrees of 0: the
 * prior's alone. */
double paleo_variance_raise(const struct paleo_variance_prior *prior, double variance,
			    double degrees, double *both);

/* 1 for those of `n` p-values that may be called true with at most `level` false ones among all so
 * called, in the mean (Benjamini and Hochberg 1995). `order` has room for n. */
void paleo_false_discoveries(const double *p, size_t n, double level, size_t *order, int *called);

#endif
