/* test_spans.c - places for many things at once: found in time, and the lowest. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/graph.h"
#include "tests/unit/unit.h"

enum {
	MANY = 20000
};

/* All live at once: each lies on the one before. Sorting those that are there for each of them
 * would take half a minute. */
static void many_are_placed_in_time(void **state)
{
	static struct paleo_span s[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++)
		s[i] = (struct paleo_span){.bytes = 4, .first = i, .last = 2 * MANY - i};
	assert_true(paleo_spans_place(s, MANY, 8) == 8.0 * (MANY - 1) + 4);
	for (int i = 0; i < MANY; i++)
		assert_true(s[i].offset == 8.0 * i);
}

/* 8 bytes at 0 and 8 at 8 leave a gap at 0 when the first is over: 6 that live with the second
 * alone go there, 4 that live with all on top of both. */
static void a_gap_is_used(void **state)
{
	struct paleo_span s[] = {{.bytes = 8, .first = 0, .last = 1},
				 {.bytes = 8, .first = 1, .last = 4},
				 {.bytes = 6, .first = 2, .last = 3},
				 {.bytes = 4, .first = 1, .last = 3}};

	(void)state;
	assert_true(paleo_spans_place(s, 4, 1) == 20);
	assert_true(s[0].offset == 0 && s[1].offset == 8 && s[2].offset == 0);
	assert_true(s[3].offset == 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_are_placed_in_time),
		cmocka_unit_test(a_gap_is_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
