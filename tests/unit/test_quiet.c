/* test_quiet.c - a process that shares its processor sees that it waits. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/quiet.h"
#include "unit.h"

static double wall_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void burn(double seconds)
{
	for (double end = wall_s() + seconds; wall_s() < end;)
		;
}

/* Two busy processes on one processor: each waits for about half the time, here 0.2 of 0.4 s. */
static void sharing_shows(void **state)
{
	cpu_set_t before, one;

	(void)state;
	if (access("/proc/self/task", R_OK) || access("/proc/self/schedstat", R_OK))
		skip();
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
		burn(20);
		_exit(0);
	}
	assert_true(child > 0);
	double delay = paleo_quiet_delay_s();
	burn(0.4);
	delay = paleo_quiet_delay_s() - delay;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	sched_setaffinity(0, sizeof(before), &before);
	if (!(delay > 0.05 && delay < 0.45))
		fail_msg("waited %g s of 0.4 s", delay);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sharing_shows),
	};

	return cmocka_run_group_tests_name("quiet", tests, NULL, NULL);
}
