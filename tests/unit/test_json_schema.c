/* test_json_schema.c - which versions are read, and what the words of earlier ones become. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json_schema.h"
#include "tests/unit/unit.h"

static const struct paleo_json_word words_of_2[] = {
	{NULL, "form", "model"},
	{NULL, "a_s", "z_s"},
	{"model", "loop", "kernel"},
	{"parts", "turn", "spill"},
	{0},
};

static const struct paleo_json_word words_of_1[] = {{NULL, "shape", "form"}, {0}};
static const struct paleo_json_earlier earlier[] = {
	{"cake/2", words_of_2}, {"cake/1", words_of_1}, {0}};

static const struct paleo_json_schema schema = {
	.name = "cake/3", .earlier = earlier, .advice = "bake again"};

static struct paleo_json_doc *parse(const char *text)
{
	struct paleo_json_doc *doc = NULL;
	struct paleo_error err;

	if (paleo_json_parse("f", 1, text, strlen(text), &doc, &err))
		fail_msg("%s", err.text);
	return doc;
}

static const char *text_of(const struct paleo_json *v)
{
	const char *text = NULL;
	struct paleo_error err;

	assert_non_null(v);
	assert_int_equal(paleo_json_to_string(v, &text, &err), PALEO_OK);
	return text;
}

static void tells_versions_apart(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int behind;
	} cases[] = {{"{\"schema\": \"cake/3\"}", 0},
		     {"{\"schema\": \"cake/2\"}", 1},
		     {"{\"schema\": \"cake/1\"}", 2}};
	struct paleo_error err;

	for (int i = 0; i < 3; i++) {
		struct paleo_json_doc *doc = parse(cases[i].text);
		int behind = -1;
		assert_int_equal(
			paleo_json_schema_read(paleo_json_root(doc), &schema, &behind, &err),
			PALEO_OK);
		assert_int_equal(behind, cases[i].behind);
		paleo_json_free(doc);
	}
}

static void refuses_other_versions(void **state)
{
	(void)state;
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"{\"schema\": \"cake/4\"}", "f:1:12: schema: expected the schema 'cake/3', "
					     "'cake/2' or 'cake/1', found 'cake/4': a "
					     "later paleo wrote it, update this one"},
		{"{\"schema\": \"cake/10\"}", "f:1:12: schema: expected the schema 'cake/3', "
					      "'cake/2' or 'cake/1', found 'cake/10': a "
					      "later paleo wrote it, update this one"},
		{"{\"schema\": \"cake/0\"}", "f:1:12: schema: expected the schema 'cake/3', "
					     "'cake/2' or 'cake/1', found 'cake/0': bake "
					     "again"},
		{"{\"schema\": \"cake/\"}", "f:1:12: schema: expected the schema 'cake/3', "
					    "'cake/2' or 'cake/1', found 'cake/': this is "
					    "another kind of file, give one of that schema"},
		{"{\"schema\": \"bread/9\"}", "f:1:12: schema: expected the schema 'cake/3', "
					      "'cake/2' or 'cake/1', found 'bread/9': this "
					      "is another kind of file, give one of that schema"},
		{"{\"schema\": 3}", "f:1:12: schema: expected a string, found a number"},
		{"{}", "f:1:1: the key 'schema' is missing"},
	};
	struct paleo_error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_json_doc *doc = parse(cases[i].text);
		int behind = -1;
		assert_int_equal(
			paleo_json_schema_read(paleo_json_root(doc), &schema, &behind, &err),
			PALEO_EINPUT);
		assert_string_equal(err.text, cases[i].message);
		assert_int_equal(behind, -1);
		paleo_json_free(doc);
	}
}

/* Keys anywhere, texts only below the key that they belong to; each is found by its new name. */
static void renames(void **state)
{
	(void)state;
	struct paleo_json_doc *doc =
		parse("{\"a_s\": 1, \"form\": \"loop\", \"name\": \"turn\", \"m\": \"loop\",\n"
		      " \"parts\": [{\"name\": \"turn\", \"a_s\": 2}, [\"turn\", \"form\"]]}");
	const struct paleo_json *root = paleo_json_root(doc), *v = NULL;
	struct paleo_error err;
	double number = 0;

	assert_int_equal(paleo_json_schema_renew(doc, &schema, 1, &err), PALEO_OK);
	assert_null(paleo_json_get(root, "a_s"));
	assert_null(paleo_json_get(root, "form"));
	assert_int_equal(paleo_json_to_double(paleo_json_get(root, "z_s"), 0, 9, &number, &err),
			 PALEO_OK);
	assert_true(number == 1);
	assert_string_equal(text_of(paleo_json_get(root, "model")), "kernel");
	assert_string_equal(text_of(paleo_json_get(root, "name")), "turn");
	assert_string_equal(text_of(paleo_json_get(root, "m")), "loop");
	v = paleo_json_first(paleo_json_get(root, "parts"));
	assert_string_equal(text_of(paleo_json_get(v, "name")), "spill");
	assert_non_null(paleo_json_get(v, "z_s"));
	v = paleo_json_first(paleo_json_next(v));
	assert_string_equal(text_of(v), "spill");
	assert_string_equal(text_of(paleo_json_next(v)), "form");
	/* a message says what stands in the file */
	assert_int_equal(paleo_json_to_double(paleo_json_get(root, "model"), 0, 9, &number, &err),
			 PALEO_EINPUT);
	assert_string_equal(err.text, "f:1:20: form: expected a number, found a string");
	paleo_json_free(doc);
}

/* "shape" became "form", and that "model"; messages say the file's word. */
static void renames_through_versions(void **state)
{
	(void)state;
	struct paleo_json_doc *doc = parse("{\"shape\": \"loop\"}");
	const struct paleo_json *v = NULL;
	struct paleo_error err;
	double number = 0;

	assert_int_equal(paleo_json_schema_renew(doc, &schema, 2, &err), PALEO_OK);
	v = paleo_json_get(paleo_json_root(doc), "model");
	assert_string_equal(text_of(v), "kernel");
	assert_int_equal(paleo_json_to_double(v, 0, 9, &number, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "f:1:11: shape: expected a number, found a string");
	paleo_json_free(doc);
}

static void refuses_new_words_in_an_old_file(void **state)
{
	(void)state;
	static const struct {
		int behind;
		const char *text, *message;
	} cases[] = {
		{2, "{\"form\": \"x\"}",
		 "f:1:2: unknown key 'form' in the schema 'cake/1' (did you mean 'shape'?)"},
		{2, "{\"model\": \"x\"}",
		 "f:1:2: unknown key 'model' in the schema 'cake/1' (did you mean 'form'?)"},
		{1, "{\"form\": \"x\", \"model\": \"y\"}",
		 "f:1:15: unknown key 'model' in the schema 'cake/2' (did you mean 'form'?)"},
		{1, "{\"form\": \"kernel\"}",
		 "f:1:10: form: unknown name 'kernel' in the schema "
		 "'cake/2' (did you mean 'loop'?)"},
	};
	struct paleo_error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_json_doc *doc = parse(cases[i].text);
		assert_int_equal(paleo_json_schema_renew(doc, &schema, cases[i].behind, &err),
				 PALEO_EINPUT);
		assert_string_equal(err.text, cases[i].message);
		paleo_json_free(doc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_versions_apart),
		cmocka_unit_test(refuses_other_versions),
		cmocka_unit_test(renames),
		cmocka_unit_test(renames_through_versions),
		cmocka_unit_test(refuses_new_words_in_an_old_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
