/* test_repetitions.c - repeated times of an op: which represents it, and the noise of all. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/repetitions.h"
#include "unit.h"

/* A record with this median time, whose own interval is a hundredth to either side. */
static struct paleo_record good(double median_s, double mad_s)
{
	struct paleo_record r = {.status = PALEO_RECORD_OK};

	r.timing.median_s = median_s;
	r.timing.ci_low_s = 0.99 * median_s;
	r.timing.ci_high_s = 1.01 * median_s;
	r.timing.mad_s = mad_s;
	r.timing.samples = 2;
	return r;
}

static void add(struct paleo_repetitions *v, const struct paleo_record *r)
{
	struct paleo_error err;

	assert_int_equal(paleo_repetitions_add(v, r, &err), PALEO_OK);
}

static void add_good(struct paleo_repetitions *v, double median_s, double mad_s)
{
	struct paleo_record r = good(median_s, mad_s);

	add(v, &r);
}

static void one_is_itself(void **state)
{
	struct paleo_repetitions v = {0};

	(void)state;
	add_good(&v, 2, 0.1);
	struct paleo_record r = paleo_repetitions_middle(&v);
	assert_true(r.timing.median_s == 2);
	assert_true(r.timing.ci_low_s == 0.99 * 2 && r.timing.ci_high_s == 1.01 * 2);
	assert_int_equal(r.timing.repetitions, 0);
	assert_true(paleo_repetitions_range(&v) == 0);
	paleo_repetitions_release(&v);
}

/* 16 was measured while two CPUs shared a core: steady, but not the op's time. */
static void middle_of_three(void **state)
{
	struct paleo_repetitions v = {0};

	(void)state;
	add_good(&v, 10, 0.5);
	add_good(&v, 16, 0.01);
	add_good(&v, 8, 0.5);
	struct paleo_record r = paleo_repetitions_middle(&v);
	assert_true(r.timing.median_s == 10);
	assert_int_equal(r.timing.repetitions, 3);
	assert_true(paleo_repetitions_range(&v) == 1);
	paleo_repetitions_release(&v);
}

/* A repetition to an op of products alone, at a speed of so many GFLOP/s. */
static void add_at_speed(struct paleo_repetitions *v, double median_s, double gflops)
{
	struct paleo_record r = good(median_s, 0);

	r.op.kind = PALEO_GEMM;
	r.op.flops = 1e12;
	r.timing.speed.flop_per_s = gflops * 1e9;
	r.timing.speed.bytes_per_s = 1e9;
	add(v, &r);
}

static void settle(struct paleo_repetitions *v, struct paleo_record *out, int count)
{
	const struct paleo_repetitions *list[8];
	const struct paleo_shared_error none = {0, 0};
	struct paleo_record *records[8];
	struct paleo_error err;

	for (int i = 0; i < count; i++) {
		list[i] = &v[i];
		out[i] = paleo_repetitions_middle(&v[i]);
		records[i] = &out[i];
	}
	assert_int_equal(paleo_repetitions_settle(list, records, count, &none, &err), PALEO_OK);
}

/*
 * Logarithms of 8, 10 and 16 are 2.07944, 2.30259, 2.77259: mean 2.38487, squares of what is off it
 * 0.25038, so that a repetition has a standard deviation of 0.35382. None is more than 1.5 of these
 * off the mean: the time is exp 2.38487 = 10.858. t of 2 degrees is 4.3027: half the interval is
 * 4.3027 sqrt(0.25038 / 2 / 3) = 0.87895, a factor of 2.4084.
 */
static void one_op_by_itself(void **state)
{
	struct paleo_repetitions v = {0};
	struct paleo_record r;

	(void)state;
	add_good(&v, 10, 0.5);
	add_good(&v, 16, 0.5);
	add_good(&v, 8, 0.5);
	settle(&v, &r, 1);
	assert_true(fabs(r.timing.median_s - 10.858) < 1e-3);
	assert_true(fabs(r.timing.mad_s - 0.5 * 1.0858) < 1e-3);
	assert_true(fabs(r.timing.ci_low_s - r.timing.median_s / 2.4084) < 1e-3);
	assert_true(fabs(r.timing.ci_high_s - r.timing.median_s * 2.4084) < 1e-3);
	assert_true(r.timing.ci_degrees == 2);
	assert_int_equal(r.timing.repetitions, 3);
	paleo_repetitions_release(&v);
}

/* Two repetitions have one degree of freedom: a t of 12.7. Eight ops with two each have eight. */
static void ops_share_their_spread(void **state)
{
	static const double apart[8] = {0.02, 0.04, 0.01, 0.03, 0.02, 0.05, 0.01, 0.03};
	struct paleo_repetitions v[8] = {{0}};
	struct paleo_record r[8];

	(void)state;
	for (int i = 0; i < 8; i++) {
		add_good(&v[i], 1, 0);
		add_good(&v[i], exp(apart[i]), 0);
	}
	settle(v, r, 8);
	for (int i = 0; i < 8; i++) {
		double half = log(r[i].timing.ci_high_s / r[i].timing.median_s);
		assert_true(r[i].timing.ci_degrees > 2);
		assert_true(half > 0.01 && half < 0.08);
		paleo_repetitions_release(&v[i]);
	}
}

