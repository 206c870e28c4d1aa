/* test_stats.c - each statistic on cases worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "tests/unit/unit.h"

static void assert_close(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
}

static void sort_is_ascending(void **state)
{
	(void)state;
	double x[] = {3, -1, 1e300, 0, -1, 2.5};
	static const double expected[] = {-1, -1, 0, 2.5, 3, 1e300};

	paleo_sort(x, 6);
	assert_memory_equal(x, expected, sizeof(x));
}

/* n = 5: rank (5 - 1) p, so p = 0.1 is rank 0.4: 10 + 0.4 (20 - 10) = 14. */
static void quantile_interpolates(void **state)
{
	(void)state;
	static const double x[] = {10, 20, 30, 50, 90};

	assert_close(paleo_quantile_sorted(x, 5, 0), 10, 0);
	assert_close(paleo_quantile_sorted(x, 5, 0.1), 14, 1e-12);
	assert_close(paleo_quantile_sorted(x, 5, 0.5), 30, 0);
	assert_close(paleo_quantile_sorted(x, 5, 0.9), 50 + 0.6 * 40, 1e-12); /* rank 3.6 */
	assert_close(paleo_quantile_sorted(x, 5, 1), 90, 0);
	assert_close(paleo_quantile_sorted(x, 1, 0.3), 10, 0);
}

static void median_is_the_middle(void **state)
{
	(void)state;
	static const double odd[] = {9, 1, 5};
	static const double even[] = {9, 1, 5, 6};
	double scratch[4];

	assert_close(paleo_median(odd, 3, scratch), 5, 0);
	assert_close(paleo_median(even, 4, scratch), 5.5, 0);
	assert_close(paleo_median(odd, 1, scratch), 9, 0);
	assert_true(odd[0] == 9 && odd[1] == 1); /* not sorted in place */
}

/* 1 2 3 4 100: median 3, deviations 2 1 0 1 97, whose median is 1. One outlier moves nothing. */
static void mad_is_the_median_deviation(void **state)
{
	(void)state;
	static const double x[] = {100, 2, 1, 4, 3};
	static const double even[] = {1, 2, 4, 9}; /* median 3: 2 1 1 6, median 1.5 */
	double scratch[5];

	assert_close(paleo_mad(x, 5, scratch), 1, 0);
	assert_close(paleo_mad(even, 4, scratch), 1.5, 0);
	assert_close(paleo_mad(x, 1, scratch), 0, 0);
}

/* 2 4 4 4 5 5 7 9: sum 40. */
static void mean_is_the_sum_over_the_count(void **state)
{
	(void)state;
	static const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};

	assert_close(paleo_mean(x, 8), 5, 0);
}

/* x[i] = i, so that the bounds are the ranks. */
static void expect_ranks(size_t n, double confidence, double low, double high)
{
	double *x = malloc(n * sizeof(*x));
	double a = -1;
	double b = -1;

	assert_non_null(x);
	for (size_t i = 0; i < n; i++)
		x[i] = (double)i;
	paleo_median_interval_sorted(x, n, confidence, &a, &b);
	assert_close(a, low, 0);
	assert_close(b, high, 0);
	free(x);
}

/*
 * The pair x[k], x[n-1-k] covers with 1 - 2 (C(n,0) + ... + C(n,k)) / 2^n:
 *   n = 5,  k = 0:     1 - 2 *     1 / 32      = 0.9375
 *   n = 6,  k = 0:     1 - 2 *     1 / 64      = 0.96875
 *           k = 1:     1 - 2 *     7 / 64      = 0.78125
 *   n = 10, k = 1:     1 - 2 *    11 / 1024    = 0.97852
 *           k = 2:     1 - 2 *    56 / 1024    = 0.890625
 *   n = 20, k = 5:     1 - 2 * 21700 / 1048576 = 0.95861
 *           k = 6:     1 - 2 * 60460 / 1048576 = 0.88468
 */
static void interval_has_the_coverage_of_the_binomial(void **state)
{
	(void)state;

	expect_ranks(6, 0.95, 0, 5);
	expect_ranks(6, 0.75, 1, 4);
	expect_ranks(10, 0.95, 1, 8);
	expect_ranks(10, 0.890625, 2, 7); /* exactly reached */
	expect_ranks(10, 0.890626, 1, 8);
	expect_ranks(20, 0.95, 5, 14);
}

static void interval_of_few_samples_is_their_range(void **state)
{
	(void)state;

	expect_ranks(1, 0.95, 0, 0);
	expect_ranks(2, 0.95, 0, 1);
	expect_ranks(5, 0.95, 0, 4);
	expect_ranks(5, 0.9375, 0, 4);
	expect_ranks(1, 1e-9, 0, 0);
	expect_ranks(2, 1e-9, 0, 1);
	expect_ranks(3, 1e-9, 0, 2); /* k = 1: 1 - 2 * 4 / 8 = 0 */
}

/* All n up to 60 in whole numbers: 1 - 2 S / 2^n >= 19/20 is the same as 40 S <= 2^n. */
static void interval_agrees_with_whole_numbers(void **state)
{
	(void)state;

	for (size_t n = 1; n <= 60; n++) {
		uint64_t choose = 1; /* C(n, k) */
		uint64_t sum = 1;
		size_t k = 0;
		for (;;) {
			choose = choose * (n - k) / (k + 1);
			sum += choose;
			if (sum > (UINT64_C(1) << n) / 40)
				break;
			k++;
		}
		expect_ranks(n, 0.95, (double)k, (double)(n - 1 - k));
	}
}

/*
 * n = 10000: B has mean 5000 and deviation 50. P(B <= k) <= 0.025 up to
 * (k + 0.5 - 5000) / 50 = -1.959964, so k + 0.5 = 4902.0018 and k = 4901 (the distance to the next
 * whole number, half a step, is far more than the error of the approximation at this n). 2^-10000
 * is no double.
 */
static void interval_of_many_samples(void **state)
{
	(void)state;

	expect_ranks(10000, 0.95, 4901, 5098);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sort_is_ascending),
		cmocka_unit_test(quantile_interpolates),
		cmocka_unit_test(median_is_the_middle),
		cmocka_unit_test(mad_is_the_median_deviation),
		cmocka_unit_test(mean_is_the_sum_over_the_count),
		cmocka_unit_test(interval_has_the_coverage_of_the_binomial),
		cmocka_unit_test(interval_of_few_samples_is_their_range),
		cmocka_unit_test(interval_agrees_with_whole_numbers),
		cmocka_unit_test(interval_of_many_samples),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
