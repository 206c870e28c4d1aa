/* lines.h - the lines of a text file, plain or gzip, and the fields of a CSV line. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_LINES_H
#define PALEO_BASE_LINES_H

#include <stddef.h>

#include "base/error.h"

/* A file of any size; only one line is in memory. */
struct paleo_lines;

struct paleo_line {
	char *text; /* without its newline, NUL-ended; valid until the next one is read */
	size_t size;
	int is_whole; /* 0: the last line, without a newline */
};

/* Opens the regular file `path`; `what` names the expected kind in messages: "a results file". A
 * line has at most `max_bytes`. EIO, ENOMEM. paleo_lines_close() frees. */
int paleo_lines_open(const char *path, size_t max_bytes, const char *what, struct paleo_lines **out,
		     struct paleo_error *err);
void paleo_lines_close(struct paleo_lines *l); /* NULL is allowed */

/* The next line; *is_there is 0 at the end of the file. EIO, also where a gzip file is broken;
 * EINPUT where a line or the unpacked text is too large; ENOMEM. */
int paleo_lines_next(struct paleo_lines *l, struct paleo_line *out, int *is_there,
		     struct paleo_error *err);

/* For readers of other units than lines: the text from here on, of *size bytes, more than `seen`
 * unless the file ends, valid until the next call; and going on behind `size` bytes of it. Errors
 * as above. */
int paleo_lines_peek(struct paleo_lines *l, size_t seen, const char **text, size_t *size,
		     struct paleo_error *err);
void paleo_lines_skip(struct paleo_lines *l, size_t size);

enum {
	PALEO_CSV_OPEN_QUOTE = -1
};

/* Splits a line at its commas, in place; a field may be quoted, and blanks around it are ignored.
 * Returns their number, `max` + 1 if there are more than that; or PALEO_CSV_OPEN_QUOTE. */
int paleo_csv_split(char *line, char **fields, int max);

#endif
