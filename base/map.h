/* map.h - a file as bytes of memory, for large files of which few bytes count. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_MAP_H
#define PALEO_BASE_MAP_H

#include <stddef.h>

#include "base/error.h"

struct paleo_map {
	unsigned char *bytes; /* NULL if size is 0 */
	size_t size;
};

/*
 * Maps the regular file `path` for reading. `what` is what was expected, for messages: "an ONNX
 * file". paleo_map_close() gives it back. The file must not be made shorter meanwhile. EIO.
 */
int paleo_map_open(const char *path, const char *what, struct paleo_map *out,
		   struct paleo_error *err);
void paleo_map_close(struct paleo_map *map); /* a zero struct is allowed */

#endif
