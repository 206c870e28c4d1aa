/* trace.h - `validate` on a trace: what was predicted beside what was measured, op by op. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_VALIDATE_TRACE_H
#define PALEO_TOOLS_VALIDATE_TRACE_H

#include "base/table.h"
#include "model/predict/calibration.h"
#include "model/record/record.h"
#include "tools/cli/view.h"

/* Prints a row for each op of the traces' steps, and, as text, their sums. ENOMEM. */
int trace_print(const struct paleo_results *r, const struct paleo_calibration *c,
		const struct view *view, enum paleo_table_format format, FILE *out,
		struct paleo_error *err);

/* Prints what a trace without sizes of its ops has: time by name. 1 in *printed; 0 and nothing
 * where it has ops. As paleo_measured_read(). */
int trace_print_names(const char *path, const struct view *view, enum paleo_table_format format,
		      FILE *out, int *printed, struct paleo_error *err);

#endif
