/* test_study_comm.c - a study of collective operations finds the link that made the times. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/study.h"
#include "tests/unit/unit.h"

enum {
	SIZES = 40
};

static const struct paleo_study_options options = {.folds = 4, .rows_max = 1000};

/* All-reduces of 2^8 .. 2^27.5 bytes among 4: 2 3 (5 us + B/4 / 1 GB/s) up to 64 KiB, beyond
 * 2 3 (20 us + B/4 / 10 GB/s). */
static struct paleo_measured_collective made(int i, int line)
{
	double bytes = floor(pow(2, 8 + 0.5 * i));
	int small = bytes <= 65536;

	return (struct paleo_measured_collective){
		.op = "allreduce",
		.ranks = 4,
		.bytes = bytes,
		.time_s = 6 * ((small ? 5e-6 : 20e-6) + bytes / 4 / (small ? 1e9 : 10e9)),
		.how = "fp16",
		.line = line};
}

static void finds_the_form(void **state)
{
	(void)state;
	struct paleo_measured_collective rows[SIZES + 3];
	struct paleo_measured m = {.collectives = rows, .collective_count = SIZES + 3};
	struct paleo_comm_study *studies;
	struct paleo_error err;
	int count, left_out;

	for (int i = 0; i < SIZES; i++)
		rows[i] = made(i, i + 2);
	/* Three of another number of ranks: too few for four folds. */
	for (int i = SIZES; i < SIZES + 3; i++) {
		rows[i] = made(i - SIZES, i + 2);
		rows[i].ranks = 8;
	}
	assert_int_equal(paleo_study_collectives(&m, &options, &studies, &count, &left_out, &err),
			 0);
	assert_int_equal(count, 1);
	assert_int_equal(left_out, 3);
	assert_int_equal(studies[0].of.ranks, 4);
	assert_int_equal(studies[0].rows, SIZES);
	assert_true(studies[0].best.errors.median < 1e-6);
	assert_true(studies[0].best.errors.mean < 0.05);
	assert_true(studies[0].line.errors.mean > 0.05);
	/* A curve has no steps, but it is no worse than a line, which it can be. */
	assert_true(studies[0].curve.errors.mean < studies[0].line.errors.mean + 0.01);
	assert_true(studies[0].best.errors.mean < studies[0].curve.errors.mean);
	assert_true(studies[0].paleo.errors.mean > studies[0].line.errors.mean);
	free(studies);
}

/* Two series of one operation, and what they have together: the mean of both, which have as many
 * rows. One of another operation has nothing to be added to. */
static void adds_up_series(void **state)
{
	(void)state;
	static const char gather[] = "allgather";
	struct paleo_measured_collective rows[3 * SIZES];
	struct paleo_measured m = {.collectives = rows, .collective_count = 3 * SIZES};
	struct paleo_comm_study *s;
	struct paleo_error err;
	int count, left_out;

	for (int i = 0; i < 3 * SIZES; i++) {
		rows[i] = made(i % SIZES, i + 2);
		if (i / SIZES == 1)
			rows[i].op = gather;
		if (i / SIZES == 2)
			rows[i].ranks = 8;
	}
	assert_int_equal(paleo_study_collectives(&m, &options, &s, &count, &left_out, &err), 0);
	assert_int_equal(count, 4);
	assert_string_equal(s[3].of.op, rows[0].op);
	assert_int_equal(s[3].of.ranks, 0);
	assert_int_equal(s[3].rows, 2 * SIZES);
	assert_true(fabs(2 * s[3].best.errors.mean - s[0].best.errors.mean -
			 s[2].best.errors.mean) < 1e-12);
	assert_true(fabs(2 * s[3].paleo.errors.mean - s[0].paleo.errors.mean -
			 s[2].paleo.errors.mean) < 1e-12);
	free(s);
}

/* One rank sends all of 2^8 .. 2^27.5 bytes to another, in 5 us + B / 10 GB/s. */
static void sends_go_one_way(void **state)
{
	(void)state;
	struct paleo_measured_collective rows[SIZES];
	struct paleo_measured m = {.collectives = rows, .collective_count = SIZES};
	struct paleo_comm_study *s;
	struct paleo_error err;
	int count, left_out;

	for (int i = 0; i < SIZES; i++) {
		rows[i] = made(i, i + 2);
		rows[i].op = "send_recv";
		rows[i].ranks = 2;
		rows[i].time_s = 5e-6 + rows[i].bytes / 10e9;
	}
	assert_int_equal(paleo_study_collectives(&m, &options, &s, &count, &left_out, &err), 0);
	assert_int_equal(count, 1);
	assert_true(s[0].line.errors.mean < 1e-6);
	free(s);
}

static void has_none_in_a_table_of_ops(void **state)
{
	(void)state;
	struct paleo_measured m = {0};
	struct paleo_comm_study *studies;
	struct paleo_error err;
	int count, left_out;

	assert_int_equal(paleo_study_collectives(&m, &options, &studies, &count, &left_out, &err),
			 0);
	assert_int_equal(count, 0);
	free(studies);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_form),
		cmocka_unit_test(adds_up_series),
		cmocka_unit_test(sends_go_one_way),
		cmocka_unit_test(has_none_in_a_table_of_ops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
