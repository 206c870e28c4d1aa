/* compile_kernels.c - a program of the build: compiles our kernels by NVRTC, without a GPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cuda/kernels.h"

static int write_file(const char *path, const char *text, size_t size)
{
	FILE *file = fopen(path, "wb");
	int good = file && fwrite(text, 1, size, file) == size;

	if (file)
		good &= !fclose(file);
	if (!good)
		fprintf(stderr, "compile_kernels: %s cannot be written\n", path);
	return good ? 0 : 1;
}

/* An architecture that this NVRTC does not know is left to the run time: its file is empty. */
static int write_image(int compute_capability, const char *dtype_name, const char *path)
{
	struct paleo_error err;
	enum paleo_dtype dtype;
	char *image = NULL;
	size_t size = 0;
	int rc = paleo_dtype_parse(dtype_name, &dtype, &err);

	if (!rc && !paleo_nvrtc_knows(compute_capability)) {
		printf("compile_kernels: this NVRTC has no code for compute capability %d.%d: "
		       "kernels for it are compiled when first used\n",
		       compute_capability / 10, compute_capability % 10);
		return write_file(path, "", 0);
	}
	if (!rc)
		rc = paleo_nvrtc_compile(dtype, compute_capability, &image, &size, &err);
	if (rc) {
		fprintf(stderr, "compile_kernels: %s\n", err.text);
		return 1;
	}
	rc = write_file(path, image, size);
	free(image);
	return rc;
}

static int write_version(const char *path)
{
	char text[64];
	int major = 0, minor = 0;

	nvrtcVersion(&major, &minor);
	snprintf(text, sizeof(text), "{%d, %d}\n", major, minor);
	return write_file(path, text, strlen(text));
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "version"))
		return write_version(argv[2]);
	if (argc == 4)
		return write_image((int)strtol(argv[1], NULL, 10), argv[2], argv[3]);
	fprintf(stderr, "usage: compile_kernels COMPUTE_CAPABILITY DTYPE FILE\n"
			"       compile_kernels version FILE\n");
	return 2;
}
