/* backends.c - the list of backends and their properties, known without opening one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/device/backends.h"

#include <string.h>

const char *const paleo_timed_by_names[] = {"unknown", "host", "events", "graph", NULL};

static const struct paleo_backend_entry backends[] = {
#define BACKEND(id, argument, help, ...) {.name = #id, __VA_ARGS__},
#include "model/device/backends.def"
#undef BACKEND
};

static const struct paleo_backend_entry table = {.name = PALEO_BACKEND_TABLE,
						 .hardware = PALEO_GPU};

static const struct paleo_backend_entry unknown = {.name = ""};

enum {
	BACKENDS = sizeof(backends) / sizeof(backends[0])
};

const struct paleo_backend_entry *paleo_backends(int *count)
{
	*count = BACKENDS;
	return backends;
}

const struct paleo_backend_entry *paleo_backend_find(const char *name)
{
	for (int i = 0; i < BACKENDS; i++)
		if (!strcmp(name, backends[i].name))
			return &backends[i];
	return strcmp(name, table.name) ? &unknown : &table;
}
