/* device_json.c - devices as JSON: for calibrations, results and a user's own. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "model/device/device.h"

#define TEXT(name, needed)                                                                         \
	{                                                                                          \
#name, PALEO_FIELD_TEXT, offsetof(struct paleo_device, name),                      \
			.size = sizeof(((struct paleo_device *)0)->name), .optional = !(needed)    \
	}
#define RATE(name, to)                                                                             \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct paleo_device, name), .high = (to),      \
										.optional = 1      \
	}
#define COUNT(name, to)                                                                            \
	{                                                                                          \
#name, PALEO_FIELD_INT, offsetof(struct paleo_device, name), .high = (to),         \
									     .optional = 1         \
	}

static const struct paleo_json_field fields[] = {
	TEXT(name, 1),
	TEXT(title, 0),
	TEXT(match, 0),
	TEXT(source, 0),
	RATE(fp4_flop_per_s, 1e20),
	RATE(int8_flop_per_s, 1e20),
	RATE(mem_bytes_per_s, 1e20),
	RATE(mem_bytes, 1e20),
	RATE(cache_bytes, 1e20),
	RATE(clock_hz, 1e12),
	RATE(tdp_w, 1e6),
	COUNT(sm_count, 1000000),
	COUNT(compute_capability, 10000),
	COUNT(is_processor, 1),
	COUNT(measured, 1),
	{0},
};

/* A rate so small that times are beyond any number is none. */
static int check_rate(const struct paleo_json *v, double x, double least, struct paleo_error *err)
{
	if (x <= 0 || x >= least)
		return PALEO_OK;
	return paleo_json_fail(v, err, "expected 0 where it is not known, or %g or more, found %g",
			       least, x);
}

static int check_rates(const struct paleo_json *object, const struct paleo_device *d,
		       struct paleo_error *err)
{
	const struct {
		const char *key;
		double value, least;
	} rates[] = {
		{"fp4_flop_per_s", d->fp4_flop_per_s, 1},
		{"int8_flop_per_s", d->int8_flop_per_s, 1},
		{"mem_bytes_per_s", d->mem_bytes_per_s, 1},
		{"mem_bytes", d->mem_bytes, 1},
		{"cache_bytes", d->cache_bytes, 1},
		{"clock_hz", d->clock_hz, 1e6},
		{"tdp_w", d->tdp_w, 0.1},
	};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		PALEO_TRY(check_rate(paleo_json_get(object, rates[i].key), rates[i].value,
				     rates[i].least, err));
	return PALEO_OK;
}

static int read_peaks(const struct paleo_json *v, double peaks[PALEO_DTYPES],
		      struct paleo_error *err)
{
	const char *names[PALEO_DTYPES + 1] = {NULL};

	for (int t = 0; t < PALEO_DTYPES; t++)
		names[t] = paleo_dtype_name((enum paleo_dtype)t);
	int rc = paleo_json_only(v, names, err);
	for (int t = 0; !rc && t < PALEO_DTYPES; t++) {
		const struct paleo_json *peak = paleo_json_get(v, names[t]);
		if (peak)
			rc = paleo_json_to_double(peak, 0, 1e20, &peaks[t], err);
		if (peak && !rc)
			rc = check_rate(peak, peaks[t], 1, err);
	}
	return rc;
}

int paleo_device_is_name(const char *name)
{
	return name[0] && name[0] != '.' && !strchr(name, '/');
}

int paleo_device_read(const struct paleo_json *v, struct paleo_device *out, struct paleo_error *err)
{
	static const char *const others[] = {"flop_per_s", NULL};
	struct paleo_device d = {0};
	const struct paleo_json *peaks = NULL;

	PALEO_TRY(paleo_json_fields_read(v, fields, others, &d, err));
	if (d.name[0] == '\0')
		return paleo_json_fail(paleo_json_get(v, "name"), err, "a device needs a name");
	if (!paleo_device_is_name(d.name))
		return paleo_json_fail(paleo_json_get(v, "name"), err,
				       "'%s' cannot be a folder's name: expected one without '/' "
				       "that does not begin with '.'",
				       d.name);
	peaks = paleo_json_get(v, "flop_per_s");
	if (peaks)
		PALEO_TRY(read_peaks(peaks, d.flop_per_s, err));
	PALEO_TRY(check_rates(v, &d, err));
	if (!d.title[0])
		memcpy(d.title, d.name, sizeof(d.name));
	*out = d;
	return PALEO_OK;
}

void paleo_device_write(const struct paleo_device *d, struct paleo_json_writer *w, const char *key)
{
	paleo_json_open_object(w, key);
	paleo_json_fields_write(w, fields, d);
	paleo_json_open_object(w, "flop_per_s");
	for (int t = 0; t < PALEO_DTYPES; t++)
		if (d->flop_per_s[t] > 0)
			paleo_json_put_double(w, paleo_dtype_name((enum paleo_dtype)t),
					      d->flop_per_s[t]);
	paleo_json_close(w);
	paleo_json_close(w);
}

/* Reads a user's own devices from a JSON file. */

static int has_peak(const struct paleo_device *d)
{
	for (int t = 0; t < PALEO_DTYPES; t++)
		if (d->flop_per_s[t] > 0)
			return 1;
	return 0;
}

/* Checks that a device has a unique name and all values a prediction needs. */
static int check_device(const struct paleo_json *v, const struct paleo_device *d,
			const struct paleo_device *before, int count, struct paleo_error *err)
{
	if (!paleo_device_among(d, 1, d->name))
		return paleo_json_fail(
			v, err, "device '%s' needs a letter a-z or a digit in its name", d->name);
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
		PALEO_TRY(paleo_device_read(v, &devices[count], err));
		PALEO_TRY(check_device(v, &devices[count], devices, count, err));
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
