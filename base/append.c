/* append.c - a file that lines are added to, which no other run adds to meanwhile. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/append.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/place.h"

enum {
	KEPT_MAX = 9999, /* earlier files kept under numbered names */
	OPEN_TRIES = 8,  /* while others remove and make the file */
	BLOCK = 4096
};
static const double SYNC_S = 5; /* seconds of measuring that a power failure may lose */

struct paleo_append {
	char *path;
	char *kept;  /* name for the earlier file, or its name now; NULL: nothing to keep */
	int fd;      /* -1: not open */
	int is_file; /* 0: a pipe, a terminal or the like */
	int is_made; /* 1: it was not there before */
	int keeps;   /* 1: an earlier file gets the name `kept` before the first line */
	int drops;   /* 1: the first line takes an earlier file's place */
	int resumes, was_cut;
	int is_begun;   /* 1: the first line was written */
	off_t size;     /* bytes to keep; the file is at least as long */
	double sync_s;  /* when it was last put on the disk */
	int is_unsaved; /* 1: lines have followed since */
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(const struct paleo_append *a, int why, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EIO, "%s: cannot be written: %s", a->path, strerror(why));
}

static int fail_busy(const struct paleo_append *a, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EINPUT,
			  "%s: another paleo is writing to this file; wait, or choose another",
			  a->path);
}

/* Opens and locks the file that has the name at that time; the previous owner of the lock may have
 * moved it away. */
static int take_file(struct paleo_append *a, struct paleo_error *err)
{
	const int how = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	struct stat st;

	for (int i = 0; i < OPEN_TRIES; i++) {
		a->fd = open(a->path, how);
		a->is_made = a->fd < 0 && errno == ENOENT;
		if (a->is_made)
			a->fd = open(a->path, how | O_CREAT | O_EXCL, 0666);
		if (a->fd < 0 && errno == EEXIST)
			continue;
		if (a->fd < 0)
			return fail(a, errno, err);
		if (!paleo_place_lock(a->fd)) {
			a->is_made = 0;
			return fail_busy(a, err);
		}
		if (paleo_place_is(a->path, a->fd, &st)) {
			a->size = st.st_size;
			return PALEO_OK;
		}
		paleo_place_unlock(a->fd);
		a->fd = -1;
	}
	return fail_busy(a, err);
}

/* Reads backwards for the size up to and with the last line end; -1 with errno. */
static off_t whole_lines(int fd, off_t end)
{
	char block[BLOCK];

	while (end > 0) {
		off_t from = end > BLOCK ? end - BLOCK : 0;
		ssize_t n = pread(fd, block, (size_t)(end - from), from);
		if (n < 0)
			return -1;
		if (n == 0)
			return from;
		for (ssize_t i = n - 1; i >= 0; i--)
			if (block[i] == '\n')
				return from + i + 1;
		end = from;
	}
	return 0;
}

/* 1 if something follows the first line; -1 with errno. */
static int has_lines(int fd, off_t size)
{
	char block[BLOCK];

	for (off_t at = 0; at < size;) {
		ssize_t n = pread(fd, block, sizeof(block), at);
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		const char *end = memchr(block, '\n', (size_t)n);
		if (end)
			return at + (end - block) + 1 < size;
		at += n;
	}
	return 0;
}

/* Finds a name that nothing has: PATH.1, PATH.2 and so on. */
static int name_kept(struct paleo_append *a, struct paleo_error *err)
{
	size_t size = strlen(a->path) + 16;
	struct stat st;

	a->kept = malloc(size);
	if (!a->kept)
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", a->path);
	for (int i = 1; i <= KEPT_MAX; i++) {
		snprintf(a->kept, size, "%s.%d", a->path, i);
		if (lstat(a->kept, &st) == 0)
			continue;
		return errno == ENOENT ? PALEO_OK : fail(a, errno, err);
	}
	return paleo_fail(err, PALEO_EINPUT,
			  "%s: %d earlier files are kept next to it: remove those not needed, or "
			  "overwrite this one with --force",
			  a->path, KEPT_MAX);
}

static int look_at_file(struct paleo_append *a, const struct paleo_append_wish *wish,
			struct paleo_error *err)
{
	int rc = wish->force && !wish->resume ? PALEO_OK
					      : paleo_place_check(a->fd, a->path, wish->kind, err);

	if (rc || a->size == 0)
		return rc;
	if (wish->resume) {
		off_t whole = whole_lines(a->fd, a->size);
		if (whole < 0)
			return fail(a, errno, err);
		a->resumes = whole > 0;
		a->was_cut = whole < a->size;
		a->size = whole;
		return PALEO_OK;
	}
	int lines = wish->force ? 0 : has_lines(a->fd, a->size);
	if (lines < 0)
		return fail(a, errno, err);
	a->keeps = lines;
	a->drops = !lines;
	return lines ? name_kept(a, err) : PALEO_OK;
}

static int open_stream(struct paleo_append *a, struct paleo_error *err)
{
	a->fd = open(a->path, O_WRONLY | O_APPEND | O_CLOEXEC);
	return a->fd < 0 ? fail(a, errno, err) : PALEO_OK;
}

int paleo_append_open(const char *path, const struct paleo_append_wish *wish,
		      struct paleo_append **out, struct paleo_error *err)
{
	struct paleo_append *a = calloc(1, sizeof(*a));
	int is_stream = 0;

