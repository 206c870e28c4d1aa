/* catalog.h - the devices that can be asked for: the user's own, then the shipped ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_DEVICE_CATALOG_H
#define PALEO_MODEL_DEVICE_CATALOG_H

#include "model/device/device.h"

struct paleo_catalog {
	struct paleo_device *devices; /* owned */
	int count;
};

/* The devices of the user's file (`path`, or NULL), then the shipped ones whose names these do not
 * take. As paleo_devices_load(); ENOMEM. paleo_catalog_release() frees. */
int paleo_catalog_make(const char *path, struct paleo_catalog *out, struct paleo_error *err);
void paleo_catalog_release(struct paleo_catalog *c);

/* The device of this name, in any spelling; *out belongs to the catalog. EINPUT with the nearest
 * name. */
int paleo_catalog_find(const struct paleo_catalog *c, const char *name,
		       const struct paleo_device **out, struct paleo_error *err);

/* The device that a table is of: `given` by the user, or NULL for what the table calls it. A board
 * with two dies is one of them there, as a program sees no more: "k80" is "k80-die". */
int paleo_catalog_find_measured(const struct paleo_catalog *c, const char *given,
				const char *called, const struct paleo_device **out,
				struct paleo_error *err);

#endif
