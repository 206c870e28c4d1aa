/* texts.c - a set that keeps one copy of each distinct text. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* The slot of a text, or the one that it would take. */
static char **slot_of(const struct paleo_texts *t, const char *text)
{
	size_t at = (size_t)paleo_hash_bytes(0, text, strlen(text)) & (t->room - 1);

	while (t->slots[at] && strcmp(t->slots[at], text) != 0)
		at = (at + 1) & (t->room - 1);
	return &t->slots[at];
}

/* Twice as many slots; 0 if memory ran out. */
static int grow(struct paleo_texts *t)
{
	enum {
		ROOM_MIN = 16
	};
	struct paleo_texts more = {.room = t->room ? 2 * t->room : ROOM_MIN, .used = t->used};

	more.slots = calloc(more.room, sizeof(*more.slots));
	if (!more.slots)
		return 0;
	for (size_t i = 0; i < t->room; i++)
		if (t->slots[i])
			*slot_of(&more, t->slots[i]) = t->slots[i];
	free(t->slots);
	*t = more;
	return 1;
}

const char *paleo_texts_keep(struct paleo_texts *t, const char *text)
{
	const size_t size = strlen(text) + 1;

	if (4 * (t->used + 1) > 3 * t->room && !grow(t))
		return NULL;
	char **slot = slot_of(t, text);
	if (*slot)
		return *slot;
	*slot = malloc(size);
	if (!*slot)
		return NULL;
	t->used++;
	return memcpy(*slot, text, size);
}

void paleo_texts_release(struct paleo_texts *t)
{
	for (size_t i = 0; i < t->room; i++)
		free(t->slots[i]);
	free(t->slots);
	*t = (struct paleo_texts){0};
}
