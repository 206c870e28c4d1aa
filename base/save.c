/* save.c - replaces a file whole or not at all; the place in a folder where it is written. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/save.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/place.h"

/* Save paths, shared by save.c and append.c. */

enum {
	HEAD_BYTES = 4096, /* bytes of a file searched for its marks */
	/* Half a second: the worker of a run that was killed may hold its lock a moment longer. */
	LOCK_TRIES = 25,
	LOCK_PAUSE_NS = 20000000
};

/* The length of the folder's name with its slash, 0 where there is none. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

static int follow(const char *path, char **out, struct paleo_error *err)
{
	*out = realpath(path, NULL);
	return *out ? PALEO_OK
		    : paleo_fail(err, PALEO_EIO, "%s: broken symbolic link: %s", path,
				 strerror(errno));
}

int paleo_place_find(const char *path, int force, char **out, int *is_stream,
		     struct paleo_error *err)
{
	struct stat st;
	int is_there = stat(path, &st) == 0;

	*is_stream = is_there && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
	if (is_there && S_ISDIR(st.st_mode))
		return paleo_fail(err, PALEO_EIO, "%s: is a directory, expected a file", path);
	if (!*is_stream && lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) {
		if (force)
			return follow(path, out, err);
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: is a symbolic link: name the file itself, or write to its "
				  "target with --force",
				  path);
	}
	*out = strdup(path);
	return *out ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", path);
}

static ssize_t read_block(int fd, char *block, off_t at)
{
	ssize_t n;

	do
		n = pread(fd, block, HEAD_BYTES, at);
	while (n < 0 && errno == EINTR);
	return n;
}

/* 1 if all bytes are zero: after a power loss a file can keep its length but lose its data. */
static int is_blank(int fd)
{
	char block[HEAD_BYTES];
	ssize_t n;

	for (off_t at = 0; (n = read_block(fd, block, at)) > 0; at += n)
		for (ssize_t i = 0; i < n; i++)
			if (block[i])
				return 0;
	return n == 0;
}

int paleo_place_check(int fd, const char *path, const struct paleo_file_kind *kind,
		      struct paleo_error *err)
{
	char head[HEAD_BYTES + 1];
	ssize_t n = read_block(fd, head, 0);

	if (n < 0)
		return paleo_fail(err, PALEO_EIO, "%s: cannot read: %s", path, strerror(errno));
	head[n] = '\0';
	size_t first = strlen(kind->marks[0]);
	int is_cut = (size_t)n < first; /* or empty */
	int ours = !strncmp(head, kind->marks[0], is_cut ? (size_t)n : first);
	for (int i = 1; !is_cut && i < PALEO_FILE_MARKS && kind->marks[i]; i++)
		ours = ours && strstr(head, kind->marks[i]);
	ours = ours || is_blank(fd);
	return ours ? PALEO_OK
		    : paleo_fail(err, PALEO_EINPUT,
				 "%s: does not hold %s and would be overwritten: choose another "
				 "file, or replace it with --force",
				 path, kind->what);
}

int paleo_place_lock(int fd)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};

	for (int i = 0;; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return 1;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return 1;
		if (i == LOCK_TRIES)
			return 0;
		nanosleep(&pause, NULL);
	}
}

void paleo_place_unlock(int fd)
{
	flock(fd, LOCK_UN);
	close(fd);
}

int paleo_place_is(const char *path, int fd, struct stat *st)
{
	struct stat named;

	return fstat(fd, st) == 0 && stat(path, &named) == 0 && st->st_dev == named.st_dev &&
	       st->st_ino == named.st_ino;
}

/* FOLDER/.NAME with `ending` behind it, of FOLDER/NAME. Owned: free(). NULL without memory. */
static char *hidden(const char *path, const char *ending)
{
	size_t folder = folder_length(path), size = strlen(path) + strlen(ending) + sizeof(".");
	char *name = malloc(size);

	if (name)
		snprintf(name, size, "%.*s.%s%s", (int)folder, path, path + folder, ending);
	return name;
}

char *paleo_place_unique(const char *path)
{
	size_t folder = folder_length(path), size = folder + 64;
	char *name = malloc(size);
	uint64_t random;

	if (!name)
		return NULL;
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != (ssize_t)sizeof(random)) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		random = (uint64_t)now.tv_nsec;
	}
	snprintf(name, size, "%.*s.paleo-%ld-%016" PRIx64 ".part", (int)folder, path,
		 (long)getpid(), random);
	return name;
}

void paleo_place_hold(sigset_t *before)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGHUP);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ends, before);
}

void paleo_place_let(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

int paleo_place_write(int fd, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, text, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EIO;
		text += n;
		size -= (size_t)n;
	}
	return 0;
}

int paleo_place_sync(int fd)
{
	int rc;

	do
		rc = fsync(fd);
	while (rc && errno == EINTR);
	return rc == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP ? 0 : errno;
}

int paleo_place_sync_folder(const char *path)
{
	size_t length = folder_length(path);
	char *folder = length ? strndup(path, length) : strdup(".");
	int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int why = fd < 0 ? errno : paleo_place_sync(fd);

	free(folder);
	if (fd >= 0)
		close(fd);
	return why;
}

/* A file that is replaced. */

struct paleo_save {
	char *path;
	char *lock_path; /* FOLDER/.NAME.lock, there while it is written */
	int lock;        /* its descriptor, -1: a stream has none */
};

static int fail(const char *path, int why, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EIO, "%s: cannot be written: %s", path, strerror(why));
}

/* A separate lock file is used, because the file itself is replaced. The previous owner of the lock
 * removes the lock file, so the opened one may be gone by the time it is locked. */
static int take_lock(struct paleo_save *s, const char *path, struct paleo_error *err)
{
	struct stat st;

	for (;;) {
		s->lock = open(s->lock_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (s->lock < 0 && (errno == ELOOP || errno == EISDIR))
			return paleo_fail(
				err, PALEO_EINPUT, "%s: cannot be locked: %s is a %s: remove it",
				path, s->lock_path, errno == ELOOP ? "symbolic link" : "directory");
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
		s->lock_path = hidden(s->path, ".lock");
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
		unlink(s->lock_path); /* while locked, so that no other process has it */
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
