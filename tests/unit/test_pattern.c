/* test_pattern.c - the search along the axes finds minima that are known on paper. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "calib/minimum.h"
#include "tests/unit/unit.h"

/* A minimum of 3 at (1, -2), with a kink along the second axis. */
static double kinked(const void *context, const double *z)
{
	(void)context;
	return 3 + (z[0] - 1) * (z[0] - 1) + fabs(z[1] + 2);
}

static struct paleo_pattern_problem problem(const double *low, const double *high)
{
	return (struct paleo_pattern_problem){.params = 2,
					      .loss = kinked,
					      .low = low,
					      .high = high,
					      .step = 0.5,
					      .step_min = 1e-4,
					      .evaluations_max = 2000};
}

static void finds_a_kinked_minimum(void **state)
{
	(void)state;
	const double low[] = {-10, -10}, high[] = {10, 10};
	const struct paleo_pattern_problem p = problem(low, high);
	struct paleo_pattern_result result;
	double z[] = {7.3, 4.1}, again[] = {7.3, 4.1};

	paleo_pattern_solve(&p, z, &result);
	assert_true(fabs(z[0] - 1) < 1e-3 && fabs(z[1] + 2) < 1e-3);
	assert_true(result.loss - 3 < 1e-3 && result.evaluations < 400);
	paleo_pattern_solve(&p, again, &result);
	assert_true(z[0] == again[0] && z[1] == again[1]);
}

/* The best within x <= 0 and y = 5 is x = 0: loss 3 + 1 + 7. */
static void keeps_to_bounds(void **state)
{
	(void)state;
	const double low[] = {-10, 5}, high[] = {0, 5};
	const struct paleo_pattern_problem p = problem(low, high);
	struct paleo_pattern_result result;
	double z[] = {-4, 0};

	paleo_pattern_solve(&p, z, &result);
	assert_true(z[0] == 0 && z[1] == 5);
	assert_true(fabs(result.loss - 11) < 1e-12);
}

static void ends_by_its_evaluations(void **state)
{
	(void)state;
	const double low[] = {-10, -10}, high[] = {10, 10};
	struct paleo_pattern_problem p = problem(low, high);
	struct paleo_pattern_result result;
	double z[] = {7, 7};

	p.evaluations_max = 5;
	paleo_pattern_solve(&p, z, &result);
	assert_true(result.evaluations <= 5 + 2 * p.params);
}

/* 2 (sqrt(1 + u^2) - 1) at u = sqrt(3) is 2; u^2 near zero. */
static void robust_loss(void **state)
{
	(void)state;
	assert_true(fabs(paleo_pseudo_huber(sqrt(3)) - 2) < 1e-12);
	assert_true(fabs(paleo_pseudo_huber(1e-3) / 1e-6 - 1) < 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_a_kinked_minimum),
		cmocka_unit_test(keeps_to_bounds),
		cmocka_unit_test(ends_by_its_evaluations),
		cmocka_unit_test(robust_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
