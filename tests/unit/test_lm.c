/* test_lm.c - the search finds minima that are known on paper. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "calib/minimum.h"
#include "tests/unit/unit.h"

/* Rosenbrock's valley: 10 (y - x^2) and 1 - x, both 0 at (1, 1). */
static double valley(const void *context, int i, const double *z, double *slope, double *weight)
{
	(void)context;
	*weight = 1;
	slope[0] = i == 0 ? -20 * z[0] : -1;
	slope[1] = i == 0 ? 10 : 0;
	return i == 0 ? 10 * (z[1] - z[0] * z[0]) : 1 - z[0];
}

static struct paleo_lm_problem valley_problem(const double *low, const double *high)
{
	return (struct paleo_lm_problem){.params = 2,
					 .residuals = 2,
					 .residual = valley,
					 .scale = 1e3, /* as good as plain squares */
					 .low = low,
					 .high = high,
					 .step_max = 10,
					 .iterations_max = 500};
}

static void follows_a_valley(void **state)
{
	(void)state;
	const double low[] = {-5, -5}, high[] = {5, 5};
	struct paleo_lm_problem p = valley_problem(low, high);
	struct paleo_lm_result result;
	double z[] = {-1.2, 1};

	paleo_lm_solve(&p, z, &result);
	assert_true(fabs(z[0] - 1) < 1e-3 && fabs(z[1] - 1) < 1e-3);
	assert_true(result.iterations < 200);
}

/* With x at most 1/2 the best is x = 1/2 and y = x^2 = 1/4. A start outside is put inside. */
static void stops_at_a_bound(void **state)
{
	(void)state;
	const double low[] = {-5, -5}, high[] = {0.5, 5};
	struct paleo_lm_problem p = valley_problem(low, high);
	struct paleo_lm_result result;
	double z[] = {3, 3};

	paleo_lm_solve(&p, z, &result);
	assert_true(z[0] == 0.5);
	assert_true(fabs(z[1] - 0.25) < 1e-4);
}

static void keeps_a_fixed_parameter(void **state)
{
	(void)state;
	const double low[] = {-5, 4}, high[] = {5, 4};
	struct paleo_lm_problem p = valley_problem(low, high);
	struct paleo_lm_result result;
	double z[] = {1.5, 4};

	paleo_lm_solve(&p, z, &result);
	assert_true(z[1] == 4);
	/* 200 x (x^2 - 4) = 1 - x: x is 2 less 1 / 1600 or so. */
	assert_true(fabs(z[0] - 2) < 1e-3);
}

static double distance(const void *context, int i, const double *z, double *slope, double *weight)
{
	const double *x = context;

	*weight = 1;
	slope[0] = 1;
	return z[0] - x[i];
}

/* Four at 0, one at 1000. Plain squares would give 200. The sum of r / sqrt(1 + r^2) is 0 where
 * 4 z / sqrt(1 + z^2) = 1, so z = 1 / sqrt(15). */
static void is_not_led_astray(void **state)
{
	(void)state;
	const double x[] = {0, 0, 0, 0, 1000}, low[] = {-1e4}, high[] = {1e4};
	struct paleo_lm_problem p = {.params = 1,
				     .residuals = 5,
				     .residual = distance,
				     .context = x,
				     .scale = 1,
				     .low = low,
				     .high = high,
				     .step_max = 1e3,
				     .iterations_max = 200};
	struct paleo_lm_result result;
	double z[] = {300};

	paleo_lm_solve(&p, z, &result);
	assert_true(fabs(z[0] - 1 / sqrt(15)) < 1e-4);
	/* The information weighs each residual by 1 / sqrt(1 + r^2): 4 near ones count, one does
	 * not. 4 / sqrt(1 + 1/15) + 1/1000 */
	assert_true(fabs(result.information[0][0] - (4 / sqrt(16.0 / 15) + 1e-3)) < 1e-3);
}

/* (z - 2)^2 / s^2 with s = 10, ten times: 0.1 (z - 2)^2; prior 0 with sd sqrt(10): 0.1 z^2. */
static void is_drawn_to_the_prior(void **state)
{
	(void)state;
	const double x[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
	const double low[] = {-9}, high[] = {9}, prior[] = {0}, sd[] = {sqrt(10.0)};
	struct paleo_lm_problem p = {.params = 1,
				     .residuals = 10,
				     .residual = distance,
				     .context = x,
				     .scale = 10,
				     .low = low,
				     .high = high,
				     .prior = prior,
				     .prior_sd = sd,
				     .step_max = 2,
				     .iterations_max = 200};
	struct paleo_lm_result result;

	/* From afar and from near: halfway, but for the small bend of rho at r / s = 0.1. */
	static const double starts[] = {-7, 0.6, 1.4, 7};
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		double z[] = {starts[i]};
		paleo_lm_solve(&p, z, &result);
		assert_true(fabs(z[0] - 1) < 5e-3);
		assert_true(fabs(result.loss - 0.2) < 1e-3);
		assert_true(fabs(result.data_loss - 0.1) < 1e-3);
	}
}

static void inverts(void **state)
{
	(void)state;
	double a[PALEO_LM_PARAMS_MAX][PALEO_LM_PARAMS_MAX] = {{4, 2}, {2, 3}}; /* det 8 */

	assert_int_equal(paleo_lm_invert(a, 2), 0);
	assert_true(fabs(a[0][0] - 3.0 / 8) < 1e-15 && fabs(a[0][1] + 2.0 / 8) < 1e-15);
	assert_true(fabs(a[1][0] + 2.0 / 8) < 1e-15 && fabs(a[1][1] - 4.0 / 8) < 1e-15);
	double flat[PALEO_LM_PARAMS_MAX][PALEO_LM_PARAMS_MAX] = {{1, 1}, {1, 1}};
	assert_int_equal(paleo_lm_invert(flat, 2), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_a_valley),        cmocka_unit_test(stops_at_a_bound),
		cmocka_unit_test(keeps_a_fixed_parameter), cmocka_unit_test(is_not_led_astray),
		cmocka_unit_test(is_drawn_to_the_prior),   cmocka_unit_test(inverts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
