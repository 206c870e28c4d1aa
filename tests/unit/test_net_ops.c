/* test_net_ops.c - the ops of small nets, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/given.h"

#define DATA "\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 8, 8, 4]}"
#define CONV(name, parent)                                                                         \
	"\"" name "\": {\"type\": \"Convolution\", \"parents\": [\"" parent                        \
	"\"], \"filter\": [1, 1, 4, 4], \"strides\": [1, 1, 1, 1], \"padding\": \"VALID\"}"

static void list_ops(const struct paleo_net *net, enum paleo_dtype dtype, unsigned passes,
		     char *text, size_t size)
{
	const struct paleo_ops_options o = {.dtype = dtype, .passes = passes};

	write_ops(net, &o, 1, text, size);
}

static void expect_ops(const char *layers, unsigned passes, const char *expected)
{
	const struct paleo_ops_options o = {.passes = passes};

	expect_ops_with(layers, &o, 1, expected);
}

/*
 * Activations: 2 x 8 x 8 x 4 = 512 values. Pooling leaves 4 x 4 x 4 = 64 for each image.
 * Weights: 3 x 3 x 3 x 4 + 4 = 112 and 64 x 10 + 10 = 650. The convolution reads the
 * data: it has no data gradient.
 */
static void a_training_step_goes_forward_backward_and_updates(void **state)
{
	(void)state;
	expect_ops(
		"\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 8, 8, 3]},"
		"\"a\": {\"type\": \"Convolution\", \"parents\": [\"data\"], \"filter\": [3, 3, 3, "
		"4], \"strides\": [1, 1, 1, 1], \"padding\": \"SAME\", \"activation_fn\": "
		"\"relu\"},"
		"\"p\": {\"type\": \"Pooling\", \"parents\": [\"a\"], \"ksize\": [1, 2, 2, 1],"
		" \"strides\": [1, 2, 2, 1], \"padding\": \"VALID\"},"
		"\"d\": {\"type\": \"Dropout\", \"parents\": [\"p\"], \"dropout_keep_prob\": 0.5},"
		"\"f\": {\"type\": \"InnerProduct\", \"parents\": [\"d\"], \"num_outputs\": 10},"
		"\"s\": {\"type\": \"Softmax\", \"parents\": [\"f\"]}",
		PALEO_PASSES_ALL,
		"a, conv, fwd: conv fwd f32 n=2 c=3 h=8 w=8 k=4 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 "
		"pad_r=1 bias=1\n"
		"a, relu, fwd: eltwise fwd f32 op=relu count=512\n"
		"p, max_pool, fwd: pool fwd f32 mode=max n=2 c=4 h=8 w=8 r=2 s=2 stride_h=2 "
		"stride_w=2\n"
		"d, dropout, fwd: eltwise fwd f32 op=dropout count=128\n"
		"f, inner_product, fwd: gemm fwd f32 m=2 n=10 k=64 trans_b=1 bias=1\n"
		"s, softmax, fwd: softmax fwd f32 rows=2 cols=10\n"
		"s, softmax, bwd_data: softmax bwd_data f32 rows=2 cols=10\n"
		"f, inner_product, bwd_filter: gemm bwd_filter f32 m=10 n=64 k=2 trans_a=1 "
		"bias=1\n"
		"f, inner_product, bwd_data: gemm bwd_data f32 m=2 n=64 k=10\n"
		"d, dropout, bwd_data: eltwise bwd_data f32 op=dropout count=128\n"
		"p, max_pool, bwd_data: pool bwd_data f32 mode=max n=2 c=4 h=8 w=8 r=2 s=2 "
		"stride_h=2 stride_w=2\n"
		"a, relu, bwd_data: eltwise bwd_data f32 op=relu count=512\n"
		"a, conv, bwd_filter: conv bwd_filter f32 n=2 c=3 h=8 w=8 k=4 r=3 s=3 pad_t=1 "
		"pad_l=1 pad_b=1 pad_r=1 bias=1\n"
		"a, update, update: update update f32 rule=sgd count=112\n"
		"f, update, update: update update f32 rule=sgd count=650\n");
}

/* Nothing before the first weights has a gradient: neither the ReLU nor the LRN. */
static void layers_before_the_first_weights_have_no_gradient(void **state)
{
	(void)state;
	expect_ops(DATA
		   ",\"r\": {\"type\": \"ReLU\", \"parents\": [\"data\"]},"
		   "\"l\": {\"type\": \"LRN\", \"parents\": [\"r\"], \"size\": 3}," CONV("c", "l"),
		   PALEO_PASSES_BWD,
		   "c, conv, bwd_filter: conv bwd_filter f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 "
		   "bias=1\n");
}

