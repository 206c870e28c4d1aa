/* test_health.c - devices beside their siblings and their kind: false alarms, and what is found. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "calib/health.h"
#include "tests/unit/draw.h"
#include "tests/unit/unit.h"

enum {
	PARTS = 25,
	DEVICES_MAX = 64,
	SEEDS = 1000
};

static const struct paleo_health_how usual = {.level = 0.01, .margin = 0.03};

/* How equal devices differ: all of a device's parts together, each by itself, and how often a
 * number has three times the deviation. */
struct scatter {
	int devices;
	double together, alone, tails;
};

static void draw_devices(struct draw *d, const struct scatter *s, struct paleo_health_value *to)
{
	for (int i = 0; i < s->devices; i++) {
		double all = s->together * normal(d);
		for (int part = 0; part < PARTS; part++)
			to[i * PARTS + part] = (struct paleo_health_value){
				.log_s = part + all +
					 s->alone * normal(d) * (uniform(d) < s->tails ? 3 : 1),
				.se = 0.001};
	}
}

/* The devices that are called slow, a bit each: each beside all others. */
static unsigned long long slow_ones(const struct paleo_health_value *all, int devices)
{
	static struct paleo_health_value others[DEVICES_MAX * PARTS];
	struct paleo_health_how how = usual;
	struct paleo_health_finding found[PARTS + 1];
	struct paleo_error err;
	unsigned long long slow = 0;

	how.level /= devices;
	for (int i = 0; i < devices; i++) {
		int n = 0;
		for (int k = 0; k < devices * PARTS; k++)
			if (k / PARTS != i)
				others[n++] = all[k];
		assert_int_equal(paleo_health_compare(&all[i * PARTS], others, devices - 1, PARTS,
						      &how, found, &err),
				 PALEO_OK);
		for (int part = 0; part <= PARTS; part++)
			if (found[part].is_slow)
				slow |= 1ull << i;
	}
	return slow;
}

/* In so many of the seeds: anything is called slow, and exactly the first is; `slower` is added to
 * all of its parts, or to one. */
static void count_alarms(const struct scatter *s, int seeds, double slower, int parts, int *alarms,
			 int *right)
{
	static struct paleo_health_value all[DEVICES_MAX * PARTS];

	*alarms = *right = 0;
	for (int seed = 1; seed <= seeds; seed++) {
		struct draw d = {.seed = (uint64_t)seed << 32};
		draw_devices(&d, s, all);
		for (int part = 0; part < parts; part++)
			all[part].log_s += log(1 + slower);
		unsigned long long slow = slow_ones(all, s->devices);
		*alarms += slow != 0;
		*right += slow == 1;
	}
}

/* The most alarms in all of these cases. */
static int worst_of(const struct scatter *cases, size_t count)
{
	int alarms, right, worst = 0;

	for (size_t i = 0; i < count; i++) {
		const struct scatter *s = &cases[i];
		count_alarms(s, SEEDS, 0, 0, &alarms, &right);
		printf("%2d devices, %.1f %% together, %.1f %% alone, %.0f %% outliers: %d of %d\n",
		       s->devices, 100 * s->together, 100 * s->alone, 100 * s->tails, alarms,
		       SEEDS);
		worst = alarms > worst ? alarms : worst;
	}
	return worst;
}

/* Up to what large clusters show, with and without outliers among the numbers: 1 % at most. */
static void test_false_alarms(void **state)
{
	static const struct scatter usual_ones[] = {
		{2, 0, 0.003, 0},     {2, 0.015, 0.005, 0},    {2, 0, 0.015, 0.05},
		{3, 0.015, 0.005, 0}, {4, 0, 0.003, 0},        {4, 0.005, 0.015, 0.05},
		{4, 0.015, 0.01, 0},  {8, 0.015, 0.005, 0.05}, {16, 0.015, 0.01, 0},
	};

	(void)state;
	assert_in_range(worst_of(usual_ones, sizeof(usual_ones) / sizeof(*usual_ones)), 0,
			SEEDS / 100);
}

