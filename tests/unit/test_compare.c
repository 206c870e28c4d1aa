/* test_compare.c - how often a comparison finds a change, and one where there is none. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "bench/repetitions.h"
#include "calib/compare.h"
#include "tests/unit/draw.h"
#include "tests/unit/unit.h"

enum {
	OPS = 60,
	ROUNDS_MAX = 10,
	DRAWS = 300
};

static void assert_near(double value, double expected, double most)
{
	if (!(fabs(value - expected) <= most))
		fail_msg("%.9g, expected %.9g", value, expected);
}

static const struct paleo_compare_how how = {.same = 0.01, .level = 0.05};

/* Two times, by hand: 1 and 1.02 s, each with a standard error of 0.5 % of 4 degrees. The
 * difference has sqrt(2) * 0.5 % = 0.7071 % of 8 degrees; log 1.02 = 1.98026 %, t = 2.8005; 95 % of
 * 8 degrees is 2.306, so half the interval is 1.6306 %. */
static void test_by_hand(void **state)
{
	struct paleo_compared c = {.rows = 1};
	struct paleo_error err;

	(void)state;
	c.a = (struct paleo_noisy){.seconds = 1, .own_se = 0.005, .own_degrees = 4};
	c.b = c.a;
	c.b.seconds = 1.02;
	assert_int_equal(paleo_compare(&c, 1, &how, &err), PALEO_OK);
	assert_near(c.change.ratio, 0.02, 1e-9);
	assert_near(log1p(c.change.low), 0.0198026 - 0.016306, 2e-6);
	assert_near(log1p(c.change.high), 0.0198026 + 0.016306, 2e-6);
	assert_true(c.change.p > 0.02 &&
		    c.change.p < 0.025); /* tables: 0.02 at 2.896, 0.05 at 2.306 */
	assert_int_equal(c.change.verdict, PALEO_SLOWER);
	/* the errors of what both share do not shrink in a sum of many rows, others do */
	struct paleo_compared two[2] = {c, c};
	assert_near(paleo_compare_sum(two, 2, &how).a.own_se, 0.005 / sqrt(2), 1e-9);
	two[0].a.own_se = two[1].a.own_se = 0;
	two[0].a.shared_se = two[1].a.shared_se = 0.005;
	assert_near(paleo_compare_sum(two, 2, &how).a.shared_se, 0.005, 1e-9);
}

/* Nine ops of one kin without noise of their own change by -4 to +4 %, in steps of 1 % of the
 * logarithm: median 0, median absolute deviation 2 %, standard deviation 1.4826 times that, of
 * which each run has 1/sqrt(2). Another run of the same may differ by as much, but not by 30 %. */
static void test_runs_differ(void **state)
{
	struct paleo_compared list[9] = {{.rows = 0}};
	struct paleo_error err;

	(void)state;
	for (int i = 0; i < 9; i++) {
		list[i].rows = 1;
		list[i].a = (struct paleo_noisy){.seconds = 1, .own_degrees = INFINITY, .kin = 3};
		list[i].b = list[i].a;
		list[i].b.seconds = exp(0.01 * (i - 4));
	}
	assert_int_equal(paleo_compare(list, 9, &how, &err), PALEO_OK);
	assert_near(list[0].a.run_se, 1.4826 * 0.02 / sqrt(2), 1e-9);
	assert_near(list[0].a.run_degrees, 8, 0);
	assert_int_equal(list[0].change.verdict, PALEO_UNCLEAR);
	list[8].b.seconds = 1.3;
	assert_int_equal(paleo_compare(list, 9, &how, &err), PALEO_OK);
	assert_int_equal(list[8].change.verdict, PALEO_SLOWER);
	assert_int_equal(list[0].change.verdict, PALEO_UNCLEAR);
	/* means of several runs have their spread already, and pairs are of one run */
	const struct paleo_compare_how in_turn = {.same = 0.01, .level = 0.05, .in_turn = 1};
	assert_int_equal(paleo_compare(list, 9, &in_turn, &err), PALEO_OK);
	assert_int_equal(list[0].change.verdict, PALEO_FASTER);
	for (int i = 0; i < 9; i++)
		list[i].a.kin = list[i].b.kin = 0;
	assert_int_equal(paleo_compare(list, 9, &how, &err), PALEO_OK);
	assert_int_equal(list[0].change.verdict, PALEO_FASTER);
}

