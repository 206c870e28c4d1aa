/* test_pace.c - how much longer a work takes when its device is slower: by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/law.h"
#include "tests/unit/unit.h"

static const struct paleo_law_rates usual = {4, 4}, none = {0, 0};

/* 8 FLOPs and 4 bytes at 4 FLOP/s and 4 bytes/s take 2 + 1 s; at 2 and 4, 4 + 1 s: 5/3, of which
 * x = ln(5/3) = 0.5108256 leaves x^3/(x^2 + 0.0225) = 0.4702757. Of a tenth, x = 0.0953102 leaves
 * 0.0274126. */
static void is_longer_when_slower(void **state)
{
	(void)state;
	const struct paleo_work w = {.flops = 8, .read_bytes = 3, .write_bytes = 1};
	const struct paleo_law_rates half = {2, 4}, tenth = {4 / 1.1, 4 / 1.1};

	assert_true(fabs(log(paleo_law_pace(&w, &half, &usual, 3)) - 0.4702757) < 1e-6);
	assert_true(fabs(log(paleo_law_pace(&w, &tenth, &usual, 3)) - 0.0274126) < 1e-6);
	assert_true(paleo_law_pace(&w, &usual, &usual, 3) == 1);
	assert_true(paleo_law_pace(&w, &none, &usual, 3) == 1);
	assert_true(paleo_law_pace(&w, &half, &none, 3) == 1);
	assert_true(paleo_law_pace_of(&w, &none, &usual, 3) == 1);
}

/* exp(0.4702757) = 1.6004354 of 3 s are 1.8013062 s more, whether the work takes 6 s or 12; one
 * that takes less than the loops would is as much longer as they are. */
static void what_is_no_arithmetic_stays(void **state)
{
	(void)state;
	const struct paleo_work w = {.flops = 8, .read_bytes = 3, .write_bytes = 1};
	const struct paleo_law_rates half = {2, 4};

	assert_true(fabs(6 * paleo_law_pace(&w, &half, &usual, 6) - 7.8013062) < 1e-6);
	assert_true(fabs(12 * paleo_law_pace(&w, &half, &usual, 12) - 13.8013062) < 1e-6);
	assert_true(fabs(paleo_law_pace(&w, &half, &usual, 1) - 1.6004354) < 1e-6);
	assert_true(fabs(7.8013062 / paleo_law_pace_of(&w, &half, &usual, 7.8013062) - 6) < 1e-6);
	assert_true(fabs(paleo_law_pace_of(&w, &half, &usual, 1) - 1.6004354) < 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_longer_when_slower),
		cmocka_unit_test(what_is_no_arithmetic_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
