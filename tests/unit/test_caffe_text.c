/* test_caffe_text.c - protobuf text: tokens, messages, lists, and faults with their place. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/caffe/caffe_text.h"
#include "tests/unit/unit.h"

static struct paleo_caffe_doc *parse(const char *text)
{
	struct paleo_caffe_doc *doc = NULL;
	struct paleo_error err = {0};

	if (paleo_caffe_doc_parse("t", text, strlen(text), &doc, &err))
		fail_msg("%s", err.text);
	return doc;
}

static void expect_fault(const char *text, const char *sentence)
{
	struct paleo_caffe_doc *doc = NULL;
	struct paleo_error err = {0};

	assert_int_equal(paleo_caffe_doc_parse("t", text, strlen(text), &doc, &err), PALEO_EINPUT);
	assert_null(doc);
	assert_string_equal(err.text, sentence);
}

/* The only field 'a' of the text. */
static const struct paleo_caffe_field *first(const struct paleo_caffe_doc *doc)
{
	const struct paleo_caffe_field *f = paleo_caffe_doc_root(doc)->first;

	assert_non_null(f);
	assert_string_equal(f->name, "a");
	return f;
}

static void expect_text(const char *text, const char *value)
{
	struct paleo_caffe_doc *doc = parse(text);
	const char *found = NULL;
	struct paleo_error err = {0};

	assert_int_equal(paleo_caffe_to_string(first(doc), &found, &err), 0);
	assert_string_equal(found, value);
	paleo_caffe_doc_free(doc);
}

static void expect_number(const char *text, double value, int integer)
{
	struct paleo_caffe_doc *doc = parse(text);

	assert_int_equal(first(doc)->type, PALEO_CAFFE_NUMBER);
	assert_true(first(doc)->number == value);
	assert_int_equal(first(doc)->integer, integer);
	paleo_caffe_doc_free(doc);
}

static void numbers_of_every_form(void **state)
{
	(void)state;
	expect_number("a: 0", 0, 1);
	expect_number("a: 12", 12, 1);
	expect_number("a: -12", -12, 1);
	expect_number("a: - # minus\n 3", -3, 1);
	expect_number("a: 017", 15, 1); /* 8 + 7 */
	expect_number("a: 0x1F", 31, 1);
	expect_number("a: 1e-3", 1e-3, 0);
	expect_number("a: 1E+2", 100, 0);
	expect_number("a: .5", 0.5, 0);
	expect_number("a: 2.", 2, 0);
	expect_number("a: 0.25f", 0.25, 0);
	expect_number("a: 3F", 3, 0);
	expect_number("a: -inf", -INFINITY, 0);
	expect_number("a:1,", 1, 1);
	expect_number("a:1;", 1, 1);
}

