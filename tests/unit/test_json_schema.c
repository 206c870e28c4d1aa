/* test_json_schema.c - one version of a format is read; others are refused with what to do. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "tests/unit/unit.h"

static const struct paleo_json_schema schema = {.name = "cake/3", .advice = "bake again"};

static int check(const char *text, struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;

	if (paleo_json_parse("f", 1, text, strlen(text), &doc, err))
		fail_msg("%s", err->text);
	int rc = paleo_json_schema_check(paleo_json_root(doc), &schema, err);
	paleo_json_free(doc);
	return rc;
}

static void takes_its_version(void **state)
{
	(void)state;
	struct paleo_error err;

	assert_int_equal(check("{\"schema\": \"cake/3\"}", &err), PALEO_OK);
}

static void refuses_others(void **state)
{
	(void)state;
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"{\"schema\": \"cake/4\"}", "f:1:12: schema: expected the schema 'cake/3', found "
					     "'cake/4': written by a newer version; update paleo"},
		{"{\"schema\": \"cake/10\"}",
		 "f:1:12: schema: expected the schema 'cake/3', found "
		 "'cake/10': written by a newer version; update paleo"},
		{"{\"schema\": \"cake/2\"}", "f:1:12: schema: expected the schema 'cake/3', found "
					     "'cake/2': bake again"},
		{"{\"schema\": \"cake/\"}", "f:1:12: schema: expected the schema 'cake/3', found "
					    "'cake/': this is another kind of file"},
		{"{\"schema\": \"bread/9\"}", "f:1:12: schema: expected the schema 'cake/3', found "
					      "'bread/9': this is another kind of file"},
		{"{\"schema\": 3}", "f:1:12: schema: expected a string, found a number"},
		{"{}", "f:1:1: the key 'schema' is missing"},
	};
	struct paleo_error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(check(cases[i].text, &err), PALEO_EINPUT);
		assert_string_equal(err.text, cases[i].message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_its_version),
		cmocka_unit_test(refuses_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
