/* test_pace.c - how much longer a work takes when its device is slower: by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/law.h"
#include "tests/unit/unit.h"

/* 8 FLOPs and 4 bytes at 4 FLOP/s and 4 bytes/s take 2 + 1 s; at 2 and 4, 4 + 1 s: 5/3, of which
 * x = ln(5/3) = 0.5108256 leaves x^3/(x^2 + 0.0225) = 0.4702757. Of a tenth, x = 0.0953102 leaves
 * 0.0274126. */
static void is_longer_when_slower(void **state)
{
	(void)state;
	const struct paleo_work w = {.flops = 8, .read_bytes = 3, .write_bytes = 1};

	assert_true(fabs(log(paleo_law_pace(&w, 2, 4, 4, 4)) - 0.4702757) < 1e-6);
	assert_true(fabs(log(paleo_law_pace(&w, 4 / 1.1, 4 / 1.1, 4, 4)) - 0.0274126) < 1e-6);
	assert_true(paleo_law_pace(&w, 4, 4, 4, 4) == 1);
	assert_true(paleo_law_pace(&w, 0, 0, 4, 4) == 1);
	assert_true(paleo_law_pace(&w, 2, 4, 0, 0) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_longer_when_slower),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
