/* lines.h - the lines of a text file, plain or packed by gzip, one after the other. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_LINES_H
#define PALEO_BASE_LINES_H

#include <stddef.h>

#include "base/error.h"

/* A file of any size: what is held of it is a line. */
struct paleo_lines;

struct paleo_line {
	char *text; /* without its end, where a NUL stands; until the next one is read */
	size_t size;
	int is_whole; /* 0: the last one, which has no end */
};

/* Opens the regular file `path`; `what` is what was expected, for messages: "a results file". A
 * line has at most `max_bytes`. EIO, ENOMEM. paleo_lines_close() frees. */
int paleo_lines_open(const char *path, size_t max_bytes, const char *what, struct paleo_lines **out,
		     struct paleo_error *err);
void paleo_lines_close(struct paleo_lines *l); /* NULL is allowed */

/* The next line; *is_there is 0 at the end of the file. EIO, also where a gzip file is broken;
 * EINPUT where a line or what was packed is too large; ENOMEM. */
int paleo_lines_next(struct paleo_lines *l, struct paleo_line *out, int *is_there,
		     struct paleo_error *err);

#endif
