/* known.h - a source of the best that is known of a device, be it measured here or by others. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_LIBRARY_KNOWN_H
#define PALEO_LIBRARY_KNOWN_H

#include "calib/knowledge_spread.h"
#include "library/source.h"

/* Presets alone: the device's own, or those of others near it (calib/knowledge.h); except_self
 * leaves out those of its own chip. EUNSUPPORTED where the device lacks what the law needs; EINPUT
 * for a processor, or where there is no peak for the number type; ENOMEM. Release with
 * paleo_source_release(). */
int paleo_known_presets(const struct paleo_device *device, enum paleo_dtype dtype, int except_self,
			struct paleo_source *out, struct paleo_error *err);

/*
 * Makes the best of what paleo_source_open() has found: a calibration of a GPU gets the classes
 * that it lacks from presets, and the launches of a net where it is of tables; a datasheet makes
 * room for presets, where there are any for it. What is of a processor stays as it is. ENOMEM, and
 * what reading a preset returns; *b is released then.
 */
int paleo_known_best(enum paleo_dtype dtype, struct paleo_source *b, struct paleo_error *err);

/* How much the shipped presets err on one another's devices. ENOMEM, and what reading one returns.
 */
int paleo_known_study(struct paleo_known_spreads *out, struct paleo_error *err);

/* The nearest that a calibration stands on, for tables of whole steps. */
void paleo_known_source(const struct paleo_calibration *c, char text[PALEO_SOURCE_TEXT_MAX]);

#endif
