/* test_separate_attention.c - one kernel of attention or several ops, for nets and config.json. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/graph.h"
#include "tests/unit/hf_nets.h"

enum {
	TEXT = 8192
};

/* The ops of the layers whose names begin so, in the list's order, and their weights. */
static double write_block(const struct paleo_net *net, const char *prefix,
			  const struct paleo_ops_options *o, char text[TEXT])
{
	struct paleo_op_list list = {0};
	struct paleo_error err = {0};
	char key[PALEO_OP_KEY_MAX];
	double weights = 0;
	size_t at = 0;

	if (paleo_net_ops_with(net, o, &list, &err))
		fail_msg("%s", err.text);
	text[0] = '\0';
	for (int i = 0; i < list.count; i++) {
		const struct paleo_net_op *w = &list.items[i];
		if (strncmp(w->layer->name, prefix, strlen(prefix)) != 0)
			continue;
		paleo_op_key(&w->op, key, sizeof(key));
		at += (size_t)snprintf(text + at, TEXT - at, "%s, %s: %s\n",
				       paleo_pass_name(w->pass), w->what, key);
		assert_true(at < TEXT);
	}
	for (int i = 0; i < net->count; i++)
		if (!strncmp(net->layers[i]->name, prefix, strlen(prefix)))
			weights += paleo_layer_weights(net->layers[i]);
	paleo_op_list_release(&list);
	return weights;
}

static int count_of(const char *text, const char *part)
{
	int count = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		count++;
	return count;
}

/* A block in the middle: at both ends nets differ in embeddings, poolers and heads. */
static void compare(const char *path, const char *prefix, const char *members, const char *words,
		    int separate)
{
	const struct paleo_ops_options o = {
		.dtype = PALEO_BF16, .passes = PALEO_PASSES_ALL, .separate_attention = separate};
	struct paleo_net *config = model_net(members, words), *net = NULL;
	struct paleo_error err = {0};
	char expected[TEXT], found[TEXT];

	if (paleo_net_load(path, 2, &net, &err))
		fail_msg("%s", err.text);
	double weights = write_block(config, "l5_", &o, expected);
	assert_float_equal(write_block(net, prefix, &o, found), weights, 0);
	assert_true(weights > 7e6);
	assert_string_equal(found, expected);
	assert_int_equal(count_of(found, ", attention: "), separate ? 0 : 2);
	assert_int_equal(count_of(found, ", softmax: "), separate ? 2 : 0);
	paleo_net_free(config);
	paleo_net_free(net);
}

static void shipped_nets_are_their_config_json(void **state)
{
	(void)state;
	for (int separate = 0; separate < 2; separate++) {
		compare("nets/gpt2.json", "l5_",
			"\"model_type\": \"gpt2\", \"n_embd\": 768, \"n_layer\": 12, "
			"\"n_head\": 12, \"n_positions\": 1024, \"vocab_size\": 50257",
			"train,batch=2,seq=1024", separate);
		compare("nets/bert_base.json", "l5_",
			"\"model_type\": \"bert\", \"hidden_size\": 768, "
			"\"intermediate_size\": 3072, \"num_hidden_layers\": 12, "
			"\"num_attention_heads\": 12, \"vocab_size\": 30522, "
			"\"max_position_embeddings\": 512, \"type_vocab_size\": 2",
			"train,batch=2,seq=512", separate);
		compare("nets/vit_b_16.json", "block5_",
			"\"model_type\": \"vit\", \"hidden_size\": 768, "
			"\"intermediate_size\": 3072, \"num_hidden_layers\": 12, "
			"\"num_attention_heads\": 12, \"image_size\": 224, \"patch_size\": 16",
			"train,batch=2", separate);
	}
}

#define TOKENS                                                                                     \
	"\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 3, 8]}, "                \
	"\"k\": {\"type\": \"InnerProduct\", \"parents\": [\"data\"], \"num_outputs\": 4}, "       \
	"\"v\": {\"type\": \"InnerProduct\", \"parents\": [\"data\"], \"num_outputs\": 4}, "
