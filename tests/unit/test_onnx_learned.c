/* test_onnx_learned.c - learned numbers wherever an ONNX file has them; shapes given by input. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/onnx_expect.h"

#define CONV "Input 1x8x8x3, Convolution 1x6x6x4"
#define ROWS "Input 1x1x1x8, InnerProduct 1x5"

/* A filter of 4 x 3 x 3 x 3, a matrix of 8 x 5 and its bias: of Constant nodes, of ConstantOfShape,
 * and computed of them. Zeros in the place of a bias are none where other weights are
 * initializers. */
static void test_places(void **state)
{
	static const struct {
		const char *lines, *layers;
		double weights;
	} all[] = {
		{"input x 1x3x8x8\nConv x #4x3x3x3 -> y\n", CONV, 108},
		{"input x 1x3x8x8\nlist s 4 3 3 3\nConstantOfShape s -> w value#0.5\n"
		 "Conv x w -> y\n",
		 CONV, 108},
		{"input x 1x3x8x8\nlist s 4 3 3 3\nConstantOfShape s -> v value#0.5\n"
		 "Mul v #0.25 -> w\nConv x w -> y\n",
		 CONV, 108},
		{"input x 1x3x8x8\nIdentity #3x3x3x4 -> v\nTranspose v -> w perm=3,2,0,1\n"
		 "Conv x w -> y\n",
		 CONV, 108},
		{"input x 1x3x8x8\nweight w 4x3x3x3\nConv x w #4x1 -> y\n", CONV, 108},
		{"input x 1x8\nMatMul x #8x5 -> y\n", ROWS, 40},
		{"input x 1x8\nlist s 8 5\nReshape #40x1 s -> w\nMatMul x w -> y\n", ROWS, 40},
		{"input x 1x8\nGemm x #8x5 -> y\n", ROWS, 40},
		{"input x 1x8\nMul #8x5 #0.5 -> w\nMatMul x w -> y\n", ROWS, 40},
		{"input x 1x8\nweight w 8x5\nMatMul x w -> t\nweight v 5x5\nMatMul t v -> y\n",
		 ROWS ", InnerProduct 1x5", 65},
		{"input x 1x1\none w 2\nReshape w #1,1 -> m\nGemm x m -> y\n",
		 "Input 1x1x1x1, InnerProduct 1x1", 1},
		{"input x 5x1x8\nLSTM x #1x64x8 #1x64x16 #1x128x1 -> y hidden_size=16\n",
		 "Input 1x5x8, Recurrent 1x5x16", 1664},
		{"input x 1x8\nMatMul x #8x5 -> y\nMatMul x #8x5 -> z\n", ROWS ", InnerProduct 1x5",
		 80},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(expect(all[i].lines, all[i].layers, all[i].weights));
}

/* One matrix for two GEMMs is learned once. */
static void test_once(void **state)
{
	(void)state;
	free(expect("input x 1x8\nIdentity #8x8 -> w\nMatMul x w -> y\nMatMul y w -> z\n",
		    "Input 1x1x1x8, InnerProduct 1x8, InnerProduct 1x8", 64));
}

/* Three inputs with one batch are queries, keys and values, not weights: 2 * 4 * 16 * 16 * 8. */
static void test_inputs(void **state)
{
	(void)state;
	free(expect("input q 1x4x16x8\ninput k 1x4x16x8\ninput v 1x4x16x8\n"
		    "Transpose k -> t perm=0,1,3,2\nMatMul q t -> s\nSoftmax s -> p\n"
		    "MatMul p v -> y\n",
		    "Input 1x16x8x4, Input 1x16x8x4, Input 1x16x8x4, Permute 1x64x8, "
		    "Permute 1x32x16, BatchedProduct 1x64x16, Softmax 1x64x16, Permute 1x64x8, "
		    "BatchedProduct 1x64x8",
		    0));
}

/* 5 x 5 become 10 x 10 with SAME of either side; 12 x 12 by output_shape; a dilation reaches 5. */
static void test_transposed(void **state)
{
	static const struct {
		const char *attributes, *shape;
	} all[] = {{"strides=2,2 auto_pad:SAME_UPPER", "1x10x10x4"},
		   {"strides=2,2 auto_pad:SAME_LOWER", "1x10x10x4"},
		   {"strides=2,2", "1x11x11x4"},
		   {"strides=2,2 output_padding=1,1", "1x12x12x4"},
		   {"strides=2,2 output_shape=10,10", "1x10x10x4"},
		   {"strides=2,2 output_shape=1,4,10,10", "1x10x10x4"},
		   {"dilations=2,2", "1x9x9x4"},
		   {"strides=3,3 auto_pad:SAME_UPPER", "1x15x15x4"}};
	char lines[160], layers[80];

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		snprintf(lines, sizeof(lines),
			 "input x 1x8x5x5\nweight w 8x4x3x3\nConvTranspose x w -> y %s\n",
			 all[i].attributes);
		snprintf(layers, sizeof(layers), "Input 1x5x5x8, Deconvolution %s", all[i].shape);
		free(expect(lines, layers, 288));
	}
	refuse("input x 1x8x5x5\nMaxPool x -> y kernel_shape=3,3 dilations=2,2\n", NULL,
	       "dilation");
	refuse("input x 1x2x8x8x8\nAveragePool x -> y kernel_shape=2,2,2\n", NULL,
	       "three spatial dimensions");
}

/* A whole shape, where one name stands for two sizes; and the value that an If asks for. */
static void test_given(void **state)
{
	struct paleo_error err = {0};
	char *json = NULL;

	(void)state;
	assert_int_equal(convert("input x 1x3x?x?\nweight w 4x3x3x3\nConv x w -> y\n", "x=1x3x8x20",
				 &json, &err),
			 PALEO_OK);
	assert_non_null(strstr(json, "[1, 8, 20, 3]"));
	free(json);
	refuse("input x 1x3x?x?\nweight w 4x3x3x3\nConv x w -> y\n", NULL,
	       "after the name: small.onnx:x=1x3xNxN");
	refuse("input x 1x8\nweight w 8x5\nMatMul x w -> y\n", "z=4", "no input and no dimension");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places), cmocka_unit_test(test_once),
		cmocka_unit_test(test_inputs), cmocka_unit_test(test_transposed),
		cmocka_unit_test(test_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
