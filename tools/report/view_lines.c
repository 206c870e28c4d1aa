/* view_lines.c - rows that `simulate` and `explore` have printed as JSON lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lines.h"
#include "tools/report/view.h"

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

static enum view_file kind_of_row(const struct paleo_json *row)
{
	if (has(row, "parallel") && has(row, "speedup"))
		return VIEW_STEPS;
	if (has(row, "parallel") && has(row, "memory_bytes"))
		return VIEW_CHOICES;
	return is_meta(row) ? VIEW_RECORDS : VIEW_OTHER;
}

enum view_file view_kind_of(const char *path)
{
	enum view_file kind = VIEW_OTHER;
	struct paleo_lines *lines = NULL;
	struct paleo_json_doc *doc = NULL;
	struct paleo_line line;
	struct paleo_error ignored;
	int is_there = 0;

	if (!paleo_lines_open(path, LINE_MAX_BYTES, "a file", &lines, &ignored) &&
	    !paleo_lines_next(lines, &line, &is_there, &ignored) && is_there &&
	    !paleo_json_parse(path, 1, line.text, line.size, &doc, &ignored))
		kind = kind_of_row(paleo_json_root(doc));
	paleo_json_free(doc);
	paleo_lines_close(lines);
	return kind;
}

static int add_line(struct view_lines *to, const char *path, int number,
		    const struct paleo_line *line, struct paleo_error *err)
{
	struct paleo_json_doc **docs = paleo_grow(to->docs, to->count, &to->room, sizeof(*docs));

	if (!docs)
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", path);
	to->docs = docs;
	int rc = paleo_json_parse(path, number, line->text, line->size, &docs[to->count], err);
	if (!rc && paleo_json_type(paleo_json_root(docs[to->count])) != PALEO_JSON_OBJECT) {
		rc = paleo_json_fail(paleo_json_root(docs[to->count]), err,
				     "expected a row of paleo simulate or explore, an object");
		paleo_json_free(docs[to->count]);
	}
	to->count += !rc;
	return rc;
}

int view_read_lines(struct view_lines *to, const char *path, struct paleo_error *err)
{
	struct paleo_lines *lines = NULL;
	struct paleo_line line;
	int rc = paleo_lines_open(path, LINE_MAX_BYTES, "rows", &lines, err), is_there = !rc;

	for (int number = 1; !rc && is_there; number++) {
		rc = paleo_lines_next(lines, &line, &is_there, err);
		if (!rc && is_there && line.size)
			rc = add_line(to, path, number, &line, err);
	}
	paleo_lines_close(lines);
	return rc;
}

double view_number(const struct paleo_json_doc *row, const char *key)
{
	const struct paleo_json *v = paleo_json_get(paleo_json_root(row), key);
	struct paleo_error ignored;
	double value = NAN;

	if (v && paleo_json_type(v) == PALEO_JSON_NUMBER)
		paleo_json_to_double(v, -INFINITY, INFINITY, &value, &ignored);
	return value;
}

const char *view_text(const struct paleo_json_doc *row, const char *key)
{
	const struct paleo_json *v = paleo_json_get(paleo_json_root(row), key);
	struct paleo_error ignored;
	const char *text = "";

	if (v && paleo_json_type(v) == PALEO_JSON_STRING)
		paleo_json_to_string(v, &text, &ignored);
	return text;
}