#define FUSED(keys)                                                                                \
	TOKENS "\"a\": {\"type\": \"FusedAttention\", \"parents\": [\"data\", \"k\", \"v\"], "     \
	       "\"heads\": 4, \"kv_heads\": 2" keys "}"
#define PLAIN                                                                                      \
	TOKENS "\"a\": {\"type\": \"Attention\", \"parents\": [\"data\", \"k\", \"v\"], "          \
	       "\"heads\": 4, \"kv_heads\": 2}"

/* 4 heads of 2 numbers share 2 of keys: of each of 2 x 2 GEMMs a row for 3 queries of 2 heads. A
 * causal mask hides nothing from them. */
static void one_kernel_becomes_gemms_copies_and_a_softmax(void **state)
{
	struct paleo_ops_options o = {.passes = PALEO_PASSES_FWD | PALEO_PASSES_BWD};
	struct paleo_net *fused = given_net(FUSED(", \"causal\": true"));
	struct paleo_net *plain = given_net(PLAIN);
	char text[TEXT], as_layer[TEXT];

	(void)state;
	write_block(fused, "a", &o, text);
	assert_string_equal(text, "fwd, attention: attention fwd f32 batch=2 q=3 keys=3 heads=4 "
				  "kv_heads=2 qk=2 v=2 causal=1\n"
				  "bwd_data, attention: attention bwd_data f32 batch=2 q=3 keys=3 "
				  "heads=4 kv_heads=2 qk=2 v=2 causal=1\n");
	o.separate_attention = 1;
	write_block(fused, "a", &o, text);
	write_block(plain, "a", &o, as_layer);
	assert_string_equal(text, as_layer);
	assert_string_equal(text,
			    "fwd, split heads: copy bwd_data f32 rows=6 cols=8 parts=2\n"
			    "fwd, split heads: copy bwd_data f32 rows=6 cols=4 parts=2\n"
			    "fwd, split heads: copy bwd_data f32 rows=6 cols=4 parts=2\n"
			    "fwd, scores: gemm fwd f32 m=6 n=3 k=2 batch=4 trans_b=1\n"
			    "fwd, softmax: softmax fwd f32 rows=24 cols=3\n"
			    "fwd, context: gemm fwd f32 m=6 n=2 k=3 batch=4\n"
			    "fwd, join heads: copy fwd f32 rows=6 cols=8 parts=2\n"
			    "bwd_data, split heads: copy bwd_data f32 rows=6 cols=8 parts=2\n"
			    "bwd_data, context: gemm bwd_data f32 m=6 n=3 k=2 batch=4 trans_b=1\n"
			    "bwd_data, context: gemm bwd_filter f32 m=3 n=2 k=6 batch=4 trans_a=1\n"
			    "bwd_data, softmax: softmax bwd_data f32 rows=24 cols=3\n"
			    "bwd_data, scores: gemm bwd_data f32 m=6 n=2 k=3 batch=4\n"
			    "bwd_data, scores: gemm bwd_filter f32 m=3 n=2 k=6 batch=4 trans_a=1\n"
			    "bwd_data, join heads: copy fwd f32 rows=6 cols=8 parts=2\n"
			    "bwd_data, join heads: copy fwd f32 rows=6 cols=4 parts=2\n"
			    "bwd_data, join heads: copy fwd f32 rows=6 cols=4 parts=2\n");
	paleo_net_free(fused);
	paleo_net_free(plain);
}

