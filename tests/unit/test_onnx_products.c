/* test_onnx_products.c - products of ONNX's that are no plain ones: windows, letters, shared. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/onnx_expect.h"

/* Two pictures of 4 x 4 in windows of 2 x 2: each image has 4 windows of 4 tokens. Queries, keys
 * and values of 2 heads are parts of one product, 8 x 24; 2 x 4 x 4 numbers of a table of 9 x 2 =
 * 18 are added to the scores by place. */
static void test_windows(void **state)
{
	char *json = expect(
		"input x 2x4x4x8\nlist a 2 2 2 2 2 8\nlist b 8 4 8\nlist c 8 4 3 2 4\n"
		"Reshape x a -> r\nTranspose r -> t perm=0,1,3,2,4,5\nReshape t b -> w\n"
		"weight m 8x24\nMatMul w m -> p\nReshape p c -> h\n"
		"Transpose h -> f perm=2,0,3,1,4\none i 0\none j 1\none k 2\n"
		"Gather f i -> q axis=0\nGather f j -> g axis=0\nGather f k -> v axis=0\n"
		"Transpose g -> gt perm=0,1,3,2\nMatMul q gt -> s\n"
		"weight table 9x2\nlist at 0 1 2 3 4 5 6 7 8 0 1 2 3 4 5 6\n"
		"Gather table at -> rows\nlist e 1 4 4 2\nReshape rows e -> sq\n"
		"Transpose sq -> bias perm=0,3,1,2\nAdd s bias -> z\n"
		"Softmax z -> y axis=-1\nMatMul y v -> o\n",
		"Input 2x4x8x4, Permute 2x16x8, InnerProduct 2x16x24, Slice 2x16x8, Slice 2x16x8, "
		"Slice 2x16x8, Attention 2x16x8",
		8 * 24 + 18);
	(void)state;
	assert_non_null(strstr(json, "\"windows\": 4"));
	assert_non_null(strstr(json, "\"table\": 18"));
	free(json);
}

/* Products of any two outputs, with letters or without: x x^T of 5 tokens, and its sum over 5. A
 * product with weights by letters is an inner product, 8 x 6. */
static void test_products(void **state)
{
	(void)state;
	free(expect("input x 1x5x8\nweight w 8x6\nEinsum x w -> y equation:btc,cd->btd\n",
		    "Input 1x5x8, InnerProduct 1x5x6", 48));
	char *json = expect("input x 1x5x8\nTranspose x -> t perm=0,2,1\nMatMul x t -> y\n",
			    "Input 1x5x8, Reshape 1x5x8, BatchedProduct 1x5x5", 0);
	assert_non_null(strstr(json, "\"transposed\": true"));
	free(json);
	free(expect("input x 1x5x8\nlist one 1\nReduceSum x one -> y keepdims=0\n"
		    "ReduceMax y -> z keepdims=0\n",
		    "Input 1x5x8, Reduce 1x1x8, Reduce 1x1x1", 0));
	refuse("input x 1x5x5\nEinsum x -> y equation:bii->bi\n", NULL,
	       "1 x Einsum (of another form than a GEMM of two");
}

/* One matrix for two layers is learned once; a filter's also. What ONNX Runtime makes of products
 * of whole numbers is the product, its weights 8 bits each. */
static void test_shared(void **state)
{
	(void)state;
	char *json = expect("input x 1x5x8\nweight w 8x8\nMatMul x w -> y\nRelu y -> r\n"
			    "MatMul r w -> z\n",
			    "Input 1x5x8, InnerProduct 1x5x8, Activation 1x5x8, "
			    "InnerProduct 1x5x8",
			    64);
	assert_non_null(strstr(json, "\"tied\": true"));
	free(json);
	free(expect("input x 1x4x8x8\nweight w 4x4x3x3\nConv x w -> y pads=1,1,1,1\n"
		    "Conv y w -> z pads=1,1,1,1\n",
		    "Input 1x8x8x4, Convolution 1x8x8x4, Convolution 1x8x8x4", 144));
	free(expect("input x 1x5x8\nweight w 8x6\nDynamicQuantizeLinear x -> q s p\n"
		    "MatMulInteger q w p -> y\nCast y -> f to=1\nMul f s -> z\n",
		    "Input 1x5x8, InnerProduct 1x5x6", 48));
	refuse("input x 1x3x4x8x8\nweight w 8x3x3x3x3\nConv x w -> y\n", NULL,
	       "1 x Conv (of three spatial dimensions");
}

/* A layer of an operator of whole numbers is named after its node, which is the first, no matter
 * when it is made. */
static void test_names(void **state)
{
	(void)state;
	char *json = expect("input x 1x5x8\none s 1\none z 0\noutput y\n"
			    "QLinearSigmoid x s z s z -> y\n",
			    "Input 1x5x8, Activation 1x5x8", 0);
	assert_non_null(strstr(json, "\"QLinearSigmoid_0\""));
	free(json);
	json = expect("input x 1x5x8\nweight w 8x6\none s 1\none z 0\n"
		      "QLinearMatMul x s z w s z s z -> y\n",
		      "Input 1x5x8, InnerProduct 1x5x6", 48);
	assert_non_null(strstr(json, "\"MatMul_0\""));
	free(json);
}