/* The devices that differ, a bit each: each beside all others. */
static unsigned long long differing(const struct paleo_health_value *all, int devices, int parts,
				    struct paleo_health_factor *factors)
{
	static struct paleo_health_value others[DEVICES_MAX * PARTS];
	struct paleo_health_how how = usual;
	struct paleo_error err;
	unsigned long long differ = 0;

	how.level /= devices;
	for (int i = 0; i < devices; i++) {
		int n = 0;
		for (int k = 0; k < devices * parts; k++)
			if (k / parts != i)
				others[n++] = all[k];
		assert_int_equal(paleo_health_factor(&all[i * parts], others, devices - 1, parts,
						     &how, &factors[i], &err),
				 PALEO_OK);
		differ |= (unsigned long long)factors[i].differs << i;
	}
	return differ;
}

/* Equal devices are called different in 1 % of runs at most; one of four that takes 20 % longer, or
 * a fifth less, is found in nine of ten. */
static void test_factor(void **state)
{
	static const struct scatter cases[] = {{2, 0.015, 0.005, 0},
					       {2, 0, 0.015, 0.05},
					       {4, 0.015, 0.01, 0},
					       {8, 0.015, 0.005, 0.05}};
	static struct paleo_health_value all[DEVICES_MAX * PARTS];
	struct paleo_health_factor factors[DEVICES_MAX];

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		int alarms = 0, slow = 0, fast = 0;
		for (int seed = 1; seed <= SEEDS; seed++) {
			struct draw d = {.seed = (uint64_t)seed << 32};
			draw_devices(&d, &cases[c], all);
			alarms += differing(all, cases[c].devices, PARTS, factors) != 0;
			for (int part = 0; part < PARTS; part++)
				all[part].log_s += log(1.2);
			slow += (int)(differing(all, cases[c].devices, PARTS, factors) & 1);
			for (int part = 0; part < PARTS; part++)
				all[part].log_s -= 2 * log(1.2);
			fast += (int)(differing(all, cases[c].devices, PARTS, factors) & 1);
		}
		printf("%d devices: %d false, %d slow, %d fast of %d\n", cases[c].devices, alarms,
		       slow, fast, SEEDS);
		assert_in_range(alarms, 0, SEEDS / 100);
		assert_in_range(slow, SEEDS * 9 / 10, SEEDS);
		assert_in_range(fast, SEEDS * 9 / 10, SEEDS);
	}
}

/* By hand: of nine parts 25 % slower, but for one of 50 % and one of 0 %, the order statistics
 * leave out one at each end. Five parts give no interval. */
static void test_factor_by_hand(void **state)
{
	struct paleo_health_value all[18] = {{0}};
	struct paleo_health_factor f[2];

	(void)state;
	for (int part = 0; part < 9; part++)
		all[9 + part].log_s = log(part == 3 ? 1.5 : part == 5 ? 1 : 1.25);
	assert_int_equal(differing(all, 2, 9, f), 3);
	assert_true(fabs(f[1].factor - 1.25) < 1e-12);
	assert_true(fabs(f[1].low - 1.25) < 1e-12);
	assert_true(fabs(f[1].high - 1.25) < 1e-12);
	assert_true(fabs(f[0].factor - 0.8) < 1e-12);
	assert_int_equal(f[0].parts, 9);
	/* 8 degrees of freedom, 0.25 % on each side: t = 3.833; two devices differ by 1.5 % x
	 * sqrt(2) */
	assert_true(fabs(f[0].limit - exp(3.8325 * 0.015 * sqrt(2))) < 1e-4);
	assert_int_equal(differing(all, 2, 5, f), 0);
	assert_true(isnan(f[0].factor));
}

