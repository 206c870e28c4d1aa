/* test_onnx_exports.c - forms that exporters and ONNX Runtime write, each once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/onnx_expect.h"

/* Queries, keys and values of 5 tokens: three products 8 x 8, two heads of 4. */
#define HEADS                                                                                      \
	"input x 1x5x8\nweight a 8x8\nweight b 8x8\nweight c 8x8\nMatMul x a -> q\n"               \
	"MatMul x b -> k\nMatMul x c -> v\nlist h 1 5 2 4\nReshape q h -> q1\n"                    \
	"Reshape k h -> k1\nReshape v h -> v1\nTranspose q1 -> q2 perm=0,2,1,3\n"                  \
	"Transpose k1 -> k2 perm=0,2,3,1\nTranspose v1 -> v2 perm=0,2,1,3\n"                       \
	"MatMul q2 k2 -> s\n"
#define VALUES                                                                                     \
	"Softmax t -> p axis=-1\nMatMul p v2 -> o\nTranspose o -> o1 perm=0,2,1,3\n"               \
	"list f 1 5 8\nReshape o1 f -> y\nRelu y -> z\noutput z\n"
#define ATTENTION                                                                                  \
	"Input 1x5x8, InnerProduct 1x5x8, InnerProduct 1x5x8, InnerProduct 1x5x8, Attention "      \
	"1x5x8, Activation 1x5x8"
#define FUSED                                                                                      \
	"Input 1x5x8, InnerProduct 1x5x8, InnerProduct 1x5x8, InnerProduct 1x5x8, "                \
	"FusedAttention 1x5x8, Activation 1x5x8"

/* 25 numbers that all heads share are a mask; 2 x 25 are learned. A mask has no row of its own for
 * each query, or one for all heads. */
static void test_masks(void **state)
{
	(void)state;
	free(expect(HEADS "weight m 1x1x5x5\nAdd s m -> t\n" VALUES, ATTENTION, 3 * 64));
	free(expect(HEADS "weight m 5x5\nAdd s m -> t\n" VALUES, ATTENTION, 3 * 64));
	free(expect(HEADS "weight m 1x2x1x5\nAdd s m -> t\n" VALUES, ATTENTION, 3 * 64));
	free(expect(HEADS "weight m 1x2x5x5\nAdd s m -> t\n" VALUES, ATTENTION, 3 * 64 + 50));
}

/* Learned numbers of 2 x 2897 x 2897 scores are more than 2^24 = 16777216; 2 x 2100 x 2100 are
 * less, and twice as many are more. */
static void test_large_table(void **state)
{
	char text[512];
	static const int sides[2] = {2897, 2100};

	(void)state;
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			 "input x 1x%dx4\nweight a 4x4\nweight b 4x4\nMatMul x a -> q\n"
			 "MatMul x b -> k\nlist h 1 %d 2 2\nReshape q h -> q1\n"
			 "Reshape k h -> k1\nTranspose q1 -> q2 perm=0,2,1,3\n"
			 "Transpose k1 -> k2 perm=0,2,3,1\nMatMul q2 k2 -> s\nweight m 2x%dx%d\n"
			 "weight n 2x%dx%d\nAdd s m -> t\nAdd t n -> u\nSoftmax u -> y\n",
			 sides[i], sides[i], sides[i], sides[i], sides[i], sides[i]);
		refuse(text, NULL, "1 x Add (of scores and more than 2^24 parameters");
	}
}

/* Numbers of a table by places that only the file computes, for 5 x 5 scores of 2 heads, are no
 * words: 32 x 2 are learned. */
static void test_places(void **state)
{
	(void)state;
	free(expect(HEADS "tokens r 5x5\nweight table 32x2\nGather table r -> g\n"
			  "Transpose g -> g1 perm=2,0,1\nlist front 0\nUnsqueeze g1 front -> m\n"
			  "Add s m -> t\n" VALUES,
		    ATTENTION, 3 * 64 + 64));
}

