/* test_onnx.c - what ONNX's nodes become, and what is refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/onnx_expect.h"

/* 5 x 5 x 3 x 8 = 600 weights and 8 biases; 8 factors and 8 shifts; 8 x 4 x 4 = 128 inputs of 10:
 * 1,280 and 10. 8 pixels with 2 around and a window of 5 give 8. */
static void test_picture(void **state)
{
	char *json =
		expect("input x 2x3x8x8\n"
		       "weight w 8x3x5x5\nweight b 8\nweight s 8\nweight m 10x128\nweight c 10\n"
		       "Conv x w b -> y pads=2,2,2,2 kernel_shape=5,5 strides=1,1\n"
		       "BatchNormalization y s s s s -> z\n"
		       "Relu z -> r\n"
		       "MaxPool r -> p kernel_shape=2,2 strides=2,2\n"
		       "Flatten p -> f\n"
		       "Gemm f m c -> g transB=1\n"
		       "Softmax g -> o\n",
		       "Input 2x8x8x3, Convolution 2x8x8x8, BatchNorm 2x8x8x8, Activation 2x8x8x8, "
		       "Pooling 2x4x4x8, Reshape 2x128, InnerProduct 2x10, Softmax 2x10",
		       600 + 8 + 16 + 1280 + 10);
	(void)state;
	assert_non_null(strstr(json, "\"fn\": \"relu\""));
	free(json);
}

/* A map of one channel, as a segmentation gives: 1 x 1 x 3 x 1 weights and a bias. */
static void test_one_channel(void **state)
{
	(void)state;
	free(expect("input x 1x3x8x8\nweight w 1x3x1x1\nweight b 1\n"
		    "Conv x w b -> y kernel_shape=1,1\n",
		    "Input 1x8x8x3, Convolution 1x8x8x1", 3 + 1));
}

/* Zeros of a Pad are the window's own: (7 + 1 + 0 - 3) / 2 + 1 = 3 lines, (7 + 0 + 2 - 3) / 2 + 1 =
 * 4 pixels each. */
static void test_pad(void **state)
{
	char *json = expect("input x 1x4x7x7\nlist k 0 0 1 0 0 0 0 2\n"
			    "Pad x k -> p\n"
			    "AveragePool p -> y kernel_shape=3,3 strides=2,2\n",
			    "Input 1x7x7x4, AvgPool 1x3x4x4", 0);
	(void)state;
	assert_non_null(strstr(json, "\"count_include_pad\": true"));
	free(json);
}

/* What exporters write for activations that they have no operator for. */
static void test_functions(void **state)
{
	static const char *const cases[][2] = {
		{"Sigmoid x -> s\nMul x s -> y\n", "silu"},
		{"HardSigmoid x -> s alpha~0.16666667\nMul x s -> y\n", "hardswish"},
		{"one l 0\none h 6\nClip x l h -> y\n", "relu6"},
		{"LeakyRelu x -> y alpha~0.01\n", "leaky_relu"},
		{"one c 1.4142135\none i 1\none h 0.5\nDiv x c -> d\nErf d -> e\nAdd e i -> a\n"
		 "Mul x a -> m\nMul m h -> y\n",
		 "gelu"},
		{"one c 0.044715\none k 0.7978846\none i 1\none h 0.5\none three 3\n"
		 "Pow x three -> p\nMul p c -> q\nAdd x q -> r\nMul r k -> t\nTanh t -> u\n"
		 "Add u i -> v\nMul x h -> w\nMul w v -> y\n",
		 "gelu"},
		{"one h 0.5\nTanh x -> t\nMul t h -> y\n", "sigmoid"}, /* none of ours: as costly */
		{"one h 3\nMul x h -> y\n", "leaky_relu"},
	};
	char lines[512], want[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(lines, sizeof(lines), "input x 1x2x4x4\n%sGlobalAveragePool y -> z\n",
			 cases[i][0]);
		char *json = expect(lines, "Input 1x4x4x2, Activation 1x4x4x2, AvgPool 1x1x1x2", 0);
		snprintf(want, sizeof(want), "\"fn\": \"%s\"", cases[i][1]);
		assert_non_null(strstr(json, want));
		free(json);
	}
}

