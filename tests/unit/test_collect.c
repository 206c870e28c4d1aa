/* test_collect.c - a stream in memory has all that was written, whatever the sizes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "tests/unit/unit.h"

static void has_what_was_written(void **state)
{
	struct paleo_collected c = {0};
	FILE *f = paleo_collect(&c);

	(void)state;
	assert_non_null(f);
	assert_null(c.text);
	fputs("one", f);
	assert_int_equal(fflush(f), 0);
	assert_string_equal(c.text, "one");
	fprintf(f, ", %d", 2);
	assert_int_equal(paleo_collect_close(f), 0);
	assert_string_equal(c.text, "one, 2");
	assert_int_equal(c.size, 6);
	free(c.text);
}

/* 1 + 2 + ... + 400 = 80200 characters, in pieces that end within blocks of any size. */
static void has_it_at_every_size(void **state)
{
	struct paleo_collected c = {0};
	FILE *f = paleo_collect(&c);

	(void)state;
	assert_non_null(f);
	for (int i = 1; i <= 400; i++) {
		for (int j = 0; j < i; j++)
			fputc('a' + i % 26, f);
		assert_int_equal(fflush(f), 0);
		assert_int_equal(strlen(c.text), c.size);
	}
	assert_int_equal(paleo_collect_close(f), 0);
	assert_int_equal(c.size, 80200);
	for (int i = 1, at = 0; i <= 400; at += i++)
		for (int j = 0; j < i; j++)
			assert_int_equal(c.text[at + j], 'a' + i % 26);
	free(c.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_what_was_written),
		cmocka_unit_test(has_it_at_every_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
