/* record_fields.h - the fields of the lines of a results file: one table for reader and writer. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_RECORD_FIELDS_H
#define PALEO_MODEL_RECORD_RECORD_FIELDS_H

#include <stdio.h>

#include "base/json_fields.h"
#include "base/json_schema.h"
#include "model/record/record.h"

/* The first line names it; raised when a field changes its name or its meaning. */
extern const struct paleo_json_schema paleo_results_schema;

extern const struct paleo_json_field paleo_meta_fields[];    /* of struct paleo_record_meta */
extern const struct paleo_json_field paleo_record_fields[];  /* of struct paleo_record */
extern const struct paleo_json_field paleo_timing_fields[];  /* of struct paleo_timing */
extern const struct paleo_json_field paleo_state_fields[];   /* of struct paleo_state */
extern const struct paleo_json_field paleo_net_fields[];     /* of struct paleo_net_rows */
extern const struct paleo_json_field paleo_row_fields[];     /* of struct paleo_net_row */
extern const struct paleo_json_field paleo_ceiling_fields[]; /* of struct paleo_ceiling */

/* Reads the timing of an OK record. Earlier files have one also where no sample was clean: then it
 * is left out, and *status becomes DISTURBED. EINPUT. */
int paleo_timing_read(const struct paleo_json *v, struct paleo_timing *out,
		      enum paleo_record_status *status, struct paleo_error *err);

/* A writer with an open object that says its type; NULL if memory ran out. Inside of model only. */
struct paleo_json_writer *paleo_results_line(const char *type);

/* Closes the object, writes the line in one go, flushes and frees the writer (NULL: ENOMEM). EIO.
 */
int paleo_results_line_end(struct paleo_json_writer *w, FILE *out, struct paleo_error *err);

#endif
