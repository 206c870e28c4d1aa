/* file.c - whole files in memory: read, or mapped. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_kind(const char *path, const struct stat *st, size_t max_bytes, const char *what,
		      struct paleo_error *err)
{
	if (S_ISDIR(st->st_mode))
		return paleo_fail(err, PALEO_EIO, "%s: is a directory, expected %s", path, what);
	if (!S_ISREG(st->st_mode))
		return paleo_fail(err, PALEO_EIO, "%s: is not a regular file, expected %s", path,
				  what);
	if ((uintmax_t)st->st_size > max_bytes)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: the file has %.0f MB, expected at most %.0f MB", path,
				  (double)st->st_size / 1e6, (double)max_bytes / 1e6);
	return PALEO_OK;
}

/* Reads until `size` bytes or the end of the file; the result is the bytes read or -1. */
static ssize_t read_all(int fd, char *text, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = read(fd, text + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int paleo_file_open(const char *path, size_t max_bytes, const char *what, int *out, size_t *size,
		    struct paleo_error *err)
{
	struct stat st;
	/* O_NONBLOCK: opening a FIFO would wait for a writer. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int rc = PALEO_OK;

	if (fd < 0 || fstat(fd, &st) != 0)
		rc = paleo_fail(err, PALEO_EIO, "%s: cannot open: %s", path, strerror(errno));
	else
		rc = check_kind(path, &st, max_bytes, what, err);
	if (rc) {
		if (fd >= 0)
			close(fd);
		return rc;
	}
	if (size)
		*size = (size_t)st.st_size;
	*out = fd;
	return PALEO_OK;
}

int paleo_file_read(const char *path, size_t max_bytes, const char *what, char **text, size_t *size,
		    struct paleo_error *err)
{
	size_t expected = 0;
	char *buf = NULL;
	int fd, rc = paleo_file_open(path, max_bytes, what, &fd, &expected, err);

	if (rc)
		return rc;
	buf = malloc(expected + PALEO_FILE_SLACK);
	ssize_t n = buf ? read_all(fd, buf, expected) : 0;
	if (!buf)
		rc = paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", path);
	else if (n < 0)
		rc = paleo_fail(err, PALEO_EIO, "%s: cannot read: %s", path, strerror(errno));
	close(fd);
	if (rc) {
		free(buf);
		return rc;
	}
	memset(buf + n, 0, PALEO_FILE_SLACK);
	*text = buf;
	*size = (size_t)n;
	return PALEO_OK;
}

/* A file as bytes of memory, by mmap(). */

static int map(const char *path, int fd, const char *what, struct paleo_map *out,
	       struct paleo_error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return paleo_fail(err, PALEO_EIO, "%s: cannot read: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return paleo_fail(err, PALEO_EIO, "%s: is not a regular file, expected %s", path,
				  what);
	*out = (struct paleo_map){.size = (size_t)st.st_size};
	if (!out->size)
		return PALEO_OK;
	void *bytes = mmap(NULL, out->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return paleo_fail(err, PALEO_EIO, "%s: cannot map: %s", path, strerror(errno));
	out->bytes = bytes;
	return PALEO_OK;
}

int paleo_map_open(const char *path, const char *what, struct paleo_map *out,
		   struct paleo_error *err)
{
	/* O_NONBLOCK: opening a FIFO would wait for a writer. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return paleo_fail(err, PALEO_EIO, "%s: cannot open: %s", path, strerror(errno));
	int rc = map(path, fd, what, out, err);
	close(fd);
	return rc;
}

void paleo_map_close(struct paleo_map *map)
{
	if (map->bytes)
		munmap(map->bytes, map->size);
	*map = (struct paleo_map){0};
}
