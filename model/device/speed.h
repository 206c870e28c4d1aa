/* speed.h - how fast a device is at some moment, beside how fast it was when it was calibrated. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_DEVICE_SPEED_H
#define PALEO_MODEL_DEVICE_SPEED_H

#include "model/work/work.h"

/* What a device reaches at a moment, as two short probes see it: multiply-adds on data in the
 * caches, and bytes of memory. 0: not known. A plain value. */
struct paleo_rates {
	double flop_per_s, bytes_per_s;
};

/* The same over the rates of the calibration: 1 as fast, 2 twice as fast. 0 where it is not known
 * at either moment, which counts as 1. A plain value. */
struct paleo_speed {
	double products, memory;
};

struct paleo_speed paleo_speed_over(const struct paleo_rates *now, const struct paleo_rates *usual);

/* By how much all rates of this work are scaled at that speed: by that of the memory, that of the
 * products, or not at all (1), as the table of speed.c says for its kind. */
double paleo_speed_of(const struct paleo_speed *s, const struct paleo_work *w);

#endif
