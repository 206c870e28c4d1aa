/* api_device.c - the functions of paleo/device.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library/api.h"
#include "library/choose.h"
#include "paleo/device.h"

int paleo_device_count(void)
{
	int count;

	paleo_devices(&count);
	return count;
}

const char *paleo_device_name_at(int i)
{
	int count;
	const struct paleo_device *all = paleo_devices(&count);

	return i >= 0 && i < count ? all[i].name : NULL;
}

int paleo_device_open(const char *name, const char *file, struct paleo_device **out,
		      struct paleo_error *err)
{
	PALEO_API_BEGIN(err);

	if (!name || !out)
		return paleo_api_null(!name ? "name of a device" : "place for a device", err);
	struct paleo_device *d = malloc(sizeof(*d));
	if (!d)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a device");
	int rc = paleo_choose_device(file, name, d, err);
	if (rc)
		free(d);
	else
		*out = d;
	return rc;
}

void paleo_device_close(struct paleo_device *device)
{
	free(device);
}

const char *paleo_device_name(const struct paleo_device *device)
{
	return device->name;
}

const char *paleo_device_title(const struct paleo_device *device)
{
	return device->title;
}

/* Unknown numbers are 0 within the library. */
static double or_nan(double x)
{
	return x > 0 ? x : (double)NAN;
}

double paleo_device_peak_flop_per_s(const struct paleo_device *device, const char *dtype)
{
	struct paleo_error unread;
	int t;

	if (dtype && !strcmp(dtype, "fp4")) /* weights have these, but no net as a whole */
		return or_nan(device->fp4_flop_per_s);
	if (dtype && !strcmp(dtype, "int8"))
		return or_nan(device->int8_flop_per_s);
	if (!dtype || paleo_api_word("number type", dtype, paleo_dtype_names, &t, &unread))
		return NAN;
	return or_nan(device->flop_per_s[t]);
}

double paleo_device_bytes_per_s(const struct paleo_device *device)
{
	return or_nan(device->mem_bytes_per_s);
}

double paleo_device_memory_bytes(const struct paleo_device *device)
{
	return or_nan(device->mem_bytes);
}
