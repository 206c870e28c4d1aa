/* nvrtc.c - compiles the text of our kernels for a device, with a cache. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/save.h"
#include "bench/backends/cuda/kernels.h"

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

/* 1 if it is ours or root's, and no one else may write to it: what is kept runs on the device. */
static int is_trusted(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (st.st_uid == geteuid() || st.st_uid == 0) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Makes the folder, and those above it. */
static void make_folder(char *path)
{
	for (char *at = path + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	mkdir(path, 0700);
}

/* The file of this key, in a folder that is made with `make`; 0 where there is none to trust. */
static int file_of(uint64_t key, int make, char path[PATH_MAX])
{
	if (!folder(path))
		return 0;
	if (make)
		make_folder(path);
	if (!is_trusted(path))
		return 0;
	size_t used = strlen(path);
	snprintf(path + used, PATH_MAX - used, "/kernels-%016llx", (unsigned long long)key);
	return 1;
}

char *paleo_cubins_find(uint64_t key, size_t *length)
{
	char path[PATH_MAX], *text = NULL;
	struct paleo_error ignored;
	struct head head;
	size_t size;

	if (!file_of(key, 0, path) || !is_trusted(path) ||
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
	*length = size - sizeof(head);
	memmove(text, text + sizeof(head), *length + 1);
	return text;
}

void paleo_cubins_keep(uint64_t key, const char *image, size_t size)
{
	struct head head = {.size = size, .hash = paleo_hash_bytes(0, image, size)};
	char path[PATH_MAX], *text = malloc(sizeof(head) + size);
	struct paleo_save *file = NULL;
	struct paleo_error ignored;

	memcpy(head.word, word, sizeof(word));
	if (text && size <= IMAGE_MAX - sizeof(head) && file_of(key, 1, path)) {
		memcpy(text, &head, sizeof(head));
		memcpy(text + sizeof(head), image, size);
		if (!paleo_save_begin(path, &kind, 0, &file, &ignored) &&
		    !paleo_save_commit(file, text, sizeof(head) + size, &ignored))
			(void)chmod(path, 0600); /* the umask may let a group write */
		paleo_save_end(file);
	}
	free(text);
}

/* The number of kernels/element.inc for a dtype. */
static int element_of(enum paleo_dtype dtype)
{
	switch (dtype) {
	case PALEO_F16:
		return 16;
	case PALEO_BF16:
	case PALEO_FP8: /* dtype around its GEMMs */
		return 8;
	case PALEO_F32:
	case PALEO_TF32:
	case PALEO_DTYPES:
		break;
	}
	return 32;
}

/* The newest architecture that NVRTC compiles for and that `wanted` can run; 0 if there is none. */
static int best_architecture(int wanted)
{
	int count = 0, best = 0;

	if (nvrtcGetNumSupportedArchs(&count) || count <= 0)
		return 0;
	int *known = malloc((size_t)count * sizeof(*known));
	if (known && nvrtcGetSupportedArchs(known) == NVRTC_SUCCESS)
		for (int i = 0; i < count; i++)
			if (known[i] <= wanted && known[i] > best)
				best = known[i];
	free(known);
	return best;
}

static int check(nvrtcResult answer, const char *what, struct paleo_error *err)
{
	if (answer == NVRTC_SUCCESS)
		return PALEO_OK;
	return paleo_fail(err, PALEO_ELIBRARY, "nvrtc cannot %s: %s", what,
			  nvrtcGetErrorString(answer));
}

/* Puts the compiler's first line into the sentence. */
static int fail_with_log(nvrtcProgram program, nvrtcResult answer, struct paleo_error *err)
{
	size_t size = 0;
	char *log = NULL;

	if (nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS && size > 0)
		log = calloc(1, size + 1);
	if (log && nvrtcGetProgramLog(program, log) == NVRTC_SUCCESS)
		log[strcspn(log, "\n")] = '\0';
	paleo_error_set(err, PALEO_ELIBRARY, "nvrtc cannot compile the kernels: %s: %s",
			nvrtcGetErrorString(answer), log ? log : "");
	free(log);
	return PALEO_ELIBRARY;
}

static int take_image(nvrtcProgram program, int is_ptx, char **image, size_t *image_size,
		      struct paleo_error *err)
{
	size_t size = 0;
	nvrtcResult answer =
		is_ptx ? nvrtcGetPTXSize(program, &size) : nvrtcGetCUBINSize(program, &size);
	int rc = check(answer, "say how large the kernels are", err);

	if (rc)
		return rc;
	char *taken = calloc(1, size + 1);
	if (!taken)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for compiled kernels");
	answer = is_ptx ? nvrtcGetPTX(program, taken) : nvrtcGetCUBIN(program, taken);
	rc = check(answer, "give the compiled kernels", err);
	if (rc) {
		free(taken);
		return rc;
	}
	*image = taken;
	*image_size = size;
	return PALEO_OK;
}

/* Hash of everything that determines the output: the text, the options, the compiler's version. */
static uint64_t key_of(const char *const options[], int count)
{
	int version[2] = {0, 0};

	nvrtcVersion(&version[0], &version[1]);
	uint64_t key = paleo_hash_bytes(0, version, sizeof(version));
	for (int i = 0; i < count; i++)
		key = paleo_hash_bytes(key, options[i], strlen(options[i]) + 1);
	return paleo_hash_bytes(key, paleo_kernel_source, strlen(paleo_kernel_source));
}

int paleo_nvrtc_knows(int compute_capability)
{
	return best_architecture(compute_capability) == compute_capability;
}

static int compile(const char *const options[], int count, int is_ptx, char **image, size_t *size,
		   struct paleo_error *err)
{
	nvrtcProgram program = NULL;
	int rc = check(
		nvrtcCreateProgram(&program, paleo_kernel_source, "paleo_kernels", 0, NULL, NULL),
		"read the kernels", err);

	if (rc)
		return rc;
	nvrtcResult answer = nvrtcCompileProgram(program, count, options);
	rc = answer ? fail_with_log(program, answer, err)
		    : take_image(program, is_ptx, image, size, err);
	nvrtcDestroyProgram(&program);
	return rc;
}

int paleo_nvrtc_compile(enum paleo_dtype dtype, int compute_capability, char **image, size_t *size,
			struct paleo_error *err)
{
	int best = best_architecture(compute_capability);
	int is_ptx = best != compute_capability;
	char architecture[48], element[32];
	const char *options[] = {architecture, element, "--std=c++17"};
	const int count = (int)(sizeof(options) / sizeof(*options));
	size_t length = 0;

	if (!best)
		return paleo_fail(err, PALEO_ELIBRARY,
				  "nvrtc cannot compile for compute capability %d.%d",
				  compute_capability / 10, compute_capability % 10);
	snprintf(architecture, sizeof(architecture), "--gpu-architecture=%s_%d",
		 is_ptx ? "compute" : "sm", best);
	snprintf(element, sizeof(element), "-DPALEO_ELEMENT=%d", element_of(dtype));
	uint64_t key = key_of(options, count);
	int rc = PALEO_OK;
	char *kept = paleo_cubins_find(key, &length);
	if (kept)
		*image = kept;
	else
		rc = compile(options, count, is_ptx, image, &length, err);
	if (!rc && !kept)
		paleo_cubins_keep(key, *image, length);
	if (size)
		*size = length;
	return rc;
}
