/* test_measure.c - sampling and records, on a backend whose clock follows a script. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "bench/clock.h"
#include "bench/measure.h"
#include "bench/reference.h"
#include "unit.h"

/* What the scripted backend does; set anew by each test. */
struct paleo_session {
	int prepare_status, run_status;
	double wrong_by;              /* added to every result */
	double (*time_s)(int number); /* of a run, by its number */
	double (*delay_s)(int number);
};

struct paleo_job {
	const struct paleo_session *s;
	struct paleo_op op;
};

/* Calls of run() so far, open jobs, the host's clock, and the delay that it shows: of the test in
 * progress. */
static struct {
	int runs, open_jobs;
	double clock_s, delay_s;
} now;

/* This and the next ones stand in for those in the library, which the linker then does not take. */
double paleo_now_s(void)
{
	return now.clock_s;
}

double paleo_quiet_delay_s(void)
{
	return now.delay_s;
}

struct paleo_own_time paleo_own_time(void)
{
	return (struct paleo_own_time){.ran_s = 0};
}

int paleo_was_stopped(void)
{
	return 0;
}

static int prepare(struct paleo_session *s, const struct paleo_op *w,
		   const struct paleo_bench_options *o, struct paleo_job **out,
		   struct paleo_job_info *info, struct paleo_error *err)
{
	static struct paleo_job job;

	(void)o;
	if (s->prepare_status) {
		paleo_error_set(err, s->prepare_status, "prepare said %d", s->prepare_status);
		return s->prepare_status;
	}
	job = (struct paleo_job){.s = s, .op = *w};
	*info = (struct paleo_job_info){.algorithm = {.name = "script", .workspace_bytes = 5},
					.operand_sets = 3};
	now.open_jobs++;
	*out = &job;
	return PALEO_OK;
}

static int run(struct paleo_job *j, int reps, double *elapsed_s, struct paleo_error *err)
{
	int number = now.runs++;

	if (j->s->run_status) {
		paleo_error_set(err, j->s->run_status, "run said %d", j->s->run_status);
		return j->s->run_status;
	}
	*elapsed_s = reps * j->s->time_s(number);
	if (*elapsed_s > 0)
		now.clock_s += *elapsed_s;
	if (j->s->delay_s)
		now.delay_s += j->s->delay_s(number);
	return PALEO_OK;
}

static int output(struct paleo_job *j, enum paleo_role role, int copy, const double *index, int n,
		  float *out, struct paleo_error *err)
{
	double value, magnitude;

	for (int i = 0; i < n; i++) {
		int rc = paleo_reference_value(&j->op, role, copy, index[i], &value, &magnitude,
					       err);
		if (rc)
			return rc;
		out[i] = (float)(value + j->s->wrong_by);
	}
	return PALEO_OK;
}

static void release(struct paleo_job *j)
{
	(void)j;
	now.open_jobs--;
}

static const struct paleo_backend script = {
	.abi = PALEO_BACKEND_ABI,
	.name = "script",
	.host_timed = 1,
	.prepare = prepare,
	.run = run,
	.output = output,
	.release = release,
};

static struct paleo_record measured(struct paleo_session *s, const struct paleo_measure_policy *p)
{
	const struct paleo_bench_options options = {.mode = PALEO_COLD};
	struct paleo_open_device d = {.b = &script, .s = s};
	struct paleo_op w;
	struct paleo_record r;
	struct paleo_error err = {0};

	memset(&now, 0, sizeof(now));
	if (paleo_op_parse("eltwise fwd f32 op=relu count=100", &w, &err) ||
	    paleo_measure(&d, &w, &options, p, &r, &err))
		fail_msg("%s", err.text);
	assert_int_equal(now.open_jobs, 0);
	assert_true(paleo_op_equal(&r.op, &w));
	assert_string_equal(r.mode, "cold");
	return r;
}

/* The defaults, with no limit on time that is met. */
static struct paleo_measure_policy patient(void)
{
	struct paleo_measure_policy p;

	paleo_measure_defaults(&p);
	p.budget_s = 1000;
	return p;
}

static double steady(int number)
{
	(void)number;
	return 1e-4;
}

static double alternating(int number)
{
	return number % 2 ? 1e-4 : 3e-4;
}

static double standing_still(int number)
{
	(void)number;
	return 0;
}