/* Swin's scores have a learned factor for each head: 2. */
static void test_factors(void **state)
{
	(void)state;
	free(expect(HEADS "weight m 2x1x1\nExp m -> e\nMul s e -> t\n" VALUES, ATTENTION,
		    3 * 64 + 2));
}

/* A part of no numbers is nothing in a row with others, also if it was to be repeated. */
static void test_nothing(void **state)
{
	(void)state;
	free(expect("input x 1x5x8\nlist from 8\nlist to 99\nlist at 2\nSlice x from to at -> e\n"
		    "Concat x e -> y axis=2\nRelu y -> z\noutput z\n",
		    "Input 1x5x8, Activation 1x5x8", 0));
	free(expect("input x 1x5x8\nweight w 1x0x8\nlist to 1 1 1\nExpand w to -> e\n"
		    "weight t 1x1x8\nConcat t e x -> y axis=1\n",
		    "Input 1x5x8, ClassToken 1x6x8", 8));
}

/* Scores are no numbers where all is masked: one pass, which writes 0 there. Of two outputs one is
 * chosen. */
static void test_choices(void **state)
{
	(void)state;
	free(expect("input x 1x5x8\nTranspose x -> t perm=0,2,1\nMatMul x t -> s\n"
		    "Softmax s -> p\nIsNaN p -> n\none zero 0\nWhere n zero p -> y\noutput y\n",
		    "Input 1x5x8, Reshape 1x5x8, BatchedProduct 1x5x5, Softmax 1x5x5, "
		    "Activation 1x5x5",
		    0));
	free(expect("input x 1x5x8\nweight w 8x8\nMatMul x w -> a\none zero 0\n"
		    "Greater a zero -> c\nRelu x -> b\nWhere c zero b -> y\n",
		    "Input 1x5x8, InnerProduct 1x5x8, Activation 1x5x8, Activation 1x5x8, "
		    "Elementwise 1x5x8",
		    64));
}

/* A window that is larger than the picture has one place; 1 token is a sequence, too. */
static void test_ones(void **state)
{
	(void)state;
	free(expect("input x 1x3x7x5\nAveragePool x -> y kernel_shape=99,99 strides=99,99 "
		    "ceil_mode=1\n",
		    "Input 1x7x5x3, AvgPool 1x1x1x3", 0));
	free(expect(
		"input x 1x1x8\nlist h 1 1 2 4\nReshape x h -> a\nTranspose a -> b perm=0,2,1,3\n"
		"weight w 4x4\nMatMul b w -> c\nTranspose c -> d perm=0,2,1,3\n"
		"list f 1 1 8\nReshape d f -> e\nweight v 8x8\nMatMul e v -> g\nAdd x g -> y\n",
		"Input 1x1x8, Permute 1x2x4, InnerProduct 1x2x4, Reshape 1x1x8, "
		"InnerProduct 1x1x8, Elementwise 1x1x8",
		16 + 64));
}

/* Numbers of the file that weights are multiplied with, as where places are counted: computed for
 * each image, and nobody's weights. 6 x 5 x 1 x 1 and a bias; 2 x 7 and a bias. */
static void test_known(void **state)
{
	(void)state;
	free(expect("input x 1x6x2x2\nlist p 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n"
		    "list s 1 5 2 2\nReshape p s -> q\nCast q -> r to=1\nweight w 6x5x1x1\n"
		    "weight b 6\nConv r w b -> c\nAdd x c -> y\n",
		    "Input 1x2x2x6, Parameter 1x10x2, Permute 1x2x2x5, Convolution 1x2x2x6, "
		    "Elementwise 1x2x2x6",
		    36));
	free(expect("input x 1x7\nlist p 1 2 3 4 5 6\nlist s 3 2\nReshape p s -> q\n"
		    "Cast q -> r to=1\nweight w 2x7\nweight b 7\nGemm r w b -> c\n",
		    "Input 1x1x1x7, Parameter 1x3x2, InnerProduct 1x3x7", 21));
}

/* Of the two graphs of an If that is read which a known condition chooses: the shape of x has 3
 * numbers. The other one may be of what is not known. */
