/* intern.c - a number for each distinct text, from 0 in the order in which they come. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record/traces/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

static int *slot_of(const struct paleo_intern *t, const char *text)
{
	uint64_t at = paleo_hash(paleo_hash_bytes(0, text, strlen(text)));

	for (;; at++) {
		int *slot = &t->slots[at & (uint64_t)(t->slot_count - 1)];
		if (!*slot || !strcmp(t->texts[*slot - 1], text))
			return slot;
	}
}

/* At most half of the slots are taken. */
static int make_room(struct paleo_intern *t)
{
	int *before = t->slots;

	if (2 * t->count < t->slot_count)
		return 1;
	int count = t->slot_count ? 2 * t->slot_count : 256;
	int *slots = calloc((size_t)count, sizeof(*slots));
	if (!slots)
		return 0;
	t->slots = slots;
	t->slot_count = count;
	for (int i = 0; i < t->count; i++)
		*slot_of(t, t->texts[i]) = i + 1;
	free(before);
	return 1;
}

int paleo_intern(struct paleo_intern *t, const char *text)
{
	if (!make_room(t))
		return -1;
	int *slot = slot_of(t, text);
	if (*slot)
		return *slot - 1;
	const char **texts = paleo_grow((void *)t->texts, t->count, &t->room, sizeof(*texts));
	if (!texts)
		return -1;
	t->texts = texts;
	texts[t->count] = paleo_texts_keep(&t->kept, text);
	if (!texts[t->count])
		return -1;
	*slot = ++t->count;
	return t->count - 1;
}

void paleo_intern_release(struct paleo_intern *t)
{
	paleo_texts_release(&t->kept);
	free((void *)t->texts);
	free(t->slots);
	*t = (struct paleo_intern){.count = 0};
}
