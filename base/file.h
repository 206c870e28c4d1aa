/* file.h - reads a whole text file, after a look at what kind of file it is and how large. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_FILE_H
#define PALEO_BASE_FILE_H

#include <stddef.h>

#include "base/error.h"

/*
 * Reads the regular file `path` of at most `max_bytes`. *text is owned by the
 * caller: free(); a NUL stands behind its *size bytes. `what` is what was expected,
 * for messages: "a JSON file". EIO; EINPUT when it is larger; ENOMEM.
 */
int paleo_file_read(const char *path, size_t max_bytes, const char *what, char **text, size_t *size,
		    struct paleo_error *err);

/* The first `some` bytes of such a file of any size, or all that it has. */
int paleo_file_read_head(const char *path, size_t some, const char *what, char **text, size_t *size,
			 struct paleo_error *err);

/* Opens such a file for reading: *out is the caller's to close. `size` may be NULL. EIO; EINPUT
 * when it is larger. */
int paleo_file_open(const char *path, size_t max_bytes, const char *what, int *out, size_t *size,
		    struct paleo_error *err);

#endif
