/* lines.c - the lines of a text file, plain or packed by gzip, one after the other. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lines.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"

enum {
	CHUNK = 1 << 16 /* bytes that are read at once */
};

struct paleo_lines {
	char *path;
	int fd, is_packed;
	int is_read; /* to the file's end */
	size_t max_bytes;
	double packed, unpacked; /* so many bytes till now */
	z_stream z;
	char *text; /* buffer: lines already returned, then those to come from `at` */
	size_t at, seen, end, room; /* no line ends between `at` and `seen` */
	unsigned char in[CHUNK];
};

static int read_some(struct paleo_lines *l, void *to, size_t room, size_t *count,
		     struct paleo_error *err)
{
	ssize_t n;

	do
		n = read(l->fd, to, room);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return paleo_fail(err, PALEO_EIO, "%s: cannot read: %s", l->path, strerror(errno));
	*count = (size_t)n;
	return PALEO_OK;
}

/* Unpacks into the room behind the text; nothing comes at the end of the file. */
static int unpack_some(struct paleo_lines *l, size_t *count, struct paleo_error *err)
{
	const size_t room = l->room - 1 - l->end;

	l->z.next_out = (unsigned char *)l->text + l->end;
	l->z.avail_out = (unsigned)(room < CHUNK ? room : CHUNK);
	unsigned before = l->z.avail_out;
	while (l->z.avail_out == before) {
		size_t n = 0;

		PALEO_TRY(l->z.avail_in ? PALEO_OK : read_some(l, l->in, CHUNK, &n, err));
		if (n > 0) {
			l->z.next_in = l->in;
			l->z.avail_in = (unsigned)n;
			l->packed += (double)n;
		}
		if (l->z.avail_in == 0 && l->z.total_in == 0)
			break; /* behind a whole member */
		int status = l->z.avail_in ? inflate(&l->z, Z_NO_FLUSH) : Z_DATA_ERROR;
		if (status == Z_STREAM_END)
			status = inflateReset(&l->z);
		if (status != Z_OK)
			return paleo_fail(err, PALEO_EIO,
					  "%s: the gzip file is broken or cut short", l->path);
	}
	*count = before - l->z.avail_out;
	l->unpacked += (double)*count;
	return paleo_gzip_check_ratio(l->path, l->packed, l->unpacked, err);
}

/* Reads more data into the buffer, growing it if needed. */
static int fill(struct paleo_lines *l, struct paleo_error *err)
{
	size_t count = 0;

	if (l->at > 0) {
		memmove(l->text, l->text + l->at, l->end - l->at);
		l->seen -= l->at;
		l->end -= l->at;
		l->at = 0;
	}
	if (l->end > l->max_bytes)
		return paleo_fail(err, PALEO_EINPUT, "%s: a line has more than %.0f MB", l->path,
				  (double)l->max_bytes / 1e6);
	if (l->room - l->end < CHUNK) {
		size_t room = 2 * l->room;
		char *text = realloc(l->text, room);
		if (!text)
			return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", l->path);
		l->text = text;
		l->room = room;
	}
	PALEO_TRY(l->is_packed ? unpack_some(l, &count, err)
			       : read_some(l, l->text + l->end, l->room - 1 - l->end, &count, err));
	l->is_read = count == 0;
	l->end += count;
	return PALEO_OK;
}

/* Finds out by its first bytes whether the file is packed. */
static int begin(struct paleo_lines *l, struct paleo_error *err)
{
	size_t count = 0;

	PALEO_TRY(read_some(l, l->in, CHUNK, &count, err));
	l->is_packed = count >= 2 && memcmp(l->in, "\x1f\x8b", 2) == 0;
	if (!l->is_packed) {
		memcpy(l->text, l->in, count);
		l->end = count;
		return PALEO_OK;
	}
	l->z.next_in = l->in;
	l->z.avail_in = (unsigned)count;
	l->packed = (double)count;
	if (inflateInit2(&l->z, 16 + MAX_WBITS) != Z_OK) {
		l->is_packed = 0;
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", l->path);
	}
	return PALEO_OK;
}

int paleo_lines_open(const char *path, size_t max_bytes, const char *what, struct paleo_lines **out,
		     struct paleo_error *err)
{
	struct paleo_lines *l = calloc(1, sizeof(*l));

	if (!l)
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", path);
	l->max_bytes = max_bytes;
	l->room = (size_t)2 * CHUNK;
	l->path = malloc(strlen(path) + 1);
	l->text = malloc(l->room);
	l->fd = -1;
	int rc = l->path && l->text ? PALEO_OK
				    : paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", path);
	if (!rc)
		memcpy(l->path, path, strlen(path) + 1);
	if (!rc)
		rc = paleo_file_open(path, SIZE_MAX, what, &l->fd, NULL, err);
	if (!rc)
		rc = begin(l, err);
	if (rc) {
		paleo_lines_close(l);
		return rc;
	}
	*out = l;
	return PALEO_OK;
}

void paleo_lines_close(struct paleo_lines *l)
{
	if (!l)
		return;
	if (l->is_packed)
		inflateEnd(&l->z);
	if (l->fd >= 0)
		close(l->fd);
	free(l->text);
	free(l->path);
	free(l);
}

int paleo_lines_peek(struct paleo_lines *l, size_t seen, const char **text, size_t *size,
		     struct paleo_error *err)
{
	while (l->end - l->at <= seen && !l->is_read) {
		int rc = fill(l, err);
		if (rc)
			return rc;
	}
	*text = l->text + l->at;
	*size = l->end - l->at;
	return PALEO_OK;
}

void paleo_lines_skip(struct paleo_lines *l, size_t size)
{
	l->at += size;
	l->seen = l->at;
}

int paleo_lines_next(struct paleo_lines *l, struct paleo_line *out, int *is_there,
		     struct paleo_error *err)
{
	char *stop = NULL;

	for (;;) {
		stop = memchr(l->text + l->seen, '\n', l->end - l->seen);
		if (stop || l->is_read)
			break;
		l->seen = l->end;
		PALEO_TRY(fill(l, err));
	}
	*is_there = stop || l->at < l->end;
	if (!*is_there)
		return PALEO_OK;
	if (!stop)
		stop = l->text + l->end;
	*out = (struct paleo_line){l->text + l->at, (size_t)(stop - l->text) - l->at,
				   stop < l->text + l->end};
	*stop = '\0';
	l->at = l->seen = (size_t)(stop - l->text) + (size_t)out->is_whole;
	return PALEO_OK;
}