static double backwards(int number)
{
	(void)number;
	return -1e-4;
}

static double not_a_number(int number)
{
	(void)number;
	return NAN;
}

static double slow(int number)
{
	(void)number;
	return 0.2;
}

static double growing(int number)
{
	return 1e-4 * (1 + 0.001 * number);
}

static void steady_is_precise(void **state)
{
	struct paleo_session s = {.time_s = steady};
	struct paleo_measure_policy p = patient();

	(void)state;
	p.warmup_s = 0;
	struct paleo_record r = measured(&s, &p);
	assert_int_equal(r.status, PALEO_RECORD_OK);
	assert_string_equal(r.reason, "");
	assert_string_equal(r.algorithm, "script");
	assert_true(r.workspace_bytes == 5 && r.timing.operand_sets == 3);
	assert_true(r.verify_error <= 1e-7 && r.verify_tolerance > 0);
	/* 2 ms a sample: 20 runs of 0.1 ms, or a little more */
	assert_in_range(r.timing.reps, 20, 30);
	assert_int_equal(r.timing.samples, 20);
	assert_int_equal(now.runs, 2 + 1 + 20); /* warm; one to see that the repeats suffice */
	assert_string_equal(r.timing.stop, "precise");
	const double times[] = {r.timing.median_s, r.timing.ci_low_s, r.timing.ci_high_s,
				r.timing.min_s,    r.timing.mean_s,   r.timing.p05_s,
				r.timing.p95_s};
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		assert_true(fabs(times[i] - 1e-4) < 1e-16);
	assert_true(fabs(r.timing.mad_s) < 1e-16 && fabs(r.timing.drift) < 1e-9);
	assert_int_equal(r.timing.rejected, 0);
}

static double third_is_slow(int number)
{
	return number == 2 ? 2e-4 : 1e-4;
}

/* The try that reaches the time of a sample took twice as long as all others: it is none. */
static void choosing_is_no_sample(void **state)
{
	struct paleo_session s = {.time_s = third_is_slow};
	struct paleo_measure_policy p = patient();

	(void)state;
	p.warmup_s = 0;
	struct paleo_record r = measured(&s, &p);
	assert_int_equal(r.timing.samples, 20);
	assert_int_equal(now.runs, 2 + 1 + 20);
	assert_true(fabs(r.timing.mean_s - 1e-4) < 1e-15);
}

/* Half of the samples 0.1 ms, half 0.3 ms: the interval of the median never gets narrow. */
static void spread_ends_by_samples(void **state)
{
	struct paleo_session s = {.time_s = alternating};
	struct paleo_measure_policy p = patient();

	(void)state;
	p.max_samples = 40;
	struct paleo_record r = measured(&s, &p);
	assert_string_equal(r.timing.stop, "samples");
	assert_int_equal(r.timing.samples, 40);
	assert_true(fabs(r.timing.min_s - 1e-4) < 1e-15);
	assert_true(fabs(r.timing.mean_s - 2e-4) < 1e-15);
	assert_true(fabs(r.timing.ci_low_s - 1e-4) < 1e-15);
	assert_true(fabs(r.timing.ci_high_s - 3e-4) < 1e-15);
}

/* Runs of 0.2 s, budget 0.5 s: preparing warmed it, so that the first is a sample, too. */
static void budget_ends(void **state)
{
	struct paleo_session s = {.time_s = slow};
	struct paleo_measure_policy p;

	(void)state;
	paleo_measure_defaults(&p);
	struct paleo_record r = measured(&s, &p);
	assert_int_equal(r.status, PALEO_RECORD_OK);
	assert_string_equal(r.timing.stop, "time");
	assert_int_equal(r.timing.samples, 3);
	assert_int_equal(now.runs, 3);
	assert_true(r.timing.median_s == 0.2 && !paleo_timing_has_interval(&r.timing));
	p.budget_s = 0;
	r = measured(&s, &p);
	assert_int_equal(r.timing.samples, 1);
	assert_int_equal(now.runs, 1); /* preparing warmed it */
}

