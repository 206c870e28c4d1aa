/* test_caffe_reference.c - the reference networks of Caffe's, converted, are the shipped nets. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/caffe/caffe.h"
#include "model/net/net.h"
#include "tests/unit/caffe_network.h"
#include "tests/unit/unit.h"

static struct paleo_net *convert(const char *name)
{
	struct paleo_caffe_options options = {0};
	struct paleo_caffe_doc *doc = NULL;
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};
	static char text[CAFFE_NETWORK_MAX];
	char *json = NULL;
	const size_t size = caffe_network(name, "prototxt", text);

	if (paleo_caffe_doc_parse(name, text, size, &doc, &err) ||
	    paleo_caffe_convert(doc, &options, &json, &err) ||
	    paleo_net_parse(name, json, strlen(json), 0, &net, &err))
		fail_msg("%s", err.text);
	paleo_caffe_doc_free(doc);
	free(json);
	return net;
}

static struct paleo_net *shipped(const char *name)
{
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};
	char path[200];

	snprintf(path, sizeof(path), "nets/%s.json", name);
	if (paleo_net_load(path, 0, &net, &err))
		fail_msg("%s", err.text);
	return net;
}

static const struct paleo_layer *find(const struct paleo_net *net, const char *name)
{
	for (int i = 0; i < net->count; i++)
		if (!strcmp(net->layers[i]->name, name))
			return net->layers[i];
	fail_msg("there is no layer '%s'", name);
	return NULL;
}

static void expect_shape(const struct paleo_layer *have, const struct paleo_layer *want)
{
	char a[48], b[48];

	paleo_shape_text(&have->out, a, sizeof(a));
	paleo_shape_text(&want->out, b, sizeof(b));
	if (strcmp(a, b) != 0)
		fail_msg("'%s': expected %s, got %s", want->name, b, a);
}

/* Both are layer for layer the same: names, types, shapes, weights, and so the ops.
 * nets/README.md derives the 1,019,722 weights. */
static void densenet_is_the_shipped_net(void **state)
{
	(void)state;
	struct paleo_net *have = convert("densenet");
	struct paleo_net *want = shipped("densenet");

	assert_int_equal(have->count, want->count);
	for (int i = 0; i < have->count; i++) {
		const struct paleo_layer *l = have->layers[i];
		const struct paleo_layer *other = want->layers[i];
		assert_string_equal(l->name, other->name);
		assert_ptr_equal(l->kind, other->kind);
		expect_shape(l, other);
		assert_true(paleo_layer_weights(l) == paleo_layer_weights(other));
	}
	assert_true(paleo_net_weights(have) == 1019722);
	paleo_net_free(have);
	paleo_net_free(want);
}

static double conv_flops(const struct paleo_net *net)
{
	struct paleo_op_list ops = {0};
	struct paleo_error err = {0};
	double flops = 0;

	if (paleo_net_ops(net, PALEO_F32, PALEO_PASSES_FWD, &ops, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < ops.count; i++)
		flops += ops.items[i].op.kind == PALEO_CONV ? ops.items[i].op.flops : 0;
	paleo_op_list_release(&ops);
	return flops;
}

/*
 * Every layer of the shipped net is one of the converted net, of the same shape. The
 * file has no "bias_term: false" on its conv1, so Caffe gives that convolution 64 biases,
 * of no use before a BatchNorm, which the shipped net leaves out: 25,557,032 + 64 weights,
 * and an addition for each of 112 x 112 x 64 outputs.
 */
static void resnet_is_the_shipped_net_with_a_bias(void **state)
{
	(void)state;
	struct paleo_net *have = convert("resnet50");
	struct paleo_net *want = shipped("resnet50");
	int same = 0;

	for (int i = 0; i < want->count; i++, same++)
		expect_shape(find(have, want->layers[i]->name), want->layers[i]);
	assert_int_equal(same, 74);
	assert_true(paleo_net_weights(want) == 25557032);
	assert_true(paleo_net_weights(have) == 25557032 + 64);
	assert_true(conv_flops(have) == conv_flops(want) + 112 * 112 * 64);
	paleo_net_free(have);
	paleo_net_free(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(densenet_is_the_shipped_net),
		cmocka_unit_test(resnet_is_the_shipped_net_with_a_bias),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
