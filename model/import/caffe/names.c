/* names.c - a table from names to numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/caffe/names.h"

#include <stdlib.h>
#include <string.h>

struct paleo_caffe_name {
	const char *text; /* NULL: the slot is free */
	int number;
};

/* FNV-1a, 32 bits (Fowler, Noll, Vo). */
static unsigned hash(const char *text)
{
	unsigned h = 2166136261u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h;
}

/* The slot that holds the name, or the free one where it belongs. The table is never full. */
static struct paleo_caffe_name *find(const struct paleo_caffe_names *names, const char *text)
{
	unsigned i = hash(text) & (names->capacity - 1);

	while (names->slots[i].text && strcmp(names->slots[i].text, text) != 0)
		i = (i + 1) & (names->capacity - 1);
	return &names->slots[i];
}

int paleo_caffe_names_get(const struct paleo_caffe_names *names, const char *name)
{
	const struct paleo_caffe_name *slot = names->capacity ? find(names, name) : NULL;

	return slot && slot->text ? slot->number : -1;
}

static int grow(struct paleo_caffe_names *names)
{
	struct paleo_caffe_names larger = {.capacity = names->capacity ? 2 * names->capacity : 64};

	larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
	if (!larger.slots)
		return -1;
	for (unsigned i = 0; i < names->capacity; i++) {
		if (names->slots[i].text)
			*find(&larger, names->slots[i].text) = names->slots[i];
	}
	larger.count = names->count;
	free(names->slots);
	*names = larger;
	return 0;
}

int paleo_caffe_names_put(struct paleo_caffe_names *names, const char *name, int number)
{
	if (2 * names->count >= names->capacity && grow(names))
		return -1;
	struct paleo_caffe_name *slot = find(names, name);
	names->count += !slot->text;
	*slot = (struct paleo_caffe_name){name, number};
	return 0;
}

void paleo_caffe_names_release(struct paleo_caffe_names *names)
{
	free(names->slots);
	*names = (struct paleo_caffe_names){0};
}
