/* test_layer_keys.c - what nets/schema.json and nets/README.md list is what layers' tables hold. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "model/net/layer.h"
#include "model/net/layers/common.h"
#include "tests/unit/unit.h"

enum {
	KINDS_MIN = 40,
	TEXT_MAX = 1 << 20
};

static const struct paleo_json_field *table_of(const struct paleo_layer_kind *kind)
{
	static const struct paleo_json_field of_all[] = {PALEO_KEYS_OF_ALL, {0}};

	return kind->keys ? kind->keys : of_all;
}

static const struct paleo_json_field *find(const struct paleo_layer_kind *kind, const char *key)
{
	for (const struct paleo_json_field *f = table_of(kind); f->name; f++)
		if (!strcmp(f->name, key))
			return f;
	return NULL;
}

/* A key that each file must have, and that not every layer has. */
static int is_required(const struct paleo_json_field *f)
{
	return !f->optional && f->type != PALEO_FIELD_KNOWN;
}

static const struct paleo_json *at(const struct paleo_json *v, const char *key)
{
	const struct paleo_json *found = paleo_json_get(v, key);

	if (!found)
		fail_msg("nets/schema.json, line %d: no '%s'", paleo_json_line(v), key);
	return found;
}

static const char *text_of(const struct paleo_json *v)
{
	const char *text = NULL;

	assert_int_equal(paleo_json_to_string(v, &text, NULL), 0);
	return text;
}

#define DEFS "#/$defs/" /* where references lead */

static int lists(const struct paleo_json *array, const char *word)
{
	const struct paleo_json *v = array ? paleo_json_first(array) : NULL;

	while (v && strcmp(text_of(v), word) != 0)
		v = paleo_json_next(v);
	return v != NULL;
}

/* The definition that a layer of this type must meet. */
static const struct paleo_json *definition(const struct paleo_json *defs, const char *type)
{
	const struct paleo_json *rule = paleo_json_first(at(at(defs, "layer"), "allOf"));

	for (; rule; rule = paleo_json_next(rule)) {
		const struct paleo_json *is = at(at(at(rule, "if"), "properties"), "type");
		const struct paleo_json *one = paleo_json_get(is, "const");
		if (one ? !strcmp(text_of(one), type) : lists(at(is, "enum"), type)) {
			const char *path = text_of(at(at(rule, "then"), "$ref"));
			assert_int_equal(strncmp(path, DEFS, strlen(DEFS)), 0);
			return at(defs, path + strlen(DEFS));
		}
	}
	fail_msg("nets/schema.json: no rule for '%s'", type);
	return NULL;
}

static void the_schema_has_each_key_of_each_kind(void **state)
{
	struct paleo_json_doc *doc = NULL;
	int count;
	const struct paleo_layer_kind *const *kinds = paleo_layer_kinds(&count);

	(void)state;
	assert_int_equal(paleo_json_load("nets/schema.json", &doc, NULL), 0);
	assert_true(count >= KINDS_MIN);
	for (int i = 0; i < count; i++) {
		const char *type = kinds[i]->type;
		const struct paleo_json *def = definition(at(paleo_json_root(doc), "$defs"), type);
		const struct paleo_json *p = paleo_json_first(at(def, "properties"));
		const struct paleo_json *required = paleo_json_get(def, "required");
		for (; p; p = paleo_json_next(p))
			if (!find(kinds[i], paleo_json_key(p)))
				fail_msg("nets/schema.json: '%s' has no key '%s'", type,
					 paleo_json_key(p));
		for (const struct paleo_json_field *f = table_of(kinds[i]); f->name; f++) {
			at(at(def, "properties"), f->name);
			if (lists(required, f->name) != is_required(f))
				fail_msg("nets/schema.json: is '%s' of '%s' required?", f->name,
					 type);
		}
	}
	paleo_json_free(doc);
}

/* The row of the table of types whose first column has `type`, up to its third: "| `A`, `B` | ...".
 * NULL: there is none. To be freed. */
static char *row_of(const char *readme, const char *type)
{
	char word[64];

	snprintf(word, sizeof(word), "`%s`", type);
	for (const char *line = strstr(readme, "\n| `"); line; line = strstr(line + 1, "\n| `")) {
		const char *keys = strstr(line + 3, " | ");
		const char *found = strstr(line, word);
		if (keys && found && found < keys)
			return strndup(keys, strcspn(keys + 3, "|") + 3);
	}
	return NULL;
}

/* 1: the key stands in the row, or where the row refers to. */
static int is_told(const char *readme, const char *row, const char *key)
{
	char word[64];
	const char *as = strstr(row, "as `Pooling`");

	snprintf(word, sizeof(word), "`%s`", key);
	if (strstr(row, word))
		return 1;
	if (strstr(row, "the keys after the layer")) {
		snprintf(word, sizeof(word), "\n| `%s` |", key);
		return strstr(readme, word) != NULL;
	}
	char *other = as ? row_of(readme, "Pooling") : NULL;
	int told = other && strstr(other, word);
	free(other);
	return told;
}

static void check_row(const char *readme, const struct paleo_layer_kind *kind)
{
	char *row = row_of(readme, kind->type);
	char word[64];

	if (!row)
		fail_msg("nets/README.md: no row for '%s'", kind->type);
	for (const struct paleo_json_field *f = table_of(kind); f->name; f++) {
		snprintf(word, sizeof(word), "**`%s`**", f->name);
		if (f->type != PALEO_FIELD_KNOWN && !is_told(readme, row, f->name))
			fail_msg("nets/README.md: '%s' lacks '%s'", kind->type, f->name);
		if (is_required(f) && !strstr(row, word))
			fail_msg("nets/README.md: '%s' of '%s' is not bold", f->name, kind->type);
	}
	for (char *open = strchr(row, '`'); open; open = strchr(open, '`')) {
		char *close = strchr(open + 1, '`');
		assert_non_null(close);
		snprintf(word, sizeof(word), "%.*s", (int)(close - open - 1), open + 1);
		if (word[strspn(word, "abcdefghijklmnopqrstuvwxyz_")] == '\0' && !find(kind, word))
			fail_msg("nets/README.md: '%s' has no key '%s'", kind->type, word);
		open = close + 1;
	}
	free(row);
}

static void the_readme_has_each_key_of_each_kind(void **state)
{
	char *readme = NULL;
	size_t size;
	int count;
	const struct paleo_layer_kind *const *kinds = paleo_layer_kinds(&count);

	(void)state;
	assert_int_equal(
		paleo_file_read("nets/README.md", TEXT_MAX, "a text", &readme, &size, NULL), 0);
	for (int i = 0; i < count; i++)
		check_row(readme, kinds[i]);
	free(readme);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_schema_has_each_key_of_each_kind),
		cmocka_unit_test(the_readme_has_each_key_of_each_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
