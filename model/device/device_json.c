/* device_json.c - a device as JSON: for calibrations, results and a user's own devices. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "base/json_fields.h"
#include "model/device/device.h"

#define TEXT(name, needed)                                                                         \
	{                                                                                          \
#name, PALEO_FIELD_TEXT, offsetof(struct paleo_device, name),                      \
			sizeof(((struct paleo_device *)0)->name), 0, 0, !(needed), 0               \
	}
#define RATE(name)                                                                                 \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct paleo_device, name), 0, 0, 1e20, 1, 0   \
	}
#define COUNT(name, high)                                                                          \
	{                                                                                          \
#name, PALEO_FIELD_INT, offsetof(struct paleo_device, name), 0, 0, high, 1, 0      \
	}

static const struct paleo_json_field fields[] = {
	TEXT(name, 1),
	TEXT(title, 0),
	TEXT(match, 0),
	TEXT(source, 0),
	RATE(fp4_flop_per_s),
	RATE(int8_flop_per_s),
	RATE(mem_bytes_per_s),
	RATE(mem_bytes),
	RATE(cache_bytes),
	RATE(clock_hz),
	RATE(tdp_w),
	COUNT(sm_count, 1000000),
	COUNT(compute_capability, 10000),
	COUNT(is_processor, 1),
	COUNT(measured, 1),
	{0},
};

/* A rate so small that times are beyond any number is none. */
static int check_rate(const struct paleo_json *v, double x, struct paleo_error *err)
{
	return x > 0 && x < 1 ? paleo_json_fail(v, err,
						"expected 0 where it is not known, or 1 or more, "
						"found %g",
						x)
			      : PALEO_OK;
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
			rc = check_rate(peak, peaks[t], err);
	}
	return rc;
}

int paleo_device_read(const struct paleo_json *v, struct paleo_device *out, struct paleo_error *err)
{
	static const char *const others[] = {"flop_per_s", NULL};
	struct paleo_device d = {0};
	const struct paleo_json *peaks = NULL;
	int rc = paleo_json_fields_read(v, fields, others, &d, err);

	if (rc)
		return rc;
	if (d.name[0] == '\0')
		return paleo_json_fail(paleo_json_get(v, "name"), err, "a device needs a name");
	peaks = paleo_json_get(v, "flop_per_s");
	if (peaks)
		rc = read_peaks(peaks, d.flop_per_s, err);
	if (!rc)
		rc = check_rate(paleo_json_get(v, "mem_bytes_per_s"), d.mem_bytes_per_s, err);
	if (rc)
		return rc;
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
