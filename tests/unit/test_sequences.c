/* test_sequences.c - ops of sequences [N, T, C]. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/given.h"

#define LAYER(name, type, parents, more)                                                           \
	"\"" name "\": {\"type\": \"" type "\", \"parents\": [" parents "]" more "}"
#define TOKENS(name, t, c) LAYER(name, "Input", "", ", \"tensor\": [2, " t ", " c "]")
#define OUTPUTS(n) ", \"num_outputs\": " n

/* Compares the net's ops, a line each: layer, what, pass, key. */
static void expect_ops(const char *layers, unsigned passes, enum paleo_layout layout,
		       const char *expected)
{
	const struct paleo_ops_options o = {.passes = passes, .layout = layout};

	expect_ops_with(layers, &o, 1, expected);
}

/* 2 sequences of 5 tokens: each op takes 10 rows. 8 x 12 + 12 = 108 and 12 x 8 = 96 weights. */
static void a_token_is_as_an_image_of_its_own(void **state)
{
	(void)state;
	expect_ops(
		TOKENS("data", "5", "8") "," LAYER("norm", "LayerNorm", "\"data\"", "") "," LAYER(
			"up", "InnerProduct", "\"norm\"",
			OUTPUTS("12") ", \"activation_fn\": \"gelu\"") "," LAYER("down",
										 "InnerProduct",
										 "\"up\"",
										 OUTPUTS("8") ", "
											      "\"bi"
											      "as\""
											      ": "
											      "fals"
											      "e"),
		PALEO_PASSES_ALL, PALEO_NCHW,
		"norm, layer_norm, fwd: norm fwd f32 mode=layer n=10 c=8 h=1 w=1 scale=1 shift=1\n"
		"up, inner_product, fwd: gemm fwd f32 m=10 n=12 k=8 trans_b=1 bias=1\n"
		"up, gelu, fwd: eltwise fwd f32 op=gelu count=120\n"
		"down, inner_product, fwd: gemm fwd f32 m=10 n=8 k=12 trans_b=1\n"
		"down, inner_product, bwd_filter: gemm bwd_filter f32 m=8 n=12 k=10 trans_a=1\n"
		"down, inner_product, bwd_data: gemm bwd_data f32 m=10 n=12 k=8\n"
		"up, gelu, bwd_data: eltwise bwd_data f32 op=gelu count=120\n"
		"up, inner_product, bwd_filter: gemm bwd_filter f32 m=12 n=8 k=10 trans_a=1 "
		"bias=1\n"
		"up, inner_product, bwd_data: gemm bwd_data f32 m=10 n=8 k=12\n"
		"norm, layer_norm, bwd_data: norm bwd_data f32 mode=layer n=10 c=8 h=1 w=1 "
		"scale=1 shift=1\n"
		"norm, update, update: update update f32 rule=sgd count=16\n"
		"up, update, update: update update f32 rule=sgd count=108\n"
		"down, update, update: update update f32 rule=sgd count=96\n");
}

/* Along the tokens a row is a sequence, 5 x 8 + 5 x 8 numbers, along the channels a token, in
 * either layout. A softmax is of a token's channels. */
static void sequences_are_joined_along_tokens_or_channels(void **state)
{
	static const char *const layers =
		TOKENS("data", "5", "8") "," LAYER("r", "RMSNorm", "\"data\"", "") "," LAYER(
			"longer", "Concatenate", "\"data\", \"r\"",
			", \"dim\": 1") "," LAYER("wider", "Concatenate", "\"data\", \"r\"",
						  ", \"dim\": 2") "," LAYER("s", "Softmax",
									    "\"wider\"",
									    "") "," LAYER("flat",
											  "Reshape",
											  "\"data"
											  "\"",
											  ", "
											  "\"output"
											  "_shape\""
											  ": [-1, "
											  "10, 4]");
	static const char *const ops = "longer, concat, fwd: copy fwd f32 rows=2 cols=80 parts=2\n"
				       "wider, concat, fwd: copy fwd f32 rows=10 cols=16 parts=2\n"
				       "s, softmax, fwd: softmax fwd f32 rows=10 cols=16\n";
	char expected[1024];

	(void)state;
	for (int layout = 0; layout < PALEO_LAYOUTS; layout++) {
		snprintf(expected, sizeof(expected),
			 "r, rms_norm, fwd: norm fwd f32 mode=rms n=10 c=8 h=1 w=1 scale=1%s\n%s",
			 layout == PALEO_NHWC ? " layout=nhwc" : "", ops);
		expect_ops(layers, PALEO_PASSES_FWD, (enum paleo_layout)layout, expected);
	}
}

