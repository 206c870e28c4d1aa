/* test_nvrtc.c - NVRTC compiles all kernels for every generation of GPUs; needs no GPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cuda/cubins.h"
#include "bench/backends/cuda/nvrtc.h"
#include "tests/unit/unit.h"

#define PLAIN(name) #name,
#define BARRIER(name) #name,
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

static void compile_for(enum paleo_dtype dtype, int compute_capability)
{
	struct paleo_error err;
	char *image;

	if (paleo_nvrtc_compile(dtype, compute_capability, &image, &err))
		fail_msg("%s for %d: %s", paleo_dtype_name(dtype), compute_capability, err.text);
	size_t size = elf_size(image);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!has_section(image, size, names[i]))
			fail_msg("kernel '%s' is missing for %d", names[i], compute_capability);
	assert_false(has_section(image, size, "no_such_kernel"));
	free(image);
}

static void compiles_for_every_generation(void **state)
{
	static const int generations[] = {75, 80, 90, 100, 120};

	(void)state;
	for (size_t i = 0; i < sizeof(generations) / sizeof(*generations); i++)
		compile_for(PALEO_F32, generations[i]);
	compile_for(PALEO_F16, 75);
	compile_for(PALEO_BF16, 75);
}

/* What no compiler knows yet gets PTX, which the driver finishes. */
static void gives_ptx_for_what_comes_next(void **state)
{
	struct paleo_error err;
	char *image;

	(void)state;
	assert_int_equal(paleo_nvrtc_compile(PALEO_F32, 999, &image, &err), PALEO_OK);
	assert_non_null(strstr(image, ".entry adam"));
	free(image);
}

static void refuses_what_is_too_old(void **state)
{
	struct paleo_error err;
	char *image;

	(void)state;
	assert_int_equal(paleo_nvrtc_compile(PALEO_F32, 10, &image, &err), PALEO_ELIBRARY);
	assert_non_null(strstr(err.text, "compute capability 1.0"));
}

/* A kept image is taken as it is; what was cut or changed is compiled again; without a folder
 * nothing is kept. */
static void keeps_what_it_compiled(void **state)
{
	static const char image[] = "an image\0with a zero";
	char folder[] = "/tmp/paleo-test-XXXXXX", command[128];
	char *found;

	(void)state;
	assert_non_null(mkdtemp(folder));
	setenv("PALEO_CACHE_DIR", "", 1);
	paleo_cubins_keep(7, image, sizeof(image));
	assert_null(paleo_cubins_find(7));
	snprintf(command, sizeof(command), "%s/deep/er", folder);
	setenv("PALEO_CACHE_DIR", command, 1);
	assert_null(paleo_cubins_find(7));
	paleo_cubins_keep(7, image, sizeof(image));
	assert_null(paleo_cubins_find(8));
	found = paleo_cubins_find(7);
	assert_non_null(found);
	assert_memory_equal(found, image, sizeof(image));
	free(found);
	for (int cut = 0; cut < 2; cut++) {
		paleo_cubins_keep(7, image, sizeof(image));
		snprintf(command, sizeof(command),
			 cut ? "truncate -s -1 %s/deep/er/kernels-*"
			     : "sed -i s/image/imago/ %s/deep/er/kernels-*",
			 folder);
		assert_int_equal(system(command), 0);
		assert_null(paleo_cubins_find(7));
	}
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	setenv("PALEO_CACHE_DIR", "", 1);
}

int main(void)
{
	setenv("PALEO_CACHE_DIR", "", 1); /* each test compiles for itself */

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_what_it_compiled),
		cmocka_unit_test(compiles_for_every_generation),
		cmocka_unit_test(gives_ptx_for_what_comes_next),
		cmocka_unit_test(refuses_what_is_too_old),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
