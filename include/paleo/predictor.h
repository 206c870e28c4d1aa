/* predictor.h - a device with its parameter source: calibration, presets or datasheet. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_PREDICTOR_H
#define PALEO_PREDICTOR_H

#include "paleo/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Made once, for any number of predictions. It never changes. */
struct paleo_predictor;

/* Target of the predictions. The names are those of `paleo predict`. */
struct paleo_predictor_options {
	const char *device;      /* a name, of a device or of a folder with a calibration, as
				    "cpu-amd-epyc"; NULL: the device of the calibration */
	const char *device_file; /* a file that describes more devices */
	const char *calibration; /* a calibration's file; NULL: the one of the device, found in
				    ./paleo-results/DEVICE/ or among the shipped ones */
	/*
	 * "auto" (default): the best available: the device's calibration, else presets, else its
	 * datasheet. "calibrated": a calibration of the device itself. "presets": published
	 * measurements of this GPU, else of its chip, its family, all. "presets-excluding-self":
	 * the same without those of its own chip. "datasheet": its peaks, times the fractions
	 * below.
	 */
	const char *cost_model;
	/* "f32" (default), "tf32", "f16", "bf16", "fp8"; paleo_net_dtype_name() gives the own one
	 * of a net, which is the default of `paleo predict`. */
	const char *dtype;
	/* Fractions of the peaks that are reached, 0.001 to 2; 0: not given. One that is given
	 * keeps calibrations away, and the other is 1 then. */
	double ppp_compute, ppp_memory;
};

/*
 * Looks up the device and reads its parameters. PALEO_EINPUT where options contradict each other,
 * name something unknown, or the device has no peak for the dtype, with file, line and key where
 * there is a file; PALEO_EUNSUPPORTED where presets cannot serve this device; PALEO_EIO;
 * PALEO_ENOMEM.
 */
PALEO_API int paleo_predictor_open(const struct paleo_predictor_options *options,
				   struct paleo_predictor **out, struct paleo_error *err);
PALEO_API void paleo_predictor_close(struct paleo_predictor *predictor);

/* One line that names the parameter source: a file, presets, the datasheet. */
PALEO_API const char *paleo_predictor_title(const struct paleo_predictor *predictor);
/* The device; it belongs to the predictor and is not to be closed. */
PALEO_API const struct paleo_device *
paleo_predictor_device(const struct paleo_predictor *predictor);
PALEO_API const char *paleo_predictor_dtype(const struct paleo_predictor *predictor); /* "f32" */

#ifdef __cplusplus
}
#endif

#endif