/* The memory speed of run B is half of A's, each run saw +-5 %: times are corrected by 2 hypot(5 %,
 * 5 %) = 14.142 % of the 69.315 %, at a slope of 1/2, and the other 55.173 % may have changed
 * them. A compute-bound op is judged as before. */
static void test_moved(void **state)
{
	static const int memory = 5, products = 3;
	struct paleo_noisy a = {.seconds = 1,
				.own_degrees = INFINITY,
				.is_pooled = 1,
				.rate = 100,
				.rate_sd = 0.05,
				.slope = 0.5,
				.kin = memory};
	struct paleo_noisy b = a;
	struct paleo_error err;

	(void)state;
	b.rate = 50;
	paleo_noisy_level(&a, &b);
	assert_near(a.moved, log(2) - 0.1414214, 1e-6);
	assert_near(log(a.seconds / b.seconds), 0.5 * 0.1414214, 1e-6);
	struct paleo_compared two[2] = {{.a = a, .b = b, .rows = 1}, {.rows = 1}};
	two[1].a = (struct paleo_noisy){.seconds = 1, .own_degrees = INFINITY, .kin = products};
	two[1].b = two[1].a;
	two[1].b.seconds = 1.1;
	assert_int_equal(paleo_compare(two, 2, &how, &err), PALEO_OK);
	assert_near(two[0].a.run_se, (log(2) - 0.1414214) / sqrt(2), 1e-6);
	assert_int_equal(two[0].change.verdict, PALEO_UNCLEAR);
	assert_near(two[1].a.run_se, 0, 0);
	assert_int_equal(two[1].change.verdict, PALEO_SLOWER);
}

static void test_verdicts(void **state)
{
	/* rel. change, standard error of it, and what is to be said; 1 % does not matter */
	static const struct {
		double ratio, se;
		enum paleo_compare_verdict verdict;
	} cases[] = {{0, 0.001, PALEO_SAME},      {0.005, 0.001, PALEO_SAME},
		     {0.02, 0.001, PALEO_SLOWER}, {-0.02, 0.001, PALEO_FASTER},
		     {0, 0.01, PALEO_UNCLEAR},    {0.02, 0.02, PALEO_UNCLEAR},
		     {0.02, 0, PALEO_SLOWER},     {0, 0, PALEO_SAME},
		     {0.5, NAN, PALEO_UNCLEAR}};
	struct paleo_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_compared c = {.rows = 1};
		c.a = (struct paleo_noisy){.seconds = 1, .own_degrees = INFINITY};
		c.b = (struct paleo_noisy){.seconds = 1 + cases[i].ratio,
					   .own_se = cases[i].se,
					   .own_degrees = INFINITY};
		assert_int_equal(paleo_compare(&c, 1, &how, &err), PALEO_OK);
		assert_int_equal(c.change.verdict, cases[i].verdict);
	}
}

/* How runs are made. */
struct scene {
	double own, shared; /* noise of an op in a round, and of a round, which all its ops share */
	int rounds;
	double slower; /* the second run's ops, by so much */
	int every;     /* one in so many of them */
};

/* A run: each time has noise of its own, and what its round did to all. How large the noise is
 * differs from op to op, by a factor of e^0.5 up or down, the same in both runs. */
static void run(struct draw *d, const struct scene *s, double slower, struct paleo_noisy out[OPS])
{
	struct paleo_repetitions runs[OPS] = {{0}};
	const struct paleo_repetitions *list[OPS];
	struct paleo_record records[OPS], *settled[OPS];
	double times[ROUNDS_MAX][OPS], sizes[OPS];
	struct paleo_shared_error shared;
	struct draw of_sizes = {.seed = 7};
	struct paleo_error err;

	for (int i = 0; i < OPS; i++)
		sizes[i] = s->own * exp(0.5 * normal(&of_sizes));
	for (int r = 0; r < s->rounds; r++) {
		double moment = s->shared * normal(d);
		for (int i = 0; i < OPS; i++)
			times[r][i] = 1e-3 * (1 + i) * (i % s->every ? 1 : 1 + slower) *
				      exp(moment + sizes[i] * normal(d));
	}
	assert_int_equal(paleo_repetitions_shared(&times[0][0], OPS, s->rounds, &shared, &err),
			 PALEO_OK);
	for (int i = 0; i < OPS; i++) {
		for (int r = 0; r < s->rounds; r++) {
			struct paleo_record one = {.status = PALEO_RECORD_OK};
			one.timing.median_s = times[r][i];
			one.timing.samples = 20;
			assert_int_equal(paleo_repetitions_add(&runs[i], &one, &err), PALEO_OK);
		}
		records[i] = paleo_repetitions_middle(&runs[i]);
		list[i] = &runs[i];
		settled[i] = &records[i];
	}
	assert_int_equal(paleo_repetitions_settle(list, settled, OPS, &shared, &err), PALEO_OK);
	for (int i = 0; i < OPS; i++) {
		out[i] = paleo_noisy_of(&records[i].op, &records[i].timing);
		paleo_repetitions_release(&runs[i]);
	}
}

