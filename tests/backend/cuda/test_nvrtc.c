/* test_nvrtc.c - all kernels are compiled, for every generation of GPUs; needs no GPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/backends/cuda/kernels.h"
#include "tests/unit/unit.h"

#define PLAIN(name, ...) #name,
#define BARRIER(name, ...) #name,
static const char *const names[] = {
#include "kernels.def"
};

/* Machine code names its kernels in sections ".text.<name>". */
static int has_section(const char *image, size_t size, const char *name)
{
	char section[64];
	size_t length = (size_t)snprintf(section, sizeof(section), ".text.%s", name);

	for (size_t i = 0; i + length < size; i++)
		if (!memcmp(image + i, section, length + 1))
			return 1;
	return 0;
}

/* The image is an ELF file, whose header says where its last table ends. */
static size_t elf_size(const char *image)
{
	uint64_t table;
	uint16_t entry, count;

	assert_memory_equal(image, "\177ELF", 4);
	memcpy(&table, image + 40, sizeof(table));
	memcpy(&entry, image + 58, sizeof(entry));
	memcpy(&count, image + 60, sizeof(count));
	return (size_t)table + (size_t)entry * count;
}

static void has_all_kernels(const char *image, size_t size, int compute_capability)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!has_section(image, size, names[i]))
			fail_msg("kernel '%s' is missing for %d", names[i], compute_capability);
	assert_false(has_section(image, size, "no_such_kernel"));
}

/* PALEO_CUDA_ARCHS, which may name none, is a list that ends with 0. */
static void images_of_the_build_have_all_kernels(void **state)
{
	static const enum paleo_dtype dtypes[] = {PALEO_F32, PALEO_F16, PALEO_BF16};
	static const int architectures[] = {PALEO_CUDA_ARCHS};
	int version[2];

	(void)state;
	for (const int *capability = architectures; *capability; capability++) {
		for (size_t t = 0; t < sizeof(dtypes) / sizeof(*dtypes); t++) {
			const char *image = paleo_kernel_image(dtypes[t], *capability);
			if (!image)
				fail_msg("there is no image of %s for %d",
					 paleo_dtype_name(dtypes[t]), *capability);
			has_all_kernels(image, elf_size(image), *capability);
		}
	}
	assert_null(paleo_kernel_image(PALEO_F32, 999));
	assert_null(paleo_kernel_image(PALEO_FP8, 90)); /* what is around its products is bf16 */
	paleo_kernel_images_version(version);
	assert_true(version[0] >= 12);
}

static void compiles_at_run_time(void **state)
{
	struct paleo_error err;
	char *image;
	size_t size;

	(void)state;
	if (paleo_nvrtc_compile(PALEO_BF16, 75, &image, &size, &err))
		fail_msg("%s", err.text);
	assert_true(size >= elf_size(image));
	has_all_kernels(image, size, 75);
	free(image);
}

/* What no compiler knows yet gets PTX, which the driver finishes. */
static void gives_ptx_for_what_comes_next(void **state)
{
	struct paleo_error err;
	char *image;

	(void)state;
	assert_int_equal(paleo_nvrtc_compile(PALEO_F32, 999, &image, NULL, &err), PALEO_OK);
	assert_non_null(strstr(image, ".entry adam"));
	free(image);
}

static void refuses_what_is_too_old(void **state)
{
	struct paleo_error err;
	char *image;

	(void)state;
	assert_int_equal(paleo_nvrtc_compile(PALEO_F32, 10, &image, NULL, &err), PALEO_ELIBRARY);
	assert_non_null(strstr(err.text, "compute capability 1.0"));
}

/* A kept image is taken as it is; what was cut or changed is compiled again; without a folder
 * nothing is kept. */
static void keeps_what_it_compiled(void **state)
{
	static const char image[] = "an image\0with a zero";
	char folder[] = "/tmp/paleo-test-XXXXXX", command[128];
	char *found;
	size_t size;

	(void)state;
	assert_non_null(mkdtemp(folder));
	setenv("PALEO_CACHE_DIR", "", 1);
	paleo_cubins_keep(7, image, sizeof(image));
	assert_null(paleo_cubins_find(7, &size));
	snprintf(command, sizeof(command), "%s/deep/er", folder);
	setenv("PALEO_CACHE_DIR", command, 1);
	assert_null(paleo_cubins_find(7, &size));
	paleo_cubins_keep(7, image, sizeof(image));
	assert_null(paleo_cubins_find(8, &size));
	found = paleo_cubins_find(7, &size);
	assert_non_null(found);
	assert_int_equal(size, sizeof(image));
	assert_memory_equal(found, image, sizeof(image));
	free(found);
	for (int cut = 0; cut < 2; cut++) {
		paleo_cubins_keep(7, image, sizeof(image));
		snprintf(command, sizeof(command),
			 cut ? "truncate -s -1 %s/deep/er/kernels-*"
			     : "sed -i s/image/imago/ %s/deep/er/kernels-*",
			 folder);
		assert_int_equal(system(command), 0);
		assert_null(paleo_cubins_find(7, &size));
	}
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	setenv("PALEO_CACHE_DIR", "", 1);
}

/* What others may have written is neither taken nor replaced. */
static void trusts_no_others(void **state)
{
	static const char image[] = "an image";
	char folder[] = "/tmp/paleo-test-XXXXXX", file[64], command[128];
	const char *const places[] = {folder, file};
	size_t size;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/kernels-%016x", folder, 7);
	setenv("PALEO_CACHE_DIR", folder, 1);
	const mode_t before = umask(0002);
	paleo_cubins_keep(7, image, sizeof(image));
	umask(before);
	for (int i = 0; i < 2; i++) {
		const mode_t own = i ? 0600 : 0700, others[] = {own | 020, own | 002};
		char *found = paleo_cubins_find(7, &size);
		assert_non_null(found);
		free(found);
		for (int k = 0; k < 2; k++) {
			assert_int_equal(chmod(places[i], others[k]), 0);
			assert_null(paleo_cubins_find(7, &size));
		}
		assert_int_equal(chmod(places[i], own), 0);
		if (geteuid()) /* only root gives files away */
			continue;
		assert_int_equal(chown(places[i], 65534, 0), 0);
		assert_null(paleo_cubins_find(7, &size));
		assert_int_equal(chown(places[i], 0, 0), 0);
	}
	assert_int_equal(chmod(folder, 0777), 0);
	paleo_cubins_keep(8, image, sizeof(image));
	assert_int_equal(chmod(folder, 0700), 0);
	assert_null(paleo_cubins_find(8, &size));
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	setenv("PALEO_CACHE_DIR", "", 1);
}

int main(void)
{
	setenv("PALEO_CACHE_DIR", "", 1); /* each test compiles for itself */

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_what_it_compiled),
		cmocka_unit_test(trusts_no_others),
		cmocka_unit_test(images_of_the_build_have_all_kernels),
		cmocka_unit_test(compiles_at_run_time),
		cmocka_unit_test(gives_ptx_for_what_comes_next),
		cmocka_unit_test(refuses_what_is_too_old),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
