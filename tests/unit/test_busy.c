/* test_busy.c - what the system's files say of a machine that others use. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "bench/clock.h"
#include "unit.h"

#define STAT(steal, idle)                                                                          \
	"cpu  100 0 50 " idle " 10 0 5 " steal " 0 0\ncpu0 1 0 0 0 0 0 0 0 0 0\n"                  \
	"cpu1 1 0 0 0 0 0 0 0 0 0\nintr 5 0\nprocs_running 3\n"
#define PRESSURE(percent) "some avg10=" percent " avg60=28.84 avg300=57.71 total=417354045\n"

static void reads_the_files(void **state)
{
	struct paleo_busy b = paleo_busy_parse("5.84 11.17 6.25 3/95 1343\n", PRESSURE("12.50"),
					       STAT("20", "800"));

	(void)state;
	assert_true(b.load == 5.84 && b.running == 3 && b.pressure == 0.125);
	assert_int_equal(b.cpus, 2);
	/* 100 + 0 + 50 + 800 + 10 + 0 + 5 + 20; a guest's times are in the first two */
	assert_true(b.steal_ticks == 20 && b.all_ticks == 985);
}

static void what_is_missing_is_not_known(void **state)
{
	static const char *const bad[] = {NULL,      "",  "garbage",   "cpu 1 2",
					  "1.0 2.0", "/", "some avg10"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct paleo_busy b = paleo_busy_parse(bad[i], bad[i], bad[i]);
		char text[256];
		assert_true(isnan(b.load) && isnan(b.running) && isnan(b.pressure));
		assert_true(isnan(b.all_ticks));
		assert_false(paleo_busy_judge(&b, 1, 2, text, sizeof(text)));
		assert_string_equal(text, "");
	}
}

/* 0, 1, 1, 0 others beside the one that asks: 0.5 in the mean, which 2 threads on 2 CPUs
 * bear; the load of the last minute may be our own. */
static void quiet_with_a_load_of_before(void **state)
{
	static const char *const loads[] = {"5.8 1 1 1/95 1", "5.8 1 1 2/95 1", "5.8 1 1 2/95 1",
					    "5.8 1 1 1/95 1"};
	struct paleo_busy b[4];
	char text[256];

	(void)state;
	for (int i = 0; i < 4; i++)
		b[i] = paleo_busy_parse(loads[i], PRESSURE("10.00"), STAT("20", "800"));
	assert_false(paleo_busy_judge(b, 4, 2, text, sizeof(text)));
}

/* Four endless loops on two CPUs. */
static void others_want_the_processors(void **state)
{
	struct paleo_busy b[2];
	char text[256];

	(void)state;
	b[0] = paleo_busy_parse("3.90 2.00 1.00 5/95 1", PRESSURE("97.20"), STAT("20", "800"));
	b[1] = paleo_busy_parse("3.90 2.00 1.00 5/95 1", PRESSURE("97.20"), STAT("20", "840"));
	assert_true(paleo_busy_judge(b, 2, 2, text, sizeof(text)));
	assert_string_equal(text, "4.0 other processes on 2 CPUs, load 3.9, some waited in "
				  "97 % of the last 10 s");
}

/* One process more than a single thread leaves over of two CPUs is none too many. */
static void fewer_threads_leave_room(void **state)
{
	struct paleo_busy b =
		paleo_busy_parse("1.0 1.0 1.0 2/95 1", PRESSURE("0.00"), STAT("0", "1"));
	char text[256];

	(void)state;
	assert_false(paleo_busy_judge(&b, 1, 1, text, sizeof(text)));
	assert_true(paleo_busy_judge(&b, 1, 2, text, sizeof(text)));
}

/* 4 of 40 ticks: 24 - 20 of (800 + 36 + 24) - (800 + 20). */
static void the_host_takes_time(void **state)
{
	struct paleo_busy b[2];
	char text[256];

	(void)state;
	b[0] = paleo_busy_parse("0.1 0.1 0.1 1/95 1", NULL, STAT("20", "800"));
	b[1] = paleo_busy_parse("0.1 0.1 0.1 1/95 1", NULL, STAT("24", "836"));
	assert_true(paleo_busy_judge(b, 2, 2, text, sizeof(text)));
	assert_string_equal(text, "0.0 other processes on 2 CPUs, load 0.1, 10 % of the time "
				  "went to other virtual machines");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_files),
		cmocka_unit_test(what_is_missing_is_not_known),
		cmocka_unit_test(quiet_with_a_load_of_before),
		cmocka_unit_test(others_want_the_processors),
		cmocka_unit_test(fewer_threads_leave_room),
		cmocka_unit_test(the_host_takes_time),
	};

	return cmocka_run_group_tests_name("busy", tests, NULL, NULL);
}
