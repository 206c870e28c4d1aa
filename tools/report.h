/* report.h - a plan as rows: predicted beside measured, totals, errors. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_H
#define PALEO_TOOLS_REPORT_H

#include <stdio.h>

#include "base/table.h"
#include "tools/session/plan.h"
#include "tools/view.h"

struct report_settings {
	const struct plan *plan;
	const struct paleo_calibration *calibration; /* for whole passes; NULL: none */
	const struct paleo_device *device;           /* whose peaks a row is held against */
	enum paleo_table_format format;
	struct view view;  /* which rows are shown */
	int tells_sources; /* report_print() sees to it */
};

/* Prints, as text, of every net its totals and errors and where the time goes, then the rows that
 * the view wants; else the rows alone. Of a plan without modes
 * nothing was measured, and nothing is said about it. */
int report_print(const struct report_settings *s, FILE *out, struct paleo_error *err);

#endif