#define BRANCHES                                                                                   \
	"then a\nRelu x -> r\nweight w 8x6\nMatMul r w -> a\nend\nelse b\nNonZero x -> b\nend\n"
static void test_branches(void **state)
{
	(void)state;
	free(expect("input x 1x5x8\nShape x -> s\nSize s -> n\nlist three 3\nEqual n three -> "
		    "c\n" BRANCHES "If c -> y\nTanh y -> z\noutput z\n",
		    "Input 1x5x8, Activation 1x5x8, InnerProduct 1x5x6, Activation 1x5x6", 48));
	refuse("input x 1x5x8\none c 0\n" BRANCHES "If c -> y\n", NULL,
	       "1 x NonZero (unsupported operator");
	refuse("input x 1x5x8\ntokens t 1\nlist one 1\nEqual t one -> c\n" BRANCHES "If c -> y\n",
	       NULL, "cannot convert 1 x If (with an unknown condition");
}

/* ONNX Runtime's product takes either operand turned: 8 x 6 weights stored as 6 x 8, and scores of
 * queries and keys as attention has them. */
static void test_turned_products(void **state)
{
	(void)state;
	free(expect("input x 1x5x8\nweight w 6x8\nFusedMatMul x w -> y transB=1 alpha~0.5\n",
		    "Input 1x5x8, InnerProduct 1x5x6", 48));
	free(expect("input x 1x5x8\nFusedMatMul x x -> y transB=1\n",
		    "Input 1x5x8, Reshape 1x5x8, BatchedProduct 1x5x5", 0));
	free(expect("input x 1x5x8\nweight a 8x8\nweight b 8x8\nweight c 8x8\nMatMul x a -> q\n"
		    "MatMul x b -> k\nMatMul x c -> v\nlist h 1 5 2 4\nReshape q h -> q1\n"
		    "Reshape k h -> k1\nReshape v h -> v1\nTranspose q1 -> q2 perm=0,2,1,3\n"
		    "Transpose k1 -> k2 perm=0,2,1,3\nTranspose v1 -> v2 perm=0,2,1,3\n"
		    "FusedMatMul q2 k2 -> t alpha~0.5 transB=1\n" VALUES,
		    ATTENTION, 3 * 64));
	refuse("input x 1x5x8\nFusedMatMul x x -> y transBatchA=1\n", NULL,
	       "1 x FusedMatMul (of another form");
}

/* A convolution with the sum and the activation behind it in one node: 4 x 4 x 3 x 3 and 4. In
 * other orders of channels it is the same: 2 pictures of 6 x 5. */
static void test_fused(void **state)
{
	(void)state;
	free(expect("input x 2x4x6x5\nweight w 4x4x3x3\nweight b 4\n"
		    "FusedConv x w b x -> y pads=1,1,1,1 activation:Relu\noutput y\n",
		    "Input 2x6x5x4, Convolution 2x6x5x4, Elementwise 2x6x5x4, Activation 2x6x5x4",
		    148));
	free(expect(
		"input x 2x4x6x5\nReorderInput x -> a\nweight w 4x4x3x3\nweight b 4\n"
		"Conv a w b -> y pads=1,1,1,1 activation:Clip\nReorderOutput y -> z channels=4\n"
		"output z\n",
		"Input 2x6x5x4, Convolution 2x6x5x4, Activation 2x6x5x4", 148));
	free(expect("input x 2x4x6x5\nTranspose x -> a perm=0,2,3,1\nweight w 8x4x1x1\n"
		    "NhwcConv a w -> b\nNhwcMaxPool b -> c kernel_shape=2,1 strides=2,1\n"
		    "weight v 8x3\nMatMul c v -> y\n",
		    "Input 2x6x5x4, Convolution 2x6x5x8, Pooling 2x3x5x8, Reshape 2x15x8, "
		    "InnerProduct 2x15x3",
		    32 + 24));
	free(expect("input x 1x5\nweight w 5x8\nFusedGemm x w -> y activation:Tanh\noutput y\n",
		    "Input 1x1x1x5, InnerProduct 1x8, Activation 1x8", 40));
	free(expect("input x 2x4x6x5\nReorderOutput x -> z channels=3\n",
		    "Input 2x6x5x4, Slice 2x6x5x3", 0));
	refuse("input x 2x4x6x5\nReorderOutput x -> z channels=5\n", NULL,
	       "1 x ReorderOutput (of a value with other channels");
}

