/* save.c - puts a text in the place of a file, whole or not at all. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/save.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/place.h"

struct paleo_save {
	char *path;
	char *lock_path; /* FOLDER/.NAME.lock, there while it is written */
	int lock;        /* its descriptor, -1: a stream has none */
};

static int fail(const char *path, int why, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EIO, "%s: cannot be written: %s", path, strerror(why));
}

/* The file itself cannot be what is locked: another one takes its place. Whoever had the lock
 * removes its file, so the one that was opened may be gone by the time that it is locked. */
static int take_lock(struct paleo_save *s, const char *path, struct paleo_error *err)
{
	struct stat st;

	for (;;) {
		s->lock = open(s->lock_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (s->lock < 0)
			return fail(path, errno, err);
		if (!paleo_place_lock(s->lock)) {
			close(s->lock);
			s->lock = -1;
			return paleo_fail(err, PALEO_EINPUT,
					  "%s: another paleo is writing to this file; wait, or "
					  "choose another",
					  path);
		}
		if (paleo_place_is(s->lock_path, s->lock, &st))
			return PALEO_OK;
		close(s->lock);
	}
}

static int check_kind(const char *path, const struct paleo_file_kind *kind, struct paleo_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? PALEO_OK : fail(path, errno, err);
	int rc = paleo_place_check(fd, path, kind, err);
	close(fd);
	return rc;
}

int paleo_save_begin(const char *path, const struct paleo_file_kind *kind, int force,
		     struct paleo_save **out, struct paleo_error *err)
{
	struct paleo_save *s = calloc(1, sizeof(*s));
	int is_stream = 0;

	if (!s)
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", path);
	s->lock = -1;
	int rc = paleo_place_find(path, force, &s->path, &is_stream, err);
	if (!rc && !is_stream) {
		s->lock_path = paleo_place_hidden(s->path, ".lock");
		rc = s->lock_path ? take_lock(s, path, err)
				  : paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", path);
		if (!rc && !force)
			rc = check_kind(s->path, kind, err);
	}
	if (rc)
		paleo_save_end(s);
	else
		*out = s;
	return rc;
}

static int write_stream(const char *path, const char *text, size_t size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int why = fd < 0 ? errno : paleo_place_write(fd, text, size);

	if (fd >= 0 && close(fd) && !why)
		why = errno;
	return why;
}

/* The text in a new file, on the disk, with the rights of the file whose place it takes. */
static int write_part(const char *part, const char *path, const char *text, size_t size)
{
	struct stat st;
	int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return errno;
	int why = paleo_place_write(fd, text, size);
	if (!why && stat(path, &st) == 0 && fchmod(fd, st.st_mode & 0777))
		why = errno;
	if (!why)
		why = paleo_place_sync(fd);
	if (close(fd) && !why)
		why = errno;
	if (!why && rename(part, path))
		why = errno;
	if (why)
		unlink(part);
	return why;
}

int paleo_save_commit(struct paleo_save *s, const char *text, size_t size, struct paleo_error *err)
{
	sigset_t before;
	int why = 0;

	if (s->lock < 0) {
		why = write_stream(s->path, text, size);
	} else {
		char *part = paleo_place_unique(s->path);
		if (!part)
			return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", s->path);
		paleo_place_hold(&before);
		why = write_part(part, s->path, text, size);
		paleo_place_let(&before);
		free(part);
		if (!why)
			why = paleo_place_sync_folder(s->path);
	}
	return why ? fail(s->path, why, err) : PALEO_OK;
}

void paleo_save_end(struct paleo_save *s)
{
	if (!s)
		return;
	if (s->lock >= 0) {
		assert(s->lock_path);
		unlink(s->lock_path); /* while it is locked, so that nobody else has it */
		paleo_place_unlock(s->lock);
	}
	free(s->lock_path);
	free(s->path);
	free(s);
}

int paleo_save(const char *path, const struct paleo_file_kind *kind, int force, const char *text,
	       struct paleo_error *err)
{
	struct paleo_save *s = NULL;
	int rc = paleo_save_begin(path, kind, force, &s, err);

	if (!rc)
		rc = paleo_save_commit(s, text, strlen(text), err);
	paleo_save_end(s);
	return rc;
}
