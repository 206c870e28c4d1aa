/* points.h - rows as points: rooflines, predicted against measured, one run against another. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_POINTS_H
#define PALEO_TOOLS_REPORT_POINTS_H

#include "tools/report/chart.h"
#include "tools/report/groups.h"

/* For each number type of the rows: what each reaches, below the device's limits. ENOMEM. */
int points_rooflines(struct chart *c, const struct view_run *run, const struct view_net *n,
		     struct paleo_error *err);

/* Predicted against measured, with the intervals of both; nothing where nothing was measured.
 * ENOMEM. */
int points_errors(struct chart *c, const struct view_net *n, struct paleo_error *err);

/* A row that two runs have. */
struct pair {
	const struct view_row *a, *b;
	double a_s, b_s;
};

/* The rows with a time in both, in the order of `a`: *out is owned, free(); returns how many in
 * *count. ENOMEM. */
int pairs_make(const struct view_net *a, const struct view_net *b, struct pair **out, int *count,
	       struct paleo_error *err);

/* One run against the other. ENOMEM. */
int points_of_two(struct chart *c, const struct view_net *a, const struct pair *pairs, int count,
		  struct paleo_error *err);

#endif
