/* test_totals.c - sums of a net of which some rows have no time. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tools/print/print.h"

enum {
	ROWS = 3
};

static struct plan_time times[ROWS];
static struct plan_op ops[ROWS];
static struct paleo_net_op rows[ROWS];
static int op_of[ROWS] = {0, 1, 2};
static const struct paleo_class_model factor;
static char name[] = "x";
static struct paleo_net net = {.name = name, .title = name, .batch = 4};
static struct plan_net plan_net = {
	.net = &net, .rows = {.items = rows, .count = ROWS}, .op_of = op_of};
static struct plan plan = {
	.modes.count = 1, .nets = &plan_net, .net_count = 1, .ops = ops, .op_count = ROWS};

/* Three forward rows, predicted with 8, 30 and 2 ms: the first took 10 ms, of the second all
 * samples were thrown away, the shortest 1867 ms, and the budget ended before the third. */
static void fill(void)
{
	static const double predicted_s[ROWS] = {8e-3, 30e-3, 2e-3};

	memset(times, 0, sizeof(times));
	memset(ops, 0, sizeof(ops));
	for (int i = 0; i < ROWS; i++) {
		rows[i].pass = PALEO_FWD;
		ops[i].times = &times[i];
		ops[i].predicted = 1;
		ops[i].prediction.parts.total_s = ops[i].before_s = predicted_s[i];
		ops[i].prediction.interval = PALEO_NO_INTERVAL;
		ops[i].prediction.factor = &factor;
	}
	times[0].measured = times[1].measured = 1;
	times[0].record.status = PALEO_RECORD_OK;
	times[0].record.timing.samples = 1;
	times[0].record.timing.median_s = 10e-3;
	times[1].record.status = PALEO_RECORD_DISTURBED;
	times[1].record.timing.min_s = 1.867;
	times[1].record.timing.rejected = 12;
	strcpy(times[1].record.reason, "other processes disturbed");
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

/* The total is of all rows: 10 + 30 + 2 = 42 ms, of which 10 are 24 %. Predicted are 40. */
static void gaps_are_predicted(void **state)
{
	(void)state;
	fill();
	char *text = printed();
	assert_string_equal(
		text, "  forward             predicted     40.000 ms  total     42.000 ms: 24 % "
		      "measured, 76 % predicted (1 of 3 rows measured, error -20.0 %)     "
		      " 95.2 images/s    0.000 GFLOP/s\n"
		      "  error per row: median 20.0 %, mean 20.0 %, p90 20.0 %, 1 rows\n");
	free(text);
}

/* A least sample of 38 ms counts, and is told apart: 10 + 38 + 2 = 50; no error is of it. */
static void least_samples_are_of_low_confidence(void **state)
{
	(void)state;
	fill();
	times[1].record.least_s = 38e-3;
	char *text = printed();
	assert_non_null(strstr(text, "  total     50.000 ms: 20 % measured, 76 % low confidence, "
				     "4 % predicted (1 of 3 rows measured, error -20.0 %)"));
	assert_non_null(strstr(text, "p90 20.0 %, 1 rows\n"));
	free(text);
}

/* Where a row is neither measured nor predicted, the total says so. */
static void a_row_without_a_time(void **state)
{
	(void)state;
	fill();
	ops[2].predicted = 0;
	char *text = printed();
	assert_non_null(strstr(text, "  total     40.000 ms: 25 % measured, 75 % predicted "
				     "(1 of 3 rows measured, error -20.0 %, 1 without a time)\n"));
	free(text);
}

/* Where all were disturbed the predictions are all there is. */
static void nothing_measured(void **state)
{
	(void)state;
	fill();
	times[0].record.status = PALEO_RECORD_DISTURBED;
	char *text = printed();
	assert_non_null(strstr(text,
			       "  forward             predicted     40.000 ms  total     40.000 "
			       "ms: 100 % predicted (0 of 3 rows measured)"));
	free(text);
}

/* Of 40 ms predicted 8 were measured: a fifth. What cannot be measured here does not count. */
static void share_of_predicted_time(void **state)
{
	(void)state;
	fill();
	assert_true(plan_measured_share(&plan) == 0.2);
	times[1].record.status = PALEO_RECORD_UNSUPPORTED;
	assert_true(plan_measured_share(&plan) == 0.8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_are_predicted),
		cmocka_unit_test(least_samples_are_of_low_confidence),
		cmocka_unit_test(a_row_without_a_time),
		cmocka_unit_test(nothing_measured),
		cmocka_unit_test(share_of_predicted_time),
	};

	return cmocka_run_group_tests_name("totals", tests, NULL, NULL);
}