/* Scale and shift need their gradients though the data does not. */
static void a_normalisation_on_the_data_still_learns(void **state)
{
	(void)state;
	expect_ops(DATA ",\"b\": {\"type\": \"BatchNorm\", \"parents\": [\"data\"]}",
		   PALEO_PASSES_ALL,
		   "b, batch_norm, fwd: norm fwd f32 mode=batch n=2 c=4 h=8 w=8 scale=1 "
		   "shift=1\n"
		   "b, batch_norm, bwd_data: norm bwd_data f32 mode=batch n=2 c=4 h=8 w=8 "
		   "scale=1 shift=1\n"
		   "b, update, update: update update f32 rule=sgd count=8\n");
}

/* Without scale and shift there is no update, and no gradient unless the data before it needs one;
 * then it is an op all the same. */
static void a_normalisation_may_learn_nothing(void **state)
{
	(void)state;
	expect_ops(DATA ",\"b\": {\"type\": \"BatchNorm\", \"parents\": [\"data\"], "
			"\"scale\": false, \"shift\": false}," CONV(
				"c", "b") ","
					  "\"d\": {\"type\": \"BatchNorm\", \"parents\": [\"c\"], "
					  "\"scale\": false, \"shift\": false}",
		   PALEO_PASSES_BWD | 1 << PALEO_PASS_UPDATE,
		   "d, batch_norm, bwd_data: norm bwd_data f32 mode=batch n=2 c=4 h=8 w=8\n"
		   "c, conv, bwd_filter: conv bwd_filter f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 "
		   "bias=1\n"
		   "c, update, update: update update f32 rule=sgd count=20\n");
}

/* Forward: convolution, normalisation, activation; backward the other way round. With batch
 * normalisation there is no bias: 4 x 4 weights and 4 shifts. */
static void what_follows_a_convolution_runs_backward_first(void **state)
{
	(void)state;
	expect_ops(
		DATA "," CONV("a", "data") ","
					   "\"c\": {\"type\": \"Convolution\", \"parents\": "
					   "[\"a\"], \"filter\": [1, 1, 4, 4],"
					   " \"strides\": [1, 2, 2, 1], \"padding\": \"SAME\", "
					   "\"normalizer_fn\": "
					   "\"batch_norm\", \"activation_fn\": \"swish\"}",
		PALEO_PASSES_ALL,
		"a, conv, fwd: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n"
		"c, conv, fwd: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 stride_h=2 stride_w=2\n"
		"c, batch_norm, fwd: norm fwd f32 mode=batch n=2 c=4 h=4 w=4 shift=1\n"
		"c, silu, fwd: eltwise fwd f32 op=silu count=128\n"
		"c, silu, bwd_data: eltwise bwd_data f32 op=silu count=128\n"
		"c, batch_norm, bwd_data: norm bwd_data f32 mode=batch n=2 c=4 h=4 w=4 shift=1\n"
		"c, conv, bwd_filter: conv bwd_filter f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 stride_h=2 "
		"stride_w=2\n"
		"c, conv, bwd_data: conv bwd_data f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 stride_h=2 "
		"stride_w=2\n"
		"a, conv, bwd_filter: conv bwd_filter f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n"
		"a, update, update: update update f32 rule=sgd count=20\n"
		"c, update, update: update update f32 rule=sgd count=20\n");
}

/* a is read by b and by the sum: two gradients meet. Accuracy gives none. The data is read twice,
 * too, but wants no gradient. */
static void gradients_that_meet_are_summed(void **state)
{
	(void)state;
	expect_ops(
		DATA "," CONV("a", "data") "," CONV("b", "a") "," CONV(
			"side", "data") ","
					"\"acc\": {\"type\": \"Accuracy\", \"parents\": [\"a\"]},"
					"\"sum\": {\"type\": \"Elementwise\", \"parents\": [\"a\", "
					"\"b\", \"side\"],"
					" \"activation_fn\": \"relu\"}",
		PALEO_PASSES_BWD,
		"sum, relu, bwd_data: eltwise bwd_data f32 op=relu count=512\n"
		"side, conv, bwd_filter: conv bwd_filter f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n"
		"b, conv, bwd_filter: conv bwd_filter f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n"
		"b, conv, bwd_data: conv bwd_data f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1\n"
		"a, sum of gradients, bwd_data: eltwise fwd f32 op=add inputs=2 count=512\n"
		"a, conv, bwd_filter: conv bwd_filter f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n");
}

