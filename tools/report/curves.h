/* curves.h - what `simulate` and `explore` have found: speed over workers, fronts. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_CURVES_H
#define PALEO_TOOLS_REPORT_CURVES_H

#include "tools/report/chart.h"
#include "tools/report/view.h"

/* For each net and scaling a picture of speed-ups over workers, with a line for each strategy and
 * scheme. ENOMEM. */
int curves_of_steps(struct chart *c, const struct view_lines *steps, struct paleo_error *err);

/* The choices that none beats: time against cost, or against memory where there is no price.
 * ENOMEM. */
int curves_of_choices(struct chart *c, const struct view_lines *l, struct paleo_error *err);

#endif