static void strings_of_every_form(void **state)
{
	(void)state;
	expect_text("a: \"x\"", "x");
	expect_text("a: 'x\"y'", "x\"y");
	expect_text("a: \"\"", "");
	expect_text("a: \"one \" 'two' # and\n \"\" \" three\"", "one two three");
	expect_text("a: \"\\a\\b\\f\\n\\r\\t\\v\\?\\\\\\'\\\"\"", "\a\b\f\n\r\t\v?\\'\"");
	/* octal 101 is A, 7 a bell, and ends before the 8; hexadecimal 42 is B */
	expect_text("a: '\\101\\78\\x42\\x9'", "A\a8B\t");
	/* e with acute, euro sign, and a character outside of the first 65,536 */
	expect_text("a: '\\u00e9\\u20ac\\U0001F600'", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	expect_text("a: '\xc3\xa9'", "\xc3\xa9");
	expect_text("a: '\\303\\251'", "\xc3\xa9");
	expect_text("\xef\xbb\xbf"
		    "a: 'behind a byte order mark'",
		    "behind a byte order mark");
}

/* One line for a tree: name=value, messages in braces. */
static void print_tree(const struct paleo_caffe_field *message, char *buf, size_t size)
{
	for (const struct paleo_caffe_field *f = message->first; f; f = f->next) {
		size_t at = strlen(buf);
		switch (f->type) {
		case PALEO_CAFFE_MESSAGE:
			snprintf(buf + at, size - at, "%s{", f->name);
			print_tree(f, buf, size);
			at = strlen(buf);
			snprintf(buf + at, size - at, "}");
			break;
		case PALEO_CAFFE_STRING:
			snprintf(buf + at, size - at, "%s='%s' ", f->name, f->text);
			break;
		case PALEO_CAFFE_WORD:
			snprintf(buf + at, size - at, "%s=%s ", f->name, f->text);
			break;
		case PALEO_CAFFE_NUMBER:
			snprintf(buf + at, size - at, "%s=%g ", f->name, f->number);
			break;
		}
	}
}

static void expect_tree(const char *text, const char *tree)
{
	struct paleo_caffe_doc *doc = parse(text);
	char buf[400] = "";

	print_tree(paleo_caffe_doc_root(doc), buf, sizeof(buf));
	assert_string_equal(buf, tree);
	paleo_caffe_doc_free(doc);
}

static void messages_and_lists(void **state)
{
	(void)state;
	expect_tree("", "");
	expect_tree("# nothing\n", "");
	expect_tree("a { b: 1 }", "a{b=1 }");
	expect_tree("a: { b: 1 } a < b: MAX >", "a{b=1 }a{b=MAX }");
	expect_tree("a{b{c:1}d:2}e:3", "a{b{c=1 }d=2 }e=3 ");
	expect_tree("a: [1, -2, 3]", "a=1 a=-2 a=3 ");
	expect_tree("a: [] b: ['x' 'y', \"z\"]", "b='xy' b='z' ");
	expect_tree("a: [{ b: 1 }, < b: 2 >]", "a{b=1 }a{b=2 }");
	expect_tree("a [{ b: 1 }]", "a{b=1 }");
	expect_tree("a: 1, b: 2; c: x\n\td: true", "a=1 b=2 c=x d=true ");
}

static void what_is_no_token_is_refused(void **state)
{
	(void)state;
	expect_fault("a: 1\n  b: $", "t:2:6: unexpected '$'");
	expect_fault("\x01", "t:1:1: unexpected byte 0x01 outside of strings");
	expect_fault("a: 08", "t:1:4: '08' is not a number");
	expect_fault("a: 0x", "t:1:4: '0x' is not a number");
	expect_fault("a: 0x1p3", "t:1:4: '0x1p3' is not a number");
	expect_fault("a: 1.2.3", "t:1:4: '1.2.3' is not a number");
	expect_fault("a: 12px", "t:1:4: '12px' is not a number");
	expect_fault("a: 1e", "t:1:4: '1e' is not a number");
	expect_fault("a: 1111111111222222222233333333334444444444555555555566666666667777",
		     "t:1:4: a number has more than 63 characters");
}

static void broken_strings_are_refused(void **state)
{
	(void)state;
	expect_fault("a: \"x", "t:1:6: a string is not closed");
	expect_fault("a: \"x\n\"", "t:1:6: a string is not closed on its line");
	expect_fault("a: \"x\\", "t:1:7: a string is not closed");
	expect_fault("a: '\\q'", "t:1:6: unknown escape in a string");
	expect_fault("a: '\\xg'", "t:1:7: expected hexadecimal digits after \\x");
	expect_fault("a: '\\0'", "t:1:7: a string may not hold a zero byte");
	expect_fault("a: '\\400'", "t:1:9: an octal escape is larger than a byte");
	expect_fault("a: '\\u12'", "t:1:9: expected 4 hexadecimal digits after \\u");
	expect_fault("a: '\\ud800'", "t:1:11: an escape is not a Unicode character");
	expect_fault("a: '\\U00110000'", "t:1:15: an escape is not a Unicode character");
	expect_fault("a: '\\xff'", "t:1:4: a string is not UTF-8");
	/* Columns count characters: the first string has one. */
	expect_fault("a: '\xc3\xa9' '\xff'", "t:1:8: a string is not UTF-8");
}

static void broken_structure_is_refused(void **state)
{
	(void)state;
	expect_fault("a 1", "t:1:3: expected ':' or '{' after the name of a field, found 1");
	expect_fault("a", "t:1:2: expected ':' or '{' after the name of a field, found the end "
			  "of the file");
	expect_fault("a:", "t:1:3: expected a value, found the end of the file");
	expect_fault("a: }", "t:1:4: expected a value, found '}'");
	expect_fault("a: -b", "t:1:5: expected a number after the '-', found 'b'");
	expect_fault("}", "t:1:1: expected the name of a field, found '}'");
	expect_fault("'a': 1", "t:1:1: expected the name of a field, found a string");
	expect_fault("[x.y]: 1", "t:1:1: expected the name of a field, found '['");
	expect_fault("b: 1\na {\n  b: 1\n", "t:2:1: a: expected a '}' that closes this");
	expect_fault("a < b: 1 }", "t:1:10: expected the name of a field, found '}'");
	expect_fault("a: [1 2]", "t:1:7: expected ',' or ']' in a list, found 2");
	expect_fault("a: [1,]", "t:1:7: expected a value, found ']'");
	expect_fault("a [1]", "t:1:4: expected a message in a list without ':' before it, found 1");
	expect_fault("a: [[1]]", "t:1:5: expected a value, found '['");
}

static void nesting_has_an_end(void **state)
{
	(void)state;
	char text[4 * (PALEO_CAFFE_DEPTH_MAX + 1) + 1] = "";

	for (int i = 0; i < PALEO_CAFFE_DEPTH_MAX; i++)
		strcat(text, "a{");
	for (int i = 0; i < PALEO_CAFFE_DEPTH_MAX; i++)
		strcat(text, "}");
	paleo_caffe_doc_free(parse(text));
	text[0] = '\0';
	for (int i = 0; i <= PALEO_CAFFE_DEPTH_MAX; i++)
		strcat(text, "a{");
	/* the 33rd "a{" stands in columns 65 and 66 */
	expect_fault(text, "t:1:66: messages nested deeper than 32");
}

static void places_count_lines_and_characters(void **state)
{
	(void)state;
	struct paleo_caffe_doc *doc = parse("# \xc3\xa9\na: 1\n   b: [2,\n3]  c { }");
	static const int lines[] = {2, 3, 4, 4}, cols[] = {1, 8, 1, 5};
	int i = 0;

	for (const struct paleo_caffe_field *f = paleo_caffe_doc_root(doc)->first; f; f = f->next) {
		assert_int_equal(f->line, lines[i]);
		assert_int_equal(f->col, cols[i++]);
	}
	assert_int_equal(i, 4);
	paleo_caffe_doc_free(doc);
}

#define LAYER "layer { name: 'c\\n1' p { k: 3 k: 4 pool: AVE on: true x: 1.5 s: 'w' } }"

/* The member of layer { p { } }. */
static const struct paleo_caffe_field *member(const struct paleo_caffe_doc *doc, const char *name)
{
	const struct paleo_caffe_field *layer =
		paleo_caffe_first(paleo_caffe_doc_root(doc), "layer");

	return paleo_caffe_first(paleo_caffe_first(layer, "p"), name);
}

static void fields_are_found_and_counted(void **state)
{
	(void)state;
	struct paleo_caffe_doc *doc = parse(LAYER);
	const struct paleo_caffe_field *p = member(doc, "k")->parent;
	const struct paleo_caffe_field *f = p;
	struct paleo_error err = {0};

	assert_int_equal(paleo_caffe_count(p, "k"), 2);
	assert_int_equal(paleo_caffe_count(p, "z"), 0);
	assert_int_equal(paleo_caffe_count(NULL, "k"), 0);
	assert_true(paleo_caffe_again(member(doc, "k"))->number == 4);
	assert_int_equal(paleo_caffe_one(p, "z", &f, &err), 0);
	assert_null(f);
	assert_int_equal(paleo_caffe_one(p, "x", &f, &err), 0);
	assert_true(f == member(doc, "x"));
	/* k: 3 begins in column 26, k: 4 in column 31 */
	assert_int_equal(paleo_caffe_one(p, "k", &f, &err), PALEO_EINPUT);
	assert_string_equal(err.text,
			    "t:1:31: layer 'c\n1': p.k: duplicate field, first in line 1");
	paleo_caffe_doc_free(doc);
}

static void unknown_fields_are_refused_with_a_hint(void **state)
{
	(void)state;
	static const char *const names[] = {"k", "pool", "on", "x", NULL};
	static const char *const near[] = {"k", "pol", "on", "x", "s", NULL};
	struct paleo_caffe_doc *doc = parse(LAYER);
	const struct paleo_caffe_field *p = member(doc, "k")->parent;
	struct paleo_error err = {0};

	assert_int_equal(paleo_caffe_only(p, names, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "t:1:62: layer 'c\n1': p.s: unknown field");
	assert_int_equal(paleo_caffe_only(p, near, &err), PALEO_EINPUT);
	assert_string_equal(err.text,
			    "t:1:36: layer 'c\n1': p.pool: unknown field (did you mean 'pol'?)");
	paleo_caffe_doc_free(doc);
}

static void expect_end(const struct paleo_error *err, const char *end)
{
	size_t size = strlen(err->text), wanted = strlen(end);

	assert_true(size > wanted);
	assert_string_equal(err->text + size - wanted, end);
}

static void values_have_their_type(void **state)
{
	(void)state;
	static const char *const pools[] = {"MAX", "AVE", NULL};
	struct paleo_caffe_doc *doc = parse(LAYER);
	struct paleo_error err = {0};
	const char *text;
	double x = 0;
	int n = 0;

	assert_int_equal(paleo_caffe_to_int(member(doc, "k"), 3, 3, &n, &err), 0);
	assert_int_equal(n, 3);
	assert_int_equal(paleo_caffe_to_enum(member(doc, "pool"), pools, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_int_equal(paleo_caffe_to_bool(member(doc, "on"), &n, &err), 0);
	assert_int_equal(n, 1);
	assert_int_equal(paleo_caffe_to_double(member(doc, "x"), 0, 2, &x, &err), 0);
	assert_true(x == 1.5);
	assert_int_equal(paleo_caffe_to_int(member(doc, "k"), 4, 9, &n, &err), PALEO_EINPUT);
	expect_end(&err, "p.k: expected an integer from 4 to 9, found 3");
	assert_int_equal(paleo_caffe_to_int(member(doc, "x"), 0, 9, &n, &err), PALEO_EINPUT);
	expect_end(&err, "p.x: expected an integer from 0 to 9, found 1.5");
	assert_int_equal(paleo_caffe_to_int(member(doc, "s"), 0, 9, &n, &err), PALEO_EINPUT);
	expect_end(&err, "p.s: expected an integer, found a string");
	assert_int_equal(paleo_caffe_to_double(member(doc, "x"), 2, 3, &x, &err), PALEO_EINPUT);
	expect_end(&err, "p.x: expected a number from 2 to 3, found 1.5");
	assert_int_equal(paleo_caffe_to_bool(member(doc, "pool"), &n, &err), PALEO_EINPUT);
	expect_end(&err, "p.pool: expected true or false, found AVE");
	assert_int_equal(paleo_caffe_to_enum(member(doc, "on"), pools, &n, &err), PALEO_EINPUT);
	expect_end(&err, "p.on: expected one of MAX, AVE, found true");
	assert_int_equal(paleo_caffe_to_string(member(doc, "k"), &text, &err), PALEO_EINPUT);
	expect_end(&err, "p.k: expected a string in quotes, found a number");
	assert_int_equal(paleo_caffe_to_message(member(doc, "s"), &err), PALEO_EINPUT);
	expect_end(&err, "p.s: expected a message { ... }, found a string");
	paleo_caffe_doc_free(doc);
}

static void files_that_cannot_be_read(void **state)
{
	(void)state;
	struct paleo_caffe_doc *doc = NULL;
	struct paleo_error err = {0};

	assert_int_equal(paleo_caffe_doc_load("nets", &doc, &err), PALEO_EIO);
	assert_int_equal(paleo_caffe_doc_load("none.prototxt", &doc, &err), PALEO_EIO);
	assert_null(doc);
	paleo_caffe_doc_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_every_form),
		cmocka_unit_test(strings_of_every_form),
		cmocka_unit_test(messages_and_lists),
		cmocka_unit_test(what_is_no_token_is_refused),
		cmocka_unit_test(broken_strings_are_refused),
		cmocka_unit_test(broken_structure_is_refused),
		cmocka_unit_test(nesting_has_an_end),
		cmocka_unit_test(places_count_lines_and_characters),
		cmocka_unit_test(fields_are_found_and_counted),
		cmocka_unit_test(unknown_fields_are_refused_with_a_hint),
		cmocka_unit_test(values_have_their_type),
		cmocka_unit_test(files_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