/* 100 gradients: one sum of 64 and one of its result with the other 36, that is 37. */
static void many_gradients_are_summed_in_steps(void **state)
{
	char layers[16384];
	size_t at = (size_t)snprintf(layers, sizeof(layers), "%s", DATA "," CONV("a", "data"));

	(void)state;
	for (int i = 0; i < 100; i++)
		at += (size_t)snprintf(layers + at, sizeof(layers) - at,
				       ",\"r%d\": {\"type\": \"Reshape\", \"parents\": [\"a\"], "
				       "\"output_shape\": [-1, 256]}",
				       i);
	expect_ops(layers, PALEO_PASSES_BWD,
		   "a, sum of gradients, bwd_data: eltwise fwd f32 op=add inputs=64 count=512\n"
		   "a, sum of gradients, bwd_data: eltwise fwd f32 op=add inputs=37 count=512\n"
		   "a, conv, bwd_filter: conv bwd_filter f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 "
		   "bias=1\n");
}

/*
 * From 8 x 8 x 4 to 16 x 16 x 6: the convolution it reverses reads 16 x 16 x 6 and
 * gives 8 x 8 x 4; SAME with stride 2 and kernel 3 pads (8 - 1) 2 + 3 - 16 = 1, below
 * and to the right. The output has 2 x 16 x 16 x 6 = 3072 values. Its bias: 256 pixels
 * of 6 channels in 2 images. Weights: 3 x 3 x 6 x 4 + 6 = 222.
 */
static void a_deconvolution_exchanges_the_passes(void **state)
{
	(void)state;
	expect_ops(DATA "," CONV("a", "data") ","
					      "\"u\": {\"type\": \"Deconvolution\", \"parents\": "
					      "[\"a\"], \"filter\": [3, 3, 6, "
					      "4], \"output_shape\": [-1, 16, 16, 6], "
					      "\"strides\": [1, 2, 2, 1], \"padding\": "
					      "\"SAME\"}",
		   PALEO_PASSES_ALL,
		   "a, conv, fwd: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n"
		   "u, deconv, fwd: conv bwd_data f32 n=2 c=6 h=16 w=16 k=4 r=3 s=3 stride_h=2 "
		   "stride_w=2 pad_b=1 pad_r=1\n"
		   "u, bias, fwd: eltwise fwd f32 op=add inputs=2 count=3072\n"
		   "u, bias gradient, bwd_filter: gemm bwd_filter f32 m=6 n=1 k=256 batch=2\n"
		   "u, deconv, bwd_filter: conv bwd_filter f32 n=2 c=6 h=16 w=16 k=4 r=3 s=3 "
		   "stride_h=2 stride_w=2 pad_b=1 pad_r=1\n"
		   "u, deconv, bwd_data: conv fwd f32 n=2 c=6 h=16 w=16 k=4 r=3 s=3 stride_h=2 "
		   "stride_w=2 pad_b=1 pad_r=1\n"
		   "a, conv, bwd_filter: conv bwd_filter f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n"
		   "a, update, update: update update f32 rule=sgd count=20\n"
		   "u, update, update: update update f32 rule=sgd count=222\n");
}

/* Each of two workers computes half of the 6 channels and half of the 8 outputs; the inner product
 * reads 8 x 8 x 6 = 384 values of an image. Concatenating 3 + 3 channels: rows are the images, of
 * 384 values. */
static void splits_divide_the_outputs(void **state)
{
	(void)state;
	expect_ops(
		DATA
		",\"m\": {\"type\": \"ModelParallel\", \"parents\": [\"data\"], \"splits\": 2,"
		" \"layers\": {"
		"\"c\": {\"type\": \"Convolution\", \"parents\": [], \"filter\": [1, 1, 4, 6], "
		"\"strides\": [1, 1, 1, 1], \"padding\": \"VALID\", \"bias\": false},"
		"\"all\": {\"type\": \"Concatenate\", \"parents\": [\"c@all\"], \"dim\": 3},"
		"\"f\": {\"type\": \"InnerProduct\", \"parents\": [\"all@self\"], \"num_outputs\": "
		"8, \"bias\": false}}}",
		PALEO_PASSES_FWD,
		"m/c@0, conv, fwd: conv fwd f32 n=2 c=4 h=8 w=8 k=3 r=1 s=1\n"
		"m/c@1, conv, fwd: conv fwd f32 n=2 c=4 h=8 w=8 k=3 r=1 s=1\n"
		"m/all@0, concat, fwd: copy fwd f32 rows=2 cols=384 parts=2\n"
		"m/f@0, inner_product, fwd: gemm fwd f32 m=2 n=4 k=384 trans_b=1\n"
		"m/all@1, concat, fwd: copy fwd f32 rows=2 cols=384 parts=2\n"
		"m/f@1, inner_product, fwd: gemm fwd f32 m=2 n=4 k=384 trans_b=1\n");
}

