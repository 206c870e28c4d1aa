/* causes.h - why rows of a net have no time, and how many each reason cost. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_CAUSES_H
#define PALEO_TOOLS_CAUSES_H

#include "tools/report.h"

/* Prints the reasons, each with how many rows it cost. Wrong answers have a reason each, so the ten
 * most frequent alone. */
int causes_print(const struct report_settings *s, const struct plan_net *n, FILE *out,
		 struct paleo_error *err);

#endif