static int is_called(const struct paleo_change *c)
{
	return c->verdict == PALEO_SLOWER || c->verdict == PALEO_FASTER;
}

struct found {
	double ops;  /* of the ops that may have changed, the share that was called, in the mean
		      */
	double runs; /* share of comparisons in which any op was */
	double sums; /* in which the sum was */
};

static struct found simulate(const struct scene *s)
{
	struct draw d = {.seed = paleo_hash((uint64_t)s->rounds * 1000003 + (uint64_t)s->every +
					    (uint64_t)(1e6 * (s->own + 31 * s->shared)))
				 << 20};
	struct found f = {0};
	struct paleo_error err;

	for (int n = 0; n < DRAWS; n++) {
		struct paleo_noisy a[OPS], b[OPS];
		struct paleo_compared list[OPS];
		int called = 0, any = 0;
		run(&d, s, 0, a);
		run(&d, s, s->slower, b);
		for (int i = 0; i < OPS; i++)
			list[i] = (struct paleo_compared){.a = a[i], .b = b[i], .rows = 1};
		assert_int_equal(paleo_compare(list, OPS, &how, &err), PALEO_OK);
		for (int i = 0; i < OPS; i++) {
			any |= is_called(&list[i].change);
			called += i % s->every == 0 && is_called(&list[i].change);
		}
		struct paleo_compared sum = paleo_compare_sum(list, OPS, &how);
		f.ops += (double)called / (OPS / s->every) / DRAWS;
		f.runs += (double)any / DRAWS;
		f.sums += (double)is_called(&sum.change) / DRAWS;
	}
	return f;
}

/* docs/method/intervals.md has rows of this table: two runs of the same, then 2 % in all ops, then
 * in six of them. False alarms are bound to 5 % of comparisons; 300 of them tell 5 % to +-2.5 %. */
static void test_simulated(void **state)
{
	static const struct {
		struct scene s;
		double op_least, sum_least; /* what must be found */
	} cases[] = {
		{{.own = 0.002, .rounds = 3}, 0.9, 0.95},
		{{.own = 0.003, .rounds = 3}, 0.75, 0.95},
		{{.own = 0.003, .shared = 0.003, .rounds = 3}, 0, 0.95},
		{{.own = 0.005, .rounds = 3}, 0, 0.95},
		{{.own = 0.005, .shared = 0.005, .rounds = 5}, 0, 0.95},
		{{.own = 0.01, .shared = 0.01, .rounds = 3}, 0, 0},
		{{.own = 0.01, .shared = 0.01, .rounds = 10}, 0, 0.9},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene s = cases[i].s;
		s.every = 1;
		struct found none = simulate(&s);
		s.slower = 0.02;
		struct found all = simulate(&s);
		s.every = 10;
		struct found six = simulate(&s);
		printf("noise %.1f %%, of a round %.1f %%, %2d rounds | A/A: ops %.2f %%, any "
		       "op %.1f %%, sum %.1f %% | 2 %%: sum %.1f %%, ops %.1f %%, six ops "
		       "%.1f %%\n",
		       100 * s.own, 100 * s.shared, s.rounds, 100 * none.ops, 100 * none.runs,
		       100 * none.sums, 100 * all.sums, 100 * all.ops, 100 * six.ops);
		assert_true(none.runs <= 0.05 + 0.025 && none.sums <= 0.05 + 0.025);
		assert_true(none.ops <= 0.01);
		assert_true(all.sums >= cases[i].sum_least && six.ops >= cases[i].op_least);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),   cmocka_unit_test(test_runs_differ),
		cmocka_unit_test(test_moved),     cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_simulated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
