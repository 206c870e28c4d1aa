/* test_json_number.c - numbers of JSON are the nearest doubles, ties to even. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "tests/unit/unit.h"

enum {
	RANDOM = 200000 /* of each sort */
};

static double number(const char *text)
{
	struct paleo_json_doc *doc;
	struct paleo_error err;
	double value = NAN;

	if (paleo_json_parse("t", 1, text, strlen(text), &doc, &err))
		fail_msg("%s", err.text);
	assert_int_equal(
		paleo_json_to_double(paleo_json_root(doc), -HUGE_VAL, HUGE_VAL, &value, &err),
		PALEO_OK);
	paleo_json_free(doc);
	return value;
}

/* 2^53 + 1 and 2^53 + 3 lie halfway between doubles, which are even there; a digit behind a point
 * tells. 10^22 is the last power of ten that is a double, 10^23 lies near the middle of two. */
static void halves_go_to_the_even_one(void **state)
{
	(void)state;
	assert_true(number("9007199254740992") == 0x1p53);
	assert_true(number("9007199254740993") == 0x1p53);
	assert_true(number("9007199254740995") == 0x1p53 + 4);
	assert_true(number("9007199254740993.0001") == 0x1p53 + 2);
	assert_true(number("9007199254740993e0") == 0x1p53);
	assert_true(number("90071992547409930e-1") == 0x1p53);
	assert_true(number("1e22") == 0x1.0f0cf064dd592p73);
	assert_true(number("1e23") == 0x1.52d02c7e14af6p76);
	/* Half of the least double goes to 0, what is above it does not. */
	assert_true(number("2.4703282292062327e-324") == 0);
	assert_true(number("2.4703282292062328e-324") == 0x1p-1074);
	assert_true(number("2.2250738585072014e-308") == 0x1p-1022);
	assert_true(number("1.7976931348623157e308") == 0x1.fffffffffffffp1023);
}

static void signs_and_zeros(void **state)
{
	(void)state;
	assert_true(signbit(number("-0")) && signbit(number("-0.0e5")) && !signbit(number("0")));
	assert_true(number("0e999") == 0 && number("-1e-999") == 0);
	assert_true(number("0.1") == 0.1 && number("-12.5E+1") == -125);
	assert_true(number("0.000000000000000000000000000001") == 1e-30);
	assert_true(number("100000000000000000000000000000") == 1e29);
}

static uint64_t next(uint64_t *at)
{
	return *at = paleo_hash(*at + 1);
}

/* The C library rounds correctly; here with the digits that it was given. */
static void are_those_of_the_c_library(void **state)
{
	uint64_t at = 0;
	char text[64];

	(void)state;
	for (int i = 0; i < RANDOM; i++) {
		int digits = 1 + (int)(next(&at) % 19), exponent = (int)(next(&at) % 60) - 30;
		uint64_t n = next(&at) >> 1, most = 10;
		for (int k = 1; k < digits; k++)
			most *= 10;
		snprintf(text, sizeof(text), "%llue%d", (unsigned long long)(n % most), exponent);
		assert_true(number(text) == strtod(text, NULL));
		/* A measured time, as it is written and read again. */
		double value = ldexp((double)(next(&at) >> 11), -(int)(next(&at) % 100));
		snprintf(text, sizeof(text), "%.*g", 15 + (int)(next(&at) % 3), value);
		assert_true(number(text) == strtod(text, NULL));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves_go_to_the_even_one),
		cmocka_unit_test(signs_and_zeros),
		cmocka_unit_test(are_those_of_the_c_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
