/* stop.h - the signals that end a run between two things that it measures. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_STOP_H
#define PALEO_TOOLS_SESSION_STOP_H

#include <signal.h>

/* What the signals did before. */
struct stop {
	struct sigaction on_int, on_term;
};

/* From here on the first SIGINT or SIGTERM is to be asked for; a second one ends the program at
 * once, also after stop_release(), which restores *old if there was none. Nests. */
void stop_hold(struct stop *old);
void stop_release(const struct stop *old);

/* 1 if one of them came since. */
int stop_came(void);

#endif
