/* predictor.h - a device with the calibration that is known for it: what predictions stand on. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_PREDICTOR_H
#define PALEO_PREDICTOR_H

#include "paleo/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Made once, for any number of predictions. It never changes. */
struct paleo_predictor;

/* What to predict for. The names are those of `paleo predict`. */
struct paleo_predictor_options {
	const char *device;      /* a name, of a device or of a folder with a calibration, as
				    "cpu-amd-epyc"; NULL: the device of the calibration */
	const char *devices;     /* a file that describes more devices */
	const char *calibration; /* a calibration's file; NULL: the one of the device, found in
				    ./paleo-results/DEVICE/ or among the shipped ones */
	/*
	 * "auto" (default): the best that is known: the device's calibration, else presets, else
	 * its datasheet. "calibrated": a calibration of the device itself. "presets": published
	 * measurements of this GPU, else of its chip, its family, all. "unseen": the same without
	 * those of its own chip. "datasheet": its peaks, times the fractions below.
	 */
	const char *law;
	const char *dtype; /* number type: "f32" (default), "tf32", "f16", "bf16", "fp8" */
	/* Fractions of the peaks that are reached, 0.001 to 2; 0: not given. One that is given
	 * keeps calibrations away, and the other is 1 then. */
	double ppp_compute, ppp_memory;
};

/*
 * Looks up the device and reads what is known of it. PALEO_EINPUT where options contradict each
 * other, name what is not there, or the device has no peak for the number type, with file, line and
 * key where there is a file; PALEO_EUNSUPPORTED where presets cannot serve this device; PALEO_EIO;
 * PALEO_ENOMEM.
 */
PALEO_API int paleo_predictor_open(const struct paleo_predictor_options *options,
				   struct paleo_predictor **out, struct paleo_error *err);
PALEO_API void paleo_predictor_close(struct paleo_predictor *predictor);

/* One line that says what the times stand on: a file, presets, the datasheet. */
PALEO_API const char *paleo_predictor_title(const struct paleo_predictor *predictor);
/* The device; it belongs to the predictor and is not to be closed. */
PALEO_API const struct paleo_device *
paleo_predictor_device(const struct paleo_predictor *predictor);
PALEO_API const char *paleo_predictor_dtype(const struct paleo_predictor *predictor); /* "f32" */

#ifdef __cplusplus
}
#endif

#endif
