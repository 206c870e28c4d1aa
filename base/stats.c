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
