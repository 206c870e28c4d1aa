/* student.c - Student's t for any degrees of freedom, and a prior for variances of few values. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz's
 * method; it converges for x below (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	double value = d = 1 / (fabs(d) < tiny ? tiny : d);

	for (int m = 1; m < 500; m++) {
		for (int odd = 0; odd < 2; odd++) {
			double term =
				odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
				    : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
			d = 1 + term * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + term / c;
			c = fabs(c) < tiny ? tiny : c;
			value *= c * d;
		}
		if (fabs(c * d - 1) < 1e-14)
			break;
	}
	return value;
}

/* The regularised incomplete beta function I_x(a, b). */
static double beta_share(double a, double b, double x)
{
	int signs;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	double front = exp(lgamma_r(a + b, &signs) - lgamma_r(a, &signs) - lgamma_r(b, &signs) +
			   a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double paleo_student_p(double t, double degrees)
{
	const double as_good_as_normal = 1e7;

	if (isinf(t))
		return 0;
	if (degrees > as_good_as_normal)
		return erfc(t / sqrt(2));
	return beta_share(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double paleo_student_t95(double degrees)
{
	double low = 1.9, high = 2;

	while (paleo_student_p(high, degrees) > 0.05 && high < 1e12)
		high *= 2;
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;
		*(paleo_student_p(middle, degrees) > 0.05 ? &low : &high) = middle;
	}
	return (low + high) / 2;
}

/* The first and second derivative of the logarithm of gamma: by recurrence up to where the
 * asymptotic series (Abramowitz and Stegun 6.3.18, 6.4.12) is exact to 1e-10. */
static double digamma(double x)
{
	double below = 0;

	while (x < 10) {
		below += 1 / x;
		x += 1;
	}
	double y = 1 / (x * x);
	return log(x) - 0.5 / x - y * (1.0 / 12 - y * (1.0 / 120 - y / 252)) - below;
}

static double trigamma(double x)
{
	double below = 0;

	while (x < 10) {
		below += 1 / (x * x);
		x += 1;
	}
	double y = 1 / (x * x);
	return 1 / x + y / 2 + y / x * (1.0 / 6 - y * (1.0 / 30 - y / 42)) + below;
}

/* The x at which trigamma is `value`; it falls, from infinity to 0. */
static double trigamma_inverse(double value)
{
	double low = 1e-3, high = 1e7;

	for (int i = 0; i < 200; i++) {
		double middle = sqrt(low * high);
		*(trigamma(middle) > value ? &low : &high) = middle;
	}
	return sqrt(low * high);
}

/* The log variance minus its expected bias at so many degrees of freedom. */
static double log_without_bias(double variance, double degrees)
{
	return log(variance) - digamma(degrees / 2) + log(degrees / 2);
}

static int counts(double variance, double degrees)
{
	return variance > 0 && isfinite(degrees);
}

struct paleo_variance_prior paleo_variance_prior_fit(const double *variances, const double *degrees,
						     size_t n)
{
	double mean = 0, chance = 0, count = 0, square = 0, fourth = 0;

	for (size_t i = 0; i < n; i++) {
		if (!counts(variances[i], degrees[i]))
			continue;
		count++;
		mean += (log_without_bias(variances[i], degrees[i]) - mean) / count;
		chance += trigamma(degrees[i] / 2);
	}
	if (count < 3)
		return (struct paleo_variance_prior){0};
	for (size_t i = 0; i < n; i++) {
		if (!counts(variances[i], degrees[i]))
			continue;
		double e = log_without_bias(variances[i], degrees[i]) - mean;
		square += e * e / (count - 1);
		fourth += e * e * e * e / count;
	}
	/* One standard error more than was seen: to call variances equal that are not costs more.
	 */
	double error = sqrt(fmax(fourth - square * square, 0) / count);
	double beyond = square + error - chance / count;
	if (beyond <= 0) /* chance alone explains how they differ */
		return (struct paleo_variance_prior){exp(mean), INFINITY};
	double half = trigamma_inverse(beyond);
	return (struct paleo_variance_prior){exp(mean + digamma(half) - log(half)), 2 * half};
}

double paleo_variance_raise(const struct paleo_variance_prior *prior, double variance,
			    double degrees, double *both)
{
	*both = degrees + prior->degrees;
	if (!(degrees > 0))
		return prior->variance;
	double share = isinf(*both) ? 1 : prior->degrees / *both;
	return fmax(share * prior->variance + (1 - share) * variance, variance);
}

struct chances {
	const double *p;
};

static int by_p(const void *a, const void *b, void *of)
{
	const struct chances *c = of;
	double x = c->p[*(const size_t *)a], y = c->p[*(const size_t *)b];

	return (x > y) - (x < y);
}

void paleo_false_discoveries(const double *p, size_t n, double level, size_t *order, int *called)
{
	struct chances c = {p};
	size_t most = 0;

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), by_p, &c);
	for (size_t i = 0; i < n; i++)
		if (p[order[i]] <= level * (double)(i + 1) / (double)n)
			most = i + 1;
	for (size_t i = 0; i < n; i++)
		called[order[i]] = i < most;
}
