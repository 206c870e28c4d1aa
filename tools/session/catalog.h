/* catalog.h - the devices that can be asked for: the user's own, then the shipped ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_CATALOG_H
#define PALEO_TOOLS_SESSION_CATALOG_H

#include "model/device/device.h"

struct catalog {
	struct paleo_device *devices; /* owned */
	int count;
};

/* The devices of the user's file (`path`, or NULL), then the shipped ones whose names these do not
 * take. As paleo_devices_load(); ENOMEM. catalog_release() frees. */
int catalog_make(const char *path, struct catalog *out, struct paleo_error *err);
void catalog_release(struct catalog *c);

/* The device of this name, in any spelling; *out belongs to the catalog. EINPUT with the nearest
 * name. */
int catalog_find(const struct catalog *c, const char *name, const struct paleo_device **out,
		 struct paleo_error *err);

/* The device that a table is of: `given` by the user, or NULL for what the table calls it. A board
 * with two dies is one of them there, as a program sees no more: "k80" is "k80-die". */
int catalog_find_measured(const struct catalog *c, const char *given, const char *called,
			  const struct paleo_device **out, struct paleo_error *err);

#endif
