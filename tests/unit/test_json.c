/* test_json.c - strict parsing, places in messages, typed values, hints. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "tests/unit/unit.h"

static struct paleo_json_doc *parse(const char *text)
{
	struct paleo_json_doc *doc = NULL;
	struct paleo_error err = {0};

	if (paleo_json_parse("t.json", 1, text, strlen(text), &doc, &err))
		fail_msg("'%s' was refused: %s", text, err.text);
	return doc;
}

static void expect_refused_bytes(const char *text, size_t size, const char *sentence)
{
	struct paleo_json_doc *doc = NULL;
	struct paleo_error err = {0};

	assert_int_equal(paleo_json_parse("t.json", 1, text, size, &doc, &err), PALEO_EINPUT);
	assert_int_equal(err.status, PALEO_EINPUT);
	assert_string_equal(err.text, sentence);
	assert_null(doc);
}

static void expect_refused(const char *text, const char *sentence)
{
	expect_refused_bytes(text, strlen(text), sentence);
}

/* The first and the last pair of surrogates, digits in either case. */
static void escapes_are_decoded(void **state)
{
	(void)state;
	struct paleo_json_doc *doc = parse("\"\\ud800\\udc00\\uDBFF\\uDFFF\\u00ff\\uabcf\"");
	struct paleo_error err = {0};
	const char *string = NULL;

	assert_int_equal(paleo_json_to_string(paleo_json_root(doc), &string, &err), 0);
	assert_string_equal(string, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\xc3\xbf\xea\xaf\x8f");
	paleo_json_free(doc);
}

static void tree_has_types_keys_and_order(void **state)
{
	(void)state;
	struct paleo_json_doc *doc = parse(
		"{\"z\": null, \"a\": true, \"m\": -1.5e1, \"s\": \"\\u00e9\\n\\ud83d\\ude00\",\n"
		" \"l\": [1, [], {}], \"\": {\"x\": false}}");
	static const char *const keys[] = {"z", "a", "m", "s", "l", ""};
	static const enum paleo_json_type types[] = {PALEO_JSON_NULL,   PALEO_JSON_BOOL,
						     PALEO_JSON_NUMBER, PALEO_JSON_STRING,
						     PALEO_JSON_ARRAY,  PALEO_JSON_OBJECT};
	const struct paleo_json *root = paleo_json_root(doc);
	struct paleo_error err = {0};
	const char *string = NULL;
	double number = 0;
	int flag = 0;
	int n = 0;

	assert_int_equal(paleo_json_type(root), PALEO_JSON_OBJECT);
	assert_string_equal(paleo_json_key(root), "");
	assert_int_equal(paleo_json_size(root), 6);
	for (const struct paleo_json *v = paleo_json_first(root); v; v = paleo_json_next(v), n++) {
		assert_string_equal(paleo_json_key(v), keys[n]);
		assert_int_equal(paleo_json_type(v), types[n]);
		assert_int_equal(paleo_json_line(v), n < 4 ? 1 : 2);
		assert_ptr_equal(paleo_json_get(root, keys[n]), v);
	}
	assert_int_equal(n, 6);
	assert_int_equal(paleo_json_to_bool(paleo_json_get(root, "a"), &flag, &err), 0);
	assert_int_equal(flag, 1);
	assert_int_equal(
		paleo_json_to_double(paleo_json_get(root, "m"), -INFINITY, INFINITY, &number, &err),
		0);
	assert_true(number == -15);
	assert_int_equal(paleo_json_to_string(paleo_json_get(root, "s"), &string, &err), 0);
	assert_string_equal(string, "\xc3\xa9\n\xf0\x9f\x98\x80");
	assert_int_equal(paleo_json_size(paleo_json_get(root, "l")), 3);
	assert_null(paleo_json_first(paleo_json_next(paleo_json_first(paleo_json_get(root, "l")))));
	assert_null(paleo_json_get(paleo_json_get(root, "l"), "x"));
	assert_null(paleo_json_get(root, "none"));
	paleo_json_free(doc);
	paleo_json_free(NULL);
}

static void keys_are_case_sensitive(void **state)
{
	(void)state;
	struct paleo_json_doc *doc = parse("{\"Type\": 1, \"type\": 2}");
	struct paleo_error err = {0};
	int value = 0;

	assert_null(paleo_json_get(paleo_json_root(doc), "TYPE"));
	assert_int_equal(
		paleo_json_to_int(paleo_json_get(paleo_json_root(doc), "type"), 0, 9, &value, &err),
		0);
	assert_int_equal(value, 2);
	paleo_json_free(doc);
}

static void duplicate_key_is_refused_with_both_places(void **state)
{
	(void)state;

	expect_refused("{\"layers\": {\n \"b\": 1,\n \"a\": 2, \"c\": 0,\n  \"b\": 3, \"a\": 4}}",
		       "t.json:4:3: layers: duplicate key 'b': it is also at 2:2");
	/* The same key in another spelling. */
	expect_refused("{\"a\": 1, \"\\u0061\": 2}",
		       "t.json:1:10: duplicate key 'a': it is also at 1:2");
	paleo_json_free(parse("[{\"a\": 1}, {\"a\": {\"a\": 1}}]"));
}

static void syntax_errors_say_what_was_expected(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"", "t.json:1:1: expected a JSON value, found nothing"},
		{" \n\t", "t.json:2:2: expected a JSON value, found nothing"},
		{"{} x", "t.json:1:4: expected nothing after the value, found 'x'"},
		{"[1,\n 2\n",
		 "t.json:3:1: expected ',' or ']' for the one opened at 1:1, found the "
		 "end of the text"},
		{"{\"a\": 1 \"b\"", "t.json:1:9: expected ',' or '}' for the one opened at 1:1, "
				    "found '\"'"},
		{"[1,]", "t.json:1:4: expected a value, found ']'"},
		{"{\"a\": 1,}", "t.json:1:9: expected a key in double quotes, found '}'"},
		{"{a: 1}", "t.json:1:2: expected a key in double quotes, found 'a'"},
		{"{\"a\" 1}", "t.json:1:6: expected ':' after the key, found '1'"},
		{"['a']", "t.json:1:2: expected a value, found '''"},
		{"// x", "t.json:1:1: expected a value, found '/'"},
		{"[True]", "t.json:1:2: expected a value, found 'True'"},
		{"[nulll]", "t.json:1:2: expected a value, found 'nulll'"},
		{"\"abc", "t.json:1:1: a string has no closing quote in its line"},
		{"[\n\"abc\n\"]", "t.json:2:1: a string has no closing quote in its line"},
		{"\"a\tb\"", "t.json:1:3: the control character 0x09 in a string, expected it as "
			     "'\\u0009'"},
		{"\"\\x\"", "t.json:1:3: expected one of \"\\/bfnrtu after a backslash in a "
			    "string, found 'x'"},
		{"\"\\u12g4\"", "t.json:1:3: expected four hex digits after '\\u'"},
		{"\"\\u12", "t.json:1:3: expected four hex digits after '\\u'"},
		{"\"\\ud800\"", "t.json:1:3: '\\ud800' is half of a surrogate pair"},
		{"\"\\udc00\"", "t.json:1:3: '\\udc00' is half of a surrogate pair"},
		{"\"\\ud800\\u0041\"", "t.json:1:3: '\\ud800' is half of a surrogate pair"},
		{"\"\\ud83d\\nde00\"", "t.json:1:3: '\\ud83d' is half of a surrogate pair"},
		{"[\"\xc3\xa9\xe2\x82\xac\", \xff]", "t.json:1:8: expected a value, found the byte "
						     "0xff"}, /* columns count characters */
		{"\"\xff\"", "t.json:1:2: the byte 0xff is not UTF-8"},
		{"\"\xc0\x80\"", "t.json:1:2: the byte 0xc0 is not UTF-8"},     /* overlong */
		{"\"\xed\xa0\x80\"", "t.json:1:2: the byte 0xed is not UTF-8"}, /* surrogate */
		{"\"\xf4\x90\x80\x80\"", "t.json:1:2: the byte 0xf4 is not UTF-8"},
		{"\"\xe2\x82", "t.json:1:2: the byte 0xe2 is not UTF-8"}, /* cut short */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_refused(cases[i][0], cases[i][1]);
}

