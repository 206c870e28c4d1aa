/* peaks.h - where the peaks of an open device are from. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_PEAKS_H
#define PALEO_TOOLS_SESSION_PEAKS_H

#include "tools/session/session.h"

/*
 * Fills in the peaks of the open device, and says in s->peaks where they are from. In this order:
 * what paleo ceilings has measured of it, on as many threads and with the same libraries; of a
 * processor what was measured since it was booted; measured now, and then kept if nothing disturbed
 * it. What was disturbed is taken from the last that was kept of this processor, else from a
 * calibration of it, else as it is. EIO, EINPUT; and where nothing is known as the backend fails.
 */
int peaks_find(struct session *s, struct paleo_error *err);

/* Measures the peaks of a processor again, because works were faster. *changed is 1 if nothing
 * disturbed it and one of them is larger by what shows: then these are taken, kept, and told in
 * s->peaks. A failure to measure is none. EIO. */
int peaks_again(struct session *s, int *changed, struct paleo_error *err);

/* How long ago that was, for people: "12 s", "3 min", "5 h", "2 days". `utc` as in a "meta" line.
 * "" where it is no time. */
void peaks_age(const char *utc, double now_s, char *text, size_t size);

#endif
