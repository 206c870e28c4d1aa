/* test_grow.c - an array takes as many items as are put in, and moves rarely. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>

#include "base/grow.h"
#include "tests/unit/unit.h"

static void holds_all_items(void **state)
{
	int *items = NULL, room = 0, moves = 0;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		int before = room;
		int *grown = paleo_grow(items, i, &room, sizeof(*items));
		assert_non_null(grown);
		assert_true(room > i);
		moves += room != before;
		items = grown;
		items[i] = i;
	}
	assert_true(moves < 17); /* doubled as often, one item would be 131072 */
	for (int i = 0; i < 100000; i++)
		assert_int_equal(items[i], i);
	free(items);
}

/* More items than an int counts; the array that there is stays. */
static void refuses_what_cannot_be_counted(void **state)
{
	int item = 0, room = INT_MAX / 2 + 1;

	(void)state;
	assert_null(paleo_grow(&item, room, &room, sizeof(item)));
	assert_int_equal(room, INT_MAX / 2 + 1);
	assert_ptr_equal(paleo_grow(&item, room - 1, &room, sizeof(item)), &item);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_all_items),
		cmocka_unit_test(refuses_what_cannot_be_counted),
	};

	return cmocka_run_group_tests_name("grow", tests, NULL, NULL);
}
