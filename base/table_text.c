/* table_text.c - a table as aligned text, as wide as the terminal it is shown on. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/table_rows.h"
#include "base/text.h"

enum {
	GAP = 2,           /* blanks between columns */
	NUMBER_BYTES = 48, /* of a number's text */
	DECIMALS_MAX = PALEO_FIXED_MAX,
	TEXT_MIN = 12 /* no text is cut below it */
};

#define BOLD "\033[1m"
#define PLAIN "\033[0m"

/* "-0.00" would look like a result: numbers that round to zero lose their sign. */
static void drop_sign_of_zero(char *text)
{
	if (text[0] == '-' && strspn(text, "-0.") == strlen(text))
		memmove(text, text + 1, strlen(text));
}

int paleo_decimals(double value, int decimals, int significant)
{
	assert(decimals >= 0 && decimals <= DECIMALS_MAX);
	if (value == 0 || !isfinite(value))
		return decimals;
	double wanted = significant - 1 - floor(log10(fabs(value)));
	if (wanted > DECIMALS_MAX)
		wanted = DECIMALS_MAX;
	return wanted > decimals ? (int)wanted : decimals;
}

/* Layout of a text column. */
struct room {
	int width;    /* 0: not shown */
	int decimals; /* most digits behind the point, where numbers are aligned at it */
};

/* Text of the cell; `buf` (NUMBER_BYTES) is used for a number. */
static const char *cell_text(const struct paleo_column *column, const struct paleo_cell *cell,
			     char *buf)
{
	if (paleo_cell_missing(column, cell))
		return "-";
	if (column->type == PALEO_CELL_STRING)
		return cell->text;
	double value = cell->number * (column->scale != 0 ? column->scale : 1);
	int decimals = column->significant
			       ? paleo_decimals(value, column->decimals, column->significant)
			       : column->decimals;
	if (fabs(value) >= 1e15) /* more digits than a double has, or a reader needs */
		snprintf(buf, NUMBER_BYTES, "%.6g", value);
	else
		paleo_number_fixed(value, decimals, buf, NUMBER_BYTES);
	drop_sign_of_zero(buf);
	return buf;
}

/* Returns 1 if column `i` is printed; a table without rows prints all headings. */
static int is_shown(const struct paleo_table *t, int i)
{
	int rows = 0;

	if (t->columns[i].data_only)
		return 0;
	for (size_t r = 0; r < t->row_count; r++) {
		if (t->rows[r].present >> i & 1)
			return 1;
		rows += t->rows[r].values != NULL;
	}
	return rows == 0;
}

/* Length of a cell's text after its alignment point. */
static int behind(const struct paleo_column *column, const char *text)
{
	const char *point = column->significant ? strchr(text, '.') : NULL;

	return point ? (int)strlen(point + 1) : 0;
}

/* The room that a shown column takes. */
static struct room measure(const struct paleo_table *t, int i)
{
	const struct paleo_column *column = &t->columns[i];
	struct room room = {0};
	int ahead = 0;
	char buf[NUMBER_BYTES];

	for (size_t r = 0; r < t->row_count; r++) {
		if (!t->rows[r].values)
			continue;
		const struct paleo_cell cell = paleo_table_cell(t, &t->rows[r], i);
		const char *text = cell_text(column, &cell, buf);
		int decimals = behind(column, text);
		int rest = paleo_text_width(text) - decimals;
		if (decimals > room.decimals)
			room.decimals = decimals;
		if (rest > ahead)
			ahead = rest;
	}
	room.width = paleo_text_width(column->title);
	if (room.width < ahead + room.decimals)
		room.width = ahead + room.decimals;
	return room;
}

/* Width of a line. */
static int line_width(const struct paleo_table *t, const struct room *rooms)
{
	int total = 0;

	for (int i = 0; i < t->column_count; i++)
		if (rooms[i].width > 0)
			total += (total > 0 ? GAP : 0) + rooms[i].width;
	return total;
}

/* The shown column that can be spared first; -1: none can. */
static int most_spare(const struct paleo_table *t, const struct room *rooms)
{
	int found = -1;

	for (int i = 0; i < t->column_count; i++)
		if (rooms[i].width > 0 && t->columns[i].spare > 0 &&
		    (found < 0 || t->columns[i].spare > t->columns[found].spare))
			found = i;
	return found;
}

/* Makes room until a line fits into `width` columns, or nothing more can be done. Returns how many
 * columns were left out. */
