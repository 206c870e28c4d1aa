/* write_cubins.c - writes the kernels' machine code to files, one for each element type. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cuda/nvrtc.h"

/* Where the table ends that the ELF file's header describes: its place, entry size and count are at
 * these bytes of the header. */
static size_t table_end(const char *image, int place, int entry_at, int count_at)
{
	uint64_t table;
	uint16_t entry, count;

	memcpy(&table, image + place, sizeof(table));
	memcpy(&entry, image + entry_at, sizeof(entry));
	memcpy(&count, image + count_at, sizeof(count));
	return (size_t)table + (size_t)entry * count;
}

static int write_cubin(enum paleo_dtype dtype, int compute_capability, const char *folder)
{
	struct paleo_error err;
	char path[4096], *image = NULL;

	if (paleo_nvrtc_compile(dtype, compute_capability, &image, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 0;
	}
	size_t sections = table_end(image, 40, 58, 60), segments = table_end(image, 32, 54, 56);
	size_t size = sections > segments ? sections : segments;
	snprintf(path, sizeof(path), "%s/%s.cubin", folder, paleo_dtype_name(dtype));
	FILE *file = fopen(path, "wb");
	int good = file && fwrite(image, 1, size, file) == size;
	if (file)
		good &= !fclose(file);
	free(image);
	return good;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: write_cubins COMPUTE_CAPABILITY FOLDER\n");
		return 2;
	}
	int capability = (int)strtol(argv[1], NULL, 10);
	return write_cubin(PALEO_F32, capability, argv[2]) &&
			       write_cubin(PALEO_F16, capability, argv[2]) &&
			       write_cubin(PALEO_BF16, capability, argv[2])
		       ? 0
		       : 1;
}
