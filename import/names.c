/* names.c - names in a file that is imported: a table from them to numbers, and the net's own. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "import/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum {
	FIRST_CAPACITY = 64,
	STEM_MAX = 400 /* bytes, with the NUL */
};

struct paleo_names_slot {
	const void *text; /* NULL: the slot is free */
	size_t size;
	int number;
};

/* The slot that holds the name, or the free one where it belongs. The table is never full. */
static struct paleo_names_slot *find(const struct paleo_names *names, const void *text, size_t size)
{
	size_t i = (size_t)paleo_hash_bytes(0, text, size) & (names->capacity - 1);

	while (names->slots[i].text &&
	       (names->slots[i].size != size || memcmp(names->slots[i].text, text, size) != 0))
		i = (i + 1) & (names->capacity - 1);
	return &names->slots[i];
}

int paleo_names_get(const struct paleo_names *names, const void *text, size_t size)
{
	const struct paleo_names_slot *slot = names->capacity ? find(names, text, size) : NULL;

	return slot && slot->text ? slot->number : -1;
}

static int grow(struct paleo_names *names)
{
	struct paleo_names larger = {.capacity =
					     names->capacity ? 2 * names->capacity : FIRST_CAPACITY,
				     .count = names->count};

	larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
	if (!larger.slots)
		return -1;
	for (size_t i = 0; i < names->capacity; i++) {
		const struct paleo_names_slot *old = &names->slots[i];
		if (old->text)
			*find(&larger, old->text, old->size) = *old;
	}
	free(names->slots);
	*names = larger;
	return 0;
}

int paleo_names_put(struct paleo_names *names, const void *text, size_t size, int number)
{
	if (2 * names->count >= names->capacity && grow(names))
		return -1;
	struct paleo_names_slot *slot = find(names, text, size);
	names->count += !slot->text;
	*slot = (struct paleo_names_slot){text, size, number};
	return 0;
}

void paleo_names_release(struct paleo_names *names)
{
	free(names->slots);
	*names = (struct paleo_names){0};
}

void paleo_names_put_stem(struct paleo_json_writer *w, const char *path)
{
	const char *slash = strrchr(path, '/');
	char name[STEM_MAX];

	snprintf(name, sizeof(name), "%s", slash ? slash + 1 : path);
	char *dot = strrchr(name, '.');
	if (dot && dot > name)
		*dot = '\0';
	paleo_json_put_string(w, "name", name[0] ? name : "net");
}