/*
 * Channels innermost: 2 x 8 x 8 pixels of 4 + 4 channels; along height each image's 8 + 8 lines of
 * 8 x 4 numbers lie together, along width each line's 8 + 8 pixels of 4. What has no picture is as
 * ever.
 */
static void pictures_may_have_their_channels_innermost(void **state)
{
	const struct paleo_ops_options o = {.layout = PALEO_NHWC, .passes = PALEO_PASSES_FWD};
	struct paleo_net *net = given_net(
		DATA
		","
		"\"a\": {\"type\": \"Pooling\", \"parents\": [\"data\"], \"ksize\": [1, 3, 3, "
		"1], \"strides\": [1, 1, 1, 1], \"padding\": \"SAME\"}," CONV(
			"b", "data") ","
				     "\"deep\": {\"type\": \"Concatenate\", \"parents\": [\"a\", "
				     "\"b\"], \"dim\": "
				     "3},"
				     "\"high\": {\"type\": \"Concatenate\", \"parents\": [\"a\", "
				     "\"b\"], \"dim\": "
				     "1},"
				     "\"wide\": {\"type\": \"Concatenate\", \"parents\": [\"a\", "
				     "\"b\"], \"dim\": "
				     "2},"
				     "\"relu\": {\"type\": \"ReLU\", \"parents\": [\"deep\"]},"
				     "\"f\": {\"type\": \"InnerProduct\", \"parents\": [\"relu\"], "
				     "\"num_outputs\": 10}");
	char text[8192];

	(void)state;
	write_ops(net, &o, 1, text, sizeof(text));
	assert_string_equal(
		text,
		"a, max_pool, fwd: pool fwd f32 mode=max n=2 c=4 h=8 w=8 r=3 s=3 pad_t=1 pad_l=1 "
		"pad_b=1 pad_r=1 layout=nhwc\n"
		"b, conv, fwd: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1 layout=nhwc\n"
		"deep, concat, fwd: copy fwd f32 rows=128 cols=8 parts=2\n"
		"high, concat, fwd: copy fwd f32 rows=2 cols=512 parts=2\n"
		"wide, concat, fwd: copy fwd f32 rows=16 cols=64 parts=2\n"
		"relu, relu, fwd: eltwise fwd f32 op=relu count=1024\n"
		"f, inner_product, fwd: gemm fwd f32 m=2 n=10 k=512 trans_b=1 bias=1\n");
	paleo_net_free(net);
}

/* In memory the order is n, c, h, w: along height a row is one channel of the output, 8 + 8 lines
 * of 8; along width it is one line, 8 + 8 wide. A product's gradients come before the
 * concatenation's parts are read. */
