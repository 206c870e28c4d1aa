/* test_onnx_producers.c - forms that other producers write: detectors, builders of decoders. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/onnx_expect.h"

/* The 3 best of 10 scores are read once and written once; their places choose boxes. Of whole
 * numbers that come in, the best are whole numbers again. */
static void test_best(void **state)
{
	(void)state;
	free(expect(
		"input s 1x10x6\nlist k 3\none a -1\nlist ax 2\nReduceMax s ax -> m keepdims=0\n"
		"TopK m k -> v i\nUnsqueeze i ax -> u\nlist r 1 1 6\nTile u r -> t\n"
		"GatherElements s t -> y axis=1\noutput y\noutput v\n",
		"Input 1x10x6, Reduce 1x10x1, Reduce 1x1x1, Gather 1x1x3, "
		"Gather 1x3x6",
		0));
	free(expect("input x 1x4x8\ntokens s 1x10\nlist k 4\nTopK s k -> v i axis=1\n"
		    "weight w 32x8\nGather w v -> e\nAdd x e -> y\n",
		    "Input 1x4x8, Input 1x4, Embedding 1x4x8, Elementwise 1x4x8", 32 * 8));
	refuse("input s 1x10\nlist k 11\nTopK s k -> v i\n", NULL,
	       "1 x TopK (of an unknown or invalid number");
}

/* What a decoder looks at in a picture: 2 heads of 4 channels at 5 x 3 places, out of 8 x 8. */
static void test_places(void **state)
{
	(void)state;
	free(expect("input x 2x4x8x8\ninput g 2x5x3x2\nweight w 3x6\nGridSample x g -> y\n"
		    "MatMul y w -> z\n",
		    "Input 2x8x8x4, Input 2x3x2x5, Gather 2x20x3, InnerProduct 2x20x6", 18));
	refuse("input x 1x4x8\ninput g 1x5x3x2\nGridSample x g -> y\n", NULL,
	       "1 x GridSample (of a value that is not an image");
}

/* A table of 10 words of 8 numbers of 4 bits, two in a byte, is that of the last product. A block
 * of 32 or 64 has a scale of 16 or 32 bits, and a zero of 4 where the node has one. */
static void test_few_bits(void **state)
{
	static const struct {
		const char *scale, *node, *weights;
	} blocks[] = {
		{"half", "x q s -> y block_size=32", "\"int4_g32\""},
		{"half", "x q s z -> y block_size=32", "\"int4_g32_zero\""},
		{"weight", "x q s -> y block_size=64", "\"int4_g32\""},
		{"half", "x q s -> y bits=8 block_size=32", "\"int8_g32\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		char lines[256];
		snprintf(lines, sizeof(lines),
			 "input x 1x5x64\nbytes q 10x2x32\n%s s 10x2\npacked z 10x1\n"
			 "com.microsoft.MatMulNBits %s K=64 N=10\n",
			 blocks[i].scale, blocks[i].node);
		char *net = expect(lines, "Input 1x5x64, InnerProduct 1x5x10", 640);
		assert_non_null(strstr(net, blocks[i].weights));
		free(net);
	}
	char *json = expect("tokens t 1x5\nbytes q 10x1x8\nweight s 10x1\nlist f 10 8\n"
			    "Reshape q f -> r\n"
			    "com.microsoft.GatherBlockQuantized r t s -> e bits=8 block_size=16\n"
			    "com.microsoft.MatMulNBits e q s -> y K=8 N=10 bits=8 block_size=16\n",
			    "Input 1x5, Embedding 1x5x8, InnerProduct 1x5x10", 80);
	assert_non_null(strstr(json, "\"tied\": true"));
	free(json);
	free(expect("tokens t 1x5\npacked q 10x4\nweight s 10x1\n"
		    "com.microsoft.GatherBlockQuantized q t s -> e bits=4 block_size=16\n",
		    "Input 1x5, Embedding 1x5x8", 80));
	refuse("tokens t 1x5\nbytes q 10x8\ncom.microsoft.GatherBlockQuantized q t -> e "
	       "gather_axis=1\n",
	       NULL, "1 x GatherBlockQuantized (of a table of another form");
}

/* Queries of 2 heads and keys of 1 are normalised head by head, with 4 factors each, and turned.
 * The size of a cached head is that of the queries' heads, and is not asked for. What has a cache
 * has no backward pass. */
static void test_heads(void **state)
{
	static const char lines[] =
		"input x 1x3x8\nweight w 8x16\nMatMul x w -> a\ninput k 1x1xpastxhead\n"
		"input v 1x1xpastxhead\nweight f 4\nweight g 4\n"
		"GroupQueryAttention a - - k v - - - - - - - - - f g -> y num_heads=2 "
		"kv_num_heads=1 do_rotary=1\n";
	char *json = NULL;
	struct paleo_error err;

	(void)state;
	assert_int_equal(convert(lines, "past=7", &json, &err), PALEO_OK);
	assert_non_null(strstr(json, "\"past\": 7"));
	struct paleo_net *net = NULL;
	struct paleo_op_list ops = {0};
	assert_int_equal(paleo_net_parse("small", json, strlen(json), 0, &net, &err), PALEO_OK);
	free(json);
	assert_int_equal(paleo_net_ops(net, PALEO_F32, PALEO_PASSES_ALL, &ops, &err),
			 PALEO_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "'--pass fwd'"));
	paleo_op_list_release(&ops);
	paleo_net_free(net);
	free(expect("input x 1x3x8\nweight w 8x16\nMatMul x w -> a\nweight f 4\nweight g 4\n"
		    "GroupQueryAttention a - - - - - - - - - - - - - f g -> y num_heads=2 "
		    "kv_num_heads=1 do_rotary=1\n",
		    "Input 1x3x8, InnerProduct 1x3x16, Slice 1x3x8, Slice 1x3x4, Slice 1x3x4, "
		    "Reshape 1x6x4, RMSNorm 1x6x4, Reshape 1x3x8, Reshape 1x3x4, RMSNorm 1x3x4, "
		    "Reshape 1x3x4, Rope 1x3x8, Rope 1x3x4, FusedAttention 1x3x8",
		    128 + 8));
}

