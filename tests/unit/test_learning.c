/* test_learning.c - the learning curve: its extrapolation, and that it falls with the records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "calib/holdout.h"
#include "tests/unit/unit.h"

static void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-12))
		fail_msg("%.17g, expected %.17g", value, expected);
}

/* 2 % + 60 % / sqrt(n) is 8 % at 100, 5 % at 400 and 4 % at 900 records; at 1800 it is
 * 2 % + 60 % / 42.426 = 3.4142 %, as 60 / (30 sqrt 2) = sqrt 2. */
static void extrapolates(void **state)
{
	(void)state;
	struct paleo_learning l = {{100, 400, 900}, {0.08, 0.05, 0.04}, 0, 0, 0};

	paleo_learning_extrapolate(&l);
	near(l.floor, 0.02);
	near(l.slope, 0.6);
	near(l.twice, 0.02 + 0.01 * sqrt(2));
}

/* Weights are 1 / y^2. An error that rises has no slope: it stays at its mean, which is
 * (225 * 0.04 + 144 * 0.05 + 100 * 0.06) / 469 as 1/16 : 1/25 : 1/36 is 225 : 144 : 100. One that
 * falls faster than 1 / sqrt(n) would end below 0: it falls to 0. Of x = 1, 1/2, 1/3 and
 * y = 1, 0.4, 0.1, with weights 1, 25/4, 100, the line through 0 has the slope
 * (1 + 5/4 + 10/3) / (1 + 25/16 + 100/9) = (67/12) / (1969/144) = 804/1969. */
static void stays_within_reason(void **state)
{
	(void)state;
	struct paleo_learning rising = {{100, 400, 900}, {0.04, 0.05, 0.06}, 0, 0, 0};
	struct paleo_learning falling = {{1, 4, 9}, {1, 0.4, 0.1}, 0, 0, 0};

	paleo_learning_extrapolate(&rising);
	near(rising.slope, 0);
	near(rising.floor, 22.2 / 469);
	near(rising.twice, 22.2 / 469);
	paleo_learning_extrapolate(&falling);
	near(falling.floor, 0);
	near(falling.slope, 804.0 / 1969);
	near(falling.twice, 804.0 / 1969 / sqrt(18));
}

/* Products whose time is a factor 0.8 to 1.25 off a cost model, by a sequence that never repeats.
 */
static struct paleo_results make_results(int count)
{
	struct paleo_results r = {.meta = {.backend = "fake",
					   .device = {.name = "unit",
						      .flop_per_s = {[PALEO_F32] = 3e11},
						      .mem_bytes_per_s = 2e10}}};
	struct paleo_error err;

	for (int i = 0; i < count; i++) {
		struct paleo_record record = {.op = {.kind = PALEO_GEMM}, .mode = "cold"};
		double turn = fmod(i * 0.6180339887498949, 1);
		record.op.geom.gemm.m = 16 + 7 * i;
		record.op.geom.gemm.n = 1024 - 3 * i;
		record.op.geom.gemm.k = 64 + (i * 37) % 900;
		if (paleo_op_finish(&record.op, &err))
			fail_msg("%s", err.text);
		record.timing.median_s = (record.op.flops / 2e11 + 2e-5) * pow(1.25, 2 * turn - 1);
		assert_int_equal(paleo_results_add(&r, &record, &err), PALEO_OK);
	}
	return r;
}

/* A quarter of 160 is 40. The spread is the same for all: what is left is about 1.25^0.5 - 1, the
 * middle of |log|, 12 %, and between 5 and 20 %. Twice gives the same bits. */
static void comes_from_records(void **state)
{
	(void)state;
	struct paleo_results r = make_results(160);
	const struct paleo_fit_options o = {.folds = 5};
	struct paleo_learning a, b;
	struct paleo_error err;

	assert_int_equal(paleo_learning_curve(&r, &o, &a, &err), PALEO_OK);
	assert_int_equal(paleo_learning_curve(&r, &o, &b, &err), PALEO_OK);
	assert_int_equal(a.records[0], 40);
	assert_int_equal(a.records[1], 80);
	assert_int_equal(a.records[2], 160);
	for (int i = 0; i < PALEO_LEARNING_POINTS; i++) {
		assert_true(a.median[i] > 0.05 && a.median[i] < 0.2);
		assert_true(a.median[i] == b.median[i]);
	}
	/* other records are fitted each time, so the medians differ */
	assert_true(a.median[0] != a.median[1] && a.median[1] != a.median[2]);
	paleo_results_release(&r);
}

static void refuses_few(void **state)
{
	(void)state;
	struct paleo_results r = make_results(PALEO_LEARNING_MIN - 1);
	const struct paleo_fit_options o = {.folds = 5};
	struct paleo_learning l;
	struct paleo_error err;

	assert_int_equal(paleo_learning_curve(&r, &o, &l, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "a learning curve needs 40 records, there are 39");
	paleo_results_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extrapolates),
		cmocka_unit_test(stays_within_reason),
		cmocka_unit_test(comes_from_records),
		cmocka_unit_test(refuses_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
