/* gzip.h - reads a whole text file that may be compressed with gzip. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_GZIP_H
#define PALEO_BASE_GZIP_H

#include <stddef.h>

#include "base/error.h"

/*
 * Reads `path`, unpacked if it is a gzip file, as it is otherwise: at most
 * `max_bytes` of text. *text is owned by the caller: free(); a NUL stands behind its
 * *size bytes. `what` is what was expected, for messages. EIO, also when the file is
 * broken; EINPUT when it is larger, or far larger than packed; ENOMEM.
 */
int paleo_gzip_read(const char *path, size_t max_bytes, const char *what, char **text, size_t *size,
		    struct paleo_error *err);

/* Refuses what unpacks to more than 100 times its size, from 16 MB on: a small file must not fill
 * the memory. EINPUT. */
int paleo_gzip_check_ratio(const char *path, double packed, double unpacked,
			   struct paleo_error *err);

#endif
