/* intern.h - a number for each distinct text, from 0 in the order in which they come. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_TRACES_INTERN_H
#define PALEO_MODEL_RECORD_TRACES_INTERN_H

#include "base/texts.h"

/* Zeros: an empty one. */
struct paleo_intern {
	struct paleo_texts kept;
	const char **texts; /* by number */
	int count, room;
	int *slots; /* open addressing by a hash of the text: 1 + its number; 0: free */
	int slot_count;
};

/* The text's number; -1: out of memory. */
int paleo_intern(struct paleo_intern *t, const char *text);
void paleo_intern_release(struct paleo_intern *t);

#endif
