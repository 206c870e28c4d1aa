/* test_layers.c - the table of layer kinds, its agreement with the schema, short descriptions. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "model/net.h"
#include "tests/unit/unit.h"

static void every_kind_is_complete_and_found_by_its_type(void **state)
{
	int count;
	const struct paleo_layer_kind *const *kinds = paleo_layer_kinds(&count);

	(void)state;
	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		const struct paleo_layer_kind *k = kinds[i];
		assert_true(k->type && *k->type && k->what && *k->what);
		assert_non_null(k->parse);
		assert_non_null(k->shape);
		assert_true(0 <= k->min_parents && k->min_parents <= k->max_parents);
		assert_ptr_equal(paleo_layer_kind_find(k->type), k);
	}
	assert_null(paleo_layer_kind_find("relu")); /* case counts */
	assert_null(paleo_layer_kind_find(""));
}

/* Follows keys down from the root; fails the test where one is missing. */
static const struct paleo_json *follow(const struct paleo_json *v, const char *const *keys)
{
	for (; *keys; keys++) {
		v = paleo_json_get(v, *keys);
		if (!v)
			fail_msg("nets/schema.json has no '%s'", *keys);
	}
	return v;
}

/* The schema lists every kind and the two blocks, and nothing else. */
static void the_schema_knows_the_same_types(void **state)
{
	static const char *const path[] = {"$defs", "layer", "properties", "type", "enum", NULL};
	struct paleo_json_doc *doc = NULL;
	struct paleo_error err = {0};
	int count, listed = 0;

	(void)state;
	if (paleo_json_load("nets/schema.json", &doc, &err))
		fail_msg("%s", err.text);
	const struct paleo_json *v = paleo_json_first(follow(paleo_json_root(doc), path));
	for (; v; v = paleo_json_next(v), listed++) {
		const char *type = "";
		assert_int_equal(paleo_json_to_string(v, &type, &err), PALEO_OK);
		if (strcmp(type, "Block") != 0 && strcmp(type, "ModelParallel") != 0 &&
		    !paleo_layer_kind_find(type))
			fail_msg("no layer kind '%s'", type);
	}
	paleo_layer_kinds(&count);
	assert_int_equal(listed, count + 2);
	paleo_json_free(doc);
}

/* Describes the last layer of a net of an Input of 2 x 8 x 8 x 4 and this one. */
static void expect_description(const char *layer, const char *expected)
{
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};
	char text[1024], found[64] = "";
	int size = snprintf(text, sizeof(text),
			    "{\"name\": \"t\", \"layers\": {\"data\": {\"type\": \"Input\", "
			    "\"parents\": [], \"tensor\": [2, 8, 8, 4]}, \"l\": {\"parents\": "
			    "[\"data\"], %s}}}",
			    layer);

	if (paleo_net_parse("t.json", text, (size_t)size, 0, &net, &err))
		fail_msg("%s", err.text);
	net->layers[1]->kind->describe(net->layers[1], found, sizeof(found));
	assert_string_equal(found, expected);
	paleo_net_free(net);
}

static void layers_describe_themselves(void **state)
{
	(void)state;
	expect_description("\"type\": \"Convolution\", \"filter\": [3, 3, -1, 8], \"strides\": "
			   "[1, 2, 2, 1], \"padding\": \"SAME\"",
			   "3x3 s2 same 4->8");
	expect_description("\"type\": \"Convolution\", \"filter\": [1, 3, 4, 8], \"strides\": "
			   "[1, 2, 1, 1], \"padding\": [0, 1], \"groups\": 2, \"dilation\": 2",
			   "1x3 s2x1 d2 p0x1 4->8 g2");
	expect_description("\"type\": \"Deconvolution\", \"filter\": [3, 3, 6, 4], \"strides\": "
			   "[1, 2, 2, 1], \"padding\": \"SAME\", \"output_shape\": [-1, 16, 16, 6]",
			   "3x3 s2 same 4->6");
	expect_description("\"type\": \"Pooling\", \"ksize\": [1, 2, 2, 1], \"strides\": [1, 2, 2, "
			   "1], \"padding\": [0, 1, 1, 1]",
			   "2x2 s2 p0,1,1,1");
	expect_description("\"type\": \"AvgPool\", \"global\": true", "8x8 global");
	expect_description("\"type\": \"InnerProduct\", \"num_outputs\": 10", "256->10");
	expect_description("\"type\": \"Concatenate\", \"dim\": 3", "1 along 3");
	expect_description("\"type\": \"Activation\", \"fn\": \"swish\"", "silu");
	expect_description("\"type\": \"LRN\"", "5 channels");
	expect_description("\"type\": \"UpSampling2D\", \"ksize\": [1, 2, 3, 1]", "2x3");
	expect_description("\"type\": \"Dropout\", \"dropout_keep_prob\": 0.25", "keep 0.25");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_complete_and_found_by_its_type),
		cmocka_unit_test(the_schema_knows_the_same_types),
		cmocka_unit_test(layers_describe_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
