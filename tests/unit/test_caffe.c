/* test_caffe.c - what Caffe's layers become, and what is refused, on whole files. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "import/caffe/caffe.h"
#include "model/net/net.h"
#include "tests/unit/bad.h"
#include "tests/unit/unit.h"

#define GOOD "tests/data/caffe/"

/* Converts a file; `input` is what --input would say, NULL: nothing. */
static int convert(const char *path, const char *input, int test, char **json,
		   struct paleo_error *err)
{
	struct paleo_caffe_input in;
	struct paleo_caffe_options o = {.test = test, .inputs = &in};
	struct paleo_caffe_doc *doc = NULL;
	int rc = PALEO_OK;

	if (input) {
		rc = paleo_caffe_input_parse(input, &in, err);
		o.input_count = 1;
	}
	if (!rc)
		rc = paleo_caffe_doc_load(path, &doc, err);
	if (!rc)
		rc = paleo_caffe_convert(doc, &o, json, err);
	paleo_caffe_doc_free(doc);
	return rc;
}

static int same_scalar(const struct paleo_json *a, const struct paleo_json *b)
{
	struct paleo_error err;
	const char *s, *t;
	double x, y;
	int f, g;

	switch (paleo_json_type(a)) {
	case PALEO_JSON_STRING:
		return !paleo_json_to_string(a, &s, &err) && !paleo_json_to_string(b, &t, &err) &&
		       !strcmp(s, t);
	case PALEO_JSON_NUMBER:
		return !paleo_json_to_double(a, -1e300, 1e300, &x, &err) &&
		       !paleo_json_to_double(b, -1e300, 1e300, &y, &err) && x == y;
	case PALEO_JSON_BOOL:
		return !paleo_json_to_bool(a, &f, &err) && !paleo_json_to_bool(b, &g, &err) &&
		       f == g;
	case PALEO_JSON_NULL:
	case PALEO_JSON_ARRAY:
	case PALEO_JSON_OBJECT:
		break;
	}
	return 1;
}

/* The first value of `a` that is other than what `b` has in its place; NULL if all are equal. The
 * order counts, for it is the order of the layers in a profile. */
static const struct paleo_json *differs(const struct paleo_json *a, const struct paleo_json *b)
{
	if (paleo_json_type(a) != paleo_json_type(b) ||
	    strcmp(paleo_json_key(a), paleo_json_key(b)) ||
	    paleo_json_size(a) != paleo_json_size(b) || !same_scalar(a, b))
		return a;
	const struct paleo_json *other = paleo_json_first(b);
	for (const struct paleo_json *c = paleo_json_first(a); c; c = paleo_json_next(c)) {
		const struct paleo_json *found = differs(c, other);
		if (found)
			return found;
		other = paleo_json_next(other);
	}
	return NULL;
}

static void expect_net(const char *name, const char *input, int test, const char *expected)
{
	struct paleo_json_doc *want = NULL, *have = NULL;
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};
	char path[200];
	char *json = NULL;

	snprintf(path, sizeof(path), GOOD "%s.prototxt", name);
	if (convert(path, input, test, &json, &err))
		fail_msg("%s", err.text);
	snprintf(path, sizeof(path), GOOD "%s.json", expected);
	assert_int_equal(paleo_json_load(path, &want, &err), 0);
	assert_int_equal(paleo_json_parse(name, 1, json, strlen(json), &have, &err), 0);
	const struct paleo_json *found = differs(paleo_json_root(want), paleo_json_root(have));
	if (found) {
		(void)paleo_json_fail(found, &err, "expected what stands here");
		fail_msg("%s\n%s", err.text, json);
	}
	if (paleo_net_parse(name, json, strlen(json), 0, &net, &err))
		fail_msg("%s", err.text);
	paleo_net_free(net);
	paleo_json_free(want);
	paleo_json_free(have);
	free(json);
}

static void every_kind_of_layer_is_converted(void **state)
{
	(void)state;
	expect_net("windows", NULL, 0, "windows");
	expect_net("pooling", NULL, 0, "pooling");
	expect_net("points", NULL, 0, "points");
	expect_net("norms", NULL, 0, "norms");
	expect_net("joins", NULL, 0, "joins");
	expect_net("flat", NULL, 0, "flat");
	expect_net("old", NULL, 0, "old");
	expect_net("inputs", "h=2x11x4x3", 0, "inputs");
	expect_net("names", NULL, 0, "names");
	expect_net("alexnet", "data=256x3x227x227", 0, "alexnet");
}