static void nul_is_refused(void **state)
{
	(void)state;

	expect_refused("\"a\\u0000b\"", "t.json:1:4: '\\u0000' is not allowed in a string");
	expect_refused_bytes("\"a\0b\"", 5,
			     "t.json:1:3: the control character 0x00 in a string, expected it as "
			     "'\\u0000'");
	expect_refused_bytes("[1\0]", 4,
			     "t.json:1:3: expected ',' or ']' for the one opened at 1:1, found the "
			     "byte 0x00");
	expect_refused_bytes("1\0", 2,
			     "t.json:1:2: expected nothing after the value, found the byte 0x00");
}

static void numbers_are_strict(void **state)
{
	(void)state;
	static const char *const bad[] = {"01", "-",    "-a",       "+1",       ".5",
					  "1.", "1.e3", "1e",       "1e+",      "0x10",
					  "1_", "NaN",  "Infinity", "-Infinity"};
	static const char *const good[] = {"0", "-0", "0.5", "1e5", "1E+5", "10.25e-3"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char sentence[80];
		snprintf(sentence, sizeof(sentence), "t.json:1:1: expected a value, found '%s'",
			 bad[i]);
		expect_refused(bad[i], sentence);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct paleo_json_doc *doc = parse(good[i]);
		struct paleo_error err = {0};
		double value = -1;
		assert_int_equal(
			paleo_json_to_double(paleo_json_root(doc), -1e9, 1e9, &value, &err), 0);
		assert_true(value == strtod(good[i], NULL));
		paleo_json_free(doc);
	}
}

