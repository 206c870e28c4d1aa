/* table.c - keeps the rows of a table, and prints them as CSV or JSON lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table.h"

#include <assert.h>
#include <math.h>
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

/* The cells that are there and, behind them in the same block, their strings: most columns of a
 * long table are missing in most rows. No values where there is no memory. */
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

/* Quoted where RFC 4180 wants it, and where an empty text would look like a missing one. Line ends
 * and other controls are shown, so that a row is a line. */
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
	int rc = PALEO_OK;

	for (size_t i = 0; i < t->row_count && !rc; i++) {
		if (t->rows[i].values)
			rc = put_json_line(t, &t->rows[i], out, err);
	}
	return rc;
}

int paleo_table_print(const struct paleo_table *t, enum paleo_table_format format, FILE *out,
		      struct paleo_error *err)
{
	struct paleo_column *columns = NULL;
	struct paleo_table fitting = *t;
	int rc = PALEO_OK;

	if (!paleo_table_is_data((int)format))
		rc = paleo_table_choose_units(t, &columns, err);
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
		return paleo_fail(err, PALEO_EIO, "the table could not be written to its end");
	return PALEO_OK;
}
