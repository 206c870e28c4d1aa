/* source.c - what a prediction stands on: a file, a calibration found by name, or a datasheet. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "library/source.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "calib/calibration_file.h"
#include "library/find.h"

static int datasheet_source(const struct paleo_device *device, double ppp_compute,
			    double ppp_memory, struct paleo_source *out, struct paleo_error *err)
{
	double compute = ppp_compute > 0 ? ppp_compute : 1;
	double memory = ppp_memory > 0 ? ppp_memory : 1;

	snprintf(out->title, sizeof(out->title),
		 "not calibrated: the %s's %s peaks at PPP %g compute, %g memory%s", device->name,
		 device->measured ? "measured" : "datasheet", compute, memory,
		 compute == 1 && memory == 1 ? " (real times are usually longer)" : "");
	return paleo_calibration_datasheet(device, compute, memory, &out->calibration, err);
}

static void calibrated_title(const char *path, struct paleo_source *b)
{
	const struct paleo_calibration *c = &b->calibration;

	snprintf(b->title, sizeof(b->title), "calibrated by %.300s (%d record%s of %s, %s)", path,
		 c->records, c->records == 1 ? "" : "s", c->device.name, c->created_utc);
}

/* 1 if a peak that was measured twice is about the same. A busy machine measures less. */
static int is_near(double a, double b)
{
	return a == b || (a < 1.25 * b && b < 1.25 * a);
}

/* Why a calibration that was found by the device's name is of other conditions; NULL if it is not.
 */
static const char *other_conditions(const struct paleo_calibration *c,
				    const struct paleo_device_info *who)
{
	if (c->threads != who->threads)
		return "another number of threads";
	if (who->versions[0] && strcmp(c->versions, who->versions) != 0)
		return "other library versions";
	if (!c->device.measured || !who->device.measured)
		return NULL;
	for (int i = 0; i < PALEO_DTYPES; i++)
		if (!is_near(c->device.flop_per_s[i], who->device.flop_per_s[i]))
			return "other peaks than those measured now";
	return NULL;
}

/* The one that was found, unless it is of other conditions: then the datasheet, and why. */
static int found_source(const char *path, const struct paleo_device_info *who,
			struct paleo_source *out, struct paleo_error *err)
{
	struct paleo_source b = {0};

	int rc = paleo_calibration_load(path, &b.calibration, err);
	if (rc)
		return rc;
	const char *other = other_conditions(&b.calibration, who);
	if (!other) {
		calibrated_title(path, &b);
		*out = b;
		return PALEO_OK;
	}
	paleo_calibration_release(&b.calibration);
	rc = datasheet_source(&who->device, 0, 0, &b, err);
	if (rc)
		return rc;
	size_t at = strlen(b.title);
	snprintf(b.title + at, sizeof(b.title) - at, "; %.200s is for %s", path, other);
	*out = b;
	return PALEO_OK;
}

int paleo_source_open(const char *path, const struct paleo_device_info *who, double ppp_compute,
		      double ppp_memory, struct paleo_source *out, struct paleo_error *err)
{
	char found[PALEO_PATH_MAX];
	struct paleo_source b = {0};
	int by_hand = ppp_compute > 0 || ppp_memory > 0;

	if (path && by_hand)
		return paleo_fail(err, PALEO_EINPUT,
				  "a calibration and fractions of peak (PPP) exclude one another");
	assert(path || who); /* the callers want one of the two */
	if (!path && !by_hand && paleo_find_calibration(who->device.name, found))
		return found_source(found, who, out, err);
	int rc = path ? paleo_calibration_load(path, &b.calibration, err)
		      : datasheet_source(&who->device, ppp_compute, ppp_memory, &b, err);
	if (rc)
		return rc;
	if (path)
		calibrated_title(path, &b);
	*out = b;
	return PALEO_OK;
}

int paleo_source_has_peak(const struct paleo_device *d, enum paleo_dtype dtype,
			  struct paleo_error *err)
{
	if (d->flop_per_s[dtype] > 0)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT,
			  "device '%s' has no peak FLOP/s for %s: choose another number type%s",
			  d->name, paleo_dtype_name(dtype),
			  paleo_dtype_is_narrow(dtype)
				  ? ", or of a config.json weights=int8, which are multiplied in "
				    "its wide type"
				  : "");
}

int paleo_source_check(const struct paleo_source *b, enum paleo_dtype dtype,
		       struct paleo_error *err)
{
	return paleo_source_has_peak(&b->calibration.device, dtype, err);
}

int paleo_source_check_presets(const struct paleo_device *device, struct paleo_error *err)
{
	if (!device->is_processor)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT,
			  "'%s' is a processor, and presets are of GPUs: take the law "
			  "'datasheet' or a calibration",
			  device->name);
}

void paleo_source_release(struct paleo_source *b)
{
	paleo_calibration_release(&b->calibration);
}
