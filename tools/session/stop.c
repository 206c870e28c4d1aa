/* stop.c - the signals that end a run between two things that it measures. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/session/stop.h"

#include <unistd.h>

/* A signal handler can speak to the rest through a global only. */
static volatile sig_atomic_t interrupted;

/* The next one does what it does to any program. */
static void note(int signal_number)
{
	static const char told[] = "\ninterrupted: ends after what is being measured; once more "
				   "ends it at once\n";

	(void)signal_number;
	interrupted = 1;
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (write(STDERR_FILENO, told, sizeof(told) - 1) < 0)
		return; /* nobody is there to be told */
}

void stop_hold(struct stop *old)
{
	struct sigaction first = {.sa_handler = note, .sa_flags = SA_RESTART};

	sigemptyset(&first.sa_mask);
	sigaddset(&first.sa_mask, SIGINT);
	sigaddset(&first.sa_mask, SIGTERM);
	sigaction(SIGINT, NULL, &old->on_int);
	sigaction(SIGTERM, NULL, &old->on_term);
	/* what the caller ignores, as a shell does for what it starts behind it, stays ignored */
	if (old->on_int.sa_handler == SIG_DFL && !interrupted)
		sigaction(SIGINT, &first, NULL);
	if (old->on_term.sa_handler == SIG_DFL && !interrupted)
		sigaction(SIGTERM, &first, NULL);
}

void stop_release(const struct stop *old)
{
	if (interrupted)
		return;
	sigaction(SIGINT, &old->on_int, NULL);
	sigaction(SIGTERM, &old->on_term, NULL);
}

int stop_came(void)
{
	return interrupted;
}
