/* table.h - prints rows as aligned text, CSV or JSON lines from one list of columns. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_TABLE_H
#define PALEO_BASE_TABLE_H

#include <stdio.h>

#include "base/error.h"

enum paleo_table_format {
	PALEO_TABLE_TEXT,
	PALEO_TABLE_CSV,   /* quoted as in RFC 4180 but with plain line ends, header line first,
			      numbers with all their digits; a missing value is empty. A row is a
			      line: text is escaped as by base/text.h and otherwise unchanged, even
			      where it looks like a spreadsheet formula */
	PALEO_TABLE_JSONL, /* one object a line, keys are the columns' names, text exact; a
			    * missing value is null */
	PALEO_TABLE_MD,    /* a table of Markdown with the columns and numbers of the text */
};

/* 1 for machine-readable formats, including those a command adds: only the table's lines may be
 * printed. */
static inline int paleo_table_is_data(int format)
{
	return format != PALEO_TABLE_TEXT && format != PALEO_TABLE_MD;
}

/* Unit of a number, which text tables scale to fit. */
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

/* Number of decimals that show `significant` digits of a value, and at least `decimals`; at most
 * 15. */
int paleo_decimals(double value, int decimals, int significant);

/* Unit for display of numbers of which this is the largest, such as "ms", and the factor to convert
 * to it. Not for PALEO_UNIT_NONE. */
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

/*
 * A table is one list: each column with its cell, an expression of the variables of the function
 * that adds a row.
 *
 *	#define COLUMNS(X)                                                      \
 *		X(PALEO_COLUMN_TEXT("net", "network"), .text = r->net)          \
 *		X(PALEO_COLUMN_TIME("predicted_s", "pred"), .number = r->predicted_s)
 *
 *	static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};
 *
 *	struct paleo_table *t = PALEO_TABLE_OF(columns);
 *	...
 *	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
 *	rc = paleo_table_add(t, cells, err);
 *
 * A missing cell is NULL or NAN. Text leaves out a column that is missing in every row, so a column
 * is hidden by leaving its cells missing. A value that takes statements is a variable of that
 * function. Where rows are of several kinds, or several functions find the values, these go into a
 * struct that begins with all of them missing.
 */
#define PALEO_COLUMN_OF(column, ...) column,
#define PALEO_CELL_OF(column, ...) {__VA_ARGS__},
#define PALEO_TABLE_OF(columns)                                                                    \
	paleo_table_new(columns, (int)(sizeof(columns) / sizeof((columns)[0])))

/* The usual kinds of columns; PALEO_COLUMN takes the fields of any other. */

#define PALEO_COLUMN(...)                                                                          \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
/* `key` is the name in CSV and JSON, `heading` the one for people. */
#define PALEO_COLUMN_TEXT(key, heading)                                                            \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_STRING                       \
	}
#define PALEO_COLUMN_WHOLE(key, heading)                                                           \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER                       \
	}
/* People see value * factor with so many decimals. */
#define PALEO_COLUMN_NUMBER(key, heading, factor, digits)                                          \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER, .scale = (factor),   \
		.decimals = (digits)                                                               \
	}
#define PALEO_COLUMN_PERCENT(key, heading) PALEO_COLUMN_NUMBER(key, heading, 100, 1)
#define PALEO_COLUMN_RATIO(key, heading) PALEO_COLUMN_NUMBER(key, heading, 1, 3)
/* Seconds, bytes, FLOPs and FLOP/s: the table chooses the unit that people see. */
#define PALEO_COLUMN_TIME(key, heading)                                                            \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER,                      \
		.unit = PALEO_UNIT_TIME, .decimals = 3, .significant = 3                           \
	}
/* Seconds that are much longer, or shorter, than the table's other times. */
#define PALEO_COLUMN_TIME_APART(key, heading)                                                      \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER,                      \
		.unit = PALEO_UNIT_TIME, .size = 1, .decimals = 3, .significant = 3                \
	}
#define PALEO_COLUMN_BYTES(key, heading)                                                           \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER,                      \
		.unit = PALEO_UNIT_BYTES, .significant = 3                                         \
	}
#define PALEO_COLUMN_FLOP(key, heading)                                                            \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER,                      \
		.unit = PALEO_UNIT_FLOP, .decimals = 1, .significant = 3                           \
	}
#define PALEO_COLUMN_FLOP_PER_S(key, heading)                                                      \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER,                      \
		.unit = PALEO_UNIT_FLOP_PER_S, .decimals = 1, .significant = 3                     \
	}
/* Numbers, and texts, that programs alone see. */
#define PALEO_COLUMN_DATA(key)                                                                     \
	{                                                                                          \
		.name = (key), .type = PALEO_CELL_NUMBER, .data_only = 1                           \
	}
#define PALEO_COLUMN_DATA_TEXT(key)                                                                \
	{                                                                                          \
		.name = (key), .type = PALEO_CELL_STRING, .data_only = 1                           \
	}
/* Texts, and numbers, that people alone see. */
#define PALEO_COLUMN_SHOWN_TEXT(heading)                                                           \
	{                                                                                          \
		.title = (heading), .type = PALEO_CELL_STRING, .text_only = 1                      \
	}
#define PALEO_COLUMN_SHOWN_NUMBER(heading, factor, digits)                                         \
	{                                                                                          \
		.title = (heading), .type = PALEO_CELL_NUMBER, .scale = (factor),                  \
		.decimals = (digits), .text_only = 1                                               \
	}
/* Half of an interval, in percent, of which programs see both ends. */
#define PALEO_COLUMN_HALF(heading) PALEO_COLUMN_SHOWN_NUMBER(heading, 1, 1)

/* Columns of the terminal, by COLUMNS or, where that is not a number, as it reports; 0: the stream
 * is not a terminal, or its width is unknown, and lines may be of any length. */
int paleo_terminal_width(FILE *out);

#endif
