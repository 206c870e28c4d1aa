/* test_study_nets.c - factors of nets by other nets, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "calib/study.h"
#include "tests/unit/unit.h"

static void expect(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * expected))
		fail_msg("%.12g, expected %.12g", value, expected);
}

/* Measured over predicted: 2 and 8 of the first net, 1 of the second, 4 of the third. */
static void each_net_is_judged_by_the_others(void **state)
{
	(void)state;
	struct paleo_error err;
	struct paleo_study_net all, rows[] = {
					    {.net = 0, .measured_s = 2, .ops_s = 1},
					    {.net = 0, .measured_s = 4, .ops_s = 0.5},
					    {.net = 1, .measured_s = 3, .ops_s = 3},
					    {.net = 2, .measured_s = 4, .ops_s = 1},
					    {.net = 0, .group = 1, .measured_s = 9, .ops_s = 1},
				    };

	assert_int_equal(paleo_study_nets(rows, 5, &err), PALEO_OK);
	/* Of 1 and 4 the middle is 2; of 2, 8 and 4 it is 4, and these few span all. */
	expect(rows[0].factor, 2);
	expect(rows[1].factor, 2);
	expect(rows[2].factor, 4);
	expect(rows[2].low, 2);
	expect(rows[2].high, 8);
	/* Of 2, 8 and 1. */
	expect(rows[3].factor, 2);
	/* Alone in its group. */
	assert_true(isnan(rows[4].factor));
	/* Of 1, 2, 4 and 8: the root of 2 times 4. */
	assert_int_equal(paleo_study_nets_all(rows, 5, 0, &all, &err), PALEO_OK);
	expect(all.factor, sqrt(8));
	expect(all.low, 1);
	expect(all.high, 8);
}

/* Forty nets with 2^1 .. 2^40: rank 0.95 x 41 = 38.95, the 39th, and so the 2nd. */
static void many_leave_the_ends_out(void **state)
{
	(void)state;
	struct paleo_study_net all, rows[40];
	struct paleo_error err;

	for (int i = 0; i < 40; i++)
		rows[i] =
			(struct paleo_study_net){.net = i, .measured_s = pow(2, i + 1), .ops_s = 1};
	assert_int_equal(paleo_study_nets_all(rows, 40, 0, &all, &err), PALEO_OK);
	expect(log2(all.factor), 20.5);
	expect(log2(all.low), 2);
	expect(log2(all.high), 39);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_net_is_judged_by_the_others),
		cmocka_unit_test(many_leave_the_ends_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
