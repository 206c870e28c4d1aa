/* compare_print.h - prints what a comparison found. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_COMPARE_PRINT_H
#define PALEO_TOOLS_COMPARE_PRINT_H

#include "base/table.h"
#include "tools/compare_join.h"

struct compare_view {
	const struct compare_side *a, *b;
	const char *a_name, *b_name;
	const struct compare_joined *joined;
	struct paleo_compare_how how;
	enum paleo_table_format format;
	int top; /* rows that are shown; 0: all */
};

/* Who was compared, and what differs between them. */
void compare_print_heading(const struct compare_view *v, FILE *out);

/* The sum of one net, as a line. */
void compare_print_sum(const struct compare_view *v, const struct compare_row *net,
		       const struct paleo_compared *sum, FILE *out);

/* How many works are FASTER, SLOWER, SAME and UNCLEAR, and how fine a change could be seen. */
void compare_print_counts(const struct compare_view *v, FILE *out);

/* The rows, those first whose time differs most beyond noise. */
int compare_print_rows(const struct compare_view *v, FILE *out, struct paleo_error *err);

#endif
