/* fuzz_gzip.c - any bytes as a file that may be packed; what is unpacked is bounded, or refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

enum {
	TEXT_MAX = 100000 /* less than some packed files of few bytes hold */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct paleo_error err;
	char path[FUZZ_PATH_MAX], *text = NULL;
	size_t found = 0;
	int fd = fuzz_file(data, size, path);

	if (paleo_gzip_read(path, TEXT_MAX, "a text", &text, &found, &err) == 0) {
		demand(found <= TEXT_MAX && text[found] == '\0');
		/* What is not packed comes out as it is. */
		if (size < 2 || data[0] != 0x1f || data[1] != 0x8b)
			demand(found == size && !memcmp(text, data, size));
		free(text);
	} else {
		demand(text == NULL);
		demand(strncmp(err.text, path, strlen(path)) == 0);
	}
	fuzz_file_close(fd);
	return 0;
}
