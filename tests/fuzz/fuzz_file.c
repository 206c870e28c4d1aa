/* fuzz_file.c - bytes as a file in memory, for readers that want a path. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz_file.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

int fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH_MAX])
{
	int fd = memfd_create("fuzz", 0);

	demand(fd >= 0);
	demand(write(fd, data, size) == (ssize_t)size);
	snprintf(path, FUZZ_PATH_MAX, "/proc/self/fd/%d", fd);
	return fd;
}

void fuzz_file_close(int fd)
{
	close(fd);
}
