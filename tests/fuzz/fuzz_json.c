/* fuzz_json.c - any bytes to the JSON reader; what it accepts must survive writing and reading. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "tests/fuzz/fuzz.h"

static void write_scalar(struct paleo_json_writer *w, const char *key, const struct paleo_json *v)
{
	struct paleo_error err;
	const char *text;
	double number;
	int flag;

	switch (paleo_json_type(v)) {
	case PALEO_JSON_NULL:
		paleo_json_put_string(w, key, NULL);
		break;
	case PALEO_JSON_BOOL:
		demand(paleo_json_to_bool(v, &flag, &err) == 0);
		paleo_json_put_bool(w, key, flag);
		break;
	case PALEO_JSON_NUMBER:
		demand(paleo_json_to_double(v, -HUGE_VAL, HUGE_VAL, &number, &err) == 0);
		demand(isfinite(number));
		paleo_json_put_double(w, key, number);
		break;
	case PALEO_JSON_STRING:
		demand(paleo_json_to_string(v, &text, &err) == 0);
		paleo_json_put_string(w, key, text);
		break;
	case PALEO_JSON_ARRAY:
	case PALEO_JSON_OBJECT:
		abort();
	}
}

/* The reader limits the nesting, so this may follow it. */
static void write_value(struct paleo_json_writer *w, const char *key, const struct paleo_json *v)
{
	int is_object = paleo_json_type(v) == PALEO_JSON_OBJECT;
	const struct paleo_json *child;

	if (!is_object && paleo_json_type(v) != PALEO_JSON_ARRAY) {
		write_scalar(w, key, v);
		return;
	}
	if (is_object)
		paleo_json_open_object(w, key);
	else
		paleo_json_open_array(w, key);
	for (child = paleo_json_first(v); child; child = paleo_json_next(child)) {
		const char *name = is_object ? paleo_json_key(child) : NULL;

		demand(!is_object || paleo_json_get(v, name) == child);
		write_value(w, name, child);
	}
	paleo_json_close(w);
}

/* The document as text again; the caller frees it. */
static char *rewrite(const struct paleo_json_doc *doc, int pretty)
{
	struct paleo_json_writer *w = paleo_json_writer_new();
	struct paleo_error err;
	char *text = NULL;

	demand(w != NULL);
	write_value(w, NULL, paleo_json_root(doc));
	demand(paleo_json_writer_text(w, pretty, &text, &err) == 0);
	paleo_json_writer_free(w);
	return text;
}

/* Complains about `v` and all that is in it. */
static void check_complaints(const struct paleo_json *v)
{
	static const char *const keys[] = {"type", "padding", "filter", NULL};
	struct paleo_error err;

	demand(paleo_json_line(v) >= 1);
	if (paleo_json_only(v, keys, &err))
		check_shown(&err);
	for (const struct paleo_json *c = paleo_json_first(v); c; c = paleo_json_next(c))
		check_complaints(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct paleo_json_doc *doc = NULL;
	struct paleo_json_doc *again = NULL;
	struct paleo_error err;
	char *first, *pretty, *second;

	if (paleo_json_parse("fuzz", 1, (const char *)data, size, &doc, &err)) {
		demand(doc == NULL);
		check_shown(&err);
		return 0;
	}
	check_complaints(paleo_json_root(doc));
	first = rewrite(doc, 0);
	pretty = rewrite(doc, 1);
	demand(paleo_json_parse("fuzz", 1, pretty, strlen(pretty), &again, &err) == 0);
	second = rewrite(again, 0);
	demand(strcmp(first, second) == 0);
	free(first);
	free(pretty);
	free(second);
	paleo_json_free(doc);
	paleo_json_free(again);
	return 0;
}
