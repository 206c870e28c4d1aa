/* stop.h - the signals that end a run between two things that it measures. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_STOP_H
#define PALEO_TOOLS_STOP_H

#include <signal.h>

/* Holds SIGINT and SIGTERM back, to be asked for; *old is what stop_release() restores. Nests. */
void stop_hold(sigset_t *old);
void stop_release(const sigset_t *old);

/* 1 if one of them came while they are held back; it is then done with. */
int stop_came(void);

#endif
