/* calibration_fields.h - the fields of calibration.json: one table for reader and writer. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_CALIBRATION_FIELDS_H
#define PALEO_CALIB_CALIBRATION_FIELDS_H

#include "base/json_fields.h"

extern const struct paleo_json_field paleo_calibration_fields[]; /* of struct paleo_calibration */
extern const struct paleo_json_field paleo_factor_fields[];      /* of struct paleo_factor */

#endif
