/* knowledge.h - the best that is known of a GPU: its own times, or those of others near it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_KNOWLEDGE_H
#define PALEO_CALIB_KNOWLEDGE_H

#include "calib/knowledge_spread.h"
#include "model/predict/predict.h"

/* What there is to go by. */
struct paleo_knowledge {
	const struct paleo_device *device;
	enum paleo_dtype dtype;
	const struct paleo_calibration *own; /* of the device itself; NULL: none */
	/* Calibrations made of published tables, one or more of each device. */
	const struct paleo_calibration *presets;
	int preset_count;
	/* Of more presets, of which those here are all that are near; NULL: of these alone. */
	const struct paleo_known_spreads *spreads;
	int except_self; /* 1: presets of the device and of cards with its chip do not count */
};

/*
 * A calibration that has a factor for every class of work in a number type (and in bf16 beside
 * fp8), each from the first of these that has measured such works:
 *
 *   the device's own calibration, its own preset, a preset of a card with its chip, of one of its
 *   architecture, the middle of all presets (paleo_calibration_presets()).
 *
 * Of presets that are equally near, that of the card with the most similar datasheet comes first. A
 * product or a convolution goes by its very class where one of them has it, else by the nearest
 * class of its kind; products in f16 and bf16, which the same cores compute, stand for each other,
 * and so do their passes. What moves data goes by the nearest class of its kind that the first of
 * them has, in any number type: what it takes is bytes. Each factor says where it is from (`source`
 * and `stands_for`).
 *
 * A factor of the device's very own has the interval of its held-out rows. Others' are wider by
 * what knowledge as near as theirs errs by where there is better: each preset's device is priced as
 * if it had none of its own, and the differences, between GPUs as well as between classes, widen
 * the interval by Student's t for as many GPUs.
 *
 * Launches are those of a net (paleo_calibration_queue()). Whatever else `own` holds is taken over.
 * *out is released by the caller. EUNSUPPORTED when the device lacks what the law needs; ENOMEM.
 */
int paleo_knowledge_make(const struct paleo_knowledge *k, struct paleo_calibration *out,
			 struct paleo_error *err);

/*
 * In a calibration of tables, replaces launches that were timed with the host's dispatch: a kernel
 * that waits in a GPU's queue starts within PALEO_QUEUED_US, so what is beyond that is the host's,
 * which a net hides. They become those of the law's table, PALEO_QUEUED_LAUNCH_US for each kernel
 * of the work. Returns how many factors were changed.
 */
int paleo_calibration_queue(struct paleo_calibration *c);

#define PALEO_QUEUED_US 8.0
#define PALEO_QUEUED_LAUNCH_US 3.0

#endif
