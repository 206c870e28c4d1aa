/* compare_table.h - rows that predict and profile printed as JSON lines, to be compared. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_COMPARE_TABLE_H
#define PALEO_TOOLS_COMPARE_TABLE_H

#include "tools/compare_side.h"

/* 1 in *is_table if the file's first line is a row, and not the beginning of records. EIO. */
int compare_table_is(const char *file, int *is_table, struct paleo_error *err);

/* Reads all rows: what was measured, or, where nothing was, what is predicted. EINPUT with the
 * line. */
int compare_table_load(const char *file, struct compare_side *out, struct paleo_error *err);

/* Of compare_side.c: each adds a copy; works are sorted before rows can name them. ENOMEM. */
int compare_side_add_work(struct compare_side *s, const char *key, const struct paleo_noisy *time,
			  struct paleo_error *err);
int compare_side_add_row(struct compare_side *s, const struct compare_row *like,
			 struct paleo_error *err);
void compare_side_sort(struct compare_side *s);

#endif