/* No layer has a side above 2^24 = 16777216, whatever a file says. */
static void test_too_large(void **state)
{
	(void)state;
	refuse("tokens t 1x5\nweight w 16777217x8\nGather w t -> y\n", NULL,
	       "1 x Gather (of a table of another form");
	refuse("tokens t 1x5\nweight w 99x16777217\nEmbedLayerNormalization t - w -> y\n", NULL,
	       "1 x EmbedLayerNormalization (of a table of another form");
	refuse("input x 1x5x8\nweight b 16777217\nBiasGelu x b -> y\n", NULL,
	       "1 x BiasGelu (with too large a bias");
	refuse("input x 5x1x8\nweight w 1x4x8\nweight r 1x4x16777217\nRNN x w r -> y\n", NULL,
	       "1 x RNN (of another form");
	refuse("input x 1x2x5x4\nweight w 2x4x4294967300\nMatMul x w -> y\n", NULL,
	       "1 x MatMul (of shapes that do not fit");
	refuse("input x 1x2x5x4\nweight w 4294967298x4x3\nMatMul x w -> y\n", NULL,
	       "1 x MatMul (of shapes that do not fit");
	refuse("input x 1x4x8x8\nweight w 4x4x3x16777217\nConv x w -> y\n", NULL,
	       "1 x Conv (with a filter of another form");
	refuse("input x 1x4x8x8\nweight w 4x4x3x3\n"
	       "Conv x w -> y auto_pad:SAME_UPPER dilations=16777216,16777216\n",
	       NULL, "1 x Conv (with a window that does not fit");
	refuse("input x 1x64x64x4096\nConcat x x x x -> a axis=3\nConcat a a a a -> b axis=3\n"
	       "Concat b b b b -> c axis=3\nConcat c c c c -> d axis=3\n"
	       "Concat d d d d -> e axis=3\nConcat e e e e -> f axis=3\n"
	       "Concat f f -> y axis=3\n",
	       NULL, "1 x Concat (to a side of more than 2^24");
	refuse("input x 1x4x1024x8\nweight w 4x4x3x3\n"
	       "ConvTranspose x w -> y strides=16777216,1\n",
	       NULL, "1 x ConvTranspose (with a window that does not fit");
}

/* Forms of old opsets: numbers say along which axis they lie, and what is an input today is an
 * attribute. 4 x 4 x 9 weights of a filter, 4 of a bias; 256 x 10 of a product. */
static void test_old_forms(void **state)
{
	(void)state;
	free(expect("opset 6\ninput x 1x4x8x8\nweight w 4x4x3x3\nweight b 4\n"
		    "Conv x w -> c pads=1,1,1,1\nAdd c b -> d axis=1 broadcast=1\nRelu d -> "
		    "y\noutput y\n",
		    "Input 1x8x8x4, Convolution 1x8x8x4, Activation 1x8x8x4", 144 + 4));
	refuse("opset 7\ninput x 1x4x8x8\nweight b 4\nAdd x b -> y axis=1 broadcast=1\n", NULL,
	       "1 x Add (of shapes that do not fit");
	free(expect("opset 4\ninput x 1x4x8x8\nweight w 256x10\nReshape x -> r shape=1,-1\n"
		    "MatMul r w -> y\n",
		    "Input 1x8x8x4, Reshape 1x256, InnerProduct 1x10", 2560));
	refuse("opset 4\ninput x 1x4x8x8\nReshape x -> r\n", NULL,
	       "1 x Reshape (to an unknown shape");
	free(expect("opset 7\ninput x 1x4x8x8\nUpsample x -> y scales~1,1,2,3\n",
		    "Input 1x8x8x4, UpSampling2D 1x16x24x4", 0));
	free(expect("opset 7\ninput x 1x4x8x8\nUpsample x -> y scales~1,1,2.5,2\n",
		    "Input 1x8x8x4, Gather 1x20x16x4", 0));
	free(expect("opset 6\ninput x 1x4x8x8\n"
		    "Upsample x -> y height_scale~2 width_scale~3\n",
		    "Input 1x8x8x4, UpSampling2D 1x16x24x4", 0));
	refuse("opset 7\ninput x 1x4x8x8\nUpsample x -> y scales~1,1,2\n", NULL,
	       "1 x Upsample (by unknown factors");
	free(expect("opset 3\ninput x 1x4x8x8\nRelu x -> z\nConcat x z -> y\n",
		    "Input 1x8x8x4, Activation 1x8x8x4, Concatenate 1x8x8x8", 0));
}

/* x times a sigmoid of alpha x is SiLU where alpha is 1. */
static void test_swish(void **state)
{
	(void)state;
	char *json = expect("opset 24\ninput x 1x5x8\nSwish x -> y\noutput y\n",
			    "Input 1x5x8, Activation 1x5x8", 0);
	assert_non_null(strstr(json, "\"silu\""));
	free(json);
	json = expect("opset 24\ninput x 1x5x8\nSwish x -> y alpha~3\noutput y\n",
		      "Input 1x5x8, Activation 1x5x8", 0);
	assert_null(strstr(json, "\"silu\""));
	free(json);
}

/* More than half of the numbers are of 16 bits, or not: 48 of 54, 48 of 102. */
static void test_dtypes(void **state)
{
	static const struct {
		const char *weight, *more, *type;
	} cases[] = {{"half", "6", "\"dtype\": \"f16\""},
		     {"brain", "6", "\"dtype\": \"bf16\""},
		     {"weight", "6", NULL},
		     {"half", "9x6", NULL}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[160];
		snprintf(text, sizeof(text),
			 "input x 1x8\n%s w 8x6\nweight b %s\nMatMul x w -> y\noutput y\n",
			 cases[i].weight, cases[i].more);
		char *json = expect(text, "Input 1x1x1x8, InnerProduct 1x6", 48);
		assert_true(cases[i].type ? strstr(json, cases[i].type) != NULL
					  : !strstr(json, "dtype"));
		free(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows),   cmocka_unit_test(test_products),
		cmocka_unit_test(test_shared),    cmocka_unit_test(test_names),
		cmocka_unit_test(test_too_large), cmocka_unit_test(test_old_forms),
		cmocka_unit_test(test_swish),     cmocka_unit_test(test_dtypes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
