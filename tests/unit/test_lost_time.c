/* test_lost_time.c - samples in which the timing thread waited or the process was stopped. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "bench/clock.h"
#include "bench/samples.h"
#include "unit.h"

/* What one run does to the clocks: of the test in progress. */
static struct {
	double takes_s, all_wait_s, own_waits_s, stopped_s;
} run_is;

/* The clocks. */
static struct {
	double clock_s, delay_s;
	struct paleo_own_time own;
	int stopped;
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
	return now.own;
}

int paleo_was_stopped(void)
{
	int stopped = now.stopped;

	now.stopped = 0;
	return stopped;
}

static int run(void *context, int reps, double *elapsed_s, struct paleo_error *err)
{
	(void)context;
	(void)err;
	*elapsed_s = reps * run_is.takes_s;
	now.clock_s += *elapsed_s;
	now.delay_s += run_is.all_wait_s;
	now.own.waited_s += run_is.own_waits_s;
	now.own.ran_s += *elapsed_s - run_is.own_waits_s - run_is.stopped_s;
	now.stopped = run_is.stopped_s > 0;
	return PALEO_OK;
}

/* Takes one sample of two runs; *least_s is the least of a disturbed one. Returns 1 if it is kept.
 */
static int is_kept(int host_timed, double *least_s)
{
	const struct paleo_runs runs = {.run = run, .host_timed = host_timed};
	struct paleo_measure_policy policy;
	struct paleo_samples s;
	struct paleo_error err = {0};

	paleo_measure_defaults(&policy);
	memset(&now, 0, sizeof(now));
	now.own.threads = 2;
	if (paleo_samples_open(&runs, &policy, &s, &err) || paleo_samples_take(&s, 2, &err))
		fail_msg("%s", err.text);
	int kept = s.kept;
	*least_s = s.least_s;
	paleo_samples_close(&s);
	return kept;
}

/* Two threads wait 2 ms each in the 20 ms of two runs: 18 are left, 9 for each run. */
static void least_sample_without_waiting(void **state)
{
	double least_s;

	(void)state;
	run_is.takes_s = 0.01;
	run_is.all_wait_s = 4e-3;
	run_is.own_waits_s = 2e-3;
	run_is.stopped_s = 0;
	assert_false(is_kept(1, &least_s));
	assert_true(fabs(least_s - 0.009) < 1e-12);
}

/* The timing thread sleeps while the other waits for 4 ms of 20: 16 are left. */
static void least_sample_without_the_other_waiting(void **state)
{
	double least_s;

	(void)state;
	run_is.takes_s = 0.01;
	run_is.all_wait_s = 4e-3;
	run_is.own_waits_s = run_is.stopped_s = 0;
	assert_false(is_kept(1, &least_s));
	assert_true(fabs(least_s - 0.008) < 1e-12);
}

/* A process that is stopped for 90 % of 20 ms waits for no CPU, and yet is disturbed: it ran for 2
 * ms, 1 for each run. */
static void a_stop_disturbs(void **state)
{
	double least_s;

	(void)state;
	run_is.takes_s = 0.01;
	run_is.all_wait_s = run_is.own_waits_s = 0;
	run_is.stopped_s = 0.018;
	assert_false(is_kept(1, &least_s));
	assert_true(fabs(least_s - 0.001) < 1e-12);
}

/* Also where the host does not time the runs; how long it was is then not known. */
static void a_stop_disturbs_a_device(void **state)
{
	double least_s;

	(void)state;
	run_is.takes_s = 0.01;
	run_is.all_wait_s = run_is.own_waits_s = 0;
	run_is.stopped_s = 0.018;
	assert_false(is_kept(0, &least_s));
	assert_true(fabs(least_s - 0.01) < 1e-12);
}

static void a_quiet_sample_is_kept(void **state)
{
	double least_s;

	(void)state;
	run_is.takes_s = 0.01;
	run_is.all_wait_s = run_is.own_waits_s = run_is.stopped_s = 0;
	assert_true(is_kept(1, &least_s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(least_sample_without_waiting),
		cmocka_unit_test(least_sample_without_the_other_waiting),
		cmocka_unit_test(a_stop_disturbs),
		cmocka_unit_test(a_stop_disturbs_a_device),
		cmocka_unit_test(a_quiet_sample_is_kept),
	};

	return cmocka_run_group_tests_name("lost_time", tests, NULL, NULL);
}