static void numbers_are_finite_and_not_cut(void **state)
{
	(void)state;
	char digits[80];

	expect_refused("{\"a\": [0, 1e999]}",
		       "t.json:1:11: a[1]: the number is too large for a double");
	expect_refused("-1e999", "t.json:1:1: the number is too large for a double");

	/* 63 characters are read, 64 would be cut by cJSON. */
	memset(digits, '0', sizeof(digits));
	memcpy(digits, "1.", 2);
	digits[62] = '1';
	digits[63] = '\0';
	paleo_json_free(parse(digits));
	digits[63] = '0';
	digits[64] = '\0';
	expect_refused(digits, "t.json:1:1: a number of more than 63 characters");
}

static void deep_nesting_is_refused(void **state)
{
	(void)state;
	char text[131];

	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	text[130] = '\0';
	expect_refused(text, "t.json:1:65: more than 64 arrays and objects inside each other");
	text[129] = '\0';
	paleo_json_free(parse(text + 1));

	/* Would overflow the stack of a parser that recurses without a limit. */
	size_t size = 10u << 20;
	char *deep = malloc(size);
	assert_non_null(deep);
	memset(deep, '[', size);
	expect_refused_bytes(deep, size,
			     "t.json:1:65: more than 64 arrays and objects inside each other");
	free(deep);
}

static void line_numbers_start_where_told(void **state)
{
	(void)state;
	struct paleo_json_doc *doc = NULL;
	struct paleo_error err = {0};

	assert_int_equal(paleo_json_parse("r.jsonl", 41, "{\"a\": 1 1", 9, &doc, &err),
			 PALEO_EINPUT);
	assert_string_equal(err.text, "r.jsonl:41:9: expected ',' or '}' for the one opened at "
				      "41:1, found '1'");
	assert_int_equal(paleo_json_parse("r.jsonl", 41, "\xef\xbb\xbf[\r\n7]", 8, &doc, &err), 0);
	assert_int_equal(paleo_json_line(paleo_json_root(doc)), 41);
	assert_int_equal(paleo_json_line(paleo_json_first(paleo_json_root(doc))), 42);
	paleo_json_free(doc);
}