/* 2^20 sequences of 16 tokens are 2^24; at twice the batch they are too many. */
static void tokens_are_counted_at_each_batch(void **state)
{
	struct paleo_net *net = given_net(TOKENS("data", "16", "1")), *more = NULL;
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_net_at_batch(net, 1 << 20, &more, &err), PALEO_OK);
	paleo_net_free(more);
	assert_int_equal(paleo_net_at_batch(net, 1 << 21, &more, &err), PALEO_EINPUT);
	assert_non_null(strstr(err.text, "33554432 tokens, expected at most 16777216"));
	paleo_net_free(net);
}

#define HEADS(name, q, k, v, heads, kv_heads)                                                      \
	LAYER(name, "Attention", "\"" q "\", \"" k "\", \"" v "\"",                                \
	      ", \"heads\": " heads ", \"kv_heads\": " kv_heads)

/*
 * 2 sequences of 5 queries and 7 keys; 6 heads of 4, of which 2 each share one of 3 of keys: 3 x 2
 * products of 5 x 2 rows, 7 keys and 4 channels. Of both operands of both products there is a
 * gradient, in the forms of a layer's passes.
 */
static void attention_is_products_with_a_softmax_between(void **state)
{
	(void)state;
	expect_ops(TOKENS("one", "5", "24") "," TOKENS("two", "7", "12") "," LAYER(
			   "k", "RMSNorm", "\"two\"",
			   "") "," LAYER("v", "ReLU", "\"two\"", "") "," HEADS("a", "one", "k", "v",
									       "6", "3"),
		   PALEO_PASSES_FWD | PALEO_PASSES_BWD, PALEO_NCHW,
		   "k, rms_norm, fwd: norm fwd f32 mode=rms n=14 c=12 h=1 w=1 scale=1\n"
		   "v, relu, fwd: eltwise fwd f32 op=relu count=168\n"
		   "a, split heads, fwd: copy bwd_data f32 rows=10 cols=24 parts=3\n"
		   "a, split heads, fwd: copy bwd_data f32 rows=14 cols=12 parts=3\n"
		   "a, split heads, fwd: copy bwd_data f32 rows=14 cols=12 parts=3\n"
		   "a, scores, fwd: gemm fwd f32 m=10 n=7 k=4 batch=6 trans_b=1\n"
		   "a, softmax, fwd: softmax fwd f32 rows=60 cols=7\n"
		   "a, context, fwd: gemm fwd f32 m=10 n=4 k=7 batch=6\n"
		   "a, join heads, fwd: copy fwd f32 rows=10 cols=24 parts=3\n"
		   "a, split heads, bwd_data: copy bwd_data f32 rows=10 cols=24 parts=3\n"
		   "a, context, bwd_data: gemm bwd_data f32 m=10 n=7 k=4 batch=6 trans_b=1\n"
		   "a, context, bwd_data: gemm bwd_filter f32 m=7 n=4 k=10 batch=6 trans_a=1\n"
		   "a, softmax, bwd_data: softmax bwd_data f32 rows=60 cols=7\n"
		   "a, scores, bwd_data: gemm bwd_data f32 m=10 n=4 k=7 batch=6\n"
		   "a, scores, bwd_data: gemm bwd_filter f32 m=7 n=4 k=10 batch=6 trans_a=1\n"
		   "a, join heads, bwd_data: copy fwd f32 rows=10 cols=24 parts=3\n"
		   "a, join heads, bwd_data: copy fwd f32 rows=14 cols=12 parts=3\n"
		   "a, join heads, bwd_data: copy fwd f32 rows=14 cols=12 parts=3\n"
		   "k, rms_norm, bwd_data: norm bwd_data f32 mode=rms n=14 c=12 h=1 w=1 scale=1\n");
}

