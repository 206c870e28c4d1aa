/* test_student.c - Student's t, what variances share, false discoveries: held against tables. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/stats.h"
#include "tests/unit/draw.h"
#include "tests/unit/unit.h"

static void assert_near(double value, double expected, double most)
{
	if (!(fabs(value - expected) <= most))
		fail_msg("%.9g, expected %.9g", value, expected);
}

/* Quantiles of printed tables (Fisher and Yates), of 2, 4, 10 and infinite degrees. */
static void test_t(void **state)
{
	(void)state;
	assert_near(paleo_student_t95(2), 4.303, 5e-4);
	assert_near(paleo_student_t95(4), 2.776, 5e-4);
	assert_near(paleo_student_t95(10), 2.228, 5e-4);
	assert_near(paleo_student_t95(INFINITY), 1.96, 5e-4);
	/* one degree is Cauchy's: P(|T| > 1) = 1/2; two: 1 - t / sqrt(2 + t^2) */
	assert_near(paleo_student_p(1, 1), 0.5, 1e-12);
	assert_near(paleo_student_p(3, 2), 1 - 3 / sqrt(11), 1e-12);
	assert_near(paleo_student_p(0, 5), 1, 1e-12);
	assert_near(paleo_student_p(INFINITY, 5), 0, 0);
}

/* p of 0.01, 0.02, 0.04, 0.05 at a level of 5 %: the limits are 0.0125, 0.025, 0.0375, 0.05. The
 * last is below its limit, and so all before it are called, although 0.04 is above its own. */
static void test_false_discoveries(void **state)
{
	const double all[] = {0.04, 0.01, 0.05, 0.02}, two[] = {0.9, 0.01, 0.06, 0.02};
	size_t order[4];
	int called[4];

	(void)state;
	paleo_false_discoveries(all, 4, 0.05, order, called);
	for (int i = 0; i < 4; i++)
		assert_int_equal(called[i], 1);
	paleo_false_discoveries(two, 4, 0.05, order, called);
	assert_int_equal(called[0], 0);
	assert_int_equal(called[1], 1);
	assert_int_equal(called[2], 0);
	assert_int_equal(called[3], 1);
}

/* Equal variances differ by less than chance: they are one. Two are too few. */
static void test_prior(void **state)
{
	const double equal[] = {4, 4, 4, 4}, degrees[] = {2, 2, 2, 2}, zero[] = {0, 4, 0, 4};

	(void)state;
	struct paleo_variance_prior p = paleo_variance_prior_fit(equal, degrees, 4);
	assert_true(isinf(p.degrees));
	/* log 4 less digamma(1) = -0.5772: the mean of log s^2 is below log sigma^2 by so much */
	assert_near(p.variance, 4 * exp(0.5772157), 1e-5);
	p = paleo_variance_prior_fit(zero, degrees, 4);
	assert_near(p.degrees, 0, 0);
}

/* Variances of few degrees, drawn around ones that differ by themselves: s^2 = v chi^2(2)/2, with
 * 1/v of 8 degrees around 1 (mean of v over them: degrees 8, variance 1). */
static void test_prior_found(void **state)
{
	enum {
		N = 20000
	};
	static double variances[N], degrees[N];
	struct draw d = {.seed = 1};

	(void)state;
	for (int i = 0; i < N; i++) {
		double precision = 0;
		for (int k = 0; k < 4; k++) /* chi^2(8) / 8 of four exponentials */
			precision += -2 * log(uniform(&d)) / 8;
		degrees[i] = 2;
		variances[i] = -log(uniform(&d)) / precision;
	}
	struct paleo_variance_prior p = paleo_variance_prior_fit(variances, degrees, N);
	assert_in_range((uintmax_t)(p.degrees * 10), 70, 90);
	assert_in_range((uintmax_t)(p.variance * 100), 95, 105);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_t),
		cmocka_unit_test(test_false_discoveries),
		cmocka_unit_test(test_prior),
		cmocka_unit_test(test_prior_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
