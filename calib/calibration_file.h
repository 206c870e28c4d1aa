/* calibration_file.h - reads and writes calibration.json. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_CALIBRATION_FILE_H
#define PALEO_CALIB_CALIBRATION_FILE_H

#include "base/json_schema.h"
#include "base/save.h"
#include "model/predict/calibration.h"

/* What the file says of itself; raised when a field changes its name or its meaning. */
extern const struct paleo_json_schema paleo_calibration_schema;

/*
 * Reads a calibration, of the earlier schema too, with its words. It is refused, with file, line
 * and key, when it could not predict: another schema, an unknown class, a factor twice or out of
 * its range, no peak or bandwidth. *out is owned by the caller: paleo_calibration_release(). EIO,
 * EINPUT, ENOMEM.
 */
int paleo_calibration_load(const char *path, struct paleo_calibration *out,
			   struct paleo_error *err);
/* The same of a preset, without the works that it was fitted to, which no prediction reads.
 * Corrections by trees, which are most of a file and speak for its device alone, are left out where
 * `trees` is 0. */
int paleo_calibration_load_preset(const char *path, int trees, struct paleo_calibration *out,
				  struct paleo_error *err);
/* What stands before the factors: whose it is, and when it was made. Of what is behind nothing is
 * judged. */
int paleo_calibration_load_head(const char *path, struct paleo_calibration *out,
				struct paleo_error *err);
int paleo_calibration_parse(const char *name, const char *text, size_t size,
			    struct paleo_calibration *out, struct paleo_error *err);

/* The file's text. *out is owned by the caller: free(). ENOMEM. */
int paleo_calibration_text(const struct paleo_calibration *c, char **out, struct paleo_error *err);

/* What paleo_save_begin() is to know such a file by. */
extern const struct paleo_file_kind paleo_calibration_kind;

/* Writes it to the file that was begun. EIO, ENOMEM. */
int paleo_calibration_save(const struct paleo_calibration *c, struct paleo_save *to,
			   struct paleo_error *err);

#endif