static void layers_of_the_other_phase_are_left_out(void **state)
{
	(void)state;
	expect_net("phases", NULL, 0, "phases");
	expect_net("phases", NULL, 1, "phases_test");
}

static void a_given_shape_takes_the_place_of_the_files(void **state)
{
	(void)state;
	struct paleo_error err = {0};
	struct paleo_net *net = NULL;
	char *json = NULL;

	assert_int_equal(convert(GOOD "windows.prototxt", "5x6x20x20", 0, &json, &err), 0);
	assert_int_equal(paleo_net_parse("w", json, strlen(json), 0, &net, &err), 0);
	assert_int_equal(net->layers[0]->out.n, 5);
	assert_int_equal(net->layers[1]->out.w, 20); /* 20 + 2 - 3 + 1 */
	paleo_net_free(net);
	free(json);
}

static void shapes_of_inputs_are_read(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"",         "1x2x3",    "1x2x3x4x5", "1x2x3x0",        "axbxcxd",
		"1x2x3x4 ", "=1x2x3x4", "-1x2x3x4",  "1x2x3x16777217", "1x2x3x99999999999999999999",
		"1,2,3,4"};
	struct paleo_caffe_input in;
	struct paleo_error err = {0};

	assert_int_equal(paleo_caffe_input_parse("64x3x20x30", &in, &err), 0);
	assert_string_equal(in.name, "");
	assert_int_equal(in.shape.rank, 4);
	assert_int_equal(in.shape.n, 64);
	assert_int_equal(in.shape.c, 3);
	assert_int_equal(in.shape.h, 20);
	assert_int_equal(in.shape.w, 30);
	assert_int_equal(paleo_caffe_input_parse("a=b=2x100", &in, &err), 0);
	assert_string_equal(in.name, "a=b");
	assert_int_equal(in.shape.rank, 2);
	assert_int_equal(in.shape.c, 100);
	assert_int_equal(in.shape.h, 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(paleo_caffe_input_parse(bad[i], &in, &err), PALEO_EINPUT);
}

static int convert_bad(const char *file, struct paleo_error *err)
{
	char *json = NULL;
	int rc = convert(file, NULL, 0, &json, err);

	if (json)
		rc = PALEO_OK;
	free(json);
	return rc;
}

static void every_broken_network_is_refused(void **state)
{
	(void)state;
	assert_true(every_bad_file_is_refused("caffe", convert_bad, NULL) > 80);
}

/* A network of `count` layers, each in place of the one before. */
static char *long_net(int count)
{
	size_t size = 200 + 100 * (size_t)count;
	char *text = malloc(size);
	size_t at = 0;

	assert_non_null(text);
	at += (size_t)snprintf(text, size, "input: 'd' input_shape { dim: [1, 1, 2, 2] }\n");
	for (int i = 0; i < count; i++)
		at += (size_t)snprintf(text + at, size - at,
				       "layer { name: 'l' type: 'ReLU' bottom: 'd' top: 'd' }\n");
	return text;
}

/* 100,000 layers of one name in place: each step looks names up in a table. */
static void a_very_long_network_is_converted(void **state)
{
	(void)state;
	struct paleo_caffe_options o = {0};
	struct paleo_caffe_doc *doc = NULL;
	struct paleo_error err = {0};
	char *text = long_net(100000);
	char *json = NULL;

	assert_int_equal(paleo_caffe_doc_parse("long", text, strlen(text), &doc, &err), 0);
	assert_int_equal(paleo_caffe_convert(doc, &o, &json, &err), 0);
	assert_non_null(strstr(json, "\"l_100000\""));
	paleo_caffe_doc_free(doc);
	free(json);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_layer_is_converted),
		cmocka_unit_test(layers_of_the_other_phase_are_left_out),
		cmocka_unit_test(a_given_shape_takes_the_place_of_the_files),
		cmocka_unit_test(shapes_of_inputs_are_read),
		cmocka_unit_test(every_broken_network_is_refused),
		cmocka_unit_test(a_very_long_network_is_converted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
