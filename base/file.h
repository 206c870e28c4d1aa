/* file.h - whole files in memory: plain, packed by gzip, or mapped. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_FILE_H
#define PALEO_BASE_FILE_H

#include <stddef.h>

#include "base/error.h"

enum {
	PALEO_FILE_SLACK = 8 /* zeros behind a file's text: words are read as a whole */
};

/*
 * Reads the regular file `path` of at most `max_bytes`. *text is owned by the caller: free();
 * PALEO_FILE_SLACK zeros follow its *size bytes. `what` names the expected kind in messages: "a
 * JSON file". EIO; EINPUT when it is larger; ENOMEM.
 */
int paleo_file_read(const char *path, size_t max_bytes, const char *what, char **text, size_t *size,
		    struct paleo_error *err);

/* Opens such a file for reading: *out is the caller's to close. `size` may be NULL. EIO; EINPUT
 * when it is larger. */
int paleo_file_open(const char *path, size_t max_bytes, const char *what, int *out, size_t *size,
		    struct paleo_error *err);

/*
 * Reads `path`, unpacked if it is a gzip file: at most `max_bytes` of text. *text is owned by the
 * caller: free(); a NUL follows its *size bytes. `what` names the expected kind in messages. EIO,
 * also when the file is broken; EINPUT when it is larger, or far larger than packed; ENOMEM.
 */
int paleo_gzip_read(const char *path, size_t max_bytes, const char *what, char **text, size_t *size,
		    struct paleo_error *err);

/* Refuses files that unpack to more than 100 times their size, from 16 MB on, so that a small file
 * cannot exhaust the memory. EINPUT. */
int paleo_gzip_check_ratio(const char *path, double packed, double unpacked,
			   struct paleo_error *err);

/* A file as bytes of memory, for large files of which few bytes count. */

struct paleo_map {
	unsigned char *bytes; /* NULL if size is 0 */
	size_t size;
};

/*
 * Maps the regular file `path` for reading. `what` names the expected kind in messages: "an ONNX
 * file". Unmap with paleo_map_close(). The file must not be truncated meanwhile. EIO.
 */
int paleo_map_open(const char *path, const char *what, struct paleo_map *out,
		   struct paleo_error *err);
void paleo_map_close(struct paleo_map *map); /* a zero struct is allowed */

#endif
