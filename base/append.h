/* append.h - a file that lines are added to, which no other run adds to meanwhile. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_APPEND_H
#define PALEO_BASE_APPEND_H

#include <stddef.h>

#include "base/save.h"

struct paleo_append;

struct paleo_append_wish {
	const struct paleo_file_kind *kind;
	int resume; /* 1: appends to the file's contents; 0: starts anew */
	int force;  /* 1: any kind of file is overwritten, a link is followed, and the old contents
		       are dropped */
};

/*
 * Opens `path`, making the file if it is not there, and locks it. Refused are a folder, a symbolic
 * link, a file of another kind, and one that another process is adding to. The first line written
 * changes the file: when starting anew, an earlier file with more than a first line is kept under
 * another name (paleo_append_kept()); when resuming, a partial last line is removed. Streams such
 * as /dev/stdout are written to directly. *out is owned: paleo_append_close(). EINPUT, EIO, ENOMEM.
 */
int paleo_append_open(const char *path, const struct paleo_append_wish *wish,
		      struct paleo_append **out, struct paleo_error *err);

/* 1: the lines come behind earlier ones. */
int paleo_append_resumes(const struct paleo_append *a);

/* 1: the last of the earlier lines was cut. */
int paleo_append_was_cut(const struct paleo_append *a);

/* Name of the earlier file since the first line was written: PATH.1, or the next free number; NULL:
 * there was none. Belongs to `a`. */
const char *paleo_append_kept(const struct paleo_append *a);

/*
 * Adds whole lines, all or nothing, and has them on the disk within seconds if more follow. Also
 * fails if the file was meanwhile removed, replaced or truncated, so that no data is lost
 * unnoticed. EIO with the file's name.
 */
int paleo_append_lines(struct paleo_append *a, const char *lines, size_t size,
		       struct paleo_error *err);

/* Has all that was added on the disk. EIO. */
int paleo_append_sync(struct paleo_append *a, struct paleo_error *err);

/* Closes it; a file that was made and never written to is removed. NULL is allowed. */
void paleo_append_close(struct paleo_append *a);

#endif