/* A function that the model ends with is a layer, too; it has no reader. */
static void test_last(void **state)
{
	struct paleo_error err = {0};
	char *json = NULL;

	(void)state;
	assert_int_equal(convert("input x 1x2x4x4\noutput y\nSigmoid x -> s\nMul x s -> y\n", NULL,
				 &json, &err),
			 PALEO_OK);
	assert_non_null(strstr(json, "\"fn\": \"silu\""));
	free(json);
}

/* Factor and shift of a normalisation in steps are its own; the product's bias, too: 2 x 6, 6 x 4
 * + 4. */
static void test_norms(void **state)
{
	(void)state;
	free(expect("input x 2x5x6\nweight g 6\nweight b 6\nweight w 6x4\nweight c 4\n"
		    "one two 2\none e 0.00001\n"
		    "ReduceMean x -> m axes=-1,\nSub x m -> d\nPow d two -> q\n"
		    "ReduceMean q -> v axes=-1,\nAdd v e -> a\nSqrt a -> s\nDiv d s -> n\n"
		    "Mul n g -> p\nAdd p b -> o\nMatMul o w -> y\nAdd c y -> z\n",
		    "Input 2x5x6, LayerNorm 2x5x6, InnerProduct 2x5x4", 12 + 28));
	free(expect("input x 2x5x6\nweight g 6\none two 2\none e 0.00001\none i 1\n"
		    "Pow x two -> q\nReduceMean q -> v axes=-1,\nAdd v e -> a\nSqrt a -> s\n"
		    "Div i s -> r\nMul x r -> n\nMul g n -> y\n",
		    "Input 2x5x6, RMSNorm 2x5x6", 6));
}

/* PyTorch's attention: tokens first, one product for queries, keys and values, 2 heads of 4. Its
 * weights: 8 x 24 + 24, 8 x 8 + 8. */
static const char attention[] =
	"input x 2x5x8\nweight w 8x24\nweight b 24\nweight o 8x8\nweight c 8\n"
	"Transpose x -> t perm=1,0,2\nMatMul t w -> p\nAdd p b -> a\n"
	"list z 0\nlist m 8\nlist n 16\nlist l 24\nlist k 2\n"
	"Slice a z m k -> q\nSlice a m n k -> e\nSlice a n l k -> v\n"
	"list s 5 4 4\nReshape q s -> q1\nReshape e s -> e1\nReshape v s -> v1\n"
	"Transpose q1 -> q2 perm=1,0,2\nTranspose e1 -> e2 perm=1,2,0\nTranspose v1 -> v2 "
	"perm=1,0,2\n"
	"one d 2\nDiv q2 d -> q3\nMatMul q3 e2 -> h\nSoftmax h -> i axis=-1\nMatMul i v2 -> j\n"
	"list r 10 8\nTranspose j -> j1 perm=1,0,2\nReshape j1 r -> j2\nGemm j2 o c -> g transB=1\n"
	"list f 5 2 8\nReshape g f -> g1\nTranspose g1 -> g2 perm=1,0,2\nAdd x g2 -> y\n";

static void test_attention(void **state)
{
	char *json =
		expect(attention,
		       "Input 2x5x8, InnerProduct 2x5x24, Slice 2x5x8, Slice 2x5x8, Slice 2x5x8, "
		       "Attention 2x5x8, InnerProduct 2x5x8, Elementwise 2x5x8",
		       216 + 72);
	(void)state;
	assert_non_null(strstr(json, "\"heads\": 2"));
	assert_non_null(strstr(json, "\"view\": true"));
	free(json);
}

