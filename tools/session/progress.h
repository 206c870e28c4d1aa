/* progress.h - a run on a terminal: a line of what is done, and the signals that end it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_PROGRESS_H
#define PALEO_TOOLS_SESSION_PROGRESS_H

#include <signal.h>

#include "base/error.h"

enum {
	PROGRESS_WHAT_MAX = 160
};

/* Shown on stderr where that is a terminal; all zero: nothing is shown. Whoever prints something
 * else on the terminal clears the line first. */
struct progress {
	int is_shown;
	int done, count; /* count 0: it is not counted */
	double begun_s;  /* of the host's clock: when the counting began */
	double end_s;    /* when it should be over; NaN: by what is done */
	double drawn_s;  /* when the line was written last; 0: there is none */
	char what[PROGRESS_WHAT_MAX];
};

/* Nothing is shown when `quiet` is 1. */
void progress_open(struct progress *p, int quiet);

/* Something begins that is not counted yet. */
void progress_begin(struct progress *p, const char *what);

/* `done` of `count` are done (0: they are not counted), by `end_s` all will be (NaN: as fast as
 * before), and `what` is next (NULL: as before). */
void progress_step(struct progress *p, int done, int count, double end_s, const char *what);

void progress_clear(struct progress *p);

/* Leaves a line of its own above it, cut to the terminal's width, where it is shown. */
void progress_leave(struct progress *p, const char *text);

/* Tells the line, which is drawn anew a few times a second. */
struct paleo_progress progress_listener(struct progress *p);

/* Earlier handlers of the signals. */
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
