/* test_median_interval.c - how often the interval of a median holds it, by simulated samples. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/stats.h"
#include "tests/unit/draw.h"
#include "tests/unit/unit.h"

enum {
	SAMPLES_MAX = 200,
	DRAWS = 2000
};

/* How often there was an interval, and how often that held the median, which is 0. */
struct coverage {
	double given, held;
};

/* Samples of which each is rho times the one before it, and new noise: the median is 0. */
static struct coverage simulate(double rho, size_t n)
{
	struct draw d = {.seed = paleo_hash((uint64_t)n * 1000 + (uint64_t)(100 * rho)) << 20};
	struct coverage c = {0};
	double x[SAMPLES_MAX], scratch[2 * SAMPLES_MAX], low, high;

	for (int i = 0; i < DRAWS; i++) {
		x[0] = normal(&d);
		for (size_t k = 1; k < n; k++)
			x[k] = rho * x[k - 1] + sqrt(1 - rho * rho) * normal(&d);
		if (!paleo_median_interval(x, n, scratch, &low, &high))
			continue;
		c.given++;
		c.held += low <= 0 && 0 <= high;
	}
	return c;
}

/* docs/method/intervals.md has a part of this table. Where a sample's own correlation can be told,
 * those given hold 90 to 98 %; few samples of a long memory look independent now and then. */
static void covers_what_it_says(void **state)
{
	static const struct {
		double rho, held_least; /* of those given, from 50 samples on */
	} cases[] = {{0, 0.9}, {0.5, 0.9}, {0.8, 0.9}, {0.95, 0}};
	static const size_t counts[] = {20, 30, 50, 100, 200};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
			struct coverage c = simulate(cases[i].rho, counts[k]);
			double held = c.held / c.given, wrong = (c.given - c.held) / DRAWS;
			printf("rho %.2f n %3zu: given %5.1f %%, of these held %5.1f %%, wrong of "
			       "all %4.1f %%\n",
			       cases[i].rho, counts[k], 100 * c.given / DRAWS, 100 * held,
			       100 * wrong);
			assert_true(held <= 0.98 && wrong <= 0.13);
			if (cases[i].rho <= 0.5 || counts[k] >= 50)
				assert_true(held >= cases[i].held_least);
			if (cases[i].rho <= 0.8)
				assert_true(wrong <= 0.1);
		}
	}
}

/* Independent samples, by far the most frequent case, mostly have one. */
static void is_given_where_it_can_be(void **state)
{
	(void)state;
	assert_true(simulate(0, 20).given > 0.98 * DRAWS);
	assert_true(simulate(0.5, 50).given > 0.98 * DRAWS);
	assert_true(simulate(0.8, 100).given > 0.98 * DRAWS);
}

static void few_and_drifting_samples_have_none(void **state)
{
	double x[SAMPLES_MAX], scratch[2 * SAMPLES_MAX], low = 1, high = 1;

	(void)state;
	for (int i = 0; i < SAMPLES_MAX; i++)
		x[i] = i;
	for (size_t n = 1; n < PALEO_INTERVAL_SAMPLES; n++) {
		assert_int_equal(paleo_median_interval(x, n, scratch, &low, &high), 0);
		assert_true(isnan(low) && isnan(high));
	}
	/* each is larger than the one before: one long wave, of which little was seen */
	assert_int_equal(paleo_median_interval(x, SAMPLES_MAX, scratch, &low, &high), 0);
}

/* Equal samples do not correlate, and leave nothing open. */
static void equal_samples_have_no_width(void **state)
{
	double x[PALEO_INTERVAL_SAMPLES], scratch[2 * PALEO_INTERVAL_SAMPLES], low = 0, high = 0;

	(void)state;
	for (int i = 0; i < PALEO_INTERVAL_SAMPLES; i++)
		x[i] = 7;
	assert_int_equal(paleo_median_interval(x, PALEO_INTERVAL_SAMPLES, scratch, &low, &high), 1);
	assert_true(low == 7 && high == 7);
}

/*
 * Samples that go up and down do so much that there is no correlation to allow for: rho is 0, 100
 * samples are worth 100. Of the ranks 0 .. 99 the bounds are at 100 (0.5 - 1.959964/20 (1 + 1/200))
 * - 0.5 = 39.651 and as far from the other end, 59.349.
 */
static void independent_samples_by_hand(void **state)
{
	double x[100], scratch[200], low = 0, high = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		x[i] = i % 2 ? 99 - i / 2 : i / 2;
	assert_int_equal(paleo_median_interval(x, 100, scratch, &low, &high), 1);
	assert_true(fabs(low - 39.651) < 1e-3 && fabs(high - 59.349) < 1e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(covers_what_it_says),
		cmocka_unit_test(is_given_where_it_can_be),
		cmocka_unit_test(few_and_drifting_samples_have_none),
		cmocka_unit_test(equal_samples_have_no_width),
		cmocka_unit_test(independent_samples_by_hand),
	};

	return cmocka_run_group_tests_name("median_interval", tests, NULL, NULL);
}
