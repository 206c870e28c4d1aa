/* table_units.c - the units in which people see a table's times and bytes. */
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

static double largest(const struct paleo_table *t, enum paleo_unit unit)
{
	double most = 0;

	for (size_t r = 0; r < t->row_count; r++)
		for (int i = 0; t->rows[r].values && i < t->column_count; i++) {
			const struct paleo_column *column = &t->columns[i];
			if (column->unit != unit || column->data_only)
				continue;
			const struct paleo_cell cell = paleo_table_cell(t, &t->rows[r], i);
			if (!paleo_cell_missing(column, &cell))
				most = fmax(most, fabs(cell.number));
		}
	return most;
}

/* The first that the largest value reaches; milliseconds and megabytes where nothing is there. */
static const struct unit *choose(const struct unit *units, double most)
{
	const struct unit *u = most > 0 ? units : units + 1;

	while (most > 0 && most < u->least)
		u++;
	return u;
}

const char *paleo_unit_name(enum paleo_unit unit, double largest, double *scale)
{
	const struct unit *u = choose(unit == PALEO_UNIT_TIME ? times : bytes, largest);

	*scale = u->scale;
	return u->name;
}

int paleo_table_choose_units(const struct paleo_table *t, struct paleo_column **out,
			     struct paleo_error *err)
{
	const struct unit *chosen[PALEO_UNITS] = {
		[PALEO_UNIT_TIME] = choose(times, largest(t, PALEO_UNIT_TIME)),
		[PALEO_UNIT_BYTES] = choose(bytes, largest(t, PALEO_UNIT_BYTES)),
	};
	size_t count = (size_t)t->column_count;
	struct paleo_column *columns = malloc(count * (sizeof(*columns) + HEADING_MAX) + 1);

	if (!columns)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory while printing a table");
	char *headings = (char *)(columns + count);
	for (size_t i = 0; i < count; i++) {
		const struct unit *u = chosen[t->columns[i].unit];
		columns[i] = t->columns[i];
		if (!u)
			continue;
		snprintf(headings + i * HEADING_MAX, HEADING_MAX, "%s %s", t->columns[i].title,
			 u->name);
		columns[i].title = headings + i * HEADING_MAX;
		columns[i].scale = u->scale;
	}
	*out = columns;
	return PALEO_OK;
}
