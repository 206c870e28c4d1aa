/* calibration_file.h - reads and writes calibration.json. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_CALIBRATION_FILE_H
#define PALEO_MODEL_PREDICT_CALIBRATION_FILE_H

#include "base/json.h"
#include "base/save.h"
#include "model/predict/calibration.h"

/* Schema of the file; its version rises when a field changes its name or meaning. */
extern const struct paleo_json_schema paleo_calibration_schema;

/*
 * Reads a calibration. It is refused, with file, line and key, when it could not predict: another
 * schema, an unknown class, a factor twice or out of its range, no peak or bandwidth. *out is owned
 * by the caller: paleo_calibration_release(). EIO, EINPUT, ENOMEM.
 */
int paleo_calibration_load(const char *path, struct paleo_calibration *out,
			   struct paleo_error *err);
/* The same of a preset, without the ops that it was fitted to, which no prediction reads. Trees,
 * which are most of a file and only apply to its device, are left unread if `trees` is 1, for
 * paleo_trees_take(), and else skipped. */
int paleo_calibration_load_preset(const char *path, int trees, struct paleo_calibration *out,
				  struct paleo_error *err);
int paleo_calibration_parse(const char *name, const char *text, size_t size,
			    struct paleo_calibration *out, struct paleo_error *err);

/* The file's text. *out is owned by the caller: free(). ENOMEM. */
int paleo_calibration_text(const struct paleo_calibration *c, char **out, struct paleo_error *err);

/* Recognises such a file for paleo_save_begin(). */
extern const struct paleo_file_kind paleo_calibration_kind;

/* Writes it to the file that was begun. EIO, ENOMEM. */
int paleo_calibration_save(const struct paleo_calibration *c, struct paleo_save *to,
			   struct paleo_error *err);

/* Shared by the files that read and write its parts. */

/* Prefixes a reader's error with the position of its word. */
int paleo_calibration_place(const struct paleo_json *v, int rc, struct paleo_error *err);

/* Extra keys of a factor besides its fields, NULL-ended. */
extern const char *const paleo_kernel_model_keys[];

/* "kernel_model", "operand_sets", "parameters" and "sets", read into f->model, NULL without a
 * kernel; f->dtype is set. Also "bands". EINPUT with the position; ENOMEM. */
int paleo_kernel_model_read(const struct paleo_json *object, struct paleo_class_model *f,
			    struct paleo_error *err);
int paleo_bands_read(const struct paleo_json *object, struct paleo_class_model *f,
		     struct paleo_error *err);
/* The optional trees of a factor, by their key: "correction" or "spread"; without them *out is
 * empty. */
int paleo_trees_read(const struct paleo_json *object, const char *key, struct paleo_trees *out,
		     struct paleo_error *err);
/* A copy of a factor's trees, read if they are unread; and whether it has a spread. */
int paleo_trees_take(const struct paleo_class_model *f, const char *key, struct paleo_trees *out,
		     struct paleo_error *err);
int paleo_class_model_has_spread(const struct paleo_class_model *f);
void paleo_trees_write(const struct paleo_trees *t, const char *key, struct paleo_json_writer *w);
/* Groups of names, of a factor whose kernel model is read. */
int paleo_correlated_read(const struct paleo_json *object, struct paleo_class_model *f,
			  struct paleo_error *err);
void paleo_kernel_model_write(const struct paleo_class_model *f, struct paleo_json_writer *w);

/* The optional list of corrections of whole passes. */
void paleo_passes_write(const struct paleo_calibration *c, struct paleo_json_writer *w);
int paleo_passes_read(const struct paleo_json *root, struct paleo_calibration *c,
		      struct paleo_error *err);

#endif