/* An op that follows the probe in full takes half as long at twice the speed: at one speed its
 * repetitions agree. The record has the mean speed. */
static void speed_is_taken_out(void **state)
{
	struct paleo_repetitions v[4] = {{0}};
	struct paleo_record r[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		add_at_speed(&v[i], 10, 200);
		add_at_speed(&v[i], 20, 100);
		add_at_speed(&v[i], 20.02, 100);
		add_at_speed(&v[i], 40, 50);
	}
	settle(v, r, 4);
	for (int i = 0; i < 4; i++) {
		assert_true(fabs(r[i].timing.speed_slope - 1) < 0.01);
		assert_true(fabs(r[i].timing.speed.flop_per_s - 100e9) < 1);
		assert_true(fabs(r[i].timing.median_s - 20) < 0.1);
		assert_true(r[i].timing.ci_high_s < 20.5);
		paleo_repetitions_release(&v[i]);
	}
}

/*
 * Rounds in which all of three ops took 1, 1.1 and 1.21 times as long, but for one time each.
 * Their medians are 1/1.1, 1 and 1.1 of the middle one; with l = log 1.1 the mean is 0, the squares
 * add up to 2 l^2, and half is 4.30265 l / sqrt 3. The fourth op was not measured in the second
 * round.
 */
static void rounds_share_the_speed(void **state)
{
	const double times[3][4] = {{1, 2, 3.5, 1}, {1.1, 2.2, 3.3, NAN}, {1.21, 2.42, 3.63, 7}};
	struct paleo_error err;
	struct paleo_shared_error shared = {-1, -1};

	(void)state;
	assert_int_equal(paleo_repetitions_shared(&times[0][0], 4, 3, &shared, &err), PALEO_OK);
	assert_true(fabs(shared.half - 4.30265 * log(1.1) / sqrt(3)) < 1e-6);
	assert_int_equal(paleo_repetitions_shared(&times[0][0], 4, 1, &shared, &err), PALEO_OK);
	assert_true(shared.half == 0);
	assert_int_equal(paleo_repetitions_shared(&times[0][3], 1, 0, &shared, &err), PALEO_OK);
	assert_true(shared.half == 0);
}

/* Deviations of 0.02 and 0.01 of their times: the longer one is the less noisy. */
static void less_noisy_of_two(void **state)
{
	struct paleo_repetitions v = {0};

	(void)state;
	add_good(&v, 10, 0.2);
	add_good(&v, 12, 0.12);
	assert_true(paleo_repetitions_middle(&v).timing.median_s == 12);
	add_good(&v, 5, 0);
	add_good(&v, 20, 0); /* of 5, 10, 12 and 20 the two in the middle are the same */
	assert_true(paleo_repetitions_middle(&v).timing.median_s == 12);
	assert_int_equal(paleo_repetitions_middle(&v).timing.repetitions, 4);
	paleo_repetitions_release(&v);
}

/* At one speed, 10 s at twice the others' would be 20: 19 s and not 16 is in the middle. */
static void speed_does_not_decide(void **state)
{
	struct paleo_repetitions v = {0};

	(void)state;
	add_at_speed(&v, 10, 200);
	add_at_speed(&v, 16, 100);
	add_at_speed(&v, 19, 100);
	struct paleo_record r = paleo_repetitions_middle(&v);
	assert_true(r.timing.median_s == 19 && r.timing.speed.flop_per_s == 100e9);
	paleo_repetitions_release(&v);
}

/* Where one repetition has no speed, the times themselves decide. */
static void without_speed_times_decide(void **state)
{
	struct paleo_repetitions v = {0};

	(void)state;
	add_at_speed(&v, 10, 200);
	add_good(&v, 16, 0);
	add_at_speed(&v, 19, 100);
	assert_true(paleo_repetitions_middle(&v).timing.median_s == 16);
	paleo_repetitions_release(&v);
}

/* What has no time is no repetition; a disturbed op is the first to be gone back to. */
static void disturbed_is_none(void **state)
{
	struct paleo_record disturbed = good(3, 0), failed = good(1, 0);
	struct paleo_repetitions v = {0};

	(void)state;
	disturbed.status = PALEO_RECORD_DISTURBED;
	failed.status = PALEO_RECORD_TIMEOUT;
	assert_true(paleo_noise(&disturbed) == PALEO_DISTURBED);
	assert_true(paleo_noise(&failed) == 0);
	add(&v, &failed);
	add(&v, &disturbed);
	assert_int_equal(v.count, 0);
	add_good(&v, 5, 0.1);
	assert_true(paleo_noise(&v.records[0]) == 0.1 / 5);
	add(&v, &disturbed);
	add(&v, &failed);
	assert_int_equal(v.count, 1);
	assert_true(paleo_repetitions_middle(&v).timing.median_s == 5);
	paleo_repetitions_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_is_itself),
		cmocka_unit_test(middle_of_three),
		cmocka_unit_test(one_op_by_itself),
		cmocka_unit_test(ops_share_their_spread),
		cmocka_unit_test(speed_is_taken_out),
		cmocka_unit_test(rounds_share_the_speed),
		cmocka_unit_test(less_noisy_of_two),
		cmocka_unit_test(speed_does_not_decide),
		cmocka_unit_test(without_speed_times_decide),
		cmocka_unit_test(disturbed_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
