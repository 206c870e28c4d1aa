/* plugin.c - finds and opens backends and transports: a shared object each. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/backend.h"
#include "bench/transport.h"
#include "model/device/backends.h"
#include "paleo_config.h"

/* The folder that holds the plug-ins. */
static int plugin_folder(char *out, size_t size, struct paleo_error *err)
{
	const char *named = getenv("PALEO_PLUGIN_DIR");
	char program[PATH_MAX];
	int n;

	if (named && *named) {
		n = snprintf(out, size, "%s", named);
	} else {
		ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
		if (length < 0)
			return paleo_fail(err, PALEO_ELIBRARY,
					  "cannot find the program's folder: set PALEO_PLUGIN_DIR "
					  "to the folder of its plug-ins");
		program[length] = '\0';
		char *slash = strrchr(program, '/');
		if (slash)
			*slash = '\0';
		n = snprintf(out, size, "%s/../%s", program, PALEO_PLUGIN_DIR);
	}
	if (n < 0 || (size_t)n >= size)
		return paleo_fail(err, PALEO_ELIBRARY, "the plug-ins' folder has too long a name");
	return PALEO_OK;
}

/* Loads every version of a library in the folder. Failures are left to the plug-in, which needs it
 * and will report them. */
static void preload(const char *folder, int length, const char *name)
{
	char path[PATH_MAX];
	glob_t found;

	int n = snprintf(path, sizeof(path), "%.*s/%s.so.[0-9]*", length, folder, name);
	if (n < 0 || (size_t)n >= sizeof(path) || glob(path, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		dlopen(found.gl_pathv[i], RTLD_LAZY | RTLD_LOCAL);
	globfree(&found);
}

static void preload_all(const struct paleo_preload *p)
{
	const char *folders = p->folders ? getenv(p->folders) : NULL;

	while (folders && *folders) {
		int length = (int)strcspn(folders, ":");
		for (const char *const *name = p->names; length && *name; name++)
			preload(folders, length, *name);
		folders += length;
		folders += *folders == ':';
	}
}

/* A name is a word, never a path. */
static int check_name(const char *name, struct paleo_error *err)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");

	if (!length || name[length] || length > 32)
		return paleo_fail(err, PALEO_EINPUT, "'%.40s' is not a plug-in name", name);
	return PALEO_OK;
}

/* Opens the library of a plug-in; it stays open. */
static int open_library(const char *name, const struct paleo_preload *first, char *path,
			size_t size, void **out, struct paleo_error *err)
{
	char folder[PATH_MAX];

	int rc = check_name(name, err);
	if (!rc)
		rc = plugin_folder(folder, sizeof(folder), err);
	if (rc)
		return rc;
	snprintf(path, size, "%s/libpaleo-%s.so", folder, name);
	if (access(path, R_OK))
		return paleo_fail(err, PALEO_ELIBRARY,
				  "plug-in '%s' was not built or not installed: no '%s' (set "
				  "PALEO_PLUGIN_DIR if it is elsewhere)",
				  name, path);
	preload_all(first);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		const char *reason = dlerror();
		return paleo_fail(err, PALEO_ELIBRARY,
				  "plug-in '%s' does not load: %s; install the version of its "
				  "library that it was built for, or build paleo on this machine",
				  name, reason ? reason : "no reason given");
	}
	*out = library;
	return PALEO_OK;
}

/* The exported function of this name in a loaded plug-in, of any type. */
static int find_function(void *library, const char *path, const char *name, void (**out)(void),
			 struct paleo_error *err)
{
	void *symbol = dlsym(library, name);

	if (!symbol)
		return paleo_fail(err, PALEO_EBACKEND, "'%s' is not a plug-in: it lacks '%s'", path,
				  name);
	memcpy(out, &symbol, sizeof(*out)); /* C does not have a cast for this */
	return PALEO_OK;
}

static int check_abi(const char *path, int abi, int expected, struct paleo_error *err)
{
	if (abi == expected)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EBACKEND,
			  "'%s' has interface %d, this program has %d: rebuild both", path, abi,
			  expected);
}

int paleo_plugin_open(const char *name, const struct paleo_backend **out, struct paleo_error *err)
{
	char path[PATH_MAX + 64];
	void *library = NULL;
	void (*function)(void) = NULL;
	int rc = open_library(name, &paleo_backend_find(name)->preload, path, sizeof(path),
			      &library, err);

	if (!rc)
		rc = find_function(library, path, PALEO_BACKEND_SYMBOL, &function, err);
	if (rc)
		return rc;
	const struct paleo_backend *table = ((paleo_backend_function *)function)();
	rc = check_abi(path, table ? table->abi : 0, PALEO_BACKEND_ABI, err);
	if (!rc)
		*out = table;
	return rc;
}

int paleo_plugin_open_transport(const char *name, const struct paleo_transport **out,
				struct paleo_error *err)
{
	char path[PATH_MAX + 64];
	void *library = NULL;
	void (*function)(void) = NULL;
	int rc = open_library(name, &paleo_transport_find(name)->preload, path, sizeof(path),
			      &library, err);

	if (!rc)
		rc = find_function(library, path, PALEO_TRANSPORT_SYMBOL, &function, err);
	if (rc)
		return rc;
	const struct paleo_transport *table = ((paleo_transport_function *)function)();
	rc = check_abi(path, table ? table->abi : 0, PALEO_TRANSPORT_ABI, err);
	if (!rc)
		*out = table;
	return rc;
}