/* Channels that change places have to be copied; pixels that become tokens have not. */
static void test_orders(void **state)
{
	(void)state;
	free(expect("input x 2x6x4x4\nlist a 2 2 3 4 4\nlist b 2 6 4 4\n"
		    "Reshape x a -> r\nTranspose r -> t perm=0,2,1,3,4\nReshape t b -> s\n"
		    "MaxPool s -> y kernel_shape=2,2 strides=2,2\n",
		    "Input 2x4x4x6, Permute 2x4x4x6, Pooling 2x2x2x6", 0));
	free(expect("input x 2x6x4x4\nweight w 6x5\nlist a 2 6 -1\n"
		    "Reshape x a -> r\nTranspose r -> t perm=0,2,1\nMatMul t w -> y\n",
		    "Input 2x4x4x6, Reshape 2x16x6, InnerProduct 2x16x5", 30));
}

/* Halves of the channels, joined again in another order with a third. */
static void test_parts(void **state)
{
	char *json = expect("input x 1x6x4x4\n"
			    "Split x -> a b axis=1\nRelu a -> r\nConcat b r x -> y axis=1\n",
			    "Input 1x4x4x6, Slice 1x4x4x3, Slice 1x4x4x3, Activation 1x4x4x3, "
			    "Concatenate 1x4x4x12",
			    0);
	(void)state;
	assert_non_null(strstr(json, "\"from\": 3"));
	assert_null(strstr(json, "\"view\""));
	free(json);
}

/* A side is twice as long behind a transposed convolution, and behind a Resize by known sizes. */
static void test_larger(void **state)
{
	(void)state;
	free(expect("input x 1x4x3x3\nweight w 4x2x2x2\nweight b 2\nlist s 1 2 12 18\n"
		    "ConvTranspose x w b -> y strides=2,2\nResize y - - s -> z mode:nearest\n",
		    "Input 1x3x3x4, Deconvolution 1x6x6x2, UpSampling2D 1x12x18x2",
		    4 * 2 * 2 * 2 + 2));
	/* 4 channels in 2 groups, of 3 outputs each: 4 x 3 x 2 x 2 weights, 6 biases */
	free(expect("input x 1x4x3x3\nweight w 4x3x2x2\nweight b 6\n"
		    "ConvTranspose x w b -> y strides=2,2 group=2\n",
		    "Input 1x3x3x4, Deconvolution 1x6x6x6", 48 + 6));
	/* one and a half times as long: as many numbers are read as written */
	free(expect("input x 1x2x4x4\nlist s 1 2 6 6\nResize x - - s -> z\n",
		    "Input 1x4x4x2, Gather 1x6x6x2", 0));
}

/* Words of 11 and 3 types, which are looked up with numbers that come in, and places of a table of
 * 9, longer than the text of 5: (11 + 9) x 4 and 3 x 4. */
static void test_words(void **state)
{
	char *json =
		expect("tokens w 2x5\ntokens t 2x5\nlist p 0 1 2 3 4\n"
		       "weight a 11x4\nweight b 3x4\nweight c 9x4\n"
		       "Gather a w -> x\nGather b t -> y\nGather c p -> z\nAdd x y -> u\n"
		       "Add u z -> v\nGelu v -> o\noutput o\n",
		       "Input 2x5, Embedding 2x5x4, Input 2x5, Embedding 2x5x4, Elementwise 2x5x4, "
		       "Activation 2x5x4",
		       80 + 12);
	(void)state;
	assert_non_null(strstr(json, "\"num_places\": 9"));
	free(json);
}

/* 7 tokens of 2 sequences, as recurrent layers have them: 4 gates of 3, from 5 and from 3 numbers
 * with 2 biases, 4 x 3 x (5 + 3 + 2) = 120. */
static void test_recurrent(void **state)
{
	(void)state;
	free(expect("input x 7x2x5\nweight w 1x12x5\nweight r 1x12x3\nweight b 1x24\nlist a 1\n"
		    "LSTM x w r b -> y hidden_size=3\nSqueeze y a -> z\n"
		    "weight o 3x4\nMatMul z o -> u\n",
		    "Input 2x7x5, Recurrent 2x7x3, InnerProduct 2x7x4", 120 + 12));
}

