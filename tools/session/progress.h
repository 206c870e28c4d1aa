/* progress.h - a line on a terminal: what is done of what, what is next, how long it will take. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_PROGRESS_H
#define PALEO_TOOLS_SESSION_PROGRESS_H

#include "base/told.h"

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

/* Tells the line, which is drawn anew a few times a second. */
struct paleo_told progress_told(struct progress *p);

#endif
