/* collect.h - a stream whose text stays in memory, and which tells when there is no more of it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_COLLECT_H
#define PALEO_BASE_COLLECT_H

#include <stddef.h>
#include <stdio.h>

/* What was written, as it is after fflush() or fclose(): NUL-ended; zero at first. */
struct paleo_collected {
	char *text; /* owned by the caller: free(), after fclose() */
	size_t size, room;
};

/*
 * A stream that puts all it is given into *to. Where memory does not suffice, fflush()
 * fails, as on a full disk; an open_memstream() leaves the text out without a word.
 * NULL: out of memory.
 */
FILE *paleo_collect(struct paleo_collected *to);

/* Closes it; 0 if *to has all of what was written. */
int paleo_collect_close(FILE *stream);

#endif
