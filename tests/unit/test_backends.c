/* test_backends.c - the list of backends: found by name, and fit for what reads it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "bench/transport.h"
#include "model/device/backends.h"
#include "model/record/record.h"
#include "tests/unit/unit.h"

static void each_is_found_by_its_name(void **state)
{
	int count;
	const struct paleo_backend_entry *b = paleo_backends(&count);
	struct paleo_record_meta meta;

	(void)state;
	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		assert_ptr_equal(paleo_backend_find(b[i].name), &b[i]);
		assert_true(strlen(b[i].name) < sizeof(meta.backend)); /* records hold it */
		assert_non_null(b[i].word);
		assert_in_range(b[i].index_max, 0, 1023);
		assert_true(b[i].budget_s > 0);
		assert_true(b[i].rounds >= 1);
	}
}

/* A device is called by one word: a second backend of that word would never be opened. */
static void words_are_different(void **state)
{
	int count;
	const struct paleo_backend_entry *b = paleo_backends(&count);

	(void)state;
	for (int i = 0; i < count; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(b[i].word, b[k].word);
}

static void kinds_of_hardware(void **state)
{
	(void)state;
	assert_int_equal(paleo_backend_find("cuda")->hardware, PALEO_GPU);
	assert_int_equal(paleo_backend_find("cpu")->hardware, PALEO_HOST);
	assert_int_equal(paleo_backend_find("fake")->hardware, PALEO_NO_HARDWARE);
	assert_int_equal(paleo_backend_find(PALEO_BACKEND_TABLE)->hardware, PALEO_GPU);
}

/* Records of a later paleo, and calibrations without records. */
static void unknown_ones_have_nothing(void **state)
{
	(void)state;
	assert_string_equal(paleo_backend_find("npu")->name, "");
	assert_int_equal(paleo_backend_find("npu")->hardware, PALEO_NO_HARDWARE);
	assert_null(paleo_backend_find("")->preload.folders);
}

static void transports_are_found(void **state)
{
	int count;
	const struct paleo_transport_entry *t = paleo_transports(&count);

	(void)state;
	assert_true(count > 0);
	for (int i = 0; i < count; i++)
		assert_ptr_equal(paleo_transport_find(t[i].name), &t[i]);
	assert_string_equal(paleo_transport_find("pigeon")->name, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_found_by_its_name),
		cmocka_unit_test(words_are_different),
		cmocka_unit_test(kinds_of_hardware),
		cmocka_unit_test(unknown_ones_have_nothing),
		cmocka_unit_test(transports_are_found),
	};

	return cmocka_run_group_tests_name("backends", tests, NULL, NULL);
}