/* All sizes that are missing are asked for at once. A cache without tokens is none. */
static void test_sizes(void **state)
{
	static const char open[] =
		"input x batchxlengthx8\ninput c batchx1xpastxdeep\ninput d batchx1xpastxdeep\n"
		"weight w 8x16\nMatMul x w -> a\n"
		"GroupQueryAttention a - - c d -> y num_heads=2 kv_num_heads=1\n";
	static const char empty[] =
		"input x 1x2x8\ninput c 1xpastx8\nConcat c x -> y axis=1\nRelu y -> z\n";
	char *json = NULL;
	struct paleo_error err;

	(void)state;
	refuse(open, NULL,
	       "input 'x': dimension 1, 'length', has no size in the file, give it one after "
	       "the name: small.onnx:length=N,past=N");
	assert_int_equal(convert(empty, "past=0", &json, &err), PALEO_OK);
	assert_null(strstr(json, "Concatenate"));
	free(json);
	refuse(empty, "0", "is not a dimension size");
	refuse(empty, "past=-1", "is not a dimension size");
}

/* Zeros around a picture, of which a part is taken or a function, are there. */
static void test_cropped(void **state)
{
	(void)state;
	free(expect("input x 1x2x4x4\nlist p 0 0 1 1 0 0 1 1\nPad x p -> y\nlist from 1 1\n"
		    "list to 9 9\nlist ax 2 3\nSlice y from to ax -> z\nRelu z -> r\noutput r\n",
		    "Input 1x4x4x2, Gather 1x6x6x2, Slice 1x5x6x2, Slice 1x5x5x2, "
		    "Activation 1x5x5x2",
		    0));
	free(expect("input x 1x2x4x4\nlist p 0 0 1 1 0 0 1 1\nPad x p -> y\nExp y -> z\noutput z\n",
		    "Input 1x4x4x2, Gather 1x6x6x2, Activation 1x6x6x2", 0));
}

/* 4 experts of inner size 6, 2 of them for each token: 4 x (8 x 12 + 12 + 6 x 8 + 8) numbers. Those
 * of 4 bits are half as many bytes. The product in front gives scores: 8 x 4. */
static void test_experts(void **state)
{
	(void)state;
	char *json = expect("input x 1x5x8\nweight r 8x4\nMatMul x r -> m\nlist f 5 4\n"
			    "Reshape m f -> s\nweight a 4x12x8\nweight b 4x12\nweight c 4x8x6\n"
			    "weight d 4x8\nMoE x s a b c d -> y k=2\n",
			    "Input 1x5x8, InnerProduct 1x5x4, Experts 1x5x8",
			    32 + 4 * (96 + 12 + 48 + 8));
	assert_non_null(strstr(json, "\"top\": 2"));
	assert_non_null(strstr(json, "\"gated\": true"));
	free(json);
	json = expect("input x 1x5x8\nweight r 8x4\nMatMul x r -> m\npacked a 4x12x4\n"
		      "half s 4x12\npacked c 4x8x3\nhalf t 4x8\n"
		      "QMoE x m a s - c t -> y k=2 expert_weight_bits=4 block_size=32\n",
		      "Input 1x5x8, InnerProduct 1x5x4, Experts 1x5x8", 32 + 4 * (96 + 48));
	assert_non_null(strstr(json, "\"weights\": \"int4_g32\""));
	free(json);
	refuse("input x 1x5x8\nweight r 8x4\nMatMul x r -> m\nweight a 4x13x8\nweight c 4x8x6\n"
	       "MoE x m a - c -> y k=2\n",
	       NULL, "1 x MoE (of experts of another form");
	refuse("input x 1x5x8\ninput m 1x4x4\nweight a 4x12x8\nweight c 4x8x6\n"
	       "MoE x m a - c -> y k=2\n",
	       NULL, "1 x MoE (of tokens and scores that do not fit");
	/* tokens that are no layer's output */
	refuse("input m 1x5x4\nlist x 5 8\nweight a 4x12x8\nweight c 4x8x6\n"
	       "MoE x m a - c -> y k=2\n",
	       NULL, "convert 1 x MoE (of a value that is not a layer's output); docs");
}