/* Shapes are computed by the file itself: 2 x 3 x 4 x 4 becomes 2 x 48. */
static void test_shapes(void **state)
{
	(void)state;
	free(expect("input x 2x3x4x4\nlist z 0\nlist n -1\nweight w 48x5\n"
		    "Shape x -> s\nGather s z -> b\nConcat b n -> t axis=0\nReshape x t -> r\n"
		    "MatMul r w -> y\n",
		    "Input 2x4x4x3, Reshape 2x48, InnerProduct 2x5", 240));
}

static void test_sizes(void **state)
{
	static const char open[] = "input x batchxlengthx6\nweight w 6x5\nMatMul x w -> y\n";
	struct paleo_error err;
	char *json = NULL;

	(void)state;
	refuse(open, NULL,
	       "small.onnx: input 'x': dimension 1, 'length', has no size in the file, give it one "
	       "after the name: small.onnx:length=N");
	assert_int_equal(convert(open, "length=9", &json, &err), PALEO_OK);
	assert_non_null(strstr(json, "9"));
	free(json);
	refuse(open, "length=0", "small.onnx: no input reaches a layer");
	refuse(open, "=4", "is not a dimension size");
}

/* All kinds that are not known are told at once; what follows from them is not counted. */
static void test_unknown(void **state)
{
	(void)state;
	refuse("input x 1x3x4x4\nNonZero x -> a\nRelu a -> b\nNonZero x -> c\nDet a -> d\n", NULL,
	       "small.onnx: cannot convert 2 x NonZero (unsupported operator), 1 x Det "
	       "(unsupported operator)");
	refuse("input x 1x3x4x4\nAdd x x -> y\nSlice x -> z\n", NULL, "1 x Slice");
	/* nothing is of a size that is less than nothing, nor do two of them make it one */
	refuse("input x 1x3x4x4\none c 0.5\nExpand c #2,-3 -> e\nAdd x e -> y\n", NULL,
	       "1 x Expand (of a negative or too large size)");
	refuse("input x 1x3x4x4\none c 0.5\nExpand c #-2,-3 -> e\nMul x e -> y\n", NULL,
	       "1 x Expand (of a negative or too large size)");
	/* an empty list has no first number */
	refuse("input x 1x1\nlist k\nMul x k -> y\n", NULL,
	       "1 x Mul (of a layer's output and nothing)");
	free(expect("input x 1x1\nlist r\nlist t 1\nDropout x r t -> y\n",
		    "Input 1x1x1x1, Dropout 1x1x1x1", 0));
}

/* Every beginning of a file is refused or is itself a model; none ends the program. */
static void test_cut(void **state)
{
	struct paleo_onnx_options o = {0};
	struct paleo_error err;

	(void)state;
	onnx_model(&model, attention);
	for (size_t size = 0; size < model.size; size++) {
		struct paleo_onnx_graph *graph = NULL;
		char *json = NULL;
		if (paleo_onnx_graph_parse("cut.onnx", model.at, size, &graph, &err)) {
			assert_non_null(strstr(err.text, "truncated or damaged"));
			continue;
		}
		if (!paleo_onnx_convert(graph, &o, &json, &err))
			free(json);
		paleo_onnx_graph_free(graph);
	}
}

/* Two heads of 4 numbers share one of keys and values, by an Expand; the first are turned: x cos +
 * (-x2, x1) sin. Behind the softmax a mask of rows without any number. Weights 2 * 64 + 2 * 32. */
