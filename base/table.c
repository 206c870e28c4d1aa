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

	assert(count >= 1);
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
		free(t->rows[i].cells);
	free(t->rows);
	free(t);
}

int paleo_cell_missing(const struct paleo_column *column, const struct paleo_cell *cell)
{
	return column->type == PALEO_CELL_STRING ? !cell->text : !isfinite(cell->number);
}

/* Takes `cells`. */
static int append(struct paleo_table *t, struct paleo_cell *cells, struct paleo_error *err)
{
	if (t->row_count == t->row_room) {
		size_t room = t->row_room ? 2 * t->row_room : 32;
		struct paleo_row *rows = realloc(t->rows, room * sizeof(*rows));
		if (!rows) {
			free(cells);
			return paleo_fail(err, PALEO_ENOMEM, "out of memory for a table row");
		}
		t->rows = rows;
		t->row_room = room;
	}
	t->rows[t->row_count++].cells = cells;
	return PALEO_OK;
}

/* The cells and, behind them in the same block, their strings. */
static struct paleo_cell *copy_cells(const struct paleo_column *columns, int count,
				     const struct paleo_cell *cells)
{
	size_t bytes = (size_t)count * sizeof(*cells);

	for (int i = 0; i < count; i++) {
		if (columns[i].type == PALEO_CELL_STRING && cells[i].text)
			bytes += strlen(cells[i].text) + 1;
	}
	struct paleo_cell *copy = malloc(bytes);
	if (!copy)
		return NULL;
	char *strings = (char *)(copy + count);
	for (int i = 0; i < count; i++) {
		copy[i] = cells[i];
		if (columns[i].type != PALEO_CELL_STRING || !cells[i].text)
			continue;
		size_t size = strlen(cells[i].text) + 1;
		memcpy(strings, cells[i].text, size);
		copy[i].text = strings;
		strings += size;
	}
	return copy;
}

int paleo_table_add(struct paleo_table *t, const struct paleo_cell *cells, struct paleo_error *err)
{
	struct paleo_cell *copy = copy_cells(t->columns, t->column_count, cells);

	if (!copy)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a table row");
	return append(t, copy, err);
}

int paleo_table_rule(struct paleo_table *t, struct paleo_error *err)
{
	return append(t, NULL, err);
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

/* One line; the column names if `cells` is NULL. */
static void put_csv_line(const struct paleo_table *t, const struct paleo_cell *cells, FILE *out)
{
	const char *separator = "";
	char number[32];

	for (int i = 0; i < t->column_count; i++) {
		const struct paleo_column *column = &t->columns[i];
		if (column->text_only)
			continue;
		fputs(separator, out);
		separator = ",";
		if (!cells) {
			put_csv_text(out, column->name);
		} else if (paleo_cell_missing(column, &cells[i])) {
			continue;
		} else if (column->type == PALEO_CELL_STRING) {
			put_csv_text(out, cells[i].text);
		} else {
			paleo_json_number_text(cells[i].number, number, sizeof(number));
			fputs(number, out);
		}
	}
	fputc('\n', out);
}

static void print_csv(const struct paleo_table *t, FILE *out)
{
	put_csv_line(t, NULL, out);
	for (size_t i = 0; i < t->row_count; i++) {
		if (t->rows[i].cells)
			put_csv_line(t, t->rows[i].cells, out);
	}
}

static int put_json_line(const struct paleo_table *t, const struct paleo_cell *cells, FILE *out,
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
		if (column->type == PALEO_CELL_STRING)
			paleo_json_put_string(w, column->name, cells[i].text);
		else
			paleo_json_put_double(w, column->name, cells[i].number);
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
		if (t->rows[i].cells)
			rc = put_json_line(t, t->rows[i].cells, out, err);
	}
	return rc;
}

int paleo_table_print(const struct paleo_table *t, enum paleo_table_format format, FILE *out,
		      struct paleo_error *err)
{
	int rc = PALEO_OK;

	switch (format) {
	case PALEO_TABLE_TEXT:
		rc = paleo_table_print_text(t, out, err);
		break;
	case PALEO_TABLE_MD:
		paleo_table_print_md(t, out);
		break;
	case PALEO_TABLE_CSV:
		print_csv(t, out);
		break;
	case PALEO_TABLE_JSONL:
		rc = print_jsonl(t, out, err);
		break;
	}
	if (rc)
		return rc;
	/* A full disk shows only when the buffer is written. */
	if (fflush(out) != 0 || ferror(out))
		return paleo_fail(err, PALEO_EIO, "the table could not be written to its end");
	return PALEO_OK;
}
