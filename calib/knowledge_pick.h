/* knowledge_pick.h - which calibration of several speaks for a work on a device. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_KNOWLEDGE_PICK_H
#define PALEO_CALIB_KNOWLEDGE_PICK_H

#include "calib/knowledge.h"
#include "calib/knowledge_spread.h"

enum {
	PALEO_KNOWN_MAX = 256
};

/* A calibration, and how near its device is to that which is asked for. */
struct paleo_known {
	const struct paleo_calibration *calibration;
	enum paleo_nearness nearness;
	double far; /* how different the datasheets are */
};

/* What may speak for a device, the nearest first. */
struct paleo_known_list {
	const struct paleo_device *device;
	struct paleo_known items[PALEO_KNOWN_MAX];
	int count;
};

/* What was found for a work. */
struct paleo_pick {
	const struct paleo_class_model *factor; /* NULL: nothing */
	int from;                               /* of the list's items */
};

/* How near a device's measurements are to another device. */
enum paleo_nearness paleo_nearness_of(const struct paleo_device *d,
				      const struct paleo_device *measured);

/* Puts a calibration in its place in the list; beyond PALEO_KNOWN_MAX it is left out. */
void paleo_known_add(struct paleo_known_list *list, const struct paleo_calibration *c,
		     enum paleo_nearness nearness);

/* The factor that speaks for a work, of those that are `nearest` or further away. */
struct paleo_pick paleo_known_pick(const struct paleo_known_list *list, const struct paleo_work *w,
				   enum paleo_nearness nearest);

/* Turns what was fitted to one device into what it would be on another: a card that cannot keep its
 * peak slows down by what its power takes of it, and not by what the other's did. `middle`s have
 * this already. */
void paleo_known_power(const struct paleo_device *measured, const struct paleo_device *d,
		       enum paleo_dtype dtype, struct paleo_fitted_kernel *m);

/* 1 if the factor was fitted to works of this very class and pass, in this or the other layout. */
int paleo_known_same_class(const struct paleo_class_model *f, const struct paleo_work *w);

#endif
