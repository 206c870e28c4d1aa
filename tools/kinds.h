/* kinds.h - where a net's time goes: by kind of layer, and by what limits its works. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_KINDS_H
#define PALEO_TOOLS_KINDS_H

#include "tools/report.h"

/* The time of a row: as measured where anything was measured, else as predicted. NaN: none. */
double kinds_row_s(const struct report_settings *s, const struct plan_net *n, int row);

/* Prints a table of kinds, those that take longest first, and below it a line of what limits how
 * much of the time. */
int kinds_print(const struct report_settings *s, const struct plan_net *n, FILE *out,
		struct paleo_error *err);

#endif
