/* cubins.c - keeps compiled kernels in the user's cache folder, as compiling takes seconds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/cubins.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/save.h"

#define IMAGE_MAX ((size_t)1 << 26)

/* In front of an image. */
struct head {
	char word[8];
	uint64_t size, hash; /* of the image */
};

static const char word[8] = "PALEOKR1";
static const struct paleo_file_kind kind = {.what = "compiled kernels", .marks = {"PALEOKR1"}};

/* 0 where there is no such folder. */
static int folder(char path[PATH_MAX])
{
	const char *own = getenv("PALEO_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	int n = 0;

	if (own)
		n = *own ? snprintf(path, PATH_MAX, "%s", own) : 0;
	else if (xdg && *xdg == '/')
		n = snprintf(path, PATH_MAX, "%s/paleo", xdg);
	else if (home && *home == '/')
		n = snprintf(path, PATH_MAX, "%s/.cache/paleo", home);
	return n > 0 && n < PATH_MAX - 64;
}

static int file_of(uint64_t key, char path[PATH_MAX])
{
	if (!folder(path))
		return 0;
	size_t used = strlen(path);
	snprintf(path + used, PATH_MAX - used, "/kernels-%016llx", (unsigned long long)key);
	return 1;
}

char *paleo_cubins_find(uint64_t key)
{
	char path[PATH_MAX], *text = NULL;
	struct paleo_error ignored;
	struct head head;
	size_t size;

	if (!file_of(key, path) ||
	    paleo_file_read(path, IMAGE_MAX, "compiled kernels", &text, &size, &ignored))
		return NULL;
	memset(&head, 0, sizeof(head));
	if (size >= sizeof(head))
		memcpy(&head, text, sizeof(head));
	if (memcmp(head.word, word, sizeof(word)) != 0 || head.size != size - sizeof(head) ||
	    head.hash != paleo_hash_bytes(0, text + sizeof(head), size - sizeof(head))) {
		free(text);
		return NULL;
	}
	memmove(text, text + sizeof(head), size - sizeof(head) + 1);
	return text;
}

/* Makes the folder, and those above it. */
static void make_folder(const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", file);
	for (char *at = path + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
}

void paleo_cubins_keep(uint64_t key, const char *image, size_t size)
{
	struct head head = {.size = size, .hash = paleo_hash_bytes(0, image, size)};
	char path[PATH_MAX], *text = malloc(sizeof(head) + size);
	struct paleo_save *file = NULL;
	struct paleo_error ignored;

	memcpy(head.word, word, sizeof(word));
	if (text && size <= IMAGE_MAX - sizeof(head) && file_of(key, path)) {
		memcpy(text, &head, sizeof(head));
		memcpy(text + sizeof(head), image, size);
		make_folder(path);
		if (!paleo_save_begin(path, &kind, 0, &file, &ignored))
			(void)paleo_save_commit(file, text, sizeof(head) + size, &ignored);
		paleo_save_end(file);
	}
	free(text);
}
