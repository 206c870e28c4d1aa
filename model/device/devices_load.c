/* devices_load.c - reads a user's own devices from a JSON file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/json.h"
#include "model/device/device.h"

static int has_peak(const struct paleo_device *d)
{
	for (int t = 0; t < PALEO_DTYPES; t++)
		if (d->flop_per_s[t] > 0)
			return 1;
	return 0;
}

/* What a device needs before anything can be predicted from it, and a name of its own. */
static int check_device(const struct paleo_json *v, const struct paleo_device *d,
			const struct paleo_device *before, int count, struct paleo_error *err)
{
	if (!paleo_device_among(d, 1, d->name))
		return paleo_json_fail(v, err,
				       "device '%s' needs a letter a-z or a digit in its name, or "
				       "nobody can ask for it",
				       d->name);
	if (!has_peak(d))
		return paleo_json_fail(
			v, err, "device '%s' needs at least one peak above 0 in 'flop_per_s'",
			d->name);
	if (!(d->mem_bytes_per_s > 0))
		return paleo_json_fail(v, err, "device '%s' needs 'mem_bytes_per_s' above 0",
				       d->name);
	const struct paleo_device *same = paleo_device_among(before, count, d->name);
	if (same)
		return paleo_json_fail(
			v, err,
			"device '%s' has the name of '%s' before it (letter case, '-' "
			"and '_' do not count)",
			d->name, same->name);
	return PALEO_OK;
}

static int read_list(const struct paleo_json *list, struct paleo_device *devices,
		     struct paleo_error *err)
{
	int count = 0;

	for (const struct paleo_json *v = paleo_json_first(list); v; v = paleo_json_next(v)) {
		if (paleo_json_type(v) != PALEO_JSON_OBJECT)
			return paleo_json_fail(v, err,
					       "expected an object that describes a device");
		int rc = paleo_device_read(v, &devices[count], err);
		if (!rc)
			rc = check_device(v, &devices[count], devices, count, err);
		if (rc)
			return rc;
		count++;
	}
	return PALEO_OK;
}

static int read_root(const struct paleo_json *root, struct paleo_device **out, int *count,
		     struct paleo_error *err)
{
	static const char *const keys[] = {"devices", NULL};
	const struct paleo_json *list = NULL;

	if (paleo_json_type(root) != PALEO_JSON_OBJECT)
		return paleo_json_fail(root, err, "expected an object with the key 'devices'");
	int rc = paleo_json_only(root, keys, err);
	if (!rc)
		rc = paleo_json_need(root, "devices", &list, err);
	if (rc)
		return rc;
	int size = paleo_json_size(list);
	if (paleo_json_type(list) != PALEO_JSON_ARRAY || size == 0)
		return paleo_json_fail(list, err, "expected an array of at least one device");
	struct paleo_device *devices = calloc((size_t)size, sizeof(*devices));
	if (!devices)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d devices", size);
	rc = read_list(list, devices, err);
	if (rc) {
		free(devices);
		return rc;
	}
	*out = devices;
	*count = size;
	return PALEO_OK;
}

int paleo_devices_load(const char *path, struct paleo_device **out, int *count,
		       struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	int rc = paleo_json_load(path, &doc, err);

	if (!rc)
		rc = read_root(paleo_json_root(doc), out, count, err);
	paleo_json_free(doc);
	return rc;
}
