/* table.c - keeps the rows of a table, and prints them as CSV or JSON lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/table_rows.h"
#include "base/text.h"

struct paleo_table *paleo_table_new(const struct paleo_column *columns, int count)
{
	struct paleo_table *t = calloc(1, sizeof(*t));

	assert(count >= 1 && count <= PALEO_TABLE_COLUMNS_MAX);
	if (!t)
		return NULL;
	t->columns = columns;
	t->column_count = count;
	return t;
}

void paleo_table_free(struct paleo_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->row_count; i++)
		free(t->rows[i].values);
	free(t->rows);
	free(t);
}

int paleo_cell_missing(const struct paleo_column *column, const struct paleo_cell *cell)
{
	return column->type == PALEO_CELL_STRING ? !cell->text : !isfinite(cell->number);
}

struct paleo_cell paleo_table_cell(const struct paleo_table *t, const struct paleo_row *row,
				   int column)
{
	const uint64_t bit = UINT64_C(1) << column;

	if (!(row->present & bit))
		return (struct paleo_cell){.number = NAN};
	int before = __builtin_popcountll(row->present & (bit - 1));
	if (t->columns[column].type == PALEO_CELL_STRING)
		return (struct paleo_cell){.text = row->values[before].text, .number = NAN};
	return (struct paleo_cell){.number = row->values[before].number};
}

/* Takes the row's values. */
static int append(struct paleo_table *t, struct paleo_row row, struct paleo_error *err)
{
	if (t->row_count == t->row_room) {
		size_t room = t->row_room ? 2 * t->row_room : 32;
		struct paleo_row *rows = realloc(t->rows, room * sizeof(*rows));
		if (!rows) {
			free(row.values);
			return paleo_fail(err, PALEO_ENOMEM, "out of memory for a table row");
		}
		t->rows = rows;
		t->row_room = room;
	}
	t->rows[t->row_count++] = row;
	return PALEO_OK;
}

/* The cells present, followed in the same block by their strings: most columns of a long table are
 * missing in most rows. No values where there is no memory. */
static struct paleo_row copy_cells(const struct paleo_table *t, const struct paleo_cell *cells)
{
	struct paleo_row row = {0};
	size_t bytes = 1;
	int count = 0;

	for (int i = 0; i < t->column_count; i++) {
		if (paleo_cell_missing(&t->columns[i], &cells[i]))
			continue;
		row.present |= UINT64_C(1) << i;
		count++;
		if (t->columns[i].type == PALEO_CELL_STRING)
			bytes += strlen(cells[i].text) + 1;
	}
	union paleo_table_value *value = malloc((size_t)count * sizeof(*value) + bytes);
	if (!value)
		return row;
	row.values = value;
	char *strings = (char *)(value + count);
	for (int i = 0; i < t->column_count; i++) {
		if (!(row.present >> i & 1))
			continue;
		if (t->columns[i].type == PALEO_CELL_STRING) {
			size_t size = strlen(cells[i].text) + 1;
			memcpy(strings, cells[i].text, size);
			(value++)->text = strings;
			strings += size;
		} else {
			(value++)->number = cells[i].number;
		}
	}
	return row;
}

int paleo_table_add(struct paleo_table *t, const struct paleo_cell *cells, struct paleo_error *err)
{
	const struct paleo_row row = copy_cells(t, cells);

	if (!row.values)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a table row");
	return append(t, row, err);
}

int paleo_table_rule(struct paleo_table *t, struct paleo_error *err)
{
	return append(t, (struct paleo_row){0}, err);
}

/* The units in which people see a table's times, bytes and operations. */

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

/* The largest value of all columns that share this one's unit. */
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

/* The same columns with the titles and scales that people see, in units that fit. *out is one block
 * that the caller frees. ENOMEM. */
