/* place.h - shared by save.c and append.c: the save path of a file, and its lock. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_PLACE_H
#define PALEO_BASE_PLACE_H

#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/save.h"

/*
 * Resolves the save path of a file. A regular file or none: *out is `path`, or with `force` the
 * target of a symbolic link; owned by the caller, free(). Anything like a pipe or a terminal, also
 * behind a link: *is_stream is 1. A symbolic link without `force` and a folder are refused. EINPUT,
 * EIO, ENOMEM.
 */
int paleo_place_find(const char *path, int force, char **out, int *is_stream,
		     struct paleo_error *err);

/* Refuses the regular file behind `fd` if it holds something but zeros and is not of this kind.
 * EINPUT. */
int paleo_place_check(int fd, const char *path, const struct paleo_file_kind *kind,
		      struct paleo_error *err);

/* Locks the file behind `fd`. 1: the lock was taken, or the file system has no locks. */
int paleo_place_lock(int fd);
void paleo_place_unlock(int fd); /* also where a child has inherited it; closes it */

/* 1 if `path` names the file behind `fd`, whose state is *st then. */
int paleo_place_is(const char *path, int fd, struct stat *st);

/* A name in the folder of `path` that no other process takes. Owned: free(). NULL without memory.
 */
char *paleo_place_unique(const char *path);

/* Between the two, signals that end a run wait, so that none leaves a file of a half-finished
 * write.
 */
void paleo_place_hold(sigset_t *before);
void paleo_place_let(const sigset_t *before);

/* Return 0 or an errno. A stream cannot be synchronised, which is not an error. */
int paleo_place_write(int fd, const char *text, size_t size);
int paleo_place_sync(int fd);
int paleo_place_sync_folder(const char *path); /* the folder that holds `path` */

#endif
