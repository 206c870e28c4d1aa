/* test_json_write.c - written JSON: layout, escapes, and that no digit is lost. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "tests/unit/unit.h"

static char *finish(struct paleo_json_writer *w, int pretty)
{
	char *text = NULL;
	struct paleo_error err = {0};

	assert_int_equal(paleo_json_writer_text(w, pretty, &text, &err), 0);
	return text;
}

static struct paleo_json_writer *sample(void)
{
	struct paleo_json_writer *w = paleo_json_writer_new();

	assert_non_null(w);
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "name", "a\"b\\c\n\x01[,:]");
	paleo_json_put_string(w, "none", NULL);
	paleo_json_put_bool(w, "yes", 7);
	paleo_json_put_int(w, "int", -3);
	paleo_json_put_double(w, "nan", NAN);
	paleo_json_open_array(w, "list");
	paleo_json_put_double(w, NULL, 0.1);
	paleo_json_put_string(w, NULL, "]");
	paleo_json_close(w);
	paleo_json_open_array(w, "rows");
	paleo_json_open_object(w, NULL);
	paleo_json_close(w);
	paleo_json_open_object(w, NULL);
	paleo_json_open_array(w, "x");
	paleo_json_close(w);
	paleo_json_close(w);
	paleo_json_close(w);
	paleo_json_close(w);
	return w;
}

static void one_line(void **state)
{
	(void)state;
	struct paleo_json_writer *w = sample();
	char *text = finish(w, 0);

	assert_string_equal(text,
			    "{\"name\":\"a\\\"b\\\\c\\n\\u0001[,:]\",\"none\":null,\"yes\":true,"
			    "\"int\":-3,\"nan\":null,\"list\":[0.1,\"]\"],"
			    "\"rows\":[{},{\"x\":[]}]}");
	free(text);
	paleo_json_writer_free(w);
	paleo_json_writer_free(NULL);
}

static void indented(void **state)
{
	(void)state;
	struct paleo_json_writer *w = sample();
	char *text = finish(w, 1);

	assert_string_equal(text, "{\n"
				  "  \"name\": \"a\\\"b\\\\c\\n\\u0001[,:]\",\n"
				  "  \"none\": null,\n"
				  "  \"yes\": true,\n"
				  "  \"int\": -3,\n"
				  "  \"nan\": null,\n"
				  "  \"list\": [0.1, \"]\"],\n"
				  "  \"rows\": [{\n"
				  "    }, {\n"
				  "      \"x\": []\n"
				  "    }]\n"
				  "}\n");
	free(text);
	paleo_json_writer_free(w);
}

static void scalar_root(void **state)
{
	(void)state;
	struct paleo_json_writer *w = paleo_json_writer_new();

	paleo_json_put_int(w, NULL, 5);
	char *text = finish(w, 1);
	assert_string_equal(text, "5\n");
	free(text);
	paleo_json_writer_free(w);
}

/* Text from drivers and the command line may be anything; what we write, we must read. */
static void bad_utf8_is_replaced(void **state)
{
	(void)state;
	struct paleo_json_writer *w = paleo_json_writer_new();

	paleo_json_put_string(w, NULL, "\xc3\xa9\xff\xe2\x82");
	char *text = finish(w, 0);
	assert_string_equal(text, "\"\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	free(text);
	paleo_json_writer_free(w);
}

/* What would steer a terminal is escaped: U+007F, U+009B, U+202E. Read back it is the same. */
static void hidden_characters_are_escaped(void **state)
{
	(void)state;
	static const char value[] = "\033a\177\xc2\x9b\xe2\x80\xae\xc3\xa9";
	struct paleo_json_writer *w = paleo_json_writer_new();
	struct paleo_json_doc *doc = NULL;
	const char *read = NULL;
	struct paleo_error err;

	paleo_json_put_string(w, NULL, value);
	char *text = finish(w, 0);
	assert_string_equal(text, "\"\\u001ba\\u007f\\u009b\\u202e\xc3\xa9\"");
	assert_int_equal(paleo_json_parse("t", 1, text, strlen(text), &doc, &err), PALEO_OK);
	assert_int_equal(paleo_json_to_string(paleo_json_root(doc), &read, &err), PALEO_OK);
	assert_string_equal(read, value);
	paleo_json_free(doc);
	free(text);
	paleo_json_writer_free(w);
}

static void numbers_are_short(void **state)
{
	(void)state;
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0, "0"},
		{-0.0, "-0"},
		{0.1, "0.1"},
		{1.0 / 3, "0.3333333333333333"}, /* 16 digits: 15 would be another double */
		{0.1 + 0.2, "0.30000000000000004"},
		{138357544, "138357544"},
		{1e15, "1000000000000000"},
		{9007199254740992.0, "9007199254740992"}, /* 2^53 */
		{-9007199254740991.0, "-9007199254740991"},
		{1e22, "1e+22"},
		{2.5e-7, "2.5e-07"},
		{DBL_MAX, "1.7976931348623157e+308"},
		{DBL_TRUE_MIN, "5e-324"},
		{NAN, "null"},
		{INFINITY, "null"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[32];
		paleo_json_number_text(cases[i].value, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
}

/* xorshift64* (Vigna 2016): all bit patterns, so all exponents and subnormals too. */
static uint64_t next_random(uint64_t *x)
{
	*x ^= *x >> 12;
	*x ^= *x << 25;
	*x ^= *x >> 27;
	return *x * 0x2545f4914f6cdd1du;
}

static void doubles_come_back(void **state)
{
	(void)state;
	struct paleo_json_writer *w = paleo_json_writer_new();
	enum {
		COUNT = 20000
	};
	static double values[COUNT];
	uint64_t seed = 1;

	paleo_json_open_array(w, NULL);
	for (int i = 0; i < COUNT; i++) {
		do {
			uint64_t bits = next_random(&seed);
			memcpy(&values[i], &bits, sizeof(bits));
		} while (!isfinite(values[i]));
		paleo_json_put_double(w, NULL, values[i]);
	}
	paleo_json_close(w);

	char *text = finish(w, 1);
	struct paleo_json_doc *doc = NULL;
	struct paleo_error err = {0};
	int n = 0;
	assert_int_equal(paleo_json_parse("t", 1, text, strlen(text), &doc, &err), 0);
	for (const struct paleo_json *v = paleo_json_first(paleo_json_root(doc)); v;
	     v = paleo_json_next(v)) {
		double back = 0;
		assert_int_equal(paleo_json_to_double(v, -INFINITY, INFINITY, &back, &err), 0);
		assert_memory_equal(&back, &values[n], sizeof(back));
		n++;
	}
	assert_int_equal(n, COUNT);
	paleo_json_free(doc);
	free(text);
	paleo_json_writer_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line),
		cmocka_unit_test(indented),
		cmocka_unit_test(scalar_root),
		cmocka_unit_test(bad_utf8_is_replaced),
		cmocka_unit_test(hidden_characters_are_escaped),
		cmocka_unit_test(numbers_are_short),
		cmocka_unit_test(doubles_come_back),
	};

	return cmocka_run_group_tests_name("json_write", tests, NULL, NULL);
}
