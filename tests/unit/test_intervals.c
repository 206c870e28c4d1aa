/* test_intervals.c - prediction intervals from held-out errors, by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "calib/fit_parts.h"
#include "calib/intervals.h"
#include "model/device/device.h"
#include "tests/unit/given.h"

enum {
	MOST = 120
};

struct fixture {
	struct paleo_heldout_row held[MOST];
};

/* `count` rows of rising predictions, each its own shape. */
static void fill(struct fixture *f, int count)
{
	memset(f, 0, sizeof(*f));
	for (int i = 0; i < count; i++) {
		f->held[i] = (struct paleo_heldout_row){.predicted_s = i + 1,
							.ratio = 1,
							.shape = (uint64_t)i,
							.part = i % 5,
							.at = {log2(i + 1)}};
	}
}

static struct paleo_class_model judge(const struct fixture *f, int count)
{
	struct paleo_class_model factor = paleo_fit_first_guess();
	struct paleo_error err;

	assert_int_equal(paleo_intervals_judge(f->held, count, &factor, &err), PALEO_OK);
	return factor;
}

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * fabs(b)))
		fail_msg("%.17g, expected %.17g", a, b);
}

/* |log| is 1 and 2; the row that was not predicted does not count. */
static void means_the_errors(void **state)
{
	const struct paleo_heldout_row held[] = {
		{.ratio = exp(1)}, {.ratio = NAN}, {.ratio = exp(-2)}};
	int n;

	(void)state;
	near(paleo_intervals_error(held, 3, &n), 1.5);
	assert_int_equal(n, 2);
	assert_true(isnan(paleo_intervals_error(held + 1, 1, &n)));
	assert_int_equal(n, 0);
}

/* Ratios 1 .. 19: the 5 % quantile is rank 0.05 * 20 = 1, the 25 % one rank 5, then 15 and 19. */
static void takes_the_ranks_of_a_new_value(void **state)
{
	static struct fixture f;

	(void)state;
	fill(&f, 19);
	for (int i = 0; i < 19; i++)
		f.held[i].ratio = i + 1;
	struct paleo_class_model factor = judge(&f, 19);
	assert_int_equal(factor.band_count, 1);
	near(factor.bands[0].ratio.low, 1);
	near(factor.bands[0].ratio.high, 19);
	near(factor.bands[0].ratio.low50, 5);
	near(factor.bands[0].ratio.high50, 15);
	near(factor.ratio_low, 1);
	/* |predicted / measured - 1| of 1/10 is 0.9 */
	near(factor.heldout_median, 0.9);
}

/*
 * Five shapes of four rows, whose ratios are e^-2, e^-1 .. e^2. The rows of a shape are one: the
 * squared sums are 4^2 (4 + 1 + 0 + 1 + 4), the squares 4 (4 + 1 + 0 + 1 + 4), 4 times less, and of
 * the 3 that this is above 1, 5/4 count: the design effect is 4.75, 20 rows are worth 4.2105. The
 * 5 % quantile is e^-2, and as much further as 4.2105 values are than 20: by Student's table (2.353
 * and 2.132 at 3 and 4 degrees of freedom, so 2.295 at 3.2105; 1.729 at 19) it is
 * 2.295 sqrt(1 + 1/4.2105) / (1.729 sqrt(21/20)) = 1.441. Likewise of the 25 % one, e^-1, with
 * 0.765 and 0.741, so 0.759, and 0.688: 1.197.
 */
static void counts_shapes_and_not_rows(void **state)
{
	static struct fixture f;

	(void)state;
	fill(&f, 20);
	for (int i = 0; i < 20; i++) {
		f.held[i].ratio = exp(i % 5 - 2);
		f.held[i].shape = (uint64_t)i % 5;
	}
	struct paleo_class_model factor = judge(&f, 20);
	double further = log(factor.bands[0].ratio.low) / -2;
	assert_true(fabs(further / 1.441 - 1) < 0.005);
	near(log(factor.bands[0].ratio.high) / 2, further);
	assert_true(fabs(log(factor.bands[0].ratio.high50) / 1.197 - 1) < 0.005);
}

/* 4000 rows in all parts together, in 5 to 10 parts. */
static void holds_out_in_more_parts_where_rows_are_few(void **state)
{
	(void)state;
	assert_int_equal(paleo_intervals_parts(100), 10);
	assert_int_equal(paleo_intervals_parts(500), 8);
	assert_int_equal(paleo_intervals_parts(1000), 5);
}

/* Ten shapes of two rows that err by -k/10 and k/10: errors that cancel make 20 rows worth no more
 * than 20. The 5 % quantile is rank 0.05 * 21 = 1.05 of -1, -0.9 ..: -0.995. */
static void errors_that_cancel_are_worth_no_more(void **state)
{
	static struct fixture f;

	(void)state;
	fill(&f, 20);
	for (int i = 0; i < 20; i++) {
		int k = i / 2 + 1;
		f.held[i].ratio = exp(i % 2 ? 0.1 * k : -0.1 * k);
		f.held[i].shape = (uint64_t)k;
	}
	struct paleo_class_model factor = judge(&f, 20);
	near(log(factor.bands[0].ratio.low), -0.995);
	near(log(factor.bands[0].ratio.high), 0.995);
}

/* 120 rows are three bands of 40; the first begins at 0, and the others would both begin at 3 s. */
static void tells_no_bands_of_equal_predictions(void **state)
{
	static struct fixture f;

	(void)state;
	fill(&f, MOST);
	for (int i = 0; i < MOST; i++)
		f.held[i].predicted_s = 3;
	struct paleo_class_model factor = judge(&f, MOST);
	assert_int_equal(factor.band_count, 2);
	near(factor.bands[1].from_s, 3);
}