static void other_kinds_become_ops(void **state)
{
	(void)state;
	expect_ops(
		DATA "," CONV("a", "data") "," CONV(
			"b", "data") ","
				     "\"high\": {\"type\": \"Concatenate\", \"parents\": [\"a\", "
				     "\"b\"], \"dim\": 1},"
				     "\"wide\": {\"type\": \"Concatenate\", \"parents\": [\"a\", "
				     "\"b\"], \"dim\": 2},"
				     "\"mul\": {\"type\": \"Elementwise\", \"parents\": [\"a\", "
				     "\"b\"], \"op\": "
				     "\"mul\"},"
				     "\"max\": {\"type\": \"Elementwise\", \"parents\": [\"a\", "
				     "\"b\"], \"op\": "
				     "\"max\"},"
				     "\"ln\": {\"type\": \"LayerNorm\", \"parents\": [\"mul\"]},"
				     "\"up\": {\"type\": \"UpSampling2D\", \"parents\": [\"max\"], "
				     "\"ksize\": [1, 2, 3, "
				     "1]},"
				     "\"mean\": {\"type\": \"AvgPool\", \"parents\": [\"max\"], "
				     "\"global\": true},"
				     "\"pad\": {\"type\": \"AvgPool\", \"parents\": [\"max\"], "
				     "\"ksize\": [1, 3, 3, 1], "
				     "\"strides\": [1, 2, 2, 1], \"padding\": [0, 1, 1, 0], "
				     "\"count_include_pad\": "
				     "true},"
				     "\"sig\": {\"type\": \"Sigmoid\", \"parents\": [\"max\"]},"
				     "\"tanh\": {\"type\": \"Tanh\", \"parents\": [\"max\"]},"
				     "\"act\": {\"type\": \"Activation\", \"parents\": [\"max\"], "
				     "\"fn\": \"gelu\"},"
				     "\"flat\": {\"type\": \"Reshape\", \"parents\": [\"max\"], "
				     "\"output_shape\": [-1, "
				     "256]}",
		PALEO_PASSES_FWD,
		"a, conv, fwd: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n"
		"b, conv, fwd: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n"
		"high, concat, fwd: copy fwd f32 rows=8 cols=128 parts=2\n"
		"wide, concat, fwd: copy fwd f32 rows=64 cols=16 parts=2\n"
		"mul, mul, fwd: eltwise fwd f32 op=mul inputs=2 count=512\n"
		"max, max, fwd: eltwise fwd f32 op=max inputs=2 count=512\n"
		"ln, layer_norm, fwd: norm fwd f32 mode=layer n=2 c=4 h=8 w=8 scale=1 shift=1\n"
		"up, upsample, fwd: upsample fwd f32 mode=nearest n=2 c=4 h=8 w=8 scale_h=2 "
		"scale_w=3\n"
		"mean, avg_pool, fwd: pool fwd f32 mode=avg n=2 c=4 h=8 w=8 r=8 s=8\n"
		"pad, avg_pool, fwd: pool fwd f32 mode=avg_pad n=2 c=4 h=8 w=8 r=3 s=3 stride_h=2 "
		"stride_w=2 pad_l=1 pad_b=1\n"
		"sig, sigmoid, fwd: eltwise fwd f32 op=sigmoid count=512\n"
		"tanh, tanh, fwd: eltwise fwd f32 op=tanh count=512\n"
		"act, gelu, fwd: eltwise fwd f32 op=gelu count=512\n");
}

static void a_product_and_a_concatenation_have_a_backward_pass(void **state)
{
	(void)state;
	expect_ops(DATA "," CONV("a", "data") ","
					      "\"mul\": {\"type\": \"Elementwise\", \"parents\": "
					      "[\"a\", \"data\"], "
					      "\"op\": \"mul\"},"
					      "\"cat\": {\"type\": \"Concatenate\", \"parents\": "
					      "[\"mul\", \"data\"], "
					      "\"dim\": 3}",
		   1u << PALEO_BWD_DATA,
		   "cat, concat, bwd_data: copy bwd_data f32 rows=2 cols=512 parts=2\n"
		   "mul, mul, bwd_data: eltwise bwd_data f32 op=mul inputs=2 count=512\n");
}

static void passes_and_dtype_are_those_asked_for(void **state)
{
	(void)state;
	struct paleo_net *net = given_net(DATA "," CONV("a", "data") "," CONV("b", "a"));
	char text[1024];

	list_ops(net, PALEO_BF16, 1u << PALEO_BWD_DATA | 1u << PALEO_PASS_UPDATE, text,
		 sizeof(text));
	assert_string_equal(text, "b, conv, bwd_data: conv bwd_data bf16 n=2 c=4 h=8 w=8 k=4 r=1 "
				  "s=1\n"
				  "a, update, update: update update bf16 rule=sgd count=20\n"
				  "b, update, update: update update bf16 rule=sgd count=20\n");
	paleo_net_free(net);
}

/* VGG-16's second convolution at batch 64: 2 x 64 x 224 x 224 x 64 x 64 x 3 x 3 =
 * 236,760,072,192, and an addition of the bias for each of 64 x 224 x 224 x 64 = 205,520,896
 * outputs. */
