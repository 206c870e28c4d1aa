/* names.h - names in a file that is imported: a table from them to numbers, and the net's own. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_NAMES_H
#define PALEO_IMPORT_NAMES_H

#include <stddef.h>

#include "base/json.h"

/* A zero struct is an empty table. Names are borrowed, of `size` bytes. */
struct paleo_names {
	struct paleo_names_slot *slots;
	size_t capacity; /* a power of 2, or 0 */
	size_t count;
};

/* The name's number, or -1. */
int paleo_names_get(const struct paleo_names *names, const void *text, size_t size);

/* Gives the name a number >= 0, replacing the previous one. Returns 0, or -1: out of memory. */
int paleo_names_put(struct paleo_names *names, const void *text, size_t size, int number);

void paleo_names_release(struct paleo_names *names);

/* Writes "name" as the file is called, without folder and ending. */
void paleo_names_put_stem(struct paleo_json_writer *w, const char *path);

#endif
