/* grow.c - arrays that double when they are full. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/grow.h"

#include <limits.h>
#include <stdlib.h>

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
