/* design_shapes.h - works of random shapes, like those of nets, for about a given time. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_DESIGN_SHAPES_H
#define PALEO_CALIB_DESIGN_SHAPES_H

#include <stdint.h>

#include "model/device/device.h"

/* A stream of random numbers; any start is good. */
struct paleo_dice {
	uint64_t state;
};

double paleo_dice_uniform(struct paleo_dice *d); /* in (0, 1) */

/* One group of the design: a class, or a mixture that shares one, in one pass. */
struct paleo_design_group {
	enum paleo_work_kind kind;
	int variant; /* conv: enum paleo_conv_variant; gemm: 1 batched; otherwise the mode, op or
			rule */
	enum paleo_pass pass;
};

enum paleo_conv_variant {
	PALEO_CONV_PLAIN,
	PALEO_CONV_DENSE,
	PALEO_CONV_GROUPED,
	PALEO_CONV_DEPTHWISE
};

/* The fastest time that the device's peaks allow. */
double paleo_design_time(const struct paleo_device *d, const struct paleo_work *w);

/* What every work of a design keeps to. */
struct paleo_design_bounds {
	const struct paleo_device *device;
	enum paleo_dtype dtype;
	int batch_max; /* samples of one work */
};

/* Draws one work of the group that should take about `time_s` on the device; not finished, may be
 * far off or invalid: the caller looks. */
void paleo_design_draw(const struct paleo_design_group *g, const struct paleo_design_bounds *b,
		       double time_s, struct paleo_dice *dice, struct paleo_work *out);

#endif