/* Short ops err by 2, long ones not at all: two bands of 50. */
static void tells_short_ops_from_long_ones(void **state)
{
	static struct fixture f;

	(void)state;
	fill(&f, 100);
	for (int i = 0; i < 50; i++)
		f.held[i].ratio = 2;
	struct paleo_class_model factor = judge(&f, 100);
	assert_int_equal(factor.band_count, 2);
	near(factor.bands[0].ratio.high, 2);
	near(factor.bands[1].from_s, 51);
	near(factor.bands[1].ratio.high, 1);
}

/* Neighbours in the same part, five apart, err alike, or against one another. */
static void sees_errors_that_go_together(void **state)
{
	static struct fixture f;

	(void)state;
	fill(&f, 100);
	for (int i = 0; i < 100; i++)
		f.held[i].ratio = exp(0.1);
	near(judge(&f, 100).correlation, 1);
	for (int i = 0; i < 100; i++)
		f.held[i].ratio = exp(i / 5 % 2 ? 0.1 : -0.1);
	near(judge(&f, 100).correlation, 0.05);
}

/* 50 ops forward and backward: the most like of the other group is the same op. */
static void sees_passes_that_err_together(void **state)
{
	static struct fixture f;

	(void)state;
	fill(&f, 100);
	for (int i = 0; i < 100; i++) {
		int op = i / 2;
		f.held[i].group = i % 2;
		f.held[i].part = op % 5;
		f.held[i].at[0] = op;
		f.held[i].ratio = exp((op % 3 - 1) * 0.1);
	}
	near(paleo_intervals_correlation(f.held, 100, 1), 1);
	for (int i = 0; i < 100; i += 2)
		f.held[i].ratio = 1 / f.held[i].ratio;
	assert_true(paleo_intervals_correlation(f.held, 100, 1) == 0);
	/* of one group alone there is no other */
	for (int i = 0; i < 100; i++)
		f.held[i].group = 0;
	assert_true(isnan(paleo_intervals_correlation(f.held, 100, 1)));
}

static void leaves_few_rows_as_they_are(void **state)
{
	static struct fixture f;

	(void)state;
	fill(&f, 7);
	struct paleo_class_model factor = judge(&f, 7);
	assert_int_equal(factor.band_count, 0);
	assert_true(isnan(factor.ratio_low) && isnan(factor.correlation));
}

/* Ten of 19 errors, e^i, are squared where twice as much is usual: bands are as without that. */
static void divides_errors_by_what_is_usual(void **state)
{
	static struct fixture f;

	(void)state;
	fill(&f, 19);
	for (int i = 0; i < 19; i++) {
		f.held[i].spread = i % 2 ? 0 : log(2);
		f.held[i].ratio = exp((i - 9) * (i % 2 ? 1 : 2));
	}
	struct paleo_class_model factor = judge(&f, 19);
	near(log(factor.bands[0].ratio.low), -9);
	near(log(factor.bands[0].ratio.high), 9);
	near(log(factor.ratio_low), -18);
	near(paleo_class_model_interval(&factor, 1, 2).high, exp(18));
}

enum {
	OPS = 400
};

/* GEMMs of 1000 and more columns err by ten times as much as others. Held-out rows know at least
 * half of that, in logarithms, from the rows of other parts: trees are few where more help little.
 */
static void finds_which_ops_err_more(void **state)
{
	static struct paleo_op ops[OPS];
	static struct paleo_fit_row rows[OPS];
	static struct paleo_heldout_row held[OPS];
	struct paleo_class_model factor = paleo_fit_first_guess();
	struct paleo_error err;

	(void)state;
	for (int i = 0; i < OPS; i++) {
		char key[64];
		int n = 100 + 37 * (i % 50);
		snprintf(key, sizeof(key), "gemm fwd f32 m=%d n=%d k=64", 1 + i, n);
		ops[i] = given_op(key);
		double z = (double)(paleo_hash((uint64_t)i) % 1000 + 1) / 500 - 1;
		rows[i] = (struct paleo_fit_row){
			.op = &ops[i], .weight = 1, .part = paleo_fit_part(&ops[i])};
		held[i] = (struct paleo_heldout_row){.predicted_s = 1,
						     .ratio = exp(z * (n < 1000 ? 0.05 : 0.5)),
						     .shape = rows[i].part,
						     .part = i % 50 % 5};
	}
	assert_int_equal(
		paleo_fit_spreads(rows, OPS, held, paleo_device_find("v100-pcie"), &factor, &err),
		PALEO_OK);
	assert_true(factor.spread.count > 0);
	double few = 0, many = 0;
	int wide = 0;
	for (int i = 0; i < OPS; i++) {
		int is_wide = ops[i].geom.gemm.n >= 1000;
		wide += is_wide;
		*(is_wide ? &many : &few) += held[i].spread;
	}
	double times = exp(many / wide - few / (OPS - wide));
	if (!(times > sqrt(10) && times < 12))
		fail_msg("wide GEMMs err by %g times as much", times);
	paleo_trees_release(&factor.spread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_the_errors),
		cmocka_unit_test(takes_the_ranks_of_a_new_value),
		cmocka_unit_test(counts_shapes_and_not_rows),
		cmocka_unit_test(holds_out_in_more_parts_where_rows_are_few),
		cmocka_unit_test(errors_that_cancel_are_worth_no_more),
		cmocka_unit_test(tells_no_bands_of_equal_predictions),
		cmocka_unit_test(tells_short_ops_from_long_ones),
		cmocka_unit_test(sees_errors_that_go_together),
		cmocka_unit_test(sees_passes_that_err_together),
		cmocka_unit_test(leaves_few_rows_as_they_are),
		cmocka_unit_test(divides_errors_by_what_is_usual),
		cmocka_unit_test(finds_which_ops_err_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
