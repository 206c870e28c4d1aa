/* table_rows.h - what a table is made of, for the table*.c files alone. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_TABLE_ROWS_H
#define PALEO_BASE_TABLE_ROWS_H

#include <stddef.h>

#include "base/table.h"

struct paleo_row {
	struct paleo_cell *cells; /* one block with their strings; NULL is a rule */
};

struct paleo_table {
	const struct paleo_column *columns;
	int column_count;
	struct paleo_row *rows;
	size_t row_count, row_room;
};

/* Whether the cell has nothing to show: no text, or a number that is not finite. */
int paleo_cell_missing(const struct paleo_column *column, const struct paleo_cell *cell);

/* paleo_table_print for PALEO_TABLE_TEXT, without the look at the stream's errors. */
int paleo_table_print_text(const struct paleo_table *t, FILE *out, struct paleo_error *err);

/* The same for PALEO_TABLE_MD. */
void paleo_table_print_md(const struct paleo_table *t, FILE *out);

#endif
