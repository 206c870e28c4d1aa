/* texts.h - a set that keeps one copy of each distinct text. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_TEXTS_H
#define PALEO_BASE_TEXTS_H

#include <stddef.h>

/* Zeros: an empty set. */
struct paleo_texts {
	char **slots; /* open addressing by a hash of the text; NULL: free */
	size_t room;  /* a power of two, at least 4/3 of the slots used */
	size_t used;
};

/* The set's copy of `text`, valid until the set is released. NULL: out of memory. */
const char *paleo_texts_keep(struct paleo_texts *t, const char *text);

void paleo_texts_release(struct paleo_texts *t);

#endif
