/* stop.c - the signals that end a run between two things that it measures. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/stop.h"

#include <stddef.h>
#include <time.h>

static void stop_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

void stop_hold(sigset_t *old)
{
	sigset_t stop;

	stop_signals(&stop);
	sigprocmask(SIG_BLOCK, &stop, old);
}

void stop_release(const sigset_t *old)
{
	sigprocmask(SIG_SETMASK, old, NULL);
}

int stop_came(void)
{
	const struct timespec none = {0};
	sigset_t set;

	stop_signals(&set);
	return sigtimedwait(&set, NULL, &none) > 0;
}
