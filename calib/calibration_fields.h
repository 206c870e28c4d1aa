/* calibration_fields.h - the fields of calibration.json: one table for reader and writer. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_CALIBRATION_FIELDS_H
#define PALEO_CALIB_CALIBRATION_FIELDS_H

#include "base/json_fields.h"
#include "model/predict/calibration.h"

extern const struct paleo_json_field paleo_calibration_fields[]; /* of struct paleo_calibration */
extern const struct paleo_json_field paleo_class_model_fields[]; /* of struct paleo_class_model */

/* What a factor has beside its fields: keys, NULL-ended. */
extern const char *const paleo_kernel_model_keys[];

/* "kernel_model", "operand_sets", "parameters" and "sets", which become f->model, NULL without a
 * kernel; f->dtype is known. "bands" beside them. EINPUT with the place; ENOMEM. */
int paleo_kernel_model_read(const struct paleo_json *object, struct paleo_class_model *f,
			    struct paleo_error *err);
int paleo_bands_read(const struct paleo_json *object, struct paleo_class_model *f,
		     struct paleo_error *err);
/* The optional "correction" of a factor; without it *out is empty. */
int paleo_trees_read(const struct paleo_json *object, struct paleo_trees *out,
		     struct paleo_error *err);
void paleo_trees_write(const struct paleo_trees *t, struct paleo_json_writer *w);
/* Groups of names, of a factor whose kernel model is read. */
int paleo_correlated_read(const struct paleo_json *object, struct paleo_class_model *f,
			  struct paleo_error *err);
void paleo_kernel_model_write(const struct paleo_class_model *f, struct paleo_json_writer *w);

/* The optional list of corrections of whole passes. */
void paleo_passes_write(const struct paleo_calibration *c, struct paleo_json_writer *w);
int paleo_passes_read(const struct paleo_json *root, struct paleo_calibration *c,
		      struct paleo_error *err);

#endif
