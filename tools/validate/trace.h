/* trace.h - `validate` on a trace: measured next to predicted, op by op. */
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

/* The time of an op at the peak that binds: of compute or of memory. */
double trace_at_peak(const struct paleo_device *d, const struct paleo_op *w);

/* Prints time by name, for traces that lack the sizes of ops. It ends, with 0 in *printed, at the
 * first trace that has ops; else *printed is 1. As paleo_measured_read(). */
int trace_print_names(const char *const *paths, int count, const struct view *view,
		      enum paleo_table_format format, FILE *out, int *printed,
		      struct paleo_error *err);

#endif