/* At twice that: 5 % at most. */
static void test_twice_apart(void **state)
{
	static const struct scatter wide[] = {
		{2, 0.03, 0.01, 0}, {4, 0.03, 0.005, 0}, {4, 0, 0.03, 0}, {16, 0.03, 0.01, 0}};

	(void)state;
	assert_in_range(worst_of(wide, sizeof(wide) / sizeof(*wide)), 0, SEEDS / 20);
}

/* The least slowness, in steps of one per cent, at which the right device alone is called slow
 * in 90 % of 60 seeds. */
static double least_found(const struct scatter *s, int parts)
{
	const int seeds = 60;
	int alarms, right;

	for (double slower = 0.06; slower < 1; slower += 0.01) {
		count_alarms(s, seeds, slower, parts, &alarms, &right);
		if (right >= seeds * 9 / 10)
			return slower;
	}
	return 1;
}

/* Of devices that differ by 1 %. */
static void test_power(void **state)
{
	static const struct {
		int devices;
		double whole, part;
	} most[] = {{3, 0.115, 0.165}, {4, 0.115, 0.165}, {8, 0.105, 0.145}, {16, 0.095, 0.135}};

	(void)state;
	for (size_t i = 0; i < sizeof(most) / sizeof(*most); i++) {
		const struct scatter s = {most[i].devices, 0.008, 0.006, 0};
		double whole = least_found(&s, PARTS), part = least_found(&s, 1);
		printf("%2d devices: found from %.1f %% slower in all parts, %.1f %% in one\n",
		       s.devices, 100 * whole, 100 * part);
		assert_true(whole <= most[i].whole && part <= most[i].part);
	}
}

/* Nothing to compare with, or nothing measured: no finding. Others' parts may be missing. */
static void test_missing(void **state)
{
	const struct paleo_health_value own[] = {{0.2, 0}, {NAN, 0}, {0, 0}};
	const struct paleo_health_value others[] = {{0, 0}, {1, 0}, {NAN, 0},
						    {0, 0}, {1, 0}, {NAN, 0}};
	struct paleo_health_finding found[4];
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_health_compare(own, others, 0, 3, &usual, found, &err), PALEO_OK);
	for (int i = 0; i < 4; i++)
		assert_true(isnan(found[i].slower) && !found[i].is_slow);
	assert_int_equal(paleo_health_compare(own, others, 2, 3, &usual, found, &err), PALEO_OK);
	assert_true(found[0].is_slow && fabs(found[0].slower - (exp(0.2) - 1)) < 1e-12);
	assert_true(isnan(found[1].slower) && isnan(found[2].slower));
	assert_true(found[3].is_slow);
}

/* Ops whose 90 % interval reaches 10 % up: the 99.5 % point is at 1.10^(2.5758 / 1.6449) - 1 =
 * 16.1 %. Three of five beyond it are half of them. */
static void test_kind(void **state)
{
	struct paleo_health_of_kind ops[5];
	struct paleo_health_finding f;
	struct paleo_error err;

	(void)state;
	for (int i = 0; i < 5; i++)
		ops[i] = (struct paleo_health_of_kind){i < 3 ? 1.17 : 1.0, 1, 1.1};
	assert_int_equal(paleo_health_kind(ops, 5, 0.03, &f, &err), PALEO_OK);
	assert_true(f.is_slow && fabs(f.slower - 0.17) < 1e-9);
	for (int i = 0; i < 3; i++)
		ops[i].measured_s = 1.155;
	assert_int_equal(paleo_health_kind(ops, 5, 0.03, &f, &err), PALEO_OK);
	assert_true(!f.is_slow);
	assert_int_equal(paleo_health_kind(ops, 4, 0.03, &f, &err), PALEO_OK);
	assert_true(isnan(f.slower) && !f.is_slow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_false_alarms),   cmocka_unit_test(test_factor),
		cmocka_unit_test(test_factor_by_hand), cmocka_unit_test(test_twice_apart),
		cmocka_unit_test(test_power),          cmocka_unit_test(test_missing),
		cmocka_unit_test(test_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