static void test_turned(void **state)
{
	char *json = expect(
		"input x 1x5x8\nweight wq 8x8\nweight wk 8x4\nweight wv 8x4\nweight wo 8x8\n"
		"weight cos 1x1x5x4\nweight sin 1x1x5x4\nlist hq 1 5 2 4\nlist hk 1 5 1 4\n"
		"list zero 0\nlist two 2\nlist four 4\nlist last 3\nlist both 1 1 2 5 4\n"
		"list heads 1 2 5 4\nlist flat 1 5 8\none no 0\n"
		"MatMul x wq -> q1\nReshape q1 hq -> q2\nTranspose q2 -> q perm=0,2,1,3\n"
		"Mul q cos -> qc\nSlice q zero two last -> qa\nSlice q two four last -> qb\n"
		"Neg qb -> qn\nConcat qn qa -> qr axis=-1\nMul qr sin -> qs\nAdd qc qs -> qt\n"
		"MatMul x wk -> k1\nReshape k1 hk -> k2\nTranspose k2 -> k perm=0,2,1,3\n"
		"Unsqueeze k two -> k3\nExpand k3 both -> k4\nReshape k4 heads -> k5\n"
		"Transpose k5 -> k6 perm=0,1,3,2\n"
		"MatMul x wv -> v1\nReshape v1 hk -> v2\nTranspose v2 -> v perm=0,2,1,3\n"
		"Unsqueeze v two -> v3\nExpand v3 both -> v4\nReshape v4 heads -> v5\n"
		"MatMul qt k6 -> s1\nSoftmax s1 -> s2 axis=-1\nIsNaN s2 -> n\nWhere n no s2 -> s3\n"
		"MatMul s3 v5 -> c1\nTranspose c1 -> c2 perm=0,2,1,3\nReshape c2 flat -> c3\n"
		"MatMul c3 wo -> y\n",
		"Input 1x5x8, InnerProduct 1x5x8, InnerProduct 1x5x4, InnerProduct 1x5x4, "
		"Rope 1x5x8, Attention 1x5x8, InnerProduct 1x5x8",
		2 * 64 + 2 * 32);
	(void)state;
	assert_non_null(strstr(json, "\"rope\": 4"));
	assert_non_null(strstr(json, "\"kv_heads\": 1"));
	free(json);
	/* what is repeated for something else is written so often: 4 x 5 rows */
	free(expect("input x 1x5x8\nlist four 4 5 8\nExpand x four -> y\nweight w 8x8\n"
		    "MatMul y w -> z\n",
		    "Input 1x5x8, Gather 1x20x8, InnerProduct 1x20x8", 64));
}

/* Of heads of 4 numbers the first two are turned, and joined with the other two: heads of 4 again.
 */
static void test_turned_in_part(void **state)
{
	(void)state;
	free(expect("input x 1x5x8\nweight wq 8x8\nweight wk 8x8\nweight wv 8x8\n"
		    "weight cos 1x1x5x2\nweight sin 1x1x5x2\nlist h 1 5 2 4\nlist flat 1 5 8\n"
		    "list zero 0\nlist one 1\nlist two 2\nlist four 4\nlist last 3\n"
		    "MatMul x wq -> q1\nReshape q1 h -> q2\nTranspose q2 -> q perm=0,2,1,3\n"
		    "Slice q zero two last -> t\nSlice q two four last -> rest\n"
		    "Slice t zero one last -> ta\nSlice t one two last -> tb\nNeg tb -> tn\n"
		    "Concat tn ta -> tr axis=-1\nMul t cos -> tc\nMul tr sin -> ts\n"
		    "Add tc ts -> td\nConcat td rest -> qt axis=-1\n"
		    "MatMul x wk -> k1\nReshape k1 h -> k2\nTranspose k2 -> k perm=0,2,3,1\n"
		    "MatMul x wv -> v1\nReshape v1 h -> v2\nTranspose v2 -> v perm=0,2,1,3\n"
		    "MatMul qt k -> s1\nSoftmax s1 -> s2 axis=-1\nMatMul s2 v -> c1\n"
		    "Transpose c1 -> c2 perm=0,2,1,3\nReshape c2 flat -> c3\n"
		    "Relu c3 -> y\noutput y\n",
		    "Input 1x5x8, InnerProduct 1x5x8, InnerProduct 1x5x8, InnerProduct 1x5x8, "
		    "Rope 1x5x8, Attention 1x5x8, Activation 1x5x8",
		    3 * 64));
}