static int choose_units(const struct paleo_table *t, struct paleo_column **out,
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

/* Rows as CSV and as lines of JSON. */

/* Quoted where RFC 4180 requires it, and where an empty text would look like a missing one. Line
 * ends and other controls are shown, so that a row is a line. */
static void put_csv_text(FILE *out, const char *text)
{
	if (text[0] != '\0' && !strpbrk(text, ",\"")) {
		paleo_text_put(text, 0, out);
		return;
	}
	fputc('"', out);
	while (*text) {
		char shown[PALEO_TEXT_SHOWN_MAX];
		if (*text == '"')
			fputc('"', out);
		text += paleo_text_show(text, strnlen(text, sizeof(shown)), shown);
		fputs(shown, out);
	}
	fputc('"', out);
}

/* One line; the column names if `row` is NULL. */
static void put_csv_line(const struct paleo_table *t, const struct paleo_row *row, FILE *out)
{
	const char *separator = "";
	char number[32];

	for (int i = 0; i < t->column_count; i++) {
		const struct paleo_column *column = &t->columns[i];
		if (column->text_only)
			continue;
		fputs(separator, out);
		separator = ",";
		if (!row) {
			put_csv_text(out, column->name);
			continue;
		}
		const struct paleo_cell cell = paleo_table_cell(t, row, i);
		if (paleo_cell_missing(column, &cell))
			continue;
		if (column->type == PALEO_CELL_STRING) {
			put_csv_text(out, cell.text);
		} else {
			paleo_json_number_text(cell.number, number, sizeof(number));
			fputs(number, out);
		}
	}
	fputc('\n', out);
}

static void print_csv(const struct paleo_table *t, FILE *out)
{
	put_csv_line(t, NULL, out);
	for (size_t i = 0; i < t->row_count; i++) {
		if (t->rows[i].values)
			put_csv_line(t, &t->rows[i], out);
	}
}

static int put_json_line(const struct paleo_table *t, const struct paleo_row *row, FILE *out,
			 struct paleo_error *err)
{
	struct paleo_json_writer *w = paleo_json_writer_new();
	char *text = NULL;

	if (!w)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory while writing JSON");
	paleo_json_open_object(w, NULL);
	for (int i = 0; i < t->column_count; i++) {
		const struct paleo_column *column = &t->columns[i];
		if (column->text_only)
			continue;
		const struct paleo_cell cell = paleo_table_cell(t, row, i);
		if (column->type == PALEO_CELL_STRING)
			paleo_json_put_string(w, column->name, cell.text);
		else
			paleo_json_put_double(w, column->name, cell.number);
	}
	paleo_json_close(w);
	int rc = paleo_json_writer_text(w, 0, &text, err);
	if (!rc) {
		fputs(text, out);
		fputc('\n', out);
	}
	free(text);
	paleo_json_writer_free(w);
	return rc;
}

static int print_jsonl(const struct paleo_table *t, FILE *out, struct paleo_error *err)
{
	for (size_t i = 0; i < t->row_count; i++) {
		if (t->rows[i].values)
			PALEO_TRY(put_json_line(t, &t->rows[i], out, err));
	}
	return PALEO_OK;
}

int paleo_table_print(const struct paleo_table *t, enum paleo_table_format format, FILE *out,
		      struct paleo_error *err)
{
	struct paleo_column *columns = NULL;
	struct paleo_table fitting = *t;
	int rc = PALEO_OK;

	if (!paleo_table_is_data((int)format))
		rc = choose_units(t, &columns, err);
	if (rc)
		return rc;
	fitting.columns = columns;
	switch (format) {
	case PALEO_TABLE_TEXT:
		rc = paleo_table_print_text(&fitting, out, err);
		break;
	case PALEO_TABLE_MD:
		paleo_table_print_md(&fitting, out);
		break;
	case PALEO_TABLE_CSV:
		print_csv(t, out);
		break;
	case PALEO_TABLE_JSONL:
		rc = print_jsonl(t, out, err);
		break;
	}
	free(columns);
	if (rc)
		return rc;
	/* A full disk shows only when the buffer is written. */
	if (fflush(out) != 0 || ferror(out))
		return paleo_fail(err, PALEO_EIO, "the table could not be written completely");
	return PALEO_OK;
}
