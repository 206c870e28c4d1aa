/* catalog.c - the devices that can be asked for: the user's own, then the shipped ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/device/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

int paleo_catalog_make(const char *path, struct paleo_catalog *out, struct paleo_error *err)
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
	*out = (struct paleo_catalog){.devices = all, .count = mine_count};
	for (int i = 0; i < shipped_count; i++)
		if (!paleo_device_among(all, mine_count, shipped[i].name))
			all[out->count++] = shipped[i];
	return PALEO_OK;
}

void paleo_catalog_release(struct paleo_catalog *c)
{
	free(c->devices);
	*c = (struct paleo_catalog){0};
}

/* Writes "h100-pcie, h100-sxm" to `list` for "H100", and "a100-40-sxm, a100-80-sxm" for "a100_sxm":
 * devices that all its words fit. Returns how many there are; those that have no room are left
 * out. */
static int kinds_of(const struct paleo_catalog *c, const char *name, char *list, size_t size)
{
	size_t at = 0;
	int count = 0;

	list[0] = '\0';
	for (int i = 0; i < c->count; i++) {
		const char *of = c->devices[i].name;
		if (!paleo_device_fits(&c->devices[i], name))
			continue;
		int n = snprintf(list + at, size - at, "%s%s", count++ ? ", " : "", of);
		if (n < 0 || (size_t)n >= size - at) {
			list[at] = '\0';
			break;
		}
		at += (size_t)n;
	}
	return count;
}

static int unknown_device(const struct paleo_catalog *c, const char *name, struct paleo_error *err)
{
	char list[256];
	int count = kinds_of(c, name, list, sizeof(list));

	if (count > 1)
		return paleo_fail(err, PALEO_EINPUT, "device '%s' is not one but several: %s", name,
				  list);
	if (count == 1)
		return paleo_fail(err, PALEO_EINPUT, "unknown device '%s' (did you mean '%s'?)",
				  name, list);
	const char **names = calloc((size_t)c->count + 1, sizeof(*names));

	if (!names)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the names of devices");
	for (int i = 0; i < c->count; i++)
		names[i] = c->devices[i].name;
	const char *near = paleo_nearest(name, names);
	free(names);
	if (near)
		return paleo_fail(
			err, PALEO_EINPUT,
			"unknown device '%s' (did you mean '%s'? 'paleo devices' lists all)", name,
			near);
	return paleo_fail(
		err, PALEO_EINPUT,
		"unknown device '%s' ('paleo devices' lists all, docs/reference/devices.md tells "
		"how to add one)",
		name);
}

int paleo_catalog_find(const struct paleo_catalog *c, const char *name,
		       const struct paleo_device **out, struct paleo_error *err)
{
	const struct paleo_device *d = paleo_device_among(c->devices, c->count, name);

	if (!d)
		return unknown_device(c, name, err);
	*out = d;
	return PALEO_OK;
}

int paleo_catalog_find_measured(const struct paleo_catalog *c, const char *given,
				const char *called, const struct paleo_device **out,
				struct paleo_error *err)
{
	char die[sizeof((*out)->name)];

	if (given)
		return paleo_catalog_find(c, given, out, err);
	int length = snprintf(die, sizeof(die), "%s-die", called);
	*out = length < (int)sizeof(die) ? paleo_device_among(c->devices, c->count, die) : NULL;
	return *out ? PALEO_OK : paleo_catalog_find(c, called, out, err);
}