/* The same as operators of their own. */
static void test_fused(void **state)
{
	(void)state;
	free(expect("input x 1x5x8\nweight wq 8x8\nweight wk 8x4\nweight wv 8x4\nweight t 5x2\n"
		    "MatMul x wq -> q\nMatMul x wk -> k\nMatMul x wv -> v\n"
		    "RotaryEmbedding q t t -> r num_heads=2\n"
		    "Attention r k v -> y q_num_heads=2 kv_num_heads=1\nRelu y -> z\noutput z\n",
		    "Input 1x5x8, InnerProduct 1x5x8, InnerProduct 1x5x4, InnerProduct 1x5x4, "
		    "Rope 1x5x8, FusedAttention 1x5x8, Activation 1x5x8",
		    64 + 2 * 32));
}

/* Words that are looked up in the matrix of the head count once: 10 x 4. */
static void test_tied(void **state)
{
	(void)state;
	free(expect("tokens x 1x3\nweight w 10x4\nGather w x -> e\n"
		    "Transpose w -> t perm=1,0\nMatMul e t -> y\n",
		    "Input 1x3, Embedding 1x3x4, InnerProduct 1x3x10", 40));
}

/* Channels in another order are copied before they are divided; a list of no sizes is one. */
static void test_shuffle(void **state)
{
	(void)state;
	free(expect("input x 1x4x2x2\nlist s 1 2 2 2 2\nlist b 1 4 2 2\nlist h 2 2\n"
		    "Reshape x s -> r\nTranspose r -> t perm=0,2,1,3,4\nReshape t b -> u\n"
		    "Split u h -> v w axis=1\nRelu v -> y\nRelu w -> z\n"
		    "GlobalAveragePool y -> p\nGlobalAveragePool z -> q\n",
		    "Input 1x2x2x4, Permute 1x2x2x4, Slice 1x2x2x2, Permute 1x2x2x4, "
		    "Slice 1x2x2x2, Activation 1x2x2x2, AvgPool 1x1x1x2, Activation 1x2x2x2, "
		    "AvgPool 1x1x1x2",
		    0));
	free(expect("input x 1x4\nlist at 2\nlist end 9\nlist more 4\nShape x -> s\n"
		    "Slice s at end -> none\nlist one 1\nConcat one more none -> t axis=0\n"
		    "Reshape x t -> y\nRelu y -> z\noutput z\n",
		    "Input 1x1x1x4, Activation 1x1x1x4", 0));
}

/* Normalisations of groups cost and learn as those of channels; factors of the groups are none. */
static void test_groups(void **state)
{
	(void)state;
	free(expect("input x 1x4x2x2\nweight i 2\nweight s 4x1x1\nlist g 1 2 8\nlist b 1 4 2 2\n"
		    "Reshape x g -> r\nInstanceNormalization r i i -> n\nReshape n b -> u\n"
		    "Mul u s -> v\nAdd v s -> w\nweight c 4\nInstanceNormalization w c c -> y\n",
		    "Input 1x2x2x4, LayerNorm 1x2x2x4, LayerNorm 1x2x2x4", 8 + 8));
	/* a normalisation that learns nothing */
	free(expect("input x 1x3x4\nlist a -1\none two 2\none e 0.00001\n"
		    "ReduceMean x a -> m\nSub x m -> d\nPow d two -> q\nReduceMean q a -> v\n"
		    "Add v e -> w\nSqrt w -> s\nDiv d s -> y\n",
		    "Input 1x3x4, LayerNorm 1x3x4", 0));
	free(expect("input x 1x8x2x2\nDepthToSpace x -> y blocksize=2\n"
		    "SpaceToDepth y -> z blocksize=4\n",
		    "Input 1x2x2x8, Permute 1x4x4x2, Permute 1x1x1x32", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turned_in_part),
		cmocka_unit_test(test_turned),
		cmocka_unit_test(test_fused),
		cmocka_unit_test(test_tied),
		cmocka_unit_test(test_shuffle),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_one_channel),
		cmocka_unit_test(test_picture),
		cmocka_unit_test(test_pad),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_last),
		cmocka_unit_test(test_norms),
		cmocka_unit_test(test_attention),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_recurrent),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_larger),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
