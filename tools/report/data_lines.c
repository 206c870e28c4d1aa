/* data_lines.c - rows that `simulate` and `explore` have printed as JSON lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/lines.h"
#include "tools/report/data.h"
#include "tools/session/measured.h"

enum {
	LINE_MAX_BYTES = 1 << 26
};

/* 1: the first line of a results file. */
static int is_meta(const struct paleo_json *row)
{
	const struct paleo_json *type = paleo_json_get(row, "type");
	struct paleo_error ignored;
	const char *word = "";

	if (type && paleo_json_type(type) == PALEO_JSON_STRING)
		paleo_json_to_string(type, &word, &ignored);
	return !strcmp(word, "meta");
}

static int has(const struct paleo_json *row, const char *key)
{
	return paleo_json_get(row, key) != NULL;
}

static enum data_file kind_of_row(const struct paleo_json *row)
{
	if (has(row, "strategy") && has(row, "speedup"))
		return DATA_STEPS;
	if (has(row, "strategy") && has(row, "memory_bytes"))
		return DATA_CHOICES;
	return is_meta(row) ? DATA_RECORDS : DATA_OTHER;
}

enum data_file data_kind_of(const char *path)
{
	enum data_file kind = DATA_OTHER;
	struct paleo_lines *lines = NULL;
	struct paleo_json_doc *doc = NULL;
	struct paleo_line line;
	struct paleo_error ignored;
	int is_there = 0;

	if (tables_given(&path, 1, &ignored) > 0)
		return DATA_RECORDS;
	if (!paleo_lines_open(path, LINE_MAX_BYTES, "a file", &lines, &ignored) &&
	    !paleo_lines_next(lines, &line, &is_there, &ignored) && is_there &&
	    !paleo_json_parse(path, 1, line.text, line.size, &doc, &ignored))
		kind = kind_of_row(paleo_json_root(doc));
	paleo_json_free(doc);
	paleo_lines_close(lines);
	return kind;
}

/* The texts and numbers of a row: tables and curves have no others. */
static int put_line(struct paleo_json_writer *w, const struct paleo_json *row,
		    struct paleo_error *err)
{
	struct paleo_error ignored;
	const char *text = "";
	double number = NAN;

	if (paleo_json_type(row) != PALEO_JSON_OBJECT)
		return paleo_json_fail(row, err, "expected a row of paleo simulate, an object");
	paleo_json_open_object(w, NULL);
	for (const struct paleo_json *v = paleo_json_first(row); v; v = paleo_json_next(v)) {
		if (paleo_json_type(v) == PALEO_JSON_STRING &&
		    !paleo_json_to_string(v, &text, &ignored))
			paleo_json_put_string(w, paleo_json_key(v), text);
		if (paleo_json_type(v) == PALEO_JSON_NUMBER &&
		    !paleo_json_to_double(v, -INFINITY, INFINITY, &number, &ignored))
			paleo_json_put_double(w, paleo_json_key(v), number);
	}
	paleo_json_close(w);
	return PALEO_OK;
}

int data_put_lines(struct paleo_json_writer *w, const char *path, struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	struct paleo_lines *lines = NULL;
	struct paleo_line line;
	int rc = paleo_lines_open(path, LINE_MAX_BYTES, "rows", &lines, err), is_there = !rc;

	for (int number = 1; !rc && is_there; number++) {
		rc = paleo_lines_next(lines, &line, &is_there, err);
		if (rc || !is_there || !line.size)
			continue;
		rc = paleo_json_parse(path, number, line.text, line.size, &doc, err);
		if (!rc)
			rc = put_line(w, paleo_json_root(doc), err);
		paleo_json_free(doc);
		doc = NULL;
	}
	paleo_lines_close(lines);
	return rc;
}