/* A line stays one behind a normalisation: 4 and 4, 4 x 3. A known filter is nobody's. Places are
 * learned, 5 x 8, and the normalisation of the sum with them, 8 and 8. */
static void test_mixed(void **state)
{
	(void)state;
	free(expect("input x 2x4x6\nweight a 4\nweight b 4\nBatchNormalization x a b a b -> y\n"
		    "Transpose y -> t perm=0,2,1\nweight w 4x3\nMatMul t w -> z\n",
		    "Input 2x4x6, Permute 2x6x1x4, BatchNorm 2x6x1x4, Reshape 2x6x4, "
		    "InnerProduct 2x6x3",
		    8 + 12));
	free(expect("input x 2x1x6x5\nlist f 1 2 1 2\nlist s 1 1 2 2\nReshape f s -> k\n"
		    "Conv x k -> y\n",
		    "Input 2x6x5x1, Convolution 2x5x4x1", 0));
	free(expect("input x 1x5x8\nweight p 1x5x8\nweight a 8\nweight b 8\n"
		    "SkipLayerNormalization x p a b -> y\n",
		    "Input 1x5x8, Position 1x5x8, LayerNorm 1x5x8", 40 + 16));
}

/* Scales bring whole numbers back and cost nothing; a bias is the product's, on either side of a
 * sum: 8 x 6 and 6. Of a table of whole numbers all 9 x 8 are learned, also if 5 are looked up. */
static void test_whole(void **state)
{
	(void)state;
	free(expect("input x 1x5x8\nweight w 8x6\nweight each 6\nweight bias 6\n"
		    "DynamicQuantizeLinear x -> q s p\nMatMulInteger q w p -> y\nCast y -> f to=1\n"
		    "Mul s each -> by\nMul f by -> z\nAdd bias z -> o\noutput o\n",
		    "Input 1x5x8, InnerProduct 1x5x6", 54));
	free(expect("input x 1x5x8\nweight w 8x6\nweight bias 6\none z 0\n"
		    "DynamicQuantizeMatMul x w z z bias -> o\noutput o\n",
		    "Input 1x5x8, InnerProduct 1x5x6", 54));
	free(expect("input x 1x5x8\nweight w 8x6\nbytes bias 6\none s 1\none z 0\n"
		    "QLinearMatMul x s z w s z s z -> p\nQLinearAdd bias s z p s z s z -> o\n"
		    "output o\n",
		    "Input 1x5x8, InnerProduct 1x5x6", 54));
	free(expect(HEADS "one by 1\none z 0\nQuantizeLinear s by z -> u\n"
			  "DequantizeLinear u by z -> t\n" VALUES,
		    ATTENTION, 3 * 64));
	free(expect("input x 1x5x8\nbytes table 9x8\nlist at 0 1 2 3 4\none s 1\none z 0\n"
		    "Gather table at -> rows\nDequantizeLinear rows s z -> f\nAdd x f -> y\n",
		    "Input 1x5x8, Position 1x5x8", 72));
}

/* Attention of ONNX Runtime's: with its own product, 8 x 24 and 24; of three outputs, heads apart
 * or not, with a bias of all three; of one output, 2 heads that share one of keys and values. */