static void bad_clocks_fail(void **state)
{
	struct paleo_session s = {.time_s = standing_still};
	struct paleo_measure_policy p = patient();

	(void)state;
	p.warmup_s = 0;
	struct paleo_record r = measured(&s, &p);
	assert_int_equal(r.status, PALEO_RECORD_FAILED);
	assert_string_equal(r.reason, "the backend's clock does not advance");
	assert_int_equal(now.runs, 2 + 8); /* warm; 1, 10, 100 .. 10^7 repeats */
	s.time_s = backwards;
	r = measured(&s, &p);
	assert_int_equal(r.status, PALEO_RECORD_FAILED);
	assert_string_equal(r.reason, "1 runs took -0.0001 s by the backend's clock");
	s.time_s = not_a_number;
	r = measured(&s, &p);
	assert_int_equal(r.status, PALEO_RECORD_FAILED);
}

/* Every third sample waits for a CPU: 1 ms, 7 % of its 14 ms (20 runs of 0.7 ms). */
static double now_and_then(int number)
{
	return number % 3 ? 0 : 1e-3;
}

static double always(int number)
{
	(void)number;
	return 1e-3;
}

/* A slower time whenever the host is disturbed. */
static double disturbed_time(int number)
{
	return number % 3 ? 1e-4 : 7e-4;
}

static void disturbed_samples_go(void **state)
{
	struct paleo_session s = {.time_s = disturbed_time, .delay_s = now_and_then};
	struct paleo_measure_policy p = patient();

	(void)state;
	p.target_ci = 0;
	p.max_samples = 30;
	p.sample_s = 2e-3;
	struct paleo_record r = measured(&s, &p);
	assert_int_equal(r.timing.samples, 20); /* equal times: the interval's width is 0 */
	assert_true(r.timing.rejected >= 9 && r.timing.rejected <= 11);
	assert_true(fabs(r.timing.p95_s - 1e-4) < 1e-15);
}

/* Odd runs take 100 times as long because the host is busy; the repeats must not be chosen by
 * them. Warm-up of 20 ms is 0.1 + 10 + 0.1 + 10, so that an even run follows; of 10.15 ms, an odd
 * one. */
static double odd_delay(int number)
{
	return number % 2 ? 9e-3 : 0;
}

static double odd_time(int number)
{
	return number % 2 ? 1e-2 : 1e-4;
}

static void disturbance_does_not_choose(void **state)
{
	struct paleo_session s = {.time_s = odd_time, .delay_s = odd_delay};
	struct paleo_measure_policy p = patient();

	(void)state;
	for (int odd = 0; odd < 2; odd++) {
		p.warmup_s = odd ? 0.01015 : 0.02;
		struct paleo_record r = measured(&s, &p);
		assert_in_range(r.timing.reps, 20, 30);
		assert_true(fabs(r.timing.median_s - 1e-4) < 1e-15);
	}
}

/* No clean sample is no time: the record says how many there were, and the least of them. Ends
 * although none is ever kept. The last run of the warm-up, 0.3 + 0.1 + 0.3 ms, is a slow one; the
 * repeats go by the least of a few tries. */
static void all_disturbed(void **state)
{
	struct paleo_session s = {.time_s = alternating, .delay_s = always};
	struct paleo_measure_policy p = patient();

	(void)state;
	p.min_samples = 10;
	p.max_samples = 12;
	p.warmup_s = 5e-4;
	struct paleo_record r = measured(&s, &p);
	assert_int_equal(r.status, PALEO_RECORD_DISTURBED);
	assert_int_equal(r.timing.samples, 0);
	assert_int_equal(r.timing.rejected, 120); /* ten for each that might be kept */
	assert_in_range(r.timing.reps, 20, 30);
	assert_true(r.timing.median_s == 0);
	assert_string_equal(
		r.reason,
		"other processes disturbed all of 120 samples, the shortest of which is 0.1 ms");
}

/* Each run is 0.001 slower than the one before: with m samples the middles of the two halves are
 * m/2 runs apart. */
static void drift_shows(void **state)
{
	struct paleo_session s = {.time_s = growing};
	struct paleo_measure_policy p = patient();

	(void)state;
	p.target_ci = 0;
	p.max_samples = 100;
	struct paleo_record r = measured(&s, &p);
	assert_int_equal(r.timing.samples, 100);
	double first = 1 + 0.001 * (now.runs - 100 + 24.5); /* middle of the first 50 */
	assert_true(fabs(r.timing.drift - 0.05 / first) < 1e-9);
	/* sample i takes 1e-4 (1 + 0.001 (n + i)), n runs were before; type 7 has the 5 % quantile
	 * at i = 4.95; the middle distance from 49.5 is 25 */
	double start = 1e-4 + 1e-7 * (now.runs - 100);
	assert_true(fabs(r.timing.min_s - start) < 1e-12);
	assert_true(fabs(r.timing.p05_s - (start + 4.95e-7)) < 1e-12);
	assert_true(fabs(r.timing.median_s - (start + 49.5e-7)) < 1e-12);
	assert_true(fabs(r.timing.mean_s - (start + 49.5e-7)) < 1e-12);
	assert_true(fabs(r.timing.p95_s - (start + 94.05e-7)) < 1e-12);
	assert_true(fabs(r.timing.mad_s - 25e-7) < 1e-12);
}

