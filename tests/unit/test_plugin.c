/* test_plugin.c - plug-ins are found, and what is none is refused with a reason. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/backend.h"
#include "unit.h"

/* The folder with the real plug-ins, and the one of this test. */
static const char *const real = PLUGIN_DIR;
static const char *const ours = STUB_DIR;

static int try(const char *folder, const char *name, struct paleo_error *err)
{
	const struct paleo_backend *b = NULL;

	setenv("PALEO_PLUGIN_DIR", folder, 1);
	int rc = paleo_plugin_open(name, &b, err);
	assert_true((b != NULL) == (rc == 0));
	if (b)
		assert_string_equal(b->name, name);
	return rc;
}

static void assert_refused(const char *folder, const char *name, int status, const char *text)
{
	struct paleo_error err = {0};

	assert_int_equal(try(folder, name, &err), status);
	assert_int_equal(err.status, status);
	if (!strstr(err.text, text))
		fail_msg("'%s' does not say '%s'", err.text, text);
}

static void opens(void **state)
{
	struct paleo_error err = {0};

	(void)state;
	for (int i = 0; i < 2; i++) {
		if (try(real, "fake", &err))
			fail_msg("%s", err.text);
	}
}

static void refuses(void **state)
{
	char path[4096], words[64];

	(void)state;
	assert_refused(real, "../tests/fake", PALEO_EINPUT,
		       "'../tests/fake' is not a plug-in name");
	assert_refused(real, "", PALEO_EINPUT, "'' is not a plug-in name");
	assert_refused(ours, "missing", PALEO_ELIBRARY, "was not built or not installed");
	snprintf(words, sizeof(words), "has interface %d, this program has %d",
		 PALEO_BACKEND_ABI + 1, PALEO_BACKEND_ABI);
	assert_refused(ours, "other", PALEO_EBACKEND, words);
	assert_refused(ours, "empty", PALEO_EBACKEND, "it lacks 'paleo_backend_table'");

	snprintf(path, sizeof(path), "%s/libpaleo-text.so", ours);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs("no library\n", f);
	fclose(f);
	assert_refused(ours, "text", PALEO_ELIBRARY, "does not load: ");
	assert_refused(ours, "text", PALEO_ELIBRARY, "libpaleo-text.so");
	unlink(path);
}

/* What PALEO_CUDA_LIBDIR names is loaded before the plug-in; folders of no use are passed over. */
static void cuda_folders(void **state)
{
	char library[4096], plugin[4096], folders[4096];

	(void)state;
	snprintf(library, sizeof(library), "%s/libcudart.so.99", ours);
	snprintf(plugin, sizeof(plugin), "%s/libpaleo-cuda.so", ours);
	snprintf(folders, sizeof(folders), "::/nowhere:%s:", ours);
	unlink(library);
	unlink(plugin);
	assert_int_equal(symlink("libpaleo-preload.so", library), 0);
	assert_int_equal(symlink("libpaleo-other.so", plugin), 0);
	assert_refused(ours, "cuda", PALEO_EBACKEND, "this program has ");
	assert_null(dlopen(library, RTLD_NOLOAD | RTLD_LAZY));
	setenv("PALEO_CUDA_LIBDIR", folders, 1);
	assert_refused(ours, "other", PALEO_EBACKEND, "this program has ");
	assert_null(dlopen(library, RTLD_NOLOAD | RTLD_LAZY));
	assert_refused(ours, "cuda", PALEO_EBACKEND, "this program has ");
	assert_non_null(dlopen(library, RTLD_NOLOAD | RTLD_LAZY));
	unsetenv("PALEO_CUDA_LIBDIR");
	unlink(library);
	unlink(plugin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens),
		cmocka_unit_test(refuses),
		cmocka_unit_test(cuda_folders),
	};

	return cmocka_run_group_tests_name("plugin", tests, NULL, NULL);
}