static void test_runtime_attention(void **state)
{
	(void)state;
	free(expect("input x 1x5x8\nweight w 8x24\nweight b 24\n"
		    "com.microsoft.Attention x w b -> y num_heads=2\n",
		    "Input 1x5x8, InnerProduct 1x5x24, Slice 1x5x8, Slice 1x5x8, Slice 1x5x8, "
		    "FusedAttention 1x5x8",
		    192 + 24));
	free(expect("input x 1x5x8\nweight a 8x8\nweight b 8x8\nweight c 8x8\nweight d 24\n"
		    "MatMul x a -> q\nMatMul x b -> k\nMatMul x c -> v\n"
		    "MultiHeadAttention q k v d -> y num_heads=2\nRelu y -> z\noutput z\n",
		    FUSED, 3 * 64 + 24));
	free(expect("input x 1x5x8\nweight a 8x8\nweight b 8x8\nweight c 8x8\nMatMul x a -> q\n"
		    "MatMul x b -> k\nMatMul x c -> v\nlist h 1 5 2 4\nReshape k h -> k1\n"
		    "Reshape v h -> v1\nTranspose k1 -> k2 perm=0,2,1,3\n"
		    "Transpose v1 -> v2 perm=0,2,1,3\n"
		    "MultiHeadAttention q k2 v2 -> y num_heads=2\nRelu y -> z\noutput z\n",
		    FUSED, 3 * 64));
}

/* 1 token of 2 heads of 4, which share one of keys and values, attends to 7 in the cache and
 * itself: one kernel. Queries and keys are turned in the node. */
static void test_cache(void **state)
{
	(void)state;
	char *json = expect("input x 1x1x8\nweight w 8x16\nMatMul x w -> a\ninput k 1x1x7x4\n"
			    "input v 1x1x7x4\nGroupQueryAttention a - - k v -> y num_heads=2 "
			    "kv_num_heads=1 do_rotary=1\n",
			    "Input 1x1x8, Input 1x7x4x1, Input 1x7x4x1, InnerProduct 1x1x16, "
			    "Slice 1x1x8, Slice 1x1x4, Slice 1x1x4, Rope 1x1x8, Rope 1x1x4, "
			    "FusedAttention 1x1x8",
			    128);
	assert_non_null(strstr(json, "\"past\": 7"));
	assert_non_null(strstr(json, "\"cache\": true"));
	free(json);
	json = expect("input x 1x1x8\nweight w 8x8\nMatMul x w -> a\nMatMul x w -> b\n"
		      "MatMul x w -> c\ninput k 1x2x7x4\ninput v 1x2x7x4\n"
		      "Attention a b c - k v -> y q_num_heads=2 kv_num_heads=2\n",
		      "Input 1x1x8, Input 1x7x4x2, Input 1x7x4x2, InnerProduct 1x1x8, "
		      "InnerProduct 1x1x8, InnerProduct 1x1x8, FusedAttention 1x1x8",
		      64);
	free(json);
}

/* A list of parts, each of which is a slice: 3 and 5 of 8, or 4 and 4. */
static void test_lists(void **state)
{
	(void)state;
	free(expect("input x 1x5x8\nlist s 3 5\nSplitToSequence x s -> q axis=-1\none i 1\n"
		    "SequenceAt q i -> y\nRelu y -> z\noutput z\n",
		    "Input 1x5x8, Slice 1x5x5, Activation 1x5x5", 0));
	free(expect("input x 1x5x8\none s 4\nSplitToSequence x s -> q axis=2\none i 1\n"
		    "one j 0\nSequenceAt q i -> y\nSequenceAt q j -> z\nAdd y z -> o\n",
		    "Input 1x5x8, Slice 1x5x4, Slice 1x5x4, Elementwise 1x5x4", 0));
	refuse("input x 1x5x8\none s 4\nSplitToSequence x s -> q axis=2\none i 2\n"
	       "SequenceAt q i -> y\n",
	       NULL, "1 x SequenceAt (of an unknown part");
	refuse("input x 1x5x8\ntokens q 1\none i 0\nSequenceAt q i -> y\n", NULL,
	       "1 x SequenceAt (of a list that is not a split");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_large_table),
		cmocka_unit_test(test_factors),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_ones),
		cmocka_unit_test(test_turned_products),
		cmocka_unit_test(test_fused),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_mixed),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_runtime_attention),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_branches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