static void failures_are_statuses(void **state)
{
	static const struct {
		int status;
		enum paleo_record_status expected;
	} cases[] = {
		{PALEO_EUNSUPPORTED, PALEO_RECORD_UNSUPPORTED}, {PALEO_ENOMEM, PALEO_RECORD_OOM},
		{PALEO_ETIMEOUT, PALEO_RECORD_TIMEOUT},         {PALEO_ECRASH, PALEO_RECORD_CRASH},
		{PALEO_EBACKEND, PALEO_RECORD_FAILED},          {PALEO_EIO, PALEO_RECORD_FAILED},
	};
	struct paleo_measure_policy p = patient();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_session s = {.time_s = steady, .prepare_status = cases[i].status};
		struct paleo_record r = measured(&s, &p);
		assert_int_equal(r.status, cases[i].expected);
		assert_non_null(strstr(r.reason, "prepare said"));
		s = (struct paleo_session){.time_s = steady, .run_status = cases[i].status};
		r = measured(&s, &p);
		assert_int_equal(r.status, cases[i].expected);
		assert_non_null(strstr(r.reason, "run said"));
		assert_string_equal(r.algorithm, "script");
	}
}

/* A wrong answer is never timed. */
static void wrong_is_incorrect(void **state)
{
	struct paleo_session s = {.time_s = steady, .wrong_by = 0.5};
	struct paleo_measure_policy p = patient();

	(void)state;
	struct paleo_record r = measured(&s, &p);
	assert_int_equal(r.status, PALEO_RECORD_INCORRECT);
	assert_int_equal(now.runs, 0);
	assert_non_null(strstr(r.reason, "'y' 0 is "));
	assert_non_null(strstr(r.reason, "expected "));
	s.wrong_by = NAN;
	r = measured(&s, &p);
	assert_int_equal(r.status, PALEO_RECORD_INCORRECT);
	p.verify_samples = 0; /* unchecked is not correct: there is no error then */
	r = measured(&s, &p);
	assert_int_equal(r.status, PALEO_RECORD_OK);
	assert_true(isnan(r.verify_error));
}

static void bad_policies(void **state)
{
	const struct paleo_bench_options options = {0};
	struct paleo_session s = {.time_s = steady};
	struct paleo_open_device d = {.b = &script, .s = &s};
	struct paleo_measure_policy p = patient();
	struct paleo_op w;
	struct paleo_record r;
	struct paleo_error err = {0};

	(void)state;
	assert_int_equal(paleo_op_parse("lrn fwd f32 n=1 c=1 h=1 w=1 size=1", &w, &err), 0);
	p.min_samples = 0;
	assert_int_equal(paleo_measure(&d, &w, &options, &p, &r, &err), PALEO_EINPUT);
	p = patient();
	p.max_samples = 5;
	assert_int_equal(paleo_measure(&d, &w, &options, &p, &r, &err), PALEO_EINPUT);
	p = patient();
	p.budget_s = NAN;
	assert_int_equal(paleo_measure(&d, &w, &options, &p, &r, &err), PALEO_EINPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady_is_precise),
		cmocka_unit_test(choosing_is_no_sample),
		cmocka_unit_test(spread_ends_by_samples),
		cmocka_unit_test(budget_ends),
		cmocka_unit_test(bad_clocks_fail),
		cmocka_unit_test(disturbed_samples_go),
		cmocka_unit_test(all_disturbed),
		cmocka_unit_test(disturbance_does_not_choose),
		cmocka_unit_test(drift_shows),
		cmocka_unit_test(failures_are_statuses),
		cmocka_unit_test(wrong_is_incorrect),
		cmocka_unit_test(bad_policies),
	};

	return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
