/* source.h - what a prediction stands on: a file, a calibration found by name, or a datasheet. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_LIBRARY_SOURCE_H
#define PALEO_LIBRARY_SOURCE_H

#include "model/predict/predict.h"

/* What a prediction stands on. */
struct paleo_source {
	struct paleo_calibration calibration;
	char title[1024]; /* one line: the file, or that nothing was measured */
};

/*
 * The calibration to predict with: `path` if given; otherwise, if both PPP are 0,
 * the one found by the device's name, if it is of as many threads, the same library
 * versions (`who` may leave them empty) and about the same measured peaks; otherwise
 * the datasheet at these PPP (0 means 1). `who` may be NULL where a path is given.
 * Release with paleo_source_release().
 */
int paleo_source_open(const char *path, const struct paleo_device_info *who, double ppp_compute,
		      double ppp_memory, struct paleo_source *out, struct paleo_error *err);

/* Whether presets can be of a device: no processor. EINPUT. */
int paleo_source_check_presets(const struct paleo_device *device, struct paleo_error *err);

/* Whether works in this number type can be predicted at all: of a device, on a source. EINPUT. */
int paleo_source_has_peak(const struct paleo_device *d, enum paleo_dtype dtype,
			  struct paleo_error *err);
int paleo_source_check(const struct paleo_source *b, enum paleo_dtype dtype,
		       struct paleo_error *err);

void paleo_source_release(struct paleo_source *b);

#endif
