/* totals.h - what a net's rows come to: sums per pass, errors, what could not run and why. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_TOTALS_H
#define PALEO_TOOLS_TOTALS_H

#include "tools/report.h"

/* Prints a net's totals, as text. */
int totals_print(const struct report_settings *s, const struct plan_net *n, FILE *out,
		 struct paleo_error *err);

#endif