/* Beside a cache of 2 tokens: 3 queries and their keys are turned, and 5 keys are read. */
static void a_cache_is_turned_and_read(void **state)
{
	const struct paleo_ops_options o = {.passes = PALEO_PASSES_FWD, .separate_attention = 1};
	struct paleo_net *net =
		given_net(FUSED(", \"causal\": true, \"past\": 2, \"cache\": true, \"rope\": 2"));
	char text[TEXT];

	(void)state;
	write_block(net, "a", &o, text);
	assert_string_equal(text, "fwd, rope: rope fwd f32 rows=6 heads=4 dim=2\n"
				  "fwd, rope: rope fwd f32 rows=6 heads=2 dim=2\n"
				  "fwd, split heads: copy bwd_data f32 rows=6 cols=8 parts=2\n"
				  "fwd, split heads: copy bwd_data f32 rows=10 cols=4 parts=2\n"
				  "fwd, split heads: copy bwd_data f32 rows=10 cols=4 parts=2\n"
				  "fwd, scores: gemm fwd f32 m=6 n=5 k=2 batch=4 trans_b=1\n"
				  "fwd, softmax: softmax fwd f32 rows=24 cols=5\n"
				  "fwd, context: gemm fwd f32 m=6 n=2 k=5 batch=4\n"
				  "fwd, join heads: copy fwd f32 rows=6 cols=8 parts=2\n");
	paleo_net_free(net);
}

static void what_has_no_separate_form_is_refused(void **state)
{
	static const char *const keys[] = {"sinks", "top", "cache_type"};
	static const char *const nets[] = {FUSED(", \"causal\": true, \"sinks\": true"),
					   FUSED(", \"causal\": true, \"top\": 2"),
					   FUSED(", \"causal\": true, \"cache_type\": \"fp8\"")};
	const struct paleo_ops_options o = {
		.dtype = PALEO_BF16, .passes = PALEO_PASSES_FWD, .separate_attention = 1};
	(void)state;
	for (size_t i = 0; i < sizeof(nets) / sizeof(nets[0]); i++) {
		struct paleo_net *net = given_net(nets[i]);
		struct paleo_op_list list = {0};
		struct paleo_error err = {0};
		assert_int_equal(paleo_net_ops_with(net, &o, &list, &err), PALEO_EUNSUPPORTED);
		assert_non_null(strstr(err.text, keys[i]));
		assert_non_null(strstr(err.text, "leave --separate-attention out"));
		paleo_net_free(net);
	}
}

/* Whole passes have no cache, no past and no chunks, as one kernel or as several ops. */
static void whole_passes_are_of_whole_sequences(void **state)
{
	static const char *const nets[] = {
		FUSED(", \"causal\": true"),
		FUSED(", \"causal\": true, \"cache\": true, \"rope\": 2"),
		FUSED(", \"causal\": true, \"past\": 2"),
		FUSED(", \"causal\": true, \"chunk\": 2"),
	};
	(void)state;
	for (int i = 0; i < 8; i++) {
		const struct paleo_ops_options o = {.passes = PALEO_PASSES_FWD,
						    .separate_attention = i % 2};
		struct paleo_net *net = given_net(nets[i / 2]);
		struct paleo_op_list list = {0};
		struct paleo_graph graph = {.step_count = 0};
		struct paleo_error err = {0};
		assert_int_equal(paleo_net_ops_with(net, &o, &list, &err), PALEO_OK);
		int rc = paleo_graph_build(net, &list, PALEO_EXTENT_FWD, PALEO_SGD, &graph, &err);
		assert_int_equal(rc, i < 2 ? PALEO_OK : PALEO_EUNSUPPORTED);
		assert_true(rc == PALEO_OK || strstr(err.text, "layer 'a': full passes"));
		paleo_graph_release(&graph);
		paleo_op_list_release(&list);
		paleo_net_free(net);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_nets_are_their_config_json),
		cmocka_unit_test(one_kernel_becomes_gemms_copies_and_a_softmax),
		cmocka_unit_test(a_cache_is_turned_and_read),
		cmocka_unit_test(what_has_no_separate_form_is_refused),
		cmocka_unit_test(whole_passes_are_of_whole_sequences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
