/* validation_print.h - prints what a validation found. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_VALIDATE_VALIDATION_PRINT_H
#define PALEO_TOOLS_VALIDATE_VALIDATION_PRINT_H

#include <stdio.h>

#include "base/table.h"
#include "calib/validate.h"
#include "tools/cli/view.h"

/* One line that says what was judged, and what the judge had seen. `calibration` is its file; NULL:
 * fits with parts held out. */
void validation_note(const struct paleo_validation *v, const char *calibration, FILE *out);

/* As text, the sums and the verdict, then tables of nets and ops, as long as `view` allows; as CSV
 * and JSON lines, one table with a column `what`, and the rest on stderr. ENOMEM, EIO. */
int validation_print(const struct paleo_validation *v, const struct view *view,
		     enum paleo_table_format format, FILE *out, struct paleo_error *err);

#endif
