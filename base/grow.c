/* grow.c - memory that grows: arrays that double, and a stream kept in memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/grow.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum {
	FIRST_ROOM = 64
};

void *paleo_grow(void *items, int count, int *room, size_t size)
{
	if (count < *room)
		return items;
	if (*room > INT_MAX / 2)
		return NULL;
	int wanted = *room ? 2 * *room : FIRST_ROOM;
	void *grown = realloc(items, (size_t)wanted * size);
	if (grown)
		*room = wanted;
	return grown;
}

/* A stream that writes to memory and reports when memory runs out. */

static ssize_t take(void *cookie, const char *text, size_t size)
{
	struct paleo_collected *c = cookie;
	size_t room = c->room ? c->room : 1024;

	while (room <= c->size + size)
		room *= 2;
	if (room > c->room) {
		char *grown = realloc(c->text, room);
		if (!grown)
			return 0; /* of a function like this it means failure */
		c->text = grown;
		c->room = room;
	}
	memcpy(c->text + c->size, text, size);
	c->size += size;
	c->text[c->size] = '\0';
	return (ssize_t)size;
}

FILE *paleo_collect(struct paleo_collected *to)
{
	return fopencookie(to, "w", (cookie_io_functions_t){.write = take});
}

int paleo_collect_close(FILE *stream)
{
	int failed = ferror(stream);

	return fclose(stream) || failed;
}
