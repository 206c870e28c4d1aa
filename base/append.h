/* append.h - a file that lines are added to, which no other run adds to meanwhile. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_APPEND_H
#define PALEO_BASE_APPEND_H

#include <stddef.h>

#include "base/save.h"

struct paleo_append;

struct paleo_append_wish {
	const struct paleo_file_kind *kind;
	int resume; /* 1: goes on behind what the file holds; 0: begins anew */
	int force;  /* 1: the kind does not matter, a link is followed, and what the file held is
		       not kept */
};

/*
 * Opens `path`, making the file if it is not there, and locks it. Refused are a
 * folder, a symbolic link, a file of another kind, and one that another process is
 * adding to. What the file holds is changed by the first line that is written: anew,
 * the earlier file, if it has more than a first line, keeps its text under a name of
 * its own (paleo_append_kept()); resuming, the start of a line that an interruption cut
 * is removed. What is no file, as /dev/stdout, is written to as it is. *out is owned:
 * paleo_append_close(). EINPUT, EIO, ENOMEM.
 */
int paleo_append_open(const char *path, const struct paleo_append_wish *wish,
		      struct paleo_append **out, struct paleo_error *err);

/* 1: the lines come behind earlier ones. */
int paleo_append_resumes(const struct paleo_append *a);

/* 1: the last of the earlier lines was cut. */
int paleo_append_was_cut(const struct paleo_append *a);

/* Where the earlier file lies since the first line was written: PATH.1, or the next number that is
 * free; NULL: there was none. Belongs to `a`. */
const char *paleo_append_kept(const struct paleo_append *a);

/*
 * Adds whole lines, all or nothing, and has them on the disk within seconds if more
 * follow. Fails, too, if meanwhile the file was removed, replaced or cut by others:
 * what was written would be lost unseen. EIO with the file's name.
 */
int paleo_append_lines(struct paleo_append *a, const char *lines, size_t size,
		       struct paleo_error *err);

/* Has all that was added on the disk. EIO. */
int paleo_append_sync(struct paleo_append *a, struct paleo_error *err);

/* Closes it; a file that was made and never written to is removed. NULL is allowed. */
void paleo_append_close(struct paleo_append *a);

#endif
