/* test_onnx_files.c - exports of known networks: weights and operations as counted elsewhere. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/onnx_expect.h"

enum {
	TEXT_MAX = 1 << 15
};

/*
 * tests/data/onnx/NAME.txt are the graphs that PyTorch 1.13 exported of these networks, in the form
 * of onnx_text.h; of ViT-B/16 and BERT the first 2 of 12 equal layers.
 *
 * FLOPs of products as tests/data/onnx/count.py counts them by onnx's own shape inference; where
 * that leaves sizes open, by hand, of 1 image or sequence:
 *
 * ViT-B/16, 197 tokens of 768 in 2 layers: 2 x (14 x 14 x 768 x 3 x 16 x 16 + 2 x (197 x 768 x 12
 * x 768 + 2 x 197 x 197 x 768) + 768 x 1000). BERT, 128 tokens: 2 x (2 x (128 x 768 x 12 x 768 + 2
 * x 128 x 128 x 768) + 128 x 768 x 30522). LSTM, 35 x 20 tokens of 650: 2 x 700 x (2 x 4 x 650 x
 * 1300 + 650 x 10000).
 *
 * Weights are the architectures', without the batch normalisations that the export has folded:
 * AlexNet, VGG-16, SqueezeNet and ViT-B/16 have torchvision's counts (86,567,656 for ViT-B/16),
 * BERT 132,361,530; each of their 10 other layers has 7,087,872: 12 x 768 x 768 and 13 x 768. Where
 * normalisation is folded, the convolutions' weights, a bias for each of their channels, and the
 * last product.
 */
static const struct known {
	const char *file;
	double weights, flops;
} known[] = {
	{"alexnet", 61100840, 1428376960},
	{"vgg16", 138357544, 30940528640},
	{"squeezenet1_1", 1235496, 698303872},
	{"resnet50", 25530472, 8178368512},
	{"mobilenet_v2", 3487816, 601548544},
	{"inception_v3", 23817352, 11426432192},
	{"vit_b_16", 86567656 - 10 * 7087872,
	 2 * (14. * 14 * 768 * 768 + 2 * (197. * 768 * 12 * 768 + 2. * 197 * 197 * 768) +
	      768. * 1000)},
	{"bert_base_like", 132361530 - 10 * 7087872,
	 2 * (2 * (128. * 768 * 12 * 768 + 2. * 128 * 128 * 768) + 128. * 768 * 30522)},
	{"ptb_lstm", 19780400, 2 * 700. * (2 * 4 * 650. * 1300 + 650. * 10000)},
};

/* What the forward products of the net count, without their biases. */
static double products(const struct paleo_net *net)
{
	struct paleo_op_list list = {0};
	struct paleo_error err;
	double flops = 0;

	if (paleo_net_ops(net, PALEO_F32, PALEO_PASSES_FWD, &list, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < list.count; i++) {
		const struct paleo_op *w = &list.items[i].op;
		if (w->kind == PALEO_CONV)
			flops += w->flops - (w->geom.conv.bias
						     ? (double)w->geom.conv.n * w->geom.conv.k *
							       w->geom.conv.p * w->geom.conv.q
						     : 0);
		if (w->kind == PALEO_GEMM)
			flops += w->flops -
				 (w->geom.gemm.bias ? (double)w->geom.gemm.m * w->geom.gemm.n : 0);
	}
	paleo_op_list_release(&list);
	return flops;
}

/* The text of tests/data/onnx/NAME.txt. */
static const char *read_text(const char *name)
{
	static char text[TEXT_MAX];
	char path[128];

	snprintf(path, sizeof(path), "tests/data/onnx/%s.txt", name);
	FILE *in = fopen(path, "r");
	assert_non_null(in);
	size_t size = fread(text, 1, TEXT_MAX, in);
	fclose(in);
	assert_in_range(size, 1, TEXT_MAX - 1);
	text[size] = '\0';
	return text;
}

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const char *name = known[i].file;
		struct paleo_net *net = NULL;
		struct paleo_error err = {0};
		char *json = NULL;

		if (convert(read_text(name), NULL, &json, &err) ||
		    paleo_net_parse(name, json, strlen(json), 0, &net, &err))
			fail_msg("%s", err.text);
		const double weights = paleo_net_weights(net), flops = products(net);
		paleo_net_free(net);
		free(json);
		if (weights != known[i].weights || fabs(flops / known[i].flops - 1) > 1e-9)
			fail_msg("%s: %.0f weights, %.0f FLOPs, expected %.0f and %.0f", name,
				 weights, flops, known[i].weights, known[i].flops);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_files)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
