/* test_number.c - numbers as text are what printf() makes of them, digit for digit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "tests/unit/unit.h"

enum {
	RANDOM = 200000
};

static void digits_of_whole_numbers(void **state)
{
	char buf[PALEO_WHOLE_MAX + 1] = "";

	(void)state;
	assert_int_equal(paleo_number_whole(0, buf), 1);
	assert_memory_equal(buf, "0", 1);
	assert_int_equal(paleo_number_whole(1024, buf), 4);
	assert_memory_equal(buf, "1024", 4);
	assert_int_equal(paleo_number_whole(UINT64_MAX, buf), PALEO_WHOLE_MAX);
	assert_memory_equal(buf, "18446744073709551615", PALEO_WHOLE_MAX);
}

static void expect(double value, int decimals, const char *expected)
{
	char buf[400];

	assert_int_equal(paleo_number_fixed(value, decimals, buf, sizeof(buf)), strlen(expected));
	assert_string_equal(buf, expected);
}

/* 0.125, 2.5 and 3.5 are doubles, and halves go to the even digit. 1.005 and 0.9995 are not: they
 * stand for 1.00499999999999989 and 0.99950000000000005.
 */
static void halves_and_what_is_near_them(void **state)
{
	(void)state;
	expect(0.125, 2, "0.12");
	expect(0.375, 2, "0.38");
	expect(2.5, 0, "2");
	expect(3.5, 0, "4");
	expect(1.005, 2, "1.00");
	expect(nextafter(0.125, 1), 2, "0.13");
	expect(nextafter(2.5, 0), 0, "2");
	expect(0.9995, 3, "1.000"); /* 0.99950000000000005507 */
	expect(9.9999, 3, "10.000");
}

static void zeros_and_signs(void **state)
{
	(void)state;
	expect(0, 3, "0.000");
	expect(-0.0, 0, "-0");
	expect(-1.25, 3, "-1.250");
	expect(0.04, 1, "0.0");
	expect(-0.04, 1, "-0.0");
	expect(5e-324, 15, "0.000000000000000");
	expect(HUGE_VAL, 2, "inf");
	expect(0x1p53, 0, "9007199254740992");
	expect(0x1p60, 2, "1152921504606846976.00");
}

static double random_number(uint64_t at)
{
	double mantissa = (double)(paleo_hash(2 * at) >> 11) * 0x1p-53;
	int exponent = (int)(paleo_hash(2 * at + 1) % 120) - 60;

	return ldexp(at % 2 ? mantissa : -mantissa, exponent);
}

/* Also numbers of few digits, whose halves are many. */
static void as_the_c_library(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < RANDOM; i++) {
		double few = (double)(paleo_hash(i) % 100000) / 512;
		const double values[] = {random_number(i), few, few / 100};
		for (size_t k = 0; k < sizeof(values) / sizeof(*values); k++) {
			char buf[64], expected[64];
			int decimals = (int)(i % (PALEO_FIXED_MAX + 1));
			paleo_number_fixed(values[k], decimals, buf, sizeof(buf));
			snprintf(expected, sizeof(expected), "%.*f", decimals, values[k]);
			assert_string_equal(buf, expected);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_of_whole_numbers),
		cmocka_unit_test(halves_and_what_is_near_them),
		cmocka_unit_test(zeros_and_signs),
		cmocka_unit_test(as_the_c_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
