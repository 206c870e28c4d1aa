/* choose.c - chooses the source of a prediction by a law's name and a device's name. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "library/choose.h"

#include <string.h>

#include "calib/calibration_file.h"
#include "library/find.h"
#include "library/known.h"
#include "model/device/catalog.h"

const char *const paleo_law_names[PALEO_LAWS + 1] = {"auto",   "calibrated", "presets",
						     "unseen", "datasheet",  NULL};

/* The device of a table. */
static int listed_device(const char *devices, const char *name, struct paleo_device *out,
			 struct paleo_error *err)
{
	const struct paleo_device *d;
	struct paleo_catalog c;

	int rc = paleo_catalog_make(devices, &c, err);
	if (rc)
		return rc;
	rc = paleo_catalog_find(&c, name, &d, err);
	if (!rc)
		*out = *d;
	paleo_catalog_release(&c);
	return rc;
}

/* The device that a calibration was made on. */
static int calibrated_device(const char *path, struct paleo_device *out, struct paleo_error *err)
{
	struct paleo_calibration c;

	int rc = paleo_calibration_load(path, &c, err);
	if (rc)
		return rc;
	*out = c.device;
	paleo_calibration_release(&c);
	return PALEO_OK;
}

int paleo_choose_device(const char *devices, const char *name, struct paleo_device *out,
			struct paleo_error *err)
{
	char found[PALEO_PATH_MAX];
	int rc = listed_device(devices, name, out, err);

	if (rc == PALEO_EINPUT && paleo_find_calibration(name, found))
		return calibrated_device(found, out, err);
	return rc;
}

/* 1 if a fraction of the peaks was given. */
static int by_hand(const struct paleo_source_wish *w)
{
	return w->ppp_compute > 0 || w->ppp_memory > 0;
}

static int exclude(const struct paleo_source_wish *w, const char *what, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EINPUT, "the law '%s' and %s exclude one another",
			  paleo_law_names[w->law], what);
}

/* Other GPUs' parameters on the device's datasheet. */
static int choose_presets(const struct paleo_source_wish *w, struct paleo_source *out,
			  struct paleo_error *err)
{
	struct paleo_device device;

	if (!w->device)
		return paleo_fail(err, PALEO_EINPUT, "the law '%s' wants a device",
				  paleo_law_names[w->law]);
	if (w->calibration || by_hand(w))
		return exclude(w, w->calibration ? "a calibration" : "fractions of peak (PPP)",
			       err);
	int rc = paleo_choose_device(w->devices, w->device, &device, err);
	return rc ? rc
		  : paleo_known_presets(&device, w->dtype, w->law == PALEO_LAW_UNSEEN, out, err);
}

/* What was chosen is of the device that was named, and better where the law allows it. */
static int settle(const struct paleo_source_wish *w, const struct paleo_device *device,
		  struct paleo_source *out, struct paleo_error *err)
{
	const struct paleo_calibration *c = &out->calibration;

	if (w->device && w->calibration && strcmp(device->name, c->device.name) != 0)
		return paleo_fail(err, PALEO_EINPUT,
				  "the device is '%s', but '%s' was made on '%s'", w->device,
				  w->calibration, c->device.name);
	if (w->law == PALEO_LAW_CALIBRATED && !c->backend[0])
		return paleo_fail(err, PALEO_EINPUT,
				  "there is no calibration for '%s': give a calibration's file, or "
				  "make one (paleo calibrate)",
				  w->device);
	if (w->law == PALEO_LAW_DATASHEET || by_hand(w))
		return PALEO_OK;
	return paleo_known_best(w->dtype, out, err);
}

/* The calibration that was named or found, or else the datasheet. */
static int choose_own(const struct paleo_source_wish *w, struct paleo_source *out,
		      struct paleo_error *err)
{
	const int datasheet = w->law == PALEO_LAW_DATASHEET;
	struct paleo_device_info who = {.threads = 0};
	struct paleo_device device;
	struct paleo_error ignored;
	char found[PALEO_PATH_MAX];
	int rc = PALEO_OK;

	if (!w->device && !w->calibration)
		return paleo_fail(err, PALEO_EINPUT,
				  "neither a device nor a calibration was given: name one with "
				  "--device, as h100-sxm ('paleo devices' lists all), cpu or 0 of "
				  "this machine, or --calibration FILE");
	if (datasheet && w->calibration)
		return exclude(w, "a calibration", err);
	if (w->law == PALEO_LAW_CALIBRATED && by_hand(w))
		return exclude(w, "fractions of peak (PPP)", err);
	if (w->device)
		rc = listed_device(w->devices, w->device, &who.device, err);
	/* Or by the calibration that is given. */
	if (rc == PALEO_EINPUT && w->calibration &&
	    !calibrated_device(w->calibration, &device, &ignored) &&
	    !strcmp(device.name, w->device)) {
		who.device = device;
		rc = PALEO_OK;
	}
	/* A machine that no table has, such as a processor, by its calibration's folder. */
	if (rc == PALEO_EINPUT && paleo_find_calibration(w->device, found)) {
		if (!datasheet && !w->calibration && !by_hand(w))
			return paleo_source_open(found, NULL, 0, 0, out, err);
		rc = calibrated_device(found, &who.device, err);
	}
	if (rc)
		return rc;
	double ppp_compute = datasheet && !(w->ppp_compute > 0) ? 1 : w->ppp_compute;
	rc = paleo_source_open(w->calibration, w->device ? &who : NULL, ppp_compute, w->ppp_memory,
			       out, err);
	return rc ? rc : settle(w, &who.device, out, err);
}

int paleo_choose_source(const struct paleo_source_wish *w, struct paleo_source *out,
			struct paleo_error *err)
{
	struct paleo_source b = {.title = ""};
	int presets = w->law == PALEO_LAW_PRESETS || w->law == PALEO_LAW_UNSEEN;

	int rc = presets ? choose_presets(w, &b, err) : choose_own(w, &b, err);
	if (!rc)
		rc = paleo_source_check(&b, w->dtype, err);
	if (rc)
		paleo_source_release(&b);
	else
		*out = b;
	return rc;
}
