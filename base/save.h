/* save.h - puts a text in the place of a file, whole or not at all. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_SAVE_H
#define PALEO_BASE_SAVE_H

#include <stddef.h>

#include "base/error.h"

enum {
	PALEO_FILE_MARKS = 4
};

/* Recognises files that may be overwritten; a constant of the writer. */
struct paleo_file_kind {
	const char *what; /* for messages: "a calibration" */
	/* The file begins with the first of these, and the others occur in its first 4 KiB;
	 * NULL-ended where there are fewer. A file that is empty, or truncated within the first,
	 * may be overwritten. */
	const char *marks[PALEO_FILE_MARKS];
};

struct paleo_save;

/*
 * Begins to write `path`; nothing is changed yet. Refused are a folder, a symbolic link, a file of
 * another kind, and a file that another process is about to write, until paleo_save_end(). With
 * `force` any kind is overwritten and a link is followed. Streams such as /dev/stdout are written
 * to directly. *out is owned: paleo_save_end(). EINPUT, EIO, ENOMEM.
 */
int paleo_save_begin(const char *path, const struct paleo_file_kind *kind, int force,
		     struct paleo_save **out, struct paleo_error *err);

/* Saves the text atomically: writes a temporary file in the same folder, syncs it and renames it.
 * On failure the file is unchanged. EIO, ENOMEM. */
int paleo_save_commit(struct paleo_save *s, const char *text, size_t size, struct paleo_error *err);

void paleo_save_end(struct paleo_save *s); /* NULL is allowed */

/* All three. */
int paleo_save(const char *path, const struct paleo_file_kind *kind, int force, const char *text,
	       struct paleo_error *err);

#endif
