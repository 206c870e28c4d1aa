/* test_sustained.c - sustained samples come behind a second of the same op, on a scripted clock. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/clock.h"
#include "bench/measure.h"
#include "unit.h"

/* Under load the device slows down: a run takes `late_s` once the op has run for `limit_s`. */
struct paleo_session {
	double early_s, late_s, limit_s;
	double loaded_s; /* so far */
	int runs;
};

struct paleo_job {
	struct paleo_session *s;
};

/* The host's clock, which this and not the library's function tells. */
static double clock_s;

double paleo_now_s(void)
{
	return clock_s;
}

static int prepare(struct paleo_session *s, const struct paleo_op *w,
		   const struct paleo_bench_options *o, struct paleo_job **out,
		   struct paleo_job_info *info, struct paleo_error *err)
{
	static struct paleo_job job;

	(void)w;
	(void)o;
	(void)err;
	s->loaded_s = 0;
	s->runs = 0;
	job.s = s;
	*info = (struct paleo_job_info){.operand_sets = 1};
	*out = &job;
	return PALEO_OK;
}

static int run(struct paleo_job *j, int reps, double *elapsed_s, struct paleo_error *err)
{
	struct paleo_session *s = j->s;

	(void)err;
	*elapsed_s = reps * (s->loaded_s < s->limit_s ? s->early_s : s->late_s);
	s->loaded_s += *elapsed_s;
	clock_s += *elapsed_s;
	s->runs++;
	return PALEO_OK;
}

static void release(struct paleo_job *j)
{
	(void)j;
}

static const struct paleo_backend script = {
	.abi = PALEO_BACKEND_ABI,
	.name = "script",
	.prepare = prepare,
	.run = run,
	.release = release,
};

static struct paleo_record measured(struct paleo_session *s, const struct paleo_measure_policy *p)
{
	const struct paleo_bench_options options = {.mode = PALEO_COLD};
	struct paleo_open_device d = {.b = &script, .s = s};
	struct paleo_op w;
	struct paleo_record r = {0};
	struct paleo_error err = {0};

	if (paleo_op_parse("eltwise fwd f32 op=relu count=100", &w, &err) ||
	    paleo_measure(&d, &w, &options, p, &r, &err))
		fail_msg("%s", err.text);
	assert_int_equal(r.status, PALEO_RECORD_OK);
	return r;
}

static struct paleo_measure_policy usual(void)
{
	struct paleo_measure_policy p;

	paleo_measure_defaults(&p);
	p.verify_samples = 0;
	return p;
}

static void a_burst_is_over_before(void **state)
{
	struct paleo_session s = {.early_s = 1e-4, .late_s = 1.25e-4, .limit_s = 0.9};
	const struct paleo_measure_policy p = usual();
	struct paleo_record r = measured(&s, &p);

	(void)state;
	assert_string_equal(r.regime, "burst");
	assert_true(fabs(r.timing.p95_s - 1e-4) < 1e-12);
	assert_true(s.loaded_s < 0.1);
}

/* The second is none of the budget of 0.5 s: 20 samples of 11 ms or more have an interval. */
static void the_op_has_run_for_a_second(void **state)
{
	struct paleo_session s = {.early_s = 1e-4, .late_s = 1.25e-4, .limit_s = 0.9};
	struct paleo_measure_policy p = usual();

	(void)state;
	paleo_measure_sustain(&p);
	struct paleo_record r = measured(&s, &p);
	assert_string_equal(r.regime, "sustained");
	assert_true(fabs(r.timing.min_s - 1.25e-4) < 1e-12);
	assert_int_equal(r.timing.samples, 20);
	assert_string_equal(r.timing.stop, "precise");
	double before_s = s.loaded_s - r.timing.samples * r.timing.reps * 1.25e-4;
	assert_true(before_s >= 1 && before_s < 1.05);
}

/* Runs of 0.4 s: the second is over after three, and none of them is a sample. */
static void a_long_run_before_is_no_sample(void **state)
{
	struct paleo_session s = {.early_s = 0.4, .late_s = 0.5, .limit_s = 1};
	struct paleo_measure_policy p = usual();

	(void)state;
	paleo_measure_sustain(&p);
	p.budget_s = 1000;
	p.min_samples = p.max_samples = 5;
	struct paleo_record r = measured(&s, &p);
	assert_int_equal(r.timing.samples, 5);
	assert_true(r.timing.min_s == 0.5);
	assert_int_equal(s.runs, 3 + 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_burst_is_over_before),
		cmocka_unit_test(the_op_has_run_for_a_second),
		cmocka_unit_test(a_long_run_before_is_no_sample),
	};

	return cmocka_run_group_tests_name("sustained", tests, NULL, NULL);
}