static void typed_values_name_the_place(void **state)
{
	(void)state;
	struct paleo_json_doc *doc =
		parse("{\"layers\": {\n"
		      "\t\"conv1-2\": {\"type\": 3, \"filter\": [1, 2, \"x\"]}}}");
	const struct paleo_json *layer =
		paleo_json_first(paleo_json_get(paleo_json_root(doc), "layers"));
	const struct paleo_json *filter = paleo_json_get(layer, "filter");
	const struct paleo_json *third = paleo_json_next(paleo_json_next(paleo_json_first(filter)));
	const char *string = "untouched";
	struct paleo_error err = {0};
	int number = -7;

	assert_int_equal(paleo_json_to_string(paleo_json_get(layer, "type"), &string, &err),
			 PALEO_EINPUT);
	assert_string_equal(err.text,
			    "t.json:2:22: layers.conv1-2.type: expected a string, found a "
			    "number");
	assert_string_equal(string, "untouched");
	assert_int_equal(paleo_json_to_int(third, 1, 8, &number, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "t.json:2:42: layers.conv1-2.filter[2]: expected an integer, "
				      "found a string");
	assert_int_equal(number, -7);
	assert_int_equal(paleo_json_need(layer, "padding", &third, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "t.json:2:13: layers.conv1-2: the key 'padding' is missing");
	assert_int_equal(paleo_json_need(filter, "padding", &third, &err), PALEO_EINPUT);
	assert_string_equal(err.text,
			    "t.json:2:35: layers.conv1-2.filter: expected an object, found "
			    "an array");
	assert_int_equal(paleo_json_need(layer, "type", &third, &err), 0);
	assert_string_equal(paleo_json_key(third), "type");
	assert_int_equal(paleo_json_fail(third, &err, "unknown layer type '%d'", 3), PALEO_EINPUT);
	assert_string_equal(err.text, "t.json:2:22: layers.conv1-2.type: unknown layer type '3'");
	paleo_json_free(doc);
}

static void integers_are_checked_not_saturated(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int low, high;
		const char *found; /* NULL: accepted */
	} cases[] = {
		{"3", 1, 8, NULL},
		{"3e0", 1, 8, NULL},
		{"0", 1, 8, "expected an integer from 1 to 8, found 0"},
		{"9", 1, 8, "expected an integer from 1 to 8, found 9"},
		{"2.5", 1, 8, "expected an integer from 1 to 8, found 2.5"},
		{"99999999999", 1, INT_MAX, "expected an integer of at least 1, found 99999999999"},
		{"-1e300", INT_MIN, 0, "expected an integer of at most 0, found -1e+300"},
		{"1e300", INT_MIN, INT_MAX, "expected an integer, found 1e+300"},
		{"2147483647", INT_MIN, INT_MAX, NULL},
		{"-2147483648", INT_MIN, INT_MAX, NULL},
		{"2147483648", INT_MIN, INT_MAX, "expected an integer, found 2147483648"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_json_doc *doc = parse(cases[i].text);
		const struct paleo_json *root = paleo_json_root(doc);
		struct paleo_error err = {0};
		int value = -7;
		int rc = paleo_json_to_int(root, cases[i].low, cases[i].high, &value, &err);
		assert_int_equal(rc, cases[i].found ? PALEO_EINPUT : 0);
		if (cases[i].found) {
			assert_string_equal(err.text + strlen("t.json:1:1: "), cases[i].found);
			assert_int_equal(value, -7);
		} else {
			assert_true(value == strtod(cases[i].text, NULL));
		}
		paleo_json_free(doc);
	}
}

static void doubles_are_range_checked(void **state)
{
	(void)state;
	struct paleo_json_doc *doc = parse("1.5");
	const struct paleo_json *root = paleo_json_root(doc);
	struct paleo_error err = {0};
	double value = -7;

	assert_int_equal(paleo_json_to_double(root, 0, 1, &value, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "t.json:1:1: expected a number from 0 to 1, found 1.5");
	assert_int_equal(paleo_json_to_double(root, 2, INFINITY, &value, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "t.json:1:1: expected a number of at least 2, found 1.5");
	assert_int_equal(paleo_json_to_double(root, NAN, NAN, &value, &err), PALEO_EINPUT);
	assert_true(value == -7);
	assert_int_equal(paleo_json_to_double(root, 1.5, 1.5, &value, &err), 0);
	assert_true(value == 1.5);
	paleo_json_free(doc);
}

static void unknown_keys_get_a_hint(void **state)
{
	(void)state;
	static const char *const keys[] = {"type", "filter", "padding", NULL};
	static const char *const none[] = {NULL};
	struct paleo_json_doc *doc = parse("{\"l\": {\n  \"padd\": 1}, \"m\": {\"bias\": 0}}");
	const struct paleo_json *root = paleo_json_root(doc);
	const struct paleo_json *value = paleo_json_first(paleo_json_get(root, "l"));
	struct paleo_error err = {0};

	assert_int_equal(paleo_json_only(paleo_json_get(root, "l"), keys, &err), PALEO_EINPUT);
	assert_string_equal(err.text,
			    "t.json:2:3: l: unknown key 'padd' (did you mean 'padding'?)");
	assert_int_equal(paleo_json_only(paleo_json_get(root, "m"), keys, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "t.json:2:21: m: unknown key 'bias' (expected one of: "
				      "'type', 'filter', 'padding')");
	assert_int_equal(paleo_json_only(paleo_json_get(root, "m"), none, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "t.json:2:21: m: unknown key 'bias' (expected one of: none)");
	assert_int_equal(paleo_json_only(value, keys, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "t.json:2:11: l.padd: expected an object, found a number");
	static const char *const both[] = {"m", "l", NULL};
	assert_int_equal(paleo_json_only(root, both, &err), 0);
	paleo_json_free(doc);
}

static void nearest_allows_a_third_of_the_length(void **state)
{
	(void)state;
	static const char *const words[] = {"Convolution", "Pooling", "Input", "a", NULL};
	char longest[200];

	assert_string_equal(paleo_nearest("Convolutoin", words), "Convolution"); /* 1 swap */
	assert_string_equal(paleo_nearest("CONVOLUTION", words),
			    "Convolution"); /* case is nothing */
	/* The longer has 11 letters: 4 edits are near, 5 are not. */
	assert_string_equal(paleo_nearest("Convolu", words), "Convolution");
	assert_null(paleo_nearest("Convol", words));
	assert_string_equal(paleo_nearest("Imput", words), "Input");
	assert_null(paleo_nearest("b", words)); /* nothing in common with "a" */
	assert_null(paleo_nearest("", words));
	memset(longest, 'x', sizeof(longest));
	longest[199] = '\0';
	assert_null(paleo_nearest(longest, words));
}

/* 100,000 keys took 0.1 s when this was written; comparing all pairs takes minutes. */
static void large_objects_are_not_quadratic(void **state)
{
	(void)state;
	enum {
		KEYS = 100000,
		KEY_BYTES = 14
	};
	char *text = malloc((size_t)KEYS * KEY_BYTES + 2);
	struct paleo_json_doc *doc = NULL;
	struct paleo_error err = {0};
	size_t at = 0;
	int value = 0;

	assert_non_null(text);
	for (int i = 0; i < KEYS; i++)
		at += (size_t)sprintf(text + at, "%c\"k%d\":%d", i ? ',' : '{', KEYS - i, i % 10);
	text[at++] = '}';
	assert_int_equal(paleo_json_parse("t.json", 1, text, at, &doc, &err), 0);
	for (int i = 0; i < KEYS; i++) {
		char key[16];
		snprintf(key, sizeof(key), "k%d", KEYS - i);
		const struct paleo_json *v = paleo_json_get(paleo_json_root(doc), key);
		assert_non_null(v);
		assert_int_equal(paleo_json_to_int(v, 0, 9, &value, &err), 0);
		assert_int_equal(value, i % 10);
	}
	paleo_json_free(doc);
	free(text);
}

static void too_many_values_are_refused(void **state)
{
	(void)state;
	size_t size = 10u << 20;
	char *text = malloc(size);
	struct paleo_json_doc *doc = NULL;
	struct paleo_error err = {0};

	assert_non_null(text);
	for (size_t i = 0; i < size; i++)
		text[i] = i % 2 ? '0' : ',';
	text[0] = '[';
	assert_int_equal(paleo_json_parse("t.json", 1, text, size, &doc, &err), PALEO_EINPUT);
	/* The array is value 1, so value 4194305 is its element 4194304, at column twice that. */
	assert_string_equal(err.text, "t.json:1:8388608: more than 4194304 values, expected fewer");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes_are_decoded),
		cmocka_unit_test(tree_has_types_keys_and_order),
		cmocka_unit_test(keys_are_case_sensitive),
		cmocka_unit_test(duplicate_key_is_refused_with_both_places),
		cmocka_unit_test(syntax_errors_say_what_was_expected),
		cmocka_unit_test(nul_is_refused),
		cmocka_unit_test(numbers_are_strict),
		cmocka_unit_test(numbers_are_finite_and_not_cut),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(line_numbers_start_where_told),
		cmocka_unit_test(typed_values_name_the_place),
		cmocka_unit_test(integers_are_checked_not_saturated),
		cmocka_unit_test(doubles_are_range_checked),
		cmocka_unit_test(unknown_keys_get_a_hint),
		cmocka_unit_test(nearest_allows_a_third_of_the_length),
		cmocka_unit_test(large_objects_are_not_quadratic),
		cmocka_unit_test(too_many_values_are_refused),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