static int fit(const struct paleo_table *t, struct room *rooms, int width)
{
	int left_out = 0;

	for (int i; line_width(t, rooms) > width && (i = most_spare(t, rooms)) >= 0; left_out++)
		rooms[i].width = 0;
	while (line_width(t, rooms) > width) {
		int widest = -1;
		for (int i = 0; i < t->column_count; i++)
			if (t->columns[i].type == PALEO_CELL_STRING && rooms[i].width > TEXT_MIN &&
			    (widest < 0 || rooms[i].width > rooms[widest].width))
				widest = i;
		if (widest < 0)
			break;
		rooms[widest].width--;
	}
	return left_out;
}

static void put_repeated(FILE *out, char c, int count)
{
	for (int i = 0; i < count; i++)
		fputc(c, out);
}

/* The titles if `row` is NULL. */
static void put_line(const struct paleo_table *t, const struct paleo_row *row,
		     const struct room *rooms, FILE *out)
{
	char buf[NUMBER_BYTES];
	int blanks = 0; /* owed before the next text, so that no line ends in blanks */

	for (int i = 0; i < t->column_count; i++) {
		const struct paleo_column *column = &t->columns[i];
		if (rooms[i].width == 0)
			continue;
		const struct paleo_cell cell =
			row ? paleo_table_cell(t, row, i) : (struct paleo_cell){.number = NAN};
		const char *text = row ? cell_text(column, &cell, buf) : column->title;
		int room = rooms[i].width - paleo_text_width(text);
		int after = column->type == PALEO_CELL_STRING ? (room > 0 ? room : 0)
			    : !paleo_cell_missing(column, &cell)
				    ? rooms[i].decimals - behind(column, text)
				    : 0;
		if (text[0] != '\0') {
			put_repeated(out, ' ', blanks + (room > 0 ? room - after : 0));
			if (room < 0)
				paleo_print(out, "%.*s...", rooms[i].width - 3, text);
			else
				paleo_text_put(text, 0, out);
			blanks = after + GAP;
		} else {
			blanks += room + GAP;
		}
	}
	fputc('\n', out);
}

static void put_rule(const struct paleo_table *t, const struct room *rooms, FILE *out)
{
	put_repeated(out, '-', line_width(t, rooms));
	fputc('\n', out);
}

int paleo_table_print_text(const struct paleo_table *t, FILE *out, struct paleo_error *err)
{
	struct room *rooms = calloc((size_t)t->column_count, sizeof(*rooms));

	if (!rooms)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory while printing a table");
	for (int i = 0; i < t->column_count; i++)
		if (is_shown(t, i))
			rooms[i] = measure(t, i);
	int width = paleo_terminal_width(out), colour = paleo_terminal_has_colour(out);
	int left_out = width ? fit(t, rooms, width) : 0;
	fputs(colour ? BOLD : "", out);
	put_line(t, NULL, rooms, out);
	fputs(colour ? PLAIN : "", out);
	put_rule(t, rooms, out);
	for (size_t r = 0; r < t->row_count; r++) {
		if (t->rows[r].values)
			put_line(t, &t->rows[r], rooms, out);
		else
			put_rule(t, rooms, out);
	}
	if (left_out)
		paleo_print(out, "%d column%s hidden: terminal too narrow\n", left_out,
			    left_out == 1 ? "" : "s");
	free(rooms);
	return PALEO_OK;
}

/* A bar would end the cell. */
static void put_md_text(const char *text, FILE *out)
{
	while (*text) {
		size_t size = strcspn(text, "|");
		if (size)
			paleo_print(out, "%.*s", (int)size, text);
		text += size;
		if (*text == '|') {
			fputs("\\|", out);
			text++;
		}
	}
}

void paleo_table_print_md(const struct paleo_table *t, FILE *out)
{
	char buf[NUMBER_BYTES];
	uint64_t shown = 0;

	for (int i = 0; i < t->column_count; i++)
		shown |= (uint64_t)is_shown(t, i) << i;
	fputc('\n', out); /* a line of text right above or below would belong to the table */
	for (size_t r = 0; r <= t->row_count; r++) {
		const struct paleo_row *row = r ? &t->rows[r - 1] : NULL;
		if (row && !row->values)
			continue;
		for (int i = 0; i < t->column_count; i++) {
			if (!(shown >> i & 1))
				continue;
			const struct paleo_cell cell =
				row ? paleo_table_cell(t, row, i) : (struct paleo_cell){0};
			fputs("| ", out);
			put_md_text(row ? cell_text(&t->columns[i], &cell, buf)
					: t->columns[i].title,
				    out);
			fputc(' ', out);
		}
		fputs("|\n", out);
		for (int i = 0; !r && i < t->column_count; i++)
			if (shown >> i & 1)
				fputs(t->columns[i].type == PALEO_CELL_NUMBER ? "| ---: "
									      : "| --- ",
				      out);
		if (!r)
			fputs("|\n", out);
	}
	fputc('\n', out);
}
