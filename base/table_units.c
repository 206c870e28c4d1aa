/* table_units.c - the units in which people see a table's times, bytes and operations. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/table_rows.h"

enum {
	HEADING_MAX = 64 /* of a title with its unit */
};

struct unit {
	double least; /* the largest value of the table, from which on it is taken */
	double scale;
	const char *name;
};

/* From the largest unit to the smallest. */
static const struct unit times[] = {{10, 1, "s"}, {1e-3, 1e3, "ms"}, {0, 1e6, "us"}};
static const struct unit bytes[] = {{1e10, 1e-9, "GB"}, {1e6, 1e-6, "MB"}, {0, 1e-3, "kB"}};
static const struct unit flops[] = {
	{1e13, 1e-12, "TFLOP"}, {1e9, 1e-9, "GFLOP"}, {0, 1e-6, "MFLOP"}};
static const struct unit flop_rates[] = {{1e12, 1e-12, "TFLOP/s"}, {0, 1e-9, "GFLOP/s"}};
static const struct unit *const lists[PALEO_UNITS] = {
	[PALEO_UNIT_TIME] = times,
	[PALEO_UNIT_BYTES] = bytes,
	[PALEO_UNIT_FLOP] = flops,
	[PALEO_UNIT_FLOP_PER_S] = flop_rates,
};

/* Of the columns that have their unit in common with this one. */
static double largest(const struct paleo_table *t, const struct paleo_column *with)
{
	double most = 0;

	for (size_t r = 0; r < t->row_count; r++)
		for (int i = 0; t->rows[r].values && i < t->column_count; i++) {
			const struct paleo_column *column = &t->columns[i];
			if (column->unit != with->unit || column->size != with->size ||
			    column->data_only)
				continue;
			const struct paleo_cell cell = paleo_table_cell(t, &t->rows[r], i);
			if (!paleo_cell_missing(column, &cell))
				most = fmax(most, fabs(cell.number));
		}
	return most;
}

/* The first that the largest value reaches; milliseconds, megabytes where nothing is there. */
static const struct unit *choose(const struct unit *units, double most)
{
	const struct unit *u = most > 0 ? units : units + 1;

	while (most > 0 && most < u->least)
		u++;
	return u;
}

const char *paleo_unit_name(enum paleo_unit unit, double largest, double *scale)
{
	const struct unit *u = choose(lists[unit], largest);

	*scale = u->scale;
	return u->name;
}

/* The unit of a column: that of one before it with the same `unit` and `size`, else by the rows. */
static const struct unit *unit_of(const struct paleo_table *t, const struct unit *const *before,
				  int column)
{
	const struct paleo_column *c = &t->columns[column];

	if (!lists[c->unit] || c->data_only)
		return NULL;
	for (int i = 0; i < column; i++)
		if (before[i] && t->columns[i].unit == c->unit && t->columns[i].size == c->size)
			return before[i];
	return choose(lists[c->unit], largest(t, c));
}

int paleo_table_choose_units(const struct paleo_table *t, struct paleo_column **out,
			     struct paleo_error *err)
{
	const struct unit *chosen[PALEO_TABLE_COLUMNS_MAX];
	size_t count = (size_t)t->column_count;
	struct paleo_column *columns = malloc(count * (sizeof(*columns) + HEADING_MAX) + 1);

	if (!columns)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory while printing a table");
	char *headings = (char *)(columns + count);
	for (size_t i = 0; i < count; i++) {
		const struct paleo_column *from = &t->columns[i];
		columns[i] = *from;
		const struct unit *u = chosen[i] = unit_of(t, chosen, (int)i);
		if (!u)
			continue;
		snprintf(headings + i * HEADING_MAX, HEADING_MAX, "%s%s%s", from->title,
			 from->title[0] ? " " : "", u->name);
		columns[i].title = headings + i * HEADING_MAX;
		columns[i].scale = u->scale;
	}
	*out = columns;
	return PALEO_OK;
}