	if (!a)
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", path);
	a->fd = -1;
	int rc = paleo_place_find(path, wish->force, &a->path, &is_stream, err);
	if (!rc && is_stream) {
		rc = open_stream(a, err);
	} else if (!rc) {
		a->is_file = 1;
		rc = take_file(a, err);
		if (!rc)
			rc = look_at_file(a, wish, err);
	}
	a->sync_s = now_s();
	if (rc)
		paleo_append_close(a);
	else
		*out = a;
	return rc;
}

int paleo_append_resumes(const struct paleo_append *a)
{
	return a->resumes;
}

int paleo_append_was_cut(const struct paleo_append *a)
{
	return a->was_cut;
}

const char *paleo_append_kept(const struct paleo_append *a)
{
	return a->keeps ? NULL : a->kept;
}

/* Gives a kept earlier file its second name. Without hard links it is renamed, and for a moment the
 * first name does not exist. 0 or an errno. */
static int keep_earlier(const struct paleo_append *a)
{
	if (!a->keeps || link(a->path, a->kept) == 0)
		return 0;
	int has_none = errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK;
	return has_none && rename(a->path, a->kept) == 0 ? 0 : errno;
}

/* Takes keep_earlier() back, also where the new file has the name already. Two names of one file
 * are left by the first call. */
static void keep_no_more(const struct paleo_append *a)
{
	if (a->keeps && rename(a->kept, a->path) == 0)
		unlink(a->kept);
}

/* Writes the first lines to a temporary file, which is locked before it gets its final name: the
 * file is locked for every reader at all times. 0 or an errno. */
static int replace_by(struct paleo_append *a, int fd, const char *made, const char *lines,
		      size_t size)
{
	int why = paleo_place_lock(fd) ? 0 : EBUSY;

	if (!why)
		why = paleo_place_write(fd, lines, size);
	if (!why)
		why = paleo_place_sync(fd);
	if (!why)
		why = keep_earlier(a);
	if (why)
		return why;
	why = rename(made, a->path) ? errno : paleo_place_sync_folder(a->path);
	if (why)
		keep_no_more(a);
	return why;
}

/* Replaces the earlier file by a new one with these lines; or keeps the old one under another name.
 * 0 or an errno. */
static int replace(struct paleo_append *a, const char *lines, size_t size)
{
	const int how = O_RDWR | O_APPEND | O_CLOEXEC | O_CREAT | O_EXCL;
	char *made = paleo_place_unique(a->path);
	struct stat st;

	if (!made)
		return ENOMEM;
	sigset_t before;
	paleo_place_hold(&before);
	int fd = fstat(a->fd, &st) ? -1 : open(made, how, st.st_mode & 0777);
	int why = fd < 0 ? errno : replace_by(a, fd, made, lines, size);
	if (why && fd >= 0) {
		unlink(made);
		paleo_place_unlock(fd);
	}
	paleo_place_let(&before);
	free(made);
	if (why)
		return why;
	paleo_place_unlock(a->fd);
	a->fd = fd;
	a->keeps = a->drops = 0;
	a->size = (off_t)size;
	return 0;
}

/* Checks that everything written so far is still there, under its name. */
static int check_file(const struct paleo_append *a, struct paleo_error *err)
{
	struct stat st;

	if (!paleo_place_is(a->path, a->fd, &st))
		return paleo_fail(err, PALEO_EIO,
				  "%s: the file was removed or replaced during writing; its "
				  "contents are lost",
				  a->path);
	if (st.st_size < a->size)
		return paleo_fail(err, PALEO_EIO,
				  "%s: the file was truncated during writing: of %.0f bytes %.0f "
				  "are left; --resume measures the missing ops again",
				  a->path, (double)a->size, (double)st.st_size);
	return PALEO_OK;
}

/* Appends; a line that cannot be written completely is removed. */
static int add(struct paleo_append *a, const char *lines, size_t size)
{
	int why = a->is_file && a->was_cut && !a->is_begun && ftruncate(a->fd, a->size) ? errno : 0;

	if (!why)
		why = paleo_place_write(a->fd, lines, size);
	if (why && a->is_file && ftruncate(a->fd, a->size))
		return why; /* the next resume sees that the line is cut */
	if (!why && a->is_made && !a->is_begun)
		why = paleo_place_sync_folder(a->path);
	if (!why)
		a->size += (off_t)size;
	return why;
}

int paleo_append_lines(struct paleo_append *a, const char *lines, size_t size,
		       struct paleo_error *err)
{
	PALEO_TRY(a->is_file ? check_file(a, err) : PALEO_OK);
	int why = a->keeps || a->drops ? replace(a, lines, size) : add(a, lines, size);
	if (why)
		return fail(a, why, err);
	a->is_begun = 1;
	a->is_unsaved = 1;
	return now_s() - a->sync_s < SYNC_S ? PALEO_OK : paleo_append_sync(a, err);
}

int paleo_append_sync(struct paleo_append *a, struct paleo_error *err)
{
	int rc = a->is_file && a->is_begun ? check_file(a, err) : PALEO_OK;

	if (rc || !a->is_unsaved)
		return rc;
	int why = paleo_place_sync(a->fd);
	if (why)
		return fail(a, why, err);
	a->sync_s = now_s();
	a->is_unsaved = 0;
	return PALEO_OK;
}

void paleo_append_close(struct paleo_append *a)
{
	struct stat st;

	if (!a)
		return;
	if (a->fd >= 0 && a->is_made && paleo_place_is(a->path, a->fd, &st) && st.st_size == 0)
		unlink(a->path);
	if (a->fd >= 0)
		paleo_place_unlock(a->fd);
	free(a->kept);
	free(a->path);
	free(a);
}