/* With one head of keys all heads are next to each other already: nothing is copied. */
static void a_single_head_is_not_copied(void **state)
{
	(void)state;
	expect_ops(TOKENS("q", "5", "8") "," TOKENS("k", "7", "4") "," TOKENS(
			   "v", "7", "4") "," HEADS("a", "q", "k", "v", "2", "1"),
		   PALEO_PASSES_ALL, PALEO_NHWC,
		   "a, scores, fwd: gemm fwd f32 m=10 n=7 k=4 batch=2 trans_b=1\n"
		   "a, softmax, fwd: softmax fwd f32 rows=20 cols=7\n"
		   "a, context, fwd: gemm fwd f32 m=10 n=4 k=7 batch=2\n");
}

/* A row is a token: 2 x 5 of 4 channels are taken, 2 x 5 of 8 have a gradient. */
static void a_part_of_tokens_is_copied_by_tokens(void **state)
{
	(void)state;
	expect_ops(
		TOKENS("data", "5", "8") "," LAYER("norm", "RMSNorm", "\"data\"", "") "," LAYER(
			"part", "Slice", "\"norm\"", ", \"dim\": 2, \"from\": 0, \"size\": 4"),
		PALEO_PASSES_FWD | PALEO_PASSES_BWD, PALEO_NCHW,
		"norm, rms_norm, fwd: norm fwd f32 mode=rms n=10 c=8 h=1 w=1 scale=1\n"
		"part, slice, fwd: copy fwd f32 rows=10 cols=4\n"
		"part, slice, bwd_data: copy fwd f32 rows=10 cols=8\n"
		"norm, rms_norm, bwd_data: norm bwd_data f32 mode=rms n=10 c=8 h=1 w=1 scale=1\n");
}

/* FLOPs of all products of a pass of a shipped net with one sequence, attention's as if no pair
 * were masked. */
static double products(const char *path, unsigned passes)
{
	const struct paleo_ops_options o = {.passes = passes, .separate_attention = 1};
	struct paleo_op_list list = {0};
	struct paleo_net *net = NULL;
	struct paleo_error err;
	double sum = 0;

	if (paleo_net_load(path, 1, &net, &err) || paleo_net_ops_with(net, &o, &list, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < list.count; i++)
		sum += list.items[i].op.kind == PALEO_GEMM ? list.items[i].op.flops : 0;
	paleo_op_list_release(&list);
	paleo_net_free(net);
	return sum;
}

/*
 * A layer's products with weights have 4 x 768 x 768 + 2 x 768 x 3072 = 7,077,888 of them and add
 * 4 x 768 + 3072 + 768 = 6,912 biases to a token; attention has 2 products of T x T x 768. BERT:
 * T = 512. GPT-2: T = 1024, and 768 x 50257 weights behind its layers. Backward each product is
 * two, but the first layer's three on the data are one each, and biases are summed.
 */
static void transformers_have_their_flops(void **state)
{
	const double bert = 512.0 * 12 * (2 * 7077888.0 + 4 * 512.0 * 768);
	const double gpt2 = 1024.0 * 12 * (2 * 7077888.0 + 4 * 1024.0 * 768);
	const double logits = 1024.0 * 2 * 768 * 50257;

	(void)state;
	assert_true(products("nets/bert_base.json", PALEO_PASSES_FWD) == bert + 512.0 * 12 * 6912);
	assert_true(products("nets/bert_base.json", PALEO_PASSES_BWD) ==
		    2 * bert - 512.0 * 3 * 2 * 768 * 768 + 512.0 * 12 * 6912);
	assert_true(products("nets/gpt2.json", PALEO_PASSES_FWD) ==
		    gpt2 + logits + 1024.0 * 12 * 6912);
	assert_true(products("nets/gpt2.json", PALEO_PASSES_BWD) ==
		    2 * (gpt2 + logits) + 1024.0 * 12 * 6912);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_token_is_as_an_image_of_its_own),
		cmocka_unit_test(sequences_are_joined_along_tokens_or_channels),
		cmocka_unit_test(tokens_are_counted_at_each_batch),
		cmocka_unit_test(attention_is_products_with_a_softmax_between),
		cmocka_unit_test(a_single_head_is_not_copied),
		cmocka_unit_test(a_part_of_tokens_is_copied_by_tokens),
		cmocka_unit_test(transformers_have_their_flops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
