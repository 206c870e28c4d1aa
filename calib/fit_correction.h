/* fit_correction.h - fits to each class of a calibration what its law errs by, where that helps. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_CORRECTION_H
#define PALEO_CALIB_FIT_CORRECTION_H

#include "calib/fit_rows.h"

/* `rows` are those that the calibration's laws were fitted to: a group for each class model, in
 * their order. Devices that the features want to know more of get no correction. ENOMEM. */
int paleo_fit_corrections(const struct paleo_fit_row *rows, int count, struct paleo_calibration *c,
			  struct paleo_error *err);

#endif
