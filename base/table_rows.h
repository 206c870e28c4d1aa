/* table_rows.h - data structures of a table; internal to the table*.c files. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_TABLE_ROWS_H
#define PALEO_BASE_TABLE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

enum {
	PALEO_TABLE_COLUMNS_MAX = 64
};

/* A cell that is there: of a text column, or of numbers. */
union paleo_table_value {
	const char *text;
	double number;
};

struct paleo_row {
	uint64_t present;                /* bit i: the cell of column i is there */
	union paleo_table_value *values; /* these, one block with their strings; NULL is a rule */
};

struct paleo_table {
	const struct paleo_column *columns;
	int column_count;
	struct paleo_row *rows;
	size_t row_count, row_room;
};

/* The cell of a column, which is missing where nothing is to be shown: no text, or no finite
 * number. */
struct paleo_cell paleo_table_cell(const struct paleo_table *t, const struct paleo_row *row,
				   int column);

/* Returns 1 if the cell is missing. */
int paleo_cell_missing(const struct paleo_column *column, const struct paleo_cell *cell);

/* paleo_table_print for PALEO_TABLE_TEXT, of a table with units, without the look at the stream's
 * errors. */
int paleo_table_print_text(const struct paleo_table *t, FILE *out, struct paleo_error *err);

/* The same for PALEO_TABLE_MD. */
void paleo_table_print_md(const struct paleo_table *t, FILE *out);

/* 1 on a terminal with colours, unless NO_COLOR is set and not empty (no-color.org). */
int paleo_terminal_has_colour(FILE *out);

#endif