/* A query that sees 3 keys, and a learned number for each of 2 heads in the softmax. */
static void test_limits(void **state)
{
	(void)state;
	char *json = expect("input x 1x9x8\nweight w 8x16\nMatMul x w -> a\nweight s 2\n"
			    "GroupQueryAttention a - - - - - - - - - - s -> y num_heads=2 "
			    "kv_num_heads=1 local_window_size=3\n",
			    "Input 1x9x8, InnerProduct 1x9x16, Slice 1x9x8, Slice 1x9x4, Slice "
			    "1x9x4, FusedAttention 1x9x8",
			    128 + 2);
	(void)state;
	assert_non_null(strstr(json, "\"window\": 3"));
	free(json);
}

/* Keras takes the mean away behind the product with 1 / root, factors with it, and the shift
 * first: with both, with factors alone, with none. */
static void test_apart(void **state)
{
#define STEPS                                                                                      \
	"input x 1x5x8\nweight g 8\nweight b 8\none e 0.001\nReduceMean x -> m axes=-1,\n"         \
	"Sub x m -> c\nMul c c -> q\nReduceMean q -> v axes=-1,\nAdd v e -> w\nSqrt w -> d\n"      \
	"Reciprocal d -> i\n"
	(void)state;
	free(expect(STEPS "Neg m -> n\nMul i g -> f\nMul x f -> s\nMul n f -> o\nAdd o b -> p\n"
			  "Add s p -> y\n",
		    "Input 1x5x8, LayerNorm 1x5x8", 16));
	free(expect(STEPS "Mul i g -> f\nMul x f -> s\nMul m f -> o\nSub b o -> p\n"
			  "Add s p -> y\n",
		    "Input 1x5x8, LayerNorm 1x5x8", 16));
	free(expect(STEPS "Mul g i -> f\nMul f x -> s\nMul m f -> o\nSub s o -> y\n",
		    "Input 1x5x8, LayerNorm 1x5x8", 8));
	free(expect(STEPS "Mul x i -> s\nMul m i -> o\nSub s o -> y\n",
		    "Input 1x5x8, LayerNorm 1x5x8", 0));
}

/* Features of one branch of a net meet those of another, which were a picture or pairs of rows:
 * each number of one is that of the other. */
static void test_branches(void **state)
{
	(void)state;
	free(expect(
		"input a 2x8\nweight w 8x6\nMatMul a w -> p\ninput b 2x6x4x4\n"
		"ReduceMean b -> m axes=2,3 keepdims=0\nMul p m -> y\n",
		"Input 2x1x1x8, Input 2x4x4x6, InnerProduct 2x6, AvgPool 2x1x1x6, Reshape 2x1x6, "
		"Reshape 2x1x6, Elementwise 2x1x6",
		48));
	free(expect("input a 1x6\nweight w 6x6\nMatMul a w -> p\ninput b 1x3x6\nlist k 0 2 5 7\n"
		    "list f 1 18\nReshape b f -> r\nGather r k -> g axis=1\n"
		    "Concat p g -> y axis=1\n",
		    "Input 1x1x1x6, Input 1x3x6, InnerProduct 1x6, Gather 1x1x4, Reshape 1x1x6, "
		    "Concatenate 1x1x10",
		    36));
}

/* What diffusion transformers give is patches of a picture, 2 x 2 of 3 x 5 with 4 channels, put
 * together by letters. */
