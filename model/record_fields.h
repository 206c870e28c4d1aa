/* record_fields.h - the fields of the lines of a results file: one table for reader and writer. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_FIELDS_H
#define PALEO_MODEL_RECORD_FIELDS_H

#include "base/json_fields.h"

/* The first line names it; raised when a field changes its meaning. */
#define PALEO_RESULTS_SCHEMA "paleo-results/1"

extern const struct paleo_json_field paleo_meta_fields[];    /* of struct paleo_record_meta */
extern const struct paleo_json_field paleo_record_fields[];  /* of struct paleo_record */
extern const struct paleo_json_field paleo_timing_fields[];  /* of struct paleo_timing */
extern const struct paleo_json_field paleo_state_fields[];   /* of struct paleo_state */
extern const struct paleo_json_field paleo_net_fields[];     /* of struct paleo_net_rows */
extern const struct paleo_json_field paleo_row_fields[];     /* of struct paleo_net_row */
extern const struct paleo_json_field paleo_ceiling_fields[]; /* of struct paleo_ceiling */

#endif
