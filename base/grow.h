/* grow.h - memory that grows: arrays that double, and a stream kept in memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_GROW_H
#define PALEO_BASE_GROW_H

#include <stddef.h>
#include <stdio.h>

/*
 * Grows `items`, an array of `count` items of `size` bytes with capacity *room, if needed for one
 * more item: it may move, and *room doubles. NULL without memory: nothing has changed then, and
 * `items` still belong to the caller. Starts as NULL with 0 of 0; free() it.
 */
void *paleo_grow(void *items, int count, int *room, size_t size);

/* Text written to a memory stream, valid after fflush() or fclose(): NUL-ended; initialise with
 * zeros. */
struct paleo_collected {
	char *text; /* owned by the caller: free(), after fclose() */
	size_t size, room;
};

/*
 * A stream that collects its text in *to. If memory runs out, fflush() fails as on a full disk,
 * while an open_memstream() silently drops the text. NULL: out of memory.
 */
FILE *paleo_collect(struct paleo_collected *to);

/* Closes it; returns 0 if *to has all the text written. */
int paleo_collect_close(FILE *stream);

#endif
