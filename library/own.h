/* own.h - a device's calibration: the first of those found that is for it as it is now. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_LIBRARY_OWN_H
#define PALEO_LIBRARY_OWN_H

#include "library/find.h"
#include "model/predict/calibration.h"

/* Median held-out error above which a calibration is used only if it is named. */
#define PALEO_OWN_ERROR_MAX 0.30

/* Outcome of the choice. A plain value. */
struct paleo_own {
	char path[PALEO_PATH_MAX]; /* the file that is used; "": none */
	char passed_over[640];     /* "FILE (why); FILE (why)"; "": none */
};

/*
 * Chooses and loads the calibration of a device, for all commands: ./paleo-results/NAME, the
 * shipped one of this name, then the shipped ones of this device under another name. The first is
 * taken that has the same number of threads, the same library versions, of which the
 * instruction set is one, about the same measured peaks, and a median held-out error of at most
 * PALEO_OWN_ERROR_MAX. What is 0 or empty in *who is not compared; nor are doubted peaks. Without
 * one *out is empty. *out is owned by the caller: paleo_calibration_release(). EIO, EINPUT (a
 * broken file), ENOMEM.
 */
int paleo_choose_own(const struct paleo_device_info *who, struct paleo_calibration *out,
		     struct paleo_own *own, struct paleo_error *err);

/*
 * A prior for a CPU without a calibration: the factors of the shipped calibration of a CPU that is
 * nearest to it, of its instruction set if possible, and intervals that are wider by how far the
 * classes of the *machines calibrated CPUs differ (Student's t). Its device and speed are that
 * CPU's. 0 machines: none is shipped, and *out is not set. *out is owned by the caller. EIO, EINPUT
 * (a broken file), ENOMEM.
 */
int paleo_choose_prior(const struct paleo_device_info *who, struct paleo_calibration *out,
		       int *machines, struct paleo_error *err);

/* Widens the intervals of a CPU's calibration in the same way, for a CPU of other instructions or
 * another library; *machines are this one and the shipped ones of others. 0: no other, and nothing
 * is changed. EIO, EINPUT, ENOMEM. */
int paleo_widen_prior(struct paleo_calibration *c, int *machines, struct paleo_error *err);

/* Why a calibration is not to be used for a device without being named, a clause in `why`; 0 if it
 * is. */
int paleo_own_differs(const struct paleo_calibration *c, const struct paleo_device_info *who,
		      char why[320]);

/* 1 if a calibration was made on this device: by its name, or by the driver's word for it. */
int paleo_own_is_of(const struct paleo_calibration *c, const struct paleo_device *d);

#endif
