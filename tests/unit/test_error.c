/* test_error.c - sentences: formatting, prefixes, cutting, names of statuses. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "tests/unit/unit.h"

static void fail_yields_status_and_sentence(void **state)
{
	(void)state;
	struct paleo_error err = {0};

	assert_int_equal(paleo_fail(&err, PALEO_EIO, "cannot open '%s'", "a.json"), PALEO_EIO);
	assert_int_equal(err.status, PALEO_EIO);
	assert_string_equal(err.text, "cannot open 'a.json'");
}

static void prefix_goes_in_front(void **state)
{
	(void)state;
	struct paleo_error err = {0};

	paleo_error_set(&err, PALEO_EINPUT, "shape does not fit");
	paleo_error_prefix(&err, "%s:%d", "a.json", 3);
	assert_string_equal(err.text, "a.json:3: shape does not fit");
	assert_int_equal(err.status, PALEO_EINPUT);
}

/* The longest sentence has PALEO_ERROR_MAX - 1 bytes; a longer one ends in "...". */
static void long_sentence_is_cut_visibly(void **state)
{
	(void)state;
	char text[PALEO_ERROR_MAX + 1];
	struct paleo_error err = {0};

	memset(text, 'x', sizeof(text));
	text[PALEO_ERROR_MAX - 1] = '\0';
	paleo_error_set(&err, PALEO_EINPUT, "%s", text);
	assert_string_equal(err.text, text);

	text[PALEO_ERROR_MAX - 1] = 'x';
	text[PALEO_ERROR_MAX] = '\0';
	paleo_error_set(&err, PALEO_EINPUT, "%s", text);
	assert_int_equal(strlen(err.text), PALEO_ERROR_MAX - 1);
	assert_string_equal(err.text + PALEO_ERROR_MAX - 5, "x...");
}

static void long_prefix_is_cut_visibly(void **state)
{
	(void)state;
	char text[PALEO_ERROR_MAX];
	struct paleo_error err = {0};

	memset(text, 'x', sizeof(text));
	text[PALEO_ERROR_MAX - 1] = '\0';
	for (size_t length = PALEO_ERROR_MAX - 12; length < PALEO_ERROR_MAX; length++) {
		paleo_error_set(&err, PALEO_EINPUT, "a sentence of more bytes than are left");
		paleo_error_prefix(&err, "%.*s", (int)length, text);
		assert_int_equal(strlen(err.text), PALEO_ERROR_MAX - 1);
		assert_string_equal(err.text + PALEO_ERROR_MAX - 4, "...");
	}
}

static void every_status_has_its_own_name(void **state)
{
	(void)state;

	for (int a = PALEO_ECRASH; a <= PALEO_OK; a++) {
		assert_string_not_equal(paleo_status_name(a), "unknown");
		for (int b = a + 1; b <= PALEO_OK; b++)
			assert_string_not_equal(paleo_status_name(a), paleo_status_name(b));
	}
	assert_string_equal(paleo_status_name(PALEO_OK), "ok");
	assert_string_equal(paleo_status_name(1), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fail_yields_status_and_sentence),
		cmocka_unit_test(prefix_goes_in_front),
		cmocka_unit_test(long_sentence_is_cut_visibly),
		cmocka_unit_test(long_prefix_is_cut_visibly),
		cmocka_unit_test(every_status_has_its_own_name),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
