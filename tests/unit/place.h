/* place.h - a folder of a test's own, with the path of one file in it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_PLACE_H
#define PALEO_TESTS_PLACE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"

struct place {
	char folder[32];
	char path[48];
};

/* Set up and torn down around a test, whose state it is. */
static inline int make_place(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	if (!p)
		return -1;
	*state = p;
	strcpy(p->folder, "/tmp/paleo-place-XXXXXX");
	if (!mkdtemp(p->folder))
		return -1;
	snprintf(p->path, sizeof(p->path), "%s/a.json", p->folder);
	return 0;
}

static inline int drop_place(void **state)
{
	struct place *p = *state;

	unlink(p->path);
	rmdir(p->folder);
	free(p);
	return 0;
}

#endif
