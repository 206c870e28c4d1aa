/* test_trust.c - the rules by which a calibration is good, rough or not to be relied on. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "calib/validate.h"
#include "tests/unit/unit.h"

/* The limits of docs/guide/validate.md: 10 % median and 30 % of nine in ten, 25 % median, 10 ops.
 */
static void test_rules(void **state)
{
	(void)state;
	assert_int_equal(paleo_trust_of(0.10, 0.30, 10), PALEO_TRUST_GOOD);
	assert_int_equal(paleo_trust_of(0.11, 0.30, 10), PALEO_TRUST_ROUGH);
	assert_int_equal(paleo_trust_of(0.10, 0.31, 10), PALEO_TRUST_ROUGH);
	assert_int_equal(paleo_trust_of(0.25, 2, 10), PALEO_TRUST_ROUGH);
	assert_int_equal(paleo_trust_of(0.26, 0.30, 1000), PALEO_TRUST_NOT);
	assert_int_equal(paleo_trust_of(0.01, 0.02, 9), PALEO_TRUST_UNKNOWN);
	assert_int_equal(paleo_trust_of(NAN, NAN, 100), PALEO_TRUST_UNKNOWN);
	assert_int_equal(paleo_trust_of(0.05, NAN, 100), PALEO_TRUST_ROUGH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
