/* test_framework.c - the ops of small nets as frameworks run them, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/predict/predict.h"
#include "tests/unit/given.h"

#define DATA "\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 8, 8, 4]}"
#define CONV(name, parent, more)                                                                   \
	", \"" name "\": {\"type\": \"Convolution\", \"parents\": [\"" parent                      \
	"\"], \"filter\": [1, 1, 4, 4], \"strides\": [1, 1, 1, 1], \"padding\": \"VALID\"" more    \
	"}"
#define LAYER(name, type, parents, more)                                                           \
	", \"" name "\": {\"type\": \"" type "\", \"parents\": [" parents "]" more "}"
#define BATCH ", \"normalizer_fn\": \"batch_norm\", \"activation_fn\": \"relu\""

static void expect_ops(const char *layers, struct paleo_ops_options o, const char *expected)
{
	expect_ops_with(layers, &o, 0, expected);
}

/*
 * The data are f32: 2 x 8 x 8 x 4 = 512 are cast, and in each layer its weights, 4 x 4 and 4. The
 * normalisation of rows is f32; what it reads is cast, and its result for the next convolution.
 */
static void eager_mode_casts_what_autocast_casts(void **state)
{
	(void)state;
	expect_ops(DATA CONV("a", "data", "") LAYER("n", "LayerNorm", "\"a\"", "")
			   CONV("b", "n", BATCH),
		   (struct paleo_ops_options){.dtype = PALEO_F16,
					      .passes = PALEO_PASSES_FWD,
					      .framework = PALEO_FRAMEWORK_EAGER},
		   "a, cast: eltwise fwd f16 op=add inputs=2 count=20\n"
		   "a, cast: eltwise fwd f16 op=add inputs=2 count=512\n"
		   "a, conv: conv fwd f16 n=2 c=4 h=8 w=8 k=4 r=1 s=1\n"
		   "a, bias: eltwise fwd f16 op=add inputs=2 count=512 small=4\n"
		   "n, cast: eltwise fwd f16 op=add inputs=2 count=512\n"
		   "n, layer_norm: norm fwd f32 mode=layer n=2 c=4 h=8 w=8 scale=1 shift=1\n"
		   "b, cast: eltwise fwd f16 op=add inputs=2 count=20\n"
		   "b, cast: eltwise fwd f16 op=add inputs=2 count=512\n"
		   "b, conv: conv fwd f16 n=2 c=4 h=8 w=8 k=4 r=1 s=1\n"
		   "b, batch_norm: norm fwd f16 mode=batch_inference n=2 c=4 h=8 w=8 shift=1\n"
		   "b, relu: eltwise fwd f16 op=relu count=512\n");
}

/* Compiled, images have channels innermost, casts of activations are merged into their neighbours,
 * normalisation and activation into the sum that reads them. In f32 nothing is cast. */
static void a_compiler_merges_what_goes_element_by_element(void **state)
{
	(void)state;
	expect_ops(DATA CONV("a", "data", BATCH) LAYER("s", "Elementwise", "\"data\", \"a\"", ""),
		   (struct paleo_ops_options){.passes = PALEO_PASSES_FWD,
					      .framework = PALEO_FRAMEWORK_COMPILED},
		   "a, conv: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 layout=nhwc\n"
		   "s, add: eltwise fwd f32 op=add inputs=2 count=512\n");
}

/* Backward the gradient of 16 weights and 4 biases is cast to f32, a bias' gradient sums 64 pixels
 * of 2 x 4 planes; weights and the optimiser's state are f32. */
static void training_has_f32_weights_and_gradients_of_biases(void **state)
{
	(void)state;
	expect_ops(DATA CONV("a", "data", ""),
		   (struct paleo_ops_options){.dtype = PALEO_BF16,
					      .passes = PALEO_PASSES_BWD | 1 << PALEO_PASS_UPDATE,
					      .framework = PALEO_FRAMEWORK_EAGER,
					      .optimizer = PALEO_ADAM},
		   "a, cast: eltwise fwd bf16 op=add inputs=2 count=20\n"
		   "a, conv: conv bwd_filter bf16 n=2 c=4 h=8 w=8 k=4 r=1 s=1\n"
		   "a, bias gradient: reduce fwd bf16 op=sum rows=8 cols=64\n"
		   "a, update: update update f32 rule=adam count=20\n");
}

#define KEYS_AND_VALUES                                                                            \
	"k, cast: eltwise fwd f16 op=add inputs=2 count=72\n"                                      \
	"k, inner_product: gemm fwd f16 m=6 n=8 k=8 trans_b=1 bias=1\n"                            \
	"v, cast: eltwise fwd f16 op=add inputs=2 count=72\n"                                      \
	"v, inner_product: gemm fwd f16 m=6 n=8 k=8 trans_b=1 bias=1\n"

/*
 * 3 queries of 8 channels, of 2 heads, attend to 3 keys: 2 x 2 x 3 x 3 = 36 scores. Apart, they are
 * scaled, cast, normalised in f32 and cast back; back, the same in the reverse order.
 */
