/* csv.c - reads the tables of the original's numbers, row by row. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "tests/cost_model/csv.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

/* Splits a line at its commas, in place; a field may stand in quotes. Returns how many. */
static int split(char *line, char *fields[CSV_FIELDS])
{
	int n = 0;
	char *from = line, *to = line;

	line[strcspn(line, "\r\n")] = '\0';
	while (n < CSV_FIELDS) {
		int quoted = 0;
		fields[n++] = to;
		for (; *from && (quoted || *from != ','); from++) {
			if (*from == '"')
				quoted = !quoted;
			else
				*to++ = *from;
		}
		int last = !*from;
		from++;
		*to++ = '\0';
		if (last)
			break;
	}
	return n;
}

void csv_open_path(struct csv *c, const char *path)
{
	char command[200];

	snprintf(command, sizeof(command), "gzip -dc %s", path);
	c->in = popen(command, "r");
	if (!c->in || !fgets(c->header, sizeof(c->header), c->in))
		fail_msg("'%s' gave nothing; run the test in the project's root", command);
	c->count = split(c->header, c->names);
}

void csv_open(struct csv *c, const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), "tests/golden/paleo2017/%s.csv.gz", name);
	csv_open_path(c, path);
}

void csv_close(struct csv *c)
{
	assert_int_equal(pclose(c->in), 0);
}

int csv_next(struct csv *c)
{
	if (!fgets(c->line, sizeof(c->line), c->in))
		return 0;
	assert_non_null(strchr(c->line, '\n'));
	assert_int_equal(split(c->line, c->fields), c->count);
	return 1;
}

const char *csv_text(const struct csv *c, const char *column)
{
	for (int i = 0; i < c->count; i++)
		if (!strcmp(c->names[i], column))
			return c->fields[i];
	fail_msg("there is no column '%s'", column);
	return "";
}

double csv_number(const struct csv *c, const char *column)
{
	const char *text = csv_text(c, column);
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end)
		fail_msg("'%s' is no number: '%s'", column, text);
	return value;
}
