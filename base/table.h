/* table.h - prints rows as aligned text, CSV or JSON lines from one list of columns. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_TABLE_H
#define PALEO_BASE_TABLE_H

#include <stdio.h>

#include "base/error.h"

enum paleo_table_format {
	PALEO_TABLE_TEXT,
	PALEO_TABLE_CSV,   /* quoted as in RFC 4180 but with plain line ends, header line first,
			    * numbers with all their digits; a missing value is empty. A row is a
			    * line: text is shown as base/text.h says, and else as it is, also
			    * where it begins as a formula does in a spreadsheet */
	PALEO_TABLE_JSONL, /* one object a line, keys are the columns' names, text exact; a
			    * missing value is null */
	PALEO_TABLE_MD,    /* a table of Markdown with the columns and numbers of the text */
};

/* 1 for what programs read, also in a format that a command adds to these: no line but the table's
 * may stand beside it. */
static inline int paleo_table_is_data(int format)
{
	return format != PALEO_TABLE_TEXT && format != PALEO_TABLE_MD;
}

/* What a number is of, where people see it in a unit that fits the table. */
enum paleo_unit {
	PALEO_UNIT_NONE,
	PALEO_UNIT_TIME,       /* in seconds; shown in s, ms or us */
	PALEO_UNIT_BYTES,      /* shown in GB, MB or kB */
	PALEO_UNIT_FLOP,       /* shown in TFLOP, GFLOP or MFLOP */
	PALEO_UNIT_FLOP_PER_S, /* shown in TFLOP/s or GFLOP/s */
	PALEO_UNITS
};

/* One column: a constant of the tool that prints, with named fields. */
struct paleo_column {
	const char *name;     /* key in CSV and JSON, with its unit: "measured_s" */
	const char *title;    /* heading in text: "measured ms" */
	enum paleo_unit unit; /* the title is without it: one for all of a table's columns of the
				 same `size`, by the largest number that is shown; `scale` does not
				 count then. Without a title the unit is the heading */
	int size;     /* of another size than the table's other times or bytes: any number */
	double scale; /* text shows value * scale (seconds to ms: 1e3); 0 means 1 */
	enum {
		PALEO_CELL_STRING,
		PALEO_CELL_NUMBER
	} type;
	int decimals;    /* of a number in text */
	int significant; /* if not 0: a small number gets more decimals, to show so many digits
			  * other than leading zeros, and the column is aligned at the point */
	int text_only;   /* not in CSV and JSON */
	int data_only;   /* not in text */
	int spare;       /* left out of text where the terminal is too narrow, the highest first;
			  * 0: never */
};

/* One cell: `text` for a string (NULL is missing), `number` otherwise (NaN and infinities
 * are missing). In text a missing cell is "-". */
struct paleo_cell {
	const char *text;
	double number;
};

/* How many decimals show `significant` digits of a value, and no less than `decimals`; 15 at most.
 */
int paleo_decimals(double value, int decimals, int significant);

/* The unit in which people see numbers of which this is the largest, "ms", and what times a number
 * is its own in it. Not of PALEO_UNIT_NONE. */
const char *paleo_unit_name(enum paleo_unit unit, double largest, double *scale);

struct paleo_table;

/* `columns` (count of them) must outlive the table; cells are copied when added. NULL if memory ran
 * out. */
struct paleo_table *paleo_table_new(const struct paleo_column *columns, int count);
void paleo_table_free(struct paleo_table *t); /* NULL is allowed */

/* Adds a row of as many cells as there are columns. ENOMEM. */
int paleo_table_add(struct paleo_table *t, const struct paleo_cell *cells, struct paleo_error *err);

/* A line across the text output between rows (totals below it); nothing in CSV and JSON. */
int paleo_table_rule(struct paleo_table *t, struct paleo_error *err);

/* Prints all rows; in text, columns are as wide as their widest cell, numbers to the right, and a
 * column that is missing in every row is left out. On a terminal that is too narrow spare columns
 * are left out, then long texts are cut, and a line says so. EIO when the stream refuses. */
int paleo_table_print(const struct paleo_table *t, enum paleo_table_format format, FILE *out,
		      struct paleo_error *err);

#endif
