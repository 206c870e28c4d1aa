/* replay.c - feeds a fuzzer its corpus, whole, cut and changed, where there is no libFuzzer. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

enum {
	CUTS = 100,         /* shorter versions of each file */
	CHANGES = 300,      /* changed versions of each file */
	SEED_MAX = 1 << 20, /* bytes of a file; the rest is not read */
	CHANGED_MAX = SEED_MAX + (1 << 16)
};

static void fail(void)
{
	fprintf(stderr, "replay: out of memory\n");
	exit(1);
}

/* A copy of exactly `size` bytes, so that a sanitizer sees a read behind the end. */
static void feed(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		fail();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
	static uint64_t state = 0x9e3779b97f4a7c15u;

	if (!size || size > max)
		return 0;
	/* Half of the time a byte of the same file: more often still nearly right. */
	uint64_t byte = next_random(&state);
	data[random_below(&state, size)] =
		byte % 2 ? data[random_below(&state, size)] : (uint8_t)(byte >> 8);
	return size;
}

/* For fuzzers that have no changes of their own. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
						     unsigned seed)
{
	(void)seed;
	return LLVMFuzzerMutate(data, size, max);
}

/* One change in ten stays for those that follow. */
static void feed_changed(uint8_t *data, size_t size)
{
	uint8_t *changed = malloc(CHANGED_MAX);

	if (!changed)
		fail();
	for (unsigned i = 0; i < CHANGES; i++) {
		memcpy(changed, data, size);
		size_t n = LLVMFuzzerCustomMutator(changed, size, CHANGED_MAX, i);

		feed(changed, n);
		if (i % 10 == 0 && n <= SEED_MAX) {
			memcpy(data, changed, n);
			size = n;
		}
	}
	free(changed);
}

/* Returns 1 if the file was fed, 0 if it could not be read. */
static int feed_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(SEED_MAX);
	size_t size;
	int fed = 0;

	if (!file || !data)
		goto out;
	size = fread(data, 1, SEED_MAX, file);
	if (ferror(file))
		goto out;
	feed(data, size);
	for (size_t i = 0; i < CUTS; i++)
		feed(data, size * i / CUTS);
	if (size)
		feed_changed(data, size);
	fed = 1;
out:
	free(data);
	if (file)
		fclose(file);
	return fed;
}

/* Returns how many files of the folder were fed. */
static int feed_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char path[4096];
	int fed = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		fed += feed_file(path);
	}
	closedir(dir);
	return fed;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: %s FOLDER...\n", argv[0]);
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		int fed = feed_folder(argv[i]);

		if (!fed) {
			fprintf(stderr, "replay: '%s' holds no file that can be read\n", argv[i]);
			return 1;
		}
		printf("%s: %d files, each with %d cuts and %d changes\n", argv[i], fed, CUTS,
		       CHANGES);
	}
	return 0;
}