static void attention_is_one_kernel_or_many(void **state)
{
	static const char net[] =
		"\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 3, 8]}" LAYER(
			"k", "InnerProduct", "\"data\"", ", \"num_outputs\": 8")
			LAYER("v", "InnerProduct", "\"data\"", ", \"num_outputs\": 8") LAYER(
				"a", "FusedAttention", "\"data\", \"k\", \"v\"", ", \"heads\": 2");
	struct paleo_ops_options o = {.dtype = PALEO_F16,
				      .passes = PALEO_PASSES_FWD,
				      .framework = PALEO_FRAMEWORK_COMPILED};
	(void)state;
	expect_ops(net, o,
		   KEYS_AND_VALUES "a, attention: attention fwd f16 batch=2 q=3 keys=3 heads=2 "
				   "kv_heads=2 qk=4 v=4\n");
	o.separate_attention = 1;
	expect_ops(net, o,
		   KEYS_AND_VALUES "a, split heads: copy bwd_data f16 rows=6 cols=8 parts=2\n"
				   "a, split heads: copy bwd_data f16 rows=6 cols=8 parts=2\n"
				   "a, split heads: copy bwd_data f16 rows=6 cols=8 parts=2\n"
				   "a, scores: gemm fwd f16 m=3 n=3 k=4 batch=4 trans_b=1\n"
				   "a, scale: eltwise fwd f16 op=relu count=36\n"
				   "a, cast: eltwise fwd f16 op=add inputs=2 count=36\n"
				   "a, softmax: softmax fwd f32 rows=12 cols=3\n"
				   "a, cast: eltwise fwd f16 op=add inputs=2 count=36\n"
				   "a, context: gemm fwd f16 m=3 n=4 k=3 batch=4\n"
				   "a, join heads: copy fwd f16 rows=6 cols=8 parts=2\n");
}

/* Each dropout between the ops before and behind it. */
static void expect_dropouts(const char *layers, struct paleo_ops_options o, const char *expected)
{
	struct paleo_net *net = given_net(layers);
	struct paleo_op_list list = {0};
	struct paleo_error err = {0};
	char text[1024] = "", key[PALEO_OP_KEY_MAX];
	size_t at = 0;

	if (paleo_net_ops_with(net, &o, &list, &err))
		fail_msg("%s", err.text);
	for (int i = 1; i < list.count - 1; i++) {
		const struct paleo_net_op *item = &list.items[i];
		paleo_op_key(&item->op, key, sizeof(key));
		if (item->op.kind == PALEO_ELTWISE && item->op.geom.eltwise.op == PALEO_DROPOUT)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s, %s, %s\n",
					       item[-1].what, key, item[1].what);
		assert_true(at < sizeof(text));
	}
	assert_string_equal(text, expected);
	paleo_op_list_release(&list);
	paleo_net_free(net);
}

/* In training 36 weights are dropped behind the softmax, and their gradients before its own. A
 * fused kernel stores no mask, and inference drops nothing. */
static void attention_drops_weights_in_training(void **state)
{
	static const char net[] =
		"\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 3, 8]}" LAYER(
			"k", "ReLU", "\"data\"", "")
			LAYER("v", "InnerProduct", "\"data\"", ", \"num_outputs\": 8")
				LAYER("a", "FusedAttention", "\"data\", \"k\", \"v\"",
				      ", \"heads\": 2, \"dropout_keep_prob\": 0.9");
	struct paleo_ops_options o = {.dtype = PALEO_F32,
				      .passes = PALEO_PASSES_FWD | PALEO_PASSES_BWD,
				      .framework = PALEO_FRAMEWORK_EAGER,
				      .separate_attention = 1};
	(void)state;
	expect_dropouts(net, o,
			"softmax, eltwise fwd f32 op=dropout count=36, context\n"
			"context, eltwise bwd_data f32 op=dropout count=36, softmax\n");
	o.separate_attention = 0;
	expect_dropouts(net, o, "");
	o.separate_attention = 1;
	o.passes = PALEO_PASSES_FWD;
	expect_dropouts(net, o, "");
}

static void a_pass_waits_for_the_host(void **state)
{
	(void)state;
	assert_float_equal(paleo_framework_pass_s(1e-3, 100, 5e-6), 1e-3, 0);
	assert_float_equal(paleo_framework_pass_s(1e-4, 100, 5e-6), 5e-4, 1e-12);
	assert_null(paleo_framework_factor_find(PALEO_FRAMEWORK_NONE, 0, PALEO_NCHW));
	assert_null(paleo_framework_factor_find(PALEO_FRAMEWORK_COMPILED, 1, PALEO_NCHW));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eager_mode_casts_what_autocast_casts),
		cmocka_unit_test(a_compiler_merges_what_goes_element_by_element),
		cmocka_unit_test(training_has_f32_weights_and_gradients_of_biases),
		cmocka_unit_test(attention_is_one_kernel_or_many),
		cmocka_unit_test(attention_drops_weights_in_training),
		cmocka_unit_test(a_pass_waits_for_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
