/* test_totals.c - sums of a net of which some rows have no time. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tools/totals.h"

enum {
	ROWS = 3
};

static struct plan_time times[ROWS];
static struct plan_work works[ROWS];
static struct paleo_net_work rows[ROWS];
static int work_of[ROWS] = {0, 1, 2};
static const struct paleo_class_model factor;
static char name[] = "x";
static struct paleo_net net = {.name = name, .title = name, .batch = 4};
static struct plan_net plan_net = {
	.net = &net, .rows = {.items = rows, .count = ROWS}, .work_of = work_of};
static struct plan plan = {
	.modes.count = 1, .nets = &plan_net, .net_count = 1, .works = works, .work_count = ROWS};

/* Three forward rows, predicted with 8, 30 and 2 ms: the first took 10 ms, of the second all
 * samples were thrown away, the shortest 1867 ms, and the budget ended before the third. */
static void fill(void)
{
	static const double predicted_s[ROWS] = {8e-3, 30e-3, 2e-3};

	memset(times, 0, sizeof(times));
	memset(works, 0, sizeof(works));
	for (int i = 0; i < ROWS; i++) {
		rows[i].pass = PALEO_FWD;
		works[i].times = &times[i];
		works[i].predicted = 1;
		works[i].prediction.parts.total_s = works[i].before_s = predicted_s[i];
		works[i].prediction.interval = PALEO_NO_INTERVAL;
		works[i].prediction.factor = &factor;
	}
	times[0].measured = times[1].measured = 1;
	times[0].record.status = PALEO_RECORD_OK;
	times[0].record.timing.samples = 1;
	times[0].record.timing.median_s = 10e-3;
	times[1].record.status = PALEO_RECORD_DISTURBED;
	times[1].record.timing.min_s = 1.867;
	times[1].record.timing.rejected = 12;
	strcpy(times[1].record.reason, "other processes took the processor");
}

/* What is printed below the table; freed by the caller. */
static char *printed(void)
{
	const struct report_settings s = {.plan = &plan};
	struct paleo_error err = {0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	if (totals_print(&s, &plan_net, out, &err))
		fail_msg("%s", err.text);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* 10 + 30 + 2 = 42 ms; 10 of them are 24 %. The 1867 ms are nowhere. */
static void disturbed_rows_are_in_no_sum(void **state)
{
	(void)state;
	fill();
	char *text = printed();
	assert_string_equal(text,
			    "  forward             predicted      8.000 ms  measured     10.000 ms "
			    " error  -20.0 %"
			    "  (1 of 3 rows; with the others as predicted 42.000 ms, of which 24 % "
			    "are measured)\n"
			    "  error per row: median 20.0 %, mean 20.0 %, p90 20.0 %, 1 rows\n");
	free(text);
}

/* Where a row is neither measured nor predicted there is no sum of all. */
static void no_sum_of_what_is_not_known(void **state)
{
	(void)state;
	fill();
	works[2].predicted = 0;
	char *text = printed();
	assert_non_null(strstr(text, "error  -20.0 %  (1 of 3 rows)\n"));
	free(text);
}

/* Where all were disturbed the predictions are all there is. */
static void nothing_measured(void **state)
{
	(void)state;
	fill();
	times[0].record.status = PALEO_RECORD_DISTURBED;
	char *text = printed();
	assert_string_equal(text, "  forward             predicted     40.000 ms  (0 of 3 rows)\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(disturbed_rows_are_in_no_sum),
		cmocka_unit_test(no_sum_of_what_is_not_known),
		cmocka_unit_test(nothing_measured),
	};

	return cmocka_run_group_tests_name("totals", tests, NULL, NULL);
}
