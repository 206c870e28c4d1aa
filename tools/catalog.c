/* catalog.c - the devices that can be asked for: the user's own, then the shipped ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/catalog.h"

#include <stdlib.h>

#include "base/json.h"

int catalog_make(const char *path, struct catalog *out, struct paleo_error *err)
{
	int shipped_count, mine_count = 0;
	const struct paleo_device *shipped = paleo_devices(&shipped_count);
	struct paleo_device *mine = NULL;

	if (path) {
		int rc = paleo_devices_load(path, &mine, &mine_count, err);
		if (rc)
			return rc;
	}
	struct paleo_device *all =
		realloc(mine, ((size_t)mine_count + (size_t)shipped_count) * sizeof(*all));
	if (!all) {
		free(mine);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the list of devices");
	}
	*out = (struct catalog){.devices = all, .count = mine_count};
	for (int i = 0; i < shipped_count; i++)
		if (!paleo_device_among(all, mine_count, shipped[i].name))
			all[out->count++] = shipped[i];
	return PALEO_OK;
}

void catalog_release(struct catalog *c)
{
	free(c->devices);
	*c = (struct catalog){0};
}

static int unknown_device(const struct catalog *c, const char *name, struct paleo_error *err)
{
	const char **names = calloc((size_t)c->count + 1, sizeof(*names));

	if (!names)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the names of devices");
	for (int i = 0; i < c->count; i++)
		names[i] = c->devices[i].name;
	const char *near = paleo_nearest(name, names);
	free(names);
	if (near)
		return paleo_fail(err, PALEO_EINPUT, "unknown device '%s' (did you mean '%s'?)",
				  name, near);
	return paleo_fail(err, PALEO_EINPUT,
			  "unknown device '%s' ('paleo devices' without a name lists all)", name);
}

int catalog_find(const struct catalog *c, const char *name, const struct paleo_device **out,
		 struct paleo_error *err)
{
	const struct paleo_device *d = paleo_device_among(c->devices, c->count, name);

	if (!d)
		return unknown_device(c, name, err);
	*out = d;
	return PALEO_OK;
}
