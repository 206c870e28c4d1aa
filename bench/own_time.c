/* own_time.c - the time of the calling thread: running, waiting for a CPU; stops of the process. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "bench/clock.h"

static sigset_t continued(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCONT);
	return set;
}

void paleo_watch_stops(void)
{
	const sigset_t set = continued();

	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int paleo_was_stopped(void)
{
	const struct timespec at_once = {.tv_sec = 0};
	const sigset_t set = continued();

	return sigtimedwait(&set, NULL, &at_once) == SIGCONT;
}

/* The second number of the thread's schedstat, in nanoseconds; 0 where there is none. */
static double waited_ns(void)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "re");
	char line[128] = "", *second = line;

	if (!f)
		return 0;
	if (fgets(line, sizeof(line), f))
		strtoull(line, &second, 10);
	fclose(f);
	return (double)strtoull(second, NULL, 10);
}

/* A folder has two links, and one from each folder in it: here one for each thread. */
static int count_threads(void)
{
	struct stat st;

	return !stat("/proc/self/task", &st) && st.st_nlink > 2 ? (int)st.st_nlink - 2 : 1;
}

struct paleo_own_time paleo_own_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (struct paleo_own_time){.ran_s = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec,
				       .waited_s = 1e-9 * waited_ns(),
				       .threads = count_threads()};
}
