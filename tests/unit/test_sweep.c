/* test_sweep.c - sizes and times of a sweep over collective operations, and checked answers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/sweep.h"
#include "tests/unit/unit.h"

/* A transport with a clock of its own: 5 us and 0.5 ns a byte; every third run takes twice as
 * long. */
struct paleo_transport_session {
	size_t count;
	int prepared, runs;
	double stretch;
	int fail_at; /* the so manieth prepare() fails; 0: none */
};

static int prepare(struct paleo_transport_session *s, enum paleo_collective what, size_t count,
		   struct paleo_error *err)
{
	assert_int_equal(what, PALEO_ALL_GATHER);
	s->count = count;
	if (++s->prepared == s->fail_at)
		return paleo_fail(err, PALEO_ENOMEM, "no memory, says the test");
	return PALEO_OK;
}

static int run(struct paleo_transport_session *s, int reps, double *elapsed_s,
	       struct paleo_error *err)
{
	(void)err;
	double one_s = 5e-6 + 0.5e-9 * (double)s->count * sizeof(float);

	*elapsed_s = s->stretch * reps * one_s * (++s->runs % 3 == 0 ? 2 : 1);
	return PALEO_OK;
}

static const struct paleo_transport transport = {
	.abi = PALEO_TRANSPORT_ABI, .name = "test", .prepare = prepare, .run = run};

static const struct paleo_sweep_options options = {.what = PALEO_ALL_GATHER,
						   .from_bytes = 16,
						   .to_bytes = 1024,
						   .factor = 4,
						   .samples = 9,
						   .budget_s = 1};

static void sizes_and_times(void **state)
{
	struct paleo_transport_session s = {.stretch = 1};
	struct paleo_sweep_point *points = NULL;
	struct paleo_error err = {0};
	int count = 0;
	/* 16, 64, 256, 1024 bytes are 4, 16, 64, 256 numbers; each of three ranks gets as many:
	 * 6, 18, 66, 258. */
	static const double bytes[] = {24, 72, 264, 1032};

	(void)state;
	assert_int_equal(paleo_sweep(&transport, &s, 3, &options, &points, &count, &err), 0);
	assert_int_equal(count, 4);
	for (int i = 0; i < count; i++) {
		double one_s = 5e-6 + 0.5e-9 * bytes[i];
		assert_true(points[i].bytes == bytes[i]);
		assert_int_equal(points[i].samples, 9);
		/* A third are twice as long: the median is not, the interval's end is. */
		assert_true(fabs(points[i].median_s - one_s) < 1e-12);
		assert_true(fabs(points[i].ci_low_s - one_s) < 1e-12);
		assert_true(fabs(points[i].ci_high_s - 2 * one_s) < 1e-12);
		/* A sample lasts a millisecond: 128 times 5 us is less, 256 times is more; the one
		 * that is stretched may already be enough. */
		assert_true(points[i].reps == 128 || points[i].reps == 256);
	}
	free(points);
}

/* Sizes that are equal after rounding up to the ranks count once: 4, 5.2, 6.8, 8.8 ... bytes. */
static void equal_sizes(void **state)
{
	struct paleo_transport_session s = {.stretch = 1};
	struct paleo_sweep_options o = options;
	struct paleo_sweep_point *points = NULL;
	struct paleo_error err = {0};
	int count = 0;

	(void)state;
	o.from_bytes = 4;
	o.to_bytes = 32;
	o.factor = 1.3;
	assert_int_equal(paleo_sweep(&transport, &s, 4, &o, &points, &count, &err), 0);
	/* 4 numbers up to 16 bytes, 8 numbers up to 32. */
	assert_int_equal(count, 2);
	assert_true(points[0].bytes == 16 && points[1].bytes == 32);
	free(points);
}

/* When the budget is over, three samples are enough. */
static void budget(void **state)
{
	struct paleo_transport_session s = {.stretch = 1e6}; /* 5 s an operation */
	struct paleo_sweep_point *points = NULL;
	struct paleo_error err = {0};
	int count = 0;

	(void)state;
	assert_int_equal(paleo_sweep(&transport, &s, 2, &options, &points, &count, &err), 0);
	for (int i = 0; i < count; i++)
		assert_int_equal(points[i].samples, 3);
	free(points);
}

static void failures(void **state)
{
	struct paleo_transport_session s = {.stretch = 1, .fail_at = 3};
	struct paleo_sweep_options o = options;
	struct paleo_sweep_point *points = NULL;
	struct paleo_error err = {0};
	int count = 0;

	(void)state;
	assert_int_equal(paleo_sweep(&transport, &s, 2, &o, &points, &count, &err), PALEO_ENOMEM);
	assert_string_equal(err.text, "no memory, says the test");

	s = (struct paleo_transport_session){.stretch = 0};
	assert_int_equal(paleo_sweep(&transport, &s, 2, &o, &points, &count, &err), PALEO_EBACKEND);
	assert_string_equal(err.text, "3 operations took 0 s by test's clock");

	s = (struct paleo_transport_session){.stretch = 1};
	o.to_bytes = 1 << 22;
	o.factor = 1.001;
	assert_int_equal(paleo_sweep(&transport, &s, 2, &o, &points, &count, &err), PALEO_EINPUT);
	assert_null(points);
}

/* Three ranks, six elements; rank r's element i is r + i mod 13. */
static void answers(void **state)
{
	struct paleo_error err = {0};
	/* 0 + 1 + 2 and three times i. */
	static const float sums[] = {3, 6, 9, 12, 15, 18};
	/* Two of each rank. */
	static const float gathered[] = {0, 1, 1, 2, 2, 3};

	(void)state;
	assert_true(paleo_collective_input(2, 14) == 3);
	assert_int_equal(paleo_collective_check(PALEO_ALL_REDUCE, 3, 0, 6, sums, &err), 0);
	assert_int_equal(paleo_collective_check(PALEO_ALL_GATHER, 3, 1, 6, gathered, &err), 0);
	for (int r = 0; r < 3; r++)
		assert_int_equal(
			paleo_collective_check(PALEO_REDUCE_SCATTER, 3, r, 6, sums + 2 * r, &err),
			0);
	assert_int_equal(paleo_collective_check(PALEO_REDUCE_SCATTER, 3, 1, 6, sums, &err),
			 PALEO_EBACKEND);
	assert_string_equal(err.text, "a wrong answer: rank 1 has 3 at element 2 of 6, expected 9");
	static const float unwritten[] = {3, NAN, 9, 12, 15, 18};
	assert_int_equal(paleo_collective_check(PALEO_ALL_REDUCE, 3, 0, 6, unwritten, &err),
			 PALEO_EBACKEND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_and_times), cmocka_unit_test(equal_sizes),
		cmocka_unit_test(budget),          cmocka_unit_test(failures),
		cmocka_unit_test(answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
