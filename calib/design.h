/* design.h - which ops to measure, so that a calibration can be fitted to them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_DESIGN_H
#define PALEO_CALIB_DESIGN_H

#include <stdint.h>

#include "model/device/device.h"
#include "model/predict/predict.h"

/* Ops to cover. A plain value; zero is a good default for all but the device. */
struct paleo_design_options {
	const struct paleo_device *device; /* its peaks say how large an op may be */
	unsigned dtypes;                   /* bits, 1 << PALEO_F32 ...; 0: f32 alone */
	unsigned passes;                   /* bits, 1 << PALEO_FWD ...; 0: all */
	enum paleo_layout layout;          /* of images in memory */
	double budget_s;                   /* of measuring, by estimate; 0: as much as it takes */
	double setup_s;      /* estimated cost of an op in addition to its runs; 0: 0.1 */
	double timed_s;      /* estimated time that runs are timed for; 0: 0.1 */
	double memory_bytes; /* operands of one op at most; 0: an eighth of the device's, or 1 GB
			      */
	int batch_max;       /* samples of one op at most; 0: 128 */
	double shortest_s;   /* least datasheet time of GEMMs, and of ops on images; 0: 4 us */
	double longest_s;    /* largest datasheet time of most GEMMs; 0: 30 ms */
	uint64_t seed;
};

/* Ops in the order to measure them. */
struct paleo_design {
	struct paleo_op *ops; /* owned */
	int count;
	double cost_s; /* estimated time to measure them all */
};

/*
 * Draws ops of every class and pass at random, with sizes as nets have them, so
 * that their datasheet times are spread evenly on a logarithmic scale from the
 * shortest to the longest, a few beyond. Any beginning of the list is a
 * balanced design by itself: each class and pass comes once, then again and again,
 * convolutions more often, rare classes less. The same options give the same
 * ops. Release with paleo_design_release(). EUNSUPPORTED when the device lacks a
 * peak or its bandwidth; ENOMEM.
 */
int paleo_design(const struct paleo_design_options *o, struct paleo_design *out,
		 struct paleo_error *err);
/*
 * Moves ops with wide intervals in an earlier calibration to the front: an op whose 90 % interval
 * is twice as wide as the mean of all (as a ratio, high to low) gets half its position, from a
 * quarter up to four times it; one without an interval gets a quarter. ENOMEM; otherwise as
 * paleo_predict_op().
 */
int paleo_design_prefer(struct paleo_design *d, const struct paleo_calibration *prior,
			struct paleo_error *err);
void paleo_design_release(struct paleo_design *d); /* NULL allowed */

/* Ops of random shapes, like those of nets, for about a given time. */

/* A stream of random numbers; any start is good. */
struct paleo_dice {
	uint64_t state;
};

double paleo_dice_uniform(struct paleo_dice *d); /* in (0, 1) */

/* One group of the design: a class, or a mixture that shares one, in one pass. */
struct paleo_design_group {
	enum paleo_op_kind kind;
	int variant; /* conv: enum paleo_conv_variant; gemm: 1 batched; attention: 1 causal;
			otherwise the mode, op or rule */
	enum paleo_pass pass;
};

enum paleo_conv_variant {
	PALEO_CONV_PLAIN,
	PALEO_CONV_DENSE,
	PALEO_CONV_GROUPED,
	PALEO_CONV_DEPTHWISE
};

/* The fastest time that the device's peaks allow. */
double paleo_design_time(const struct paleo_device *d, const struct paleo_op *w);

/* Bounds that every op of a design observes. */
struct paleo_design_bounds {
	const struct paleo_device *device;
	enum paleo_dtype dtype;
	int batch_max; /* samples of one op */
};

/* Draws one op of the group that should take about `time_s` on the device; not finished, may be
 * far off or invalid: the caller looks. */
void paleo_design_draw(const struct paleo_design_group *g, const struct paleo_design_bounds *b,
		       double time_s, struct paleo_dice *dice, struct paleo_op *out);

#endif
