/* gzip.c - reads a whole text file that may be compressed with gzip. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"

enum {
	RATIO_MAX = 100,
	RATIO_FROM = 16 << 20 /* bytes of text; less does no harm */
};

int paleo_gzip_check_ratio(const char *path, double packed, double unpacked,
			   struct paleo_error *err)
{
	if (unpacked <= RATIO_FROM || unpacked <= RATIO_MAX * packed)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT,
			  "%s: unpacks to more than %d times its size, which is unusual for text: "
			  "if you trust it, unpack it first",
			  path, RATIO_MAX);
}

/* Unpacks one gzip member after the other; the result grows as it goes. */
static int unpack(z_stream *z, size_t max_bytes, char **text, size_t *size, const char *path,
		  struct paleo_error *err)
{
	size_t room = 0, packed = z->avail_in;

	for (;;) {
		if (*size + 1 >= room) {
			room = room ? 2 * room : 1 << 16;
			char *larger = realloc(*text, room);
			if (!larger)
				return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", path);
			*text = larger;
		}
		size_t left = room - 1 - *size;
		z->avail_out = left < UINT_MAX ? (unsigned)left : UINT_MAX;
		z->next_out = (unsigned char *)*text + *size;
		unsigned before = z->avail_out;
		int status = inflate(z, Z_NO_FLUSH);
		*size += before - z->avail_out;
		if (*size > max_bytes)
			return paleo_fail(err, PALEO_EINPUT,
					  "%s: unpacks to more than the allowed %.0f MB", path,
					  (double)max_bytes / 1e6);
		PALEO_TRY(paleo_gzip_check_ratio(path, (double)packed, (double)*size, err));
		if (status == Z_STREAM_END && z->avail_in == 0)
			return PALEO_OK;
		if (status == Z_STREAM_END)
			status = inflateReset(z);
		if (status != Z_OK)
			return paleo_fail(err, PALEO_EIO,
					  "%s: the gzip file is broken or cut short", path);
	}
}

int paleo_gzip_read(const char *path, size_t max_bytes, const char *what, char **text, size_t *size,
		    struct paleo_error *err)
{
	char *packed = NULL, *out = NULL;
	size_t packed_size, out_size = 0;
	z_stream z = {0};

	int rc = paleo_file_read(path, max_bytes, what, &packed, &packed_size, err);
	if (rc)
		return rc;
	if (packed_size < 2 || memcmp(packed, "\x1f\x8b", 2) != 0 || packed_size > UINT_MAX) {
		*text = packed;
		*size = packed_size;
		return PALEO_OK;
	}
	z.next_in = (unsigned char *)packed;
	z.avail_in = (unsigned)packed_size;
	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) {
		rc = paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", path);
		goto out;
	}
	rc = unpack(&z, max_bytes, &out, &out_size, path, err);
	inflateEnd(&z);
	if (rc)
		goto out;
	out[out_size] = '\0';
	*text = out;
	*size = out_size;
	out = NULL;
out:
	free(out);
	free(packed);
	return rc;
}
