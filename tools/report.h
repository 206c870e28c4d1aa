/* report.h - a plan as rows: predicted beside measured, totals, errors. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_H
#define PALEO_TOOLS_REPORT_H

#include <stdio.h>

#include "base/table.h"
#include "tools/session/plan.h"

struct report_settings {
	const struct plan *plan;
	const struct paleo_calibration *calibration; /* for whole passes; NULL: none */
	const struct paleo_device *device;           /* whose peaks a row is held against */
	enum paleo_table_format format;
	int tells_sources; /* report_print() sees to it */
};

/* Prints the rows of every net, then, as text, its totals and errors. Of a plan without modes
 * nothing was measured, and nothing is said about it. */
int report_print(const struct report_settings *s, FILE *out, struct paleo_error *err);

#endif
