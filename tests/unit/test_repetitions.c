/* test_repetitions.c - of the times at several moments the middle one stands for a work. */
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

/* 16 was measured while two processors shared a core: steady, but not the work's time. */
static void middle_of_three(void **state)
{
	struct paleo_repetitions v = {0};

	(void)state;
	add_good(&v, 10, 0.5);
	add_good(&v, 16, 0.01);
	add_good(&v, 8, 0.5);
	struct paleo_record r = paleo_repetitions_middle(&v);
	assert_true(r.timing.median_s == 10);
	/* logarithms 2.30259, 2.77259, 2.07944: mean 2.38487, squares of what is off it 0.25038;
	 * t of 2 degrees 4.303: 4.303 sqrt(0.25038/2/3) = 0.87902, a factor of 2.4085 */
	assert_true(fabs(r.timing.ci_low_s - 10 / 2.4085) < 1e-3);
	assert_true(fabs(r.timing.ci_high_s - 10 * 2.4085) < 1e-3);
	assert_int_equal(r.timing.repetitions, 3);
	assert_true(paleo_repetitions_range(&v) == 1);
	paleo_repetitions_release(&v);
}

/* Three repetitions of one sample each are less than six samples: there is no interval. */
static void few_samples_have_none(void **state)
{
	struct paleo_repetitions v = {0};
	struct paleo_record r = good(100, 1);

	(void)state;
	r.timing.samples = 1;
	for (int i = 0; i < 3; i++)
		add(&v, &r);
	r = paleo_repetitions_middle(&v);
	assert_true(isnan(r.timing.ci_low_s) && isnan(r.timing.ci_high_s));
	assert_true(!paleo_timing_has_interval(&r.timing));
	paleo_repetitions_release(&v);
}

/*
 * Rounds in which all of three works took 1, 1.1 and 1.21 times as long, but for one time each.
 * Their medians are 1/1.1, 1 and 1.1 of the middle one; with l = log 1.1 the mean is 0, the squares
 * add up to 2 l^2, and half is 4.303 l / sqrt 3. The fourth work was not measured in the second
 * round.
 */
static void rounds_share_the_speed(void **state)
{
	const double times[3][4] = {{1, 2, 3.5, 1}, {1.1, 2.2, 3.3, NAN}, {1.21, 2.42, 3.63, 7}};
	struct paleo_error err;
	double half = -1;

	(void)state;
	assert_int_equal(paleo_repetitions_shared(&times[0][0], 4, 3, &half, &err), PALEO_OK);
	assert_true(fabs(half - 4.303 * log(1.1) / sqrt(3)) < 1e-9);
	assert_int_equal(paleo_repetitions_shared(&times[0][0], 4, 1, &half, &err), PALEO_OK);
	assert_true(half == 0);
	assert_int_equal(paleo_repetitions_shared(&times[0][3], 1, 0, &half, &err), PALEO_OK);
	assert_true(half == 0);
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

/* A repetition to a work of products alone, at a speed of so many GFLOP/s. */
static void add_at_speed(struct paleo_repetitions *v, double median_s, double gflops)
{
	struct paleo_record r = good(median_s, 0);

	r.work.kind = PALEO_GEMM;
	r.work.flops = 1e12;
	r.timing.speed.flop_per_s = gflops * 1e9;
	r.timing.speed.bytes_per_s = 1e9;
	add(v, &r);
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
	assert_true(r.timing.ci_low_s < 10 && r.timing.ci_high_s > 19 * 19 / 10.0);
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

/* What has no time is no repetition; a disturbed work is the first to be gone back to. */
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
		cmocka_unit_test(few_samples_have_none),
		cmocka_unit_test(rounds_share_the_speed),
		cmocka_unit_test(less_noisy_of_two),
		cmocka_unit_test(speed_does_not_decide),
		cmocka_unit_test(without_speed_times_decide),
		cmocka_unit_test(disturbed_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
