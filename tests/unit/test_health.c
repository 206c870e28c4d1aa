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
		cmocka_unit_test(test_false_alarms), cmocka_unit_test(test_twice_apart),
		cmocka_unit_test(test_power),        cmocka_unit_test(test_missing),
		cmocka_unit_test(test_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
