/* presets.h - a calibration for a GPU nobody measured: parameters of others. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_PRESETS_H
#define PALEO_CALIB_PRESETS_H

#include "model/predict/predict.h"

/* What presets are to speak for. */
struct paleo_presets_for {
	const struct paleo_device *device;
	enum paleo_dtype dtype;
	int operand_sets; /* of the weights, as in struct paleo_fit_options; 0 is 1 */
	int except_self;  /* 1: without those of the device itself and of cards with its chip */
};

/*
 * Factors of one number type (and of bf16 beside fp8) from the presets that were fitted to
 * published measurements: products by the middle of those that suit the device
 * (paleo_tile_guess()), convolutions by the middle of all, what moves data by the start of its
 * table. Nothing has an interval: no measurement behind it is the user's. `method` is "presets".
 * *out is
 * released by the caller. EUNSUPPORTED when the device lacks what the law needs; ENOMEM.
 */
int paleo_calibration_presets(const struct paleo_presets_for *of, struct paleo_calibration *out,
			      struct paleo_error *err);

#endif
