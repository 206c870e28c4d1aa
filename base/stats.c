/* stats.c - median, spread and intervals: one definition each. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/stats.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x > *y) - (*x < *y);
}

void paleo_sort(double *x, size_t n)
{
	assert(n >= 1);
	qsort(x, n, sizeof(*x), compare);
}

double paleo_quantile_sorted(const double *x, size_t n, double p)
{
	assert(n >= 1 && p >= 0 && p <= 1);
	double rank = (double)(n - 1) * p;
	double below = floor(rank);
	size_t i = (size_t)below;

	if (i + 1 >= n)
		return x[n - 1];
	return x[i] + (rank - below) * (x[i + 1] - x[i]);
}

/* Sorts `x`. */
static double middle(double *x, size_t n)
{
	paleo_sort(x, n);
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

double paleo_median(const double *x, size_t n, double *scratch)
{
	assert(n >= 1);
	memcpy(scratch, x, n * sizeof(*x));
	return middle(scratch, n);
}

double paleo_mad(const double *x, size_t n, double *scratch)
{
	double median = paleo_median(x, n, scratch);

	for (size_t i = 0; i < n; i++)
		scratch[i] = fabs(x[i] - median);
	return middle(scratch, n);
}

double paleo_mean(const double *x, size_t n)
{
	assert(n >= 1);
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

void paleo_median_interval_sorted(const double *x, size_t n, double confidence, double *low,
				  double *high)
{
	assert(n >= 1 && n <= INT_MAX && confidence > 0 && confidence < 1);
	/* P(B = i) is term * 2^exponent; apart, because 2^-n alone would underflow. */
	double term = 1;
	int exponent = -(int)n;
	double at_most = 0; /* P(B <= i) */
	size_t k = 0;

	/* The median is below x[i] when at most i of the n values are below the median, and above
	 * x[n-1-i] with the same probability. */
	for (size_t i = 0; i < (n + 1) / 2; i++) {
		at_most += ldexp(term, exponent);
		if (1 - 2 * at_most < confidence)
			break;
		k = i;
		int shift = 0;
		term = frexp(term * (double)(n - i) / (double)(i + 1), &shift);
		exponent += shift;
	}
	*low = x[k];
	*high = x[n - 1 - k];
}

/* Number of values in rising order below v, or, with `equal` 1, not above it. */
static size_t count_below(const double *order, size_t n, double v, int equal)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t at = low + (high - low) / 2;
		if (order[at] < v || (equal && order[at] == v))
			low = at + 1;
		else
			high = at;
	}
	return low;
}

/* Sorts into `order`; ranks are relative to the median rank, ties get their mean. */
static void rank(const double *x, size_t n, double *order, double *ranks)
{
	memcpy(order, x, n * sizeof(*x));
	paleo_sort(order, n);
	for (size_t i = 0; i < n; i++)
		ranks[i] = ((double)count_below(order, n, x[i], 0) +
			    (double)count_below(order, n, x[i], 1) - (double)n) /
			   2;
}

/* The ranks' correlation from one value to the next, as it is at most by half a standard error.
 * That of n values is too small by (1 + 3 rho) / n in the mean (Kendall 1954). */
static double likely_correlation(const double *ranks, size_t n)
{
	double next = 0, square = 0, count = (double)n;

	for (size_t i = 0; i < n; i++) {
		square += ranks[i] * ranks[i];
		next += i ? ranks[i] * ranks[i - 1] : 0;
	}
	if (square == 0) /* all are equal */
		return 0;
	double rho = fmin((count * next / square + 1) / (count - 3), 1);
	return fmax(rho + 0.5 * sqrt((1 - rho * rho) / count), 0);
}

/* Effective sample size for the median: the signs of normal values correlate by 2/pi asin(rho^k) at
 * distance k. */
static double worth(double rho, size_t n)
{
	const double two_over_pi = 0.6366197723675814;
	double times = 1, power = rho, count = (double)n;

	for (size_t k = 1; k < n && power > 1e-9; k++, power *= rho)
		times += 2 * (1 - (double)k / count) * two_over_pi * asin(power);
	return count / times;
}

int paleo_median_interval(const double *x, size_t n, double *scratch, double *low, double *high)
{
	const double worth_min = 5, normal = 1.959964;
	const double *order = scratch;

	*low = *high = NAN;
	if (n < PALEO_INTERVAL_SAMPLES)
		return 0;
	rank(x, n, scratch, scratch + n);
	double rho = likely_correlation(scratch + n, n);
	double m = rho < 1 ? worth(rho, n) : 0;
	if (m < worth_min)
		return 0;
	/* About m/2 +- sqrt(m)/2 of m values are below the median; slightly more, as m is uncertain
	 * itself. */
	double share = 0.5 - normal / 2 / sqrt(m) * (1 + 0.5 / m);
	double at = fmax(share * (double)n - 0.5, 0);
	size_t k = (size_t)at;
	double part = at - (double)k;
	*low = order[k] + part * (order[k + 1] - order[k]);
	*high = order[n - 1 - k] - part * (order[n - 1 - k] - order[n - 2 - k]);
	return 1;
}

double paleo_student_t(size_t degrees)
{
	static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
				   2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131};
	const size_t known = sizeof(t) / sizeof(t[0]);

	assert(degrees >= 1);
	return t[(degrees < known ? degrees : known) - 1];
}

/* Abramowitz and Stegun 1964, 26.7.5. */
double paleo_student_quantile(double z, double df)
{
	double z2 = z * z;
	double g1 = (z2 + 1) * z / 4;
	double g2 = ((5 * z2 + 16) * z2 + 3) * z / 96;
	double g3 = (((3 * z2 + 19) * z2 + 17) * z2 - 15) * z / 384;

	return z + ((g3 / df + g2) / df + g1) / df;
}
