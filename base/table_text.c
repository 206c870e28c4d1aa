/* table_text.c - prints a table in aligned columns for a reader. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table_rows.h"
#include "base/utf8.h"

enum {
	GAP = 2,           /* blanks between columns */
	NUMBER_BYTES = 48, /* of a number's text */
	DECIMALS_MAX = 15
};

/* "-0.00" would look like a result: a number that rounds to nothing has no sign. */
static void drop_sign_of_zero(char *text)
{
	if (text[0] == '-' && strspn(text, "-0.") == strlen(text))
		memmove(text, text + 1, strlen(text));
}

/* What the cell shows; `buf` (NUMBER_BYTES) is used for a number. */
static const char *cell_text(const struct paleo_column *column, const struct paleo_cell *cell,
			     char *buf)
{
	if (paleo_cell_missing(column, cell))
		return "-";
	if (column->type == PALEO_CELL_STRING)
		return cell->text;
	double value = cell->number * (column->scale != 0 ? column->scale : 1);
	assert(column->decimals >= 0 && column->decimals <= DECIMALS_MAX);
	if (fabs(value) >= 1e15) /* more digits than a double has, or a reader wants */
		snprintf(buf, NUMBER_BYTES, "%.6g", value);
	else
		snprintf(buf, NUMBER_BYTES, "%.*f", column->decimals, value);
	drop_sign_of_zero(buf);
	return buf;
}

/* Whether column `i` is to be printed; a table without rows shows the headings of all. */
static int is_shown(const struct paleo_table *t, int i)
{
	int rows = 0;

	if (t->columns[i].data_only)
		return 0;
	for (size_t r = 0; r < t->row_count; r++) {
		const struct paleo_cell *cells = t->rows[r].cells;
		if (!cells)
			continue;
		if (!paleo_cell_missing(&t->columns[i], &cells[i]))
			return 1;
		rows++;
	}
	return rows == 0;
}

static int widest(const struct paleo_table *t, int i)
{
	const struct paleo_column *column = &t->columns[i];
	int width = paleo_utf8_count(column->title);
	char buf[NUMBER_BYTES];

	for (size_t r = 0; r < t->row_count; r++) {
		const struct paleo_cell *cells = t->rows[r].cells;
		int w = cells ? paleo_utf8_count(cell_text(column, &cells[i], buf)) : 0;
		if (w > width)
			width = w;
	}
	return width;
}

static void put_repeated(FILE *out, char c, int count)
{
	for (int i = 0; i < count; i++)
		fputc(c, out);
}

/* A row stays one line, and text from a file does not steer the terminal. */
static void put_visible(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, out);
}

/* The titles if `cells` is NULL. `widths` is 0 for a column that is not shown. */
static void put_line(const struct paleo_table *t, const struct paleo_cell *cells, const int *widths,
		     FILE *out)
{
	char buf[NUMBER_BYTES];
	int blanks = 0; /* owed before the next text, so that no line ends in blanks */

	for (int i = 0; i < t->column_count; i++) {
		const struct paleo_column *column = &t->columns[i];
		if (widths[i] == 0)
			continue;
		const char *text = cells ? cell_text(column, &cells[i], buf) : column->title;
		int room = widths[i] - paleo_utf8_count(text);
		int left = column->type == PALEO_CELL_STRING;
		if (text[0] != '\0') {
			put_repeated(out, ' ', left ? blanks : blanks + room);
			put_visible(out, text);
			blanks = (left ? room : 0) + GAP;
		} else {
			blanks += room + GAP;
		}
	}
	fputc('\n', out);
}

static void put_rule(const struct paleo_table *t, const int *widths, FILE *out)
{
	int total = 0;

	for (int i = 0; i < t->column_count; i++) {
		if (widths[i] > 0)
			total += (total > 0 ? GAP : 0) + widths[i];
	}
	put_repeated(out, '-', total);
	fputc('\n', out);
}

int paleo_table_print_text(const struct paleo_table *t, FILE *out, struct paleo_error *err)
{
	int *widths = calloc((size_t)t->column_count, sizeof(*widths));

	if (!widths)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory while printing a table");
	for (int i = 0; i < t->column_count; i++)
		widths[i] = is_shown(t, i) ? widest(t, i) : 0;
	put_line(t, NULL, widths, out);
	put_rule(t, widths, out);
	for (size_t r = 0; r < t->row_count; r++) {
		if (t->rows[r].cells)
			put_line(t, t->rows[r].cells, widths, out);
		else
			put_rule(t, widths, out);
	}
	free(widths);
	return PALEO_OK;
}
