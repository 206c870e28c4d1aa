/* choose.h - chooses the source of a prediction by a law's name and a device's name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_LIBRARY_CHOOSE_H
#define PALEO_LIBRARY_CHOOSE_H

#include "library/source.h"

/* Which knowledge of a device counts. */
enum paleo_law {
	PALEO_LAW_AUTO,       /* the best there is: its calibration, else presets, else datasheet */
	PALEO_LAW_CALIBRATED, /* a calibration of the device itself */
	PALEO_LAW_PRESETS,    /* published measurements of this GPU, its chip, its family, all */
	PALEO_LAW_UNSEEN,     /* the same without those of its own chip */
	PALEO_LAW_DATASHEET,  /* fractions of its peaks */
	PALEO_LAWS
};

/* "auto", "calibrated" ..., in the order of the enum, and NULL at the end. */
extern const char *const paleo_law_names[PALEO_LAWS + 1];

/* What is asked for. */
struct paleo_source_wish {
	enum paleo_law law;
	enum paleo_dtype dtype;
	const char *device;             /* a name; NULL: that of the calibration */
	const char *devices;            /* a file of more devices; NULL: none */
	const char *calibration;        /* a file; NULL: the one found by the device's name */
	double ppp_compute, ppp_memory; /* fractions of the peaks, (0, 2]; 0: not given. One that
					   is given keeps calibrations away. */
};

/* The device of this name: in the file `devices` (NULL: none), among the shipped ones, or that of
 * the calibration in the folder of this name. EINPUT with the nearest name; as
 * paleo_devices_load(). */
int paleo_choose_device(const char *devices, const char *name, struct paleo_device *out,
			struct paleo_error *err);

/* Finds what the wish names. EINPUT where it contradicts itself, names what is not there, or the
 * device has no peak for the number type; as paleo_known_presets(). Release with
 * paleo_source_release(). */
int paleo_choose_source(const struct paleo_source_wish *w, struct paleo_source *out,
			struct paleo_error *err);

#endif
