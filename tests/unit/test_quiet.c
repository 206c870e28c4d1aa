/* test_quiet.c - a process that shares its CPU sees that it waits, and when it was stopped. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/clock.h"
#include "unit.h"

static void burn(double seconds)
{
	for (double end = paleo_now_s() + seconds; paleo_now_s() < end;)
		;
}

/* Two busy processes on one CPU: sooner or later each has waited for the other for 0.1 s, and
 * neither for longer than that has taken. */
static void sharing_shows(void **state)
{
	cpu_set_t before, one;

	(void)state;
	if (access("/proc/self/task", R_OK) || access("/proc/self/schedstat", R_OK)) {
		puts("skipped: the kernel does not say how long a process waits (schedstat)");
		skip();
	}
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++) {
		if (CPU_ISSET(i, &before))
			CPU_SET(i, &one);
	}
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		burn(60);
		_exit(0);
	}
	assert_true(child > 0);
	double start = paleo_now_s(), first = paleo_quiet_delay_s(), delay = 0;
	while (delay < 0.1 && paleo_now_s() - start < 30) {
		burn(0.05);
		delay = paleo_quiet_delay_s() - first;
	}
	double elapsed = paleo_now_s() - start;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	sched_setaffinity(0, sizeof(before), &before);
	if (!(delay >= 0.1 && delay <= elapsed))
		fail_msg("waited %g s of %g s", delay, elapsed);
}

/* A stop is seen once, when it has ended: SIGCONT comes then, also to a process that was not
 * stopped.
 */
static void a_stop_shows(void **state)
{
	(void)state;
	paleo_watch_stops();
	assert_false(paleo_was_stopped());
	raise(SIGCONT);
	assert_true(paleo_was_stopped());
	assert_false(paleo_was_stopped());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sharing_shows),
		cmocka_unit_test(a_stop_shows),
	};

	return cmocka_run_group_tests_name("quiet", tests, NULL, NULL);
}