static void test_letters(void **state)
{
	(void)state;
	free(expect("input x 1x15x8\nweight w 8x16\nMatMul x w -> p\nlist a 1 3 5 2 2 4\n"
		    "Reshape p a -> r\nEinsum r -> t equation:nhwpqc->nchpwq\nlist b 1 4 6 10\n"
		    "Reshape t b -> y\nweight f 2x4x1x1\nConv y f -> z\n",
		    "Input 1x15x8, InnerProduct 1x15x16, Permute 1x6x10x4, Convolution 1x6x10x2",
		    128 + 8));
	refuse("input x 1x5x8\nEinsum x -> y equation:ntc->nc\n", NULL,
	       "1 x Einsum (with sums of only one operand");
}

/* What ONNX Runtime makes of a diffusion model: 32 factors and shifts, SiLU, a filter; a sum in
 * front with 32 learned addends. Keys and values, or queries too, are one output. */
static void test_diffusion(void **state)
{
	(void)state;
	free(expect("input x 1x8x8x32\nweight g 32\nweight b 32\nweight w 16x32x1x1\n"
		    "GroupNorm x g b -> y activation=1\nNhwcConv y w -> z\n",
		    "Input 1x8x32x8, Permute 1x8x8x32, LayerNorm 1x8x8x32, Activation 1x8x8x32, "
		    "Convolution 1x8x8x16",
		    64 + 512));
	free(expect(
		"input x 1x32x8x8\ninput s 1x32x8x8\nweight g 32\nweight b 32\nweight a 32x1x1\n"
		"SkipGroupNorm x g b s a -> y t channels_last=0\nRelu t -> z\noutput z\n",
		"Input 1x8x8x32, Input 1x8x8x32, Elementwise 1x8x8x32, Position 1x8x8x32, "
		"LayerNorm 1x8x8x32, Activation 1x8x8x32",
		64 + 32));
	free(expect(
		"input x 1x5x8\nweight w 8x8\nweight v 8x16\nMatMul x w -> q\nMatMul x v -> m\n"
		"list f 1 5 2 2 4\nReshape m f -> kv\nMultiHeadAttention q kv -> a num_heads=2\n"
		"weight b 8\nBiasAdd a b x -> y\n",
		"Input 1x5x8, InnerProduct 1x5x8, InnerProduct 1x5x16, Slice 1x5x8, "
		"Slice 1x5x8, FusedAttention 1x5x8, Position 1x5x8, Elementwise 1x5x8",
		64 + 128 + 8));
	free(expect("input x 1x5x8\nweight v 8x24\nMatMul x v -> m\nlist f 1 5 2 3 4\n"
		    "Reshape m f -> p\nMultiHeadAttention p -> a num_heads=2\nweight w 8x6\n"
		    "weight b 6\nGemmFastGelu a w b -> y\n",
		    "Input 1x5x8, InnerProduct 1x5x24, Slice 1x5x8, Slice 1x5x8, Slice 1x5x8, "
		    "FusedAttention 1x5x8, InnerProduct 1x5x6, Activation 1x5x6",
		    192 + 48 + 6));
}

/* GPT-2 as ONNX Runtime has it: 1 token behind 7, whose keys and values come as one. */
static void test_cache(void **state)
{
	(void)state;
	char *json =
		expect("input x 1x1x8\nweight w 8x24\nweight b 24\ninput c 2x1x2x7x4\n"
		       "com.microsoft.Attention x w b - c -> y p num_heads=2 unidirectional=1\n",
		       "Input 1x1x8, InnerProduct 1x1x24, Slice 1x1x8, Slice 1x1x8, Slice "
		       "1x1x8, FusedAttention 1x1x8",
		       192 + 24);
	assert_non_null(strstr(json, "\"past\": 7"));
	free(json);
	refuse("input x 1x1x8\nweight w 8x24\ninput c 1x2x7x4\n"
	       "com.microsoft.Attention x w - - c -> y num_heads=2\n",
	       NULL, "1 x Attention (with a cache of another form");
}

/* A sum of three is two sums. */
static void test_three(void **state)
{
	(void)state;
	free(expect(
		"input x 1x5x8\nweight w 8x8\nMatMul x w -> a\nMatMul a w -> b\nSum x a b -> y\n",
		"Input 1x5x8, InnerProduct 1x5x8, InnerProduct 1x5x8, Elementwise 1x5x8, "
		"Elementwise 1x5x8",
		64));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_best),     cmocka_unit_test(test_places),
		cmocka_unit_test(test_few_bits), cmocka_unit_test(test_heads),
		cmocka_unit_test(test_sizes),    cmocka_unit_test(test_cropped),
		cmocka_unit_test(test_experts),  cmocka_unit_test(test_limits),
		cmocka_unit_test(test_apart),    cmocka_unit_test(test_branches),
		cmocka_unit_test(test_letters),  cmocka_unit_test(test_diffusion),
		cmocka_unit_test(test_three),    cmocka_unit_test(test_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
