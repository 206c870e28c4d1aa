/* fuzz_file.h - bytes as a file in memory, for readers that want a path. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_FUZZ_FUZZ_FILE_H
#define PALEO_TESTS_FUZZ_FUZZ_FILE_H

#include <stddef.h>
#include <stdint.h>

enum {
	FUZZ_PATH_MAX = 64
};

/* A file with these bytes, until fuzz_file_close(). */
int fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH_MAX]);
void fuzz_file_close(int fd);

#endif
