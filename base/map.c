/* map.c - a file as bytes of memory, by mmap(). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
