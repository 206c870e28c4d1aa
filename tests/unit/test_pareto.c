/* test_pareto.c - which of a few points none beats, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/simulate/sim.h"
#include "tests/unit/unit.h"

/*
 * By (time, cost, memory):
 *   0 (1, 9, 5)  fastest: stays
 *   1 (2, 5, 5)  stays: cheaper than 0, faster than 3
 *   2 (2, 6, 5)  beaten by 1: dearer, else equal
 *   3 (4, 4, 5)  stays: cheapest
 *   4 (5, 9, 1)  stays: smallest
 *   5 (4, 4, 6)  beaten by 3
 *   6 (2, 5, 5)  the same as 1, which came first: goes
 *   7 (9, 9, 9)  beaten by all
 */
static const struct paleo_pareto_point points[] = {
	{{1, 9, 5}, 0}, {{2, 5, 5}, 1}, {{2, 6, 5}, 2}, {{4, 4, 5}, 3},
	{{5, 9, 1}, 4}, {{4, 4, 6}, 5}, {{2, 5, 5}, 6}, {{9, 9, 9}, 7},
};

enum {
	POINTS = sizeof(points) / sizeof(points[0])
};

/* Adds them with a stride that visits each once, so in many orders. */
static void stays_what_none_beats(void **state)
{
	static const int strides[] = {1, 3, 5, 7};
	static const long long expected[] = {0, 1, 3, 4}; /* by time */
	struct paleo_error err = {0};
	(void)state;

	for (int from = 0; from < POINTS; from++)
		for (int k = 0; k < 4; k++) {
			struct paleo_pareto front = {0};
			for (int i = 0; i < POINTS; i++)
				assert_int_equal(
					paleo_pareto_add(&front,
							 &points[(from + i * strides[k]) % POINTS],
							 &err),
					PALEO_OK);
			paleo_pareto_sort(&front);
			assert_int_equal(front.count, 4);
			for (int i = 0; i < 4; i++)
				assert_int_equal(front.points[i].id, expected[i]);
			paleo_pareto_release(&front);
			assert_int_equal(front.count, 0);
		}
}

/* On a line of time against cost none beats another: 1000 points stay, and room is made for them;
 * one that is better than all sweeps them away. */
static void grows_and_shrinks(void **state)
{
	struct paleo_pareto front = {0};
	struct paleo_error err = {0};
	(void)state;

	for (int i = 0; i < 1000; i++) {
		struct paleo_pareto_point p = {{1000 - i, i, 0}, i};
		assert_int_equal(paleo_pareto_add(&front, &p, &err), PALEO_OK);
	}
	assert_int_equal(front.count, 1000);
	paleo_pareto_sort(&front);
	assert_int_equal(front.points[0].id, 999);
	assert_int_equal(front.points[999].id, 0);
	struct paleo_pareto_point best = {{0, 0, 0}, 1000};
	assert_int_equal(paleo_pareto_add(&front, &best, &err), PALEO_OK);
	assert_int_equal(front.count, 1);
	assert_int_equal(front.points[0].id, 1000);
	paleo_pareto_release(&front);
}

static void an_empty_front_is_no_trouble(void **state)
{
	struct paleo_pareto front = {0};
	(void)state;

	paleo_pareto_sort(&front);
	assert_int_equal(front.count, 0);
	paleo_pareto_release(&front);
	paleo_pareto_release(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stays_what_none_beats),
		cmocka_unit_test(grows_and_shrinks),
		cmocka_unit_test(an_empty_front_is_no_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