static void vgg16_conv1_2_has_its_flops(void **state)
{
	struct paleo_net *net = NULL;
	struct paleo_op_list list = {0};
	struct paleo_error err = {0};

	(void)state;
	assert_int_equal(paleo_net_load("nets/vgg16.json", 64, &net, &err), PALEO_OK);
	assert_int_equal(paleo_net_ops(net, PALEO_F32, PALEO_PASSES_FWD, &list, &err), PALEO_OK);
	const struct paleo_net_op *w = &list.items[2]; /* behind conv1-1 and its ReLU */
	assert_string_equal(w->layer->name, "conv1-2");
	assert_string_equal(w->what, "conv");
	assert_true(w->op.flops == 236760072192.0 + 205520896.0);
	paleo_op_list_release(&list);
	paleo_net_free(net);
}

/* FLOP of one image's forward pass through convolutions and inner products, biases included. */
static double products(const char *path)
{
	struct paleo_net *net = NULL;
	struct paleo_op_list list = {0};
	struct paleo_error err = {0};
	double flops = 0;

	assert_int_equal(paleo_net_load(path, 1, &net, &err), PALEO_OK);
	assert_int_equal(paleo_net_ops(net, PALEO_F32, PALEO_PASSES_FWD, &list, &err), PALEO_OK);
	for (int i = 0; i < list.count; i++) {
		const struct paleo_op *w = &list.items[i].op;
		if (w->kind == PALEO_CONV || w->kind == PALEO_GEMM)
			flops += w->flops;
	}
	paleo_op_list_release(&list);
	paleo_net_free(net);
	return flops;
}

/*
 * Between 4 x 4 x 1024, 8 x 8 x 512, 16 x 16 x 256 and 32 x 32 x 128 each step costs
 * 2 x 16 x 1024 x 512 x 25 = 2 x 64 x 512 x 256 x 25 = 2 x 256 x 256 x 128 x 25 =
 * 419,430,400; between 32 x 32 x 128 and 64 x 64 x 3 2 x 1024 x 128 x 3 x 25 = 19,660,800. The
 * generator begins with 2 x 100 x 16,384 = 3,276,800, the discriminator ends with 2 x 16,384.
 * Biases: the generator's last one is a sum of its own, no product; the discriminator's are 32 x
 * 32 x 128 of the first convolution and 1 of the inner product.
 */
static void dcgan_has_its_flops(void **state)
{
	(void)state;
	assert_true(products("nets/dcgan_generator.json") ==
		    3 * 419430400.0 + 19660800.0 + 3276800.0);
	assert_true(products("nets/dcgan_discriminator.json") ==
		    3 * 419430400.0 + 19660800.0 + 32768.0 + 131072.0 + 1);
}

/* 2^16 x 2^16 x 2^16 x 2 values are more than an op may have. */
static void a_op_out_of_range_names_its_layer(void **state)
{
	struct paleo_op_list list = {0};
	struct paleo_error err = {0};

	(void)state;
	struct paleo_net *net = given_net("\"data\": {\"type\": \"Input\", \"parents\": [], "
					  "\"tensor\": [2, 65536, 65536, 65536]},"
					  "\"r\": {\"type\": \"ReLU\", \"parents\": [\"data\"]}");
	assert_int_equal(paleo_net_ops(net, PALEO_F32, PALEO_PASSES_ALL, &list, &err),
			 PALEO_EINPUT);
	assert_non_null(strstr(err.text, "layer 'r', relu: "));
	assert_int_equal(list.count, 0);
	assert_null(list.items);
	paleo_net_free(net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_training_step_goes_forward_backward_and_updates),
		cmocka_unit_test(layers_before_the_first_weights_have_no_gradient),
		cmocka_unit_test(a_normalisation_on_the_data_still_learns),
		cmocka_unit_test(a_normalisation_may_learn_nothing),
		cmocka_unit_test(what_follows_a_convolution_runs_backward_first),
		cmocka_unit_test(gradients_that_meet_are_summed),
		cmocka_unit_test(many_gradients_are_summed_in_steps),
		cmocka_unit_test(a_deconvolution_exchanges_the_passes),
		cmocka_unit_test(splits_divide_the_outputs),
		cmocka_unit_test(other_kinds_become_ops),
		cmocka_unit_test(pictures_may_have_their_channels_innermost),
		cmocka_unit_test(a_product_and_a_concatenation_have_a_backward_pass),
		cmocka_unit_test(passes_and_dtype_are_those_asked_for),
		cmocka_unit_test(vgg16_conv1_2_has_its_flops),
		cmocka_unit_test(dcgan_has_its_flops),
		cmocka_unit_test(a_op_out_of_range_names_its_layer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
