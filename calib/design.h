/* design.h - which works to measure, so that a calibration can be fitted to them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_DESIGN_H
#define PALEO_CALIB_DESIGN_H

#include <stdint.h>

#include "model/device/device.h"
#include "model/predict/predict.h"

/* What to cover. A plain value; zero is a good default for all but the device. */
struct paleo_design_options {
	const struct paleo_device *device; /* its peaks say how large a work may be */
	unsigned dtypes;                   /* bits, 1 << PALEO_F32 ...; 0: f32 alone */
	unsigned passes;                   /* bits, 1 << PALEO_FWD ...; 0: all */
	enum paleo_layout layout;          /* of images in memory */
	double budget_s;                   /* of measuring, by estimate; 0: as much as it takes */
	double setup_s;                    /* estimated cost of a work beside its runs; 0: 0.1 */
	double timed_s;                    /* estimated time that runs are timed for; 0: 0.1 */
	double memory_bytes; /* operands of one work at most; 0: an eighth of the device's, or 1 GB
			      */
	int batch_max;       /* samples of one work at most; 0: 128 */
	double shortest_s;   /* datasheet time of products, and of works on images, at least; 0: 4
				us */
	double longest_s;    /* datasheet time of most products at most; 0: 30 ms */
	uint64_t seed;
};

/* Works in the order to measure them. */
struct paleo_design {
	struct paleo_work *works; /* owned */
	int count;
	double cost_s; /* estimated time to measure them all */
};

/*
 * Draws works of every class and pass at random, with sizes as nets have them, so
 * that their datasheet times are spread evenly on a logarithmic scale from the
 * shortest to the longest, a few beyond. Any beginning of the list is a
 * balanced design by itself: each class and pass comes once, then again and again,
 * convolutions more often, rare classes less. The same options give the same
 * works. Release with paleo_design_release(). EUNSUPPORTED when the device lacks a
 * peak or its bandwidth; ENOMEM.
 */
int paleo_design(const struct paleo_design_options *o, struct paleo_design *out,
		 struct paleo_error *err);
/*
 * Puts first what an earlier calibration knows least: a work whose 90 % interval
 * is twice as wide as the mean of all (as a ratio, high to low) comes in half the
 * place, down to a quarter and up to four times it; one without an interval in a
 * quarter. ENOMEM; otherwise as paleo_predict_work().
 */
int paleo_design_prefer(struct paleo_design *d, const struct paleo_calibration *prior,
			struct paleo_error *err);
void paleo_design_release(struct paleo_design *d); /* NULL allowed */

#endif
