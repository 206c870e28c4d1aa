/* test_hf_compressed.c - models with compressed keys and several residual streams, by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/hf_nets.h"

#define FLASH                                                                                      \
	"\"model_type\": \"deepseek_v4\", \"hidden_size\": 4096, \"num_hidden_layers\": 43, "      \
	"\"num_attention_heads\": 64, \"num_key_value_heads\": 1, \"head_dim\": 512, "             \
	"\"vocab_size\": 129280, \"moe_intermediate_size\": 2048, \"n_routed_experts\": 256, "     \
	"\"n_shared_experts\": 1, \"num_experts_per_tok\": 6, \"q_lora_rank\": 1024, "             \
	"\"o_lora_rank\": 1024, \"o_groups\": 8, \"qk_rope_head_dim\": 64, "                       \
	"\"index_n_heads\": 64, \"index_head_dim\": 128, \"index_topk\": 512, "                    \
	"\"sliding_window\": 128, \"num_hash_layers\": 3, \"hc_mult\": 4, "                        \
	"\"num_nextn_predict_layers\": 1, \"compress_ratios\": [0, 0, 4, 128, 4, 128, 4, 128, "    \
	"4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, " \
	"4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 0]"
/* One layer of each kind: a window of 4; of each 2 tokens a key, of which 2 are chosen; of each 4.
 */
#define SIZES                                                                                      \
	"\"model_type\": \"deepseek_v4\", \"hidden_size\": 8, \"num_hidden_layers\": 3, "          \
	"\"num_key_value_heads\": 1, \"vocab_size\": 10, \"moe_intermediate_size\": 6, "           \
	"\"n_routed_experts\": 4, \"n_shared_experts\": 1, \"num_experts_per_tok\": 2, "           \
	"\"q_lora_rank\": 4, \"o_lora_rank\": 3, \"index_n_heads\": 2, \"index_head_dim\": 2, "    \
	"\"sliding_window\": 4, \"num_hash_layers\": 1, "
#define HEADS "\"num_attention_heads\": 4, \"head_dim\": 4, "
#define REST "\"o_groups\": 2, \"index_topk\": 2, \"qk_rope_head_dim\": 2, \"hc_mult\": 2, "
#define LAYERS                                                                                     \
	"\"layer_types\": [\"sliding_attention\", \"compressed_sparse_attention\", "               \
	"\"heavily_compressed_attention\"], "
#define RATES(sparse, heavy)                                                                       \
	"\"compress_rates\": {\"compressed_sparse_attention\": " sparse                            \
	", \"heavily_compressed_attention\": " heavy "}"
#define SMALL SIZES HEADS REST LAYERS RATES("2", "4")

/*
 * DeepSeek-V4-Flash: transformers 5.24 counts 284,332,230,231, and 256 numbers that choose experts
 * in each of 40 layers. A token leaves 512 numbers in each of 43 layers, a fourth of that more in
 * 21 and a 128th in 20: 44,032 + 5,376 + 160 bytes; of the index a fourth of 128 bytes in 21.
 */
static void counts_flash(void **state)
{
	struct paleo_net *net = model_net(FLASH, "seq=16");

	(void)state;
	assert_true(paleo_net_weights(net) == 284332230231.0 + 40 * 256);
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_TOKEN) == 49568);
	assert_true(paleo_net_index_bytes(net, PALEO_BF16, 0) == 672);
	paleo_net_free(net);
}

/*
 * A layer: norms 2 x 8; 8 x 4, 4, 4 x 16 of queries; 8 x 4, 4 of keys; 8 x 6 and 6 x 8 behind; 4
 * sinks: 252. Streams: twice 16 x 8 + 8 + 3. Experts: 8 x 4, 4 and 1 times 3 x 8 x 6, and 4 numbers
 * beside all routers but the first. Keys of 2 tokens: 8 x 16, 2 x 8, 4; their index 8 x 8, 2 x 4,
 * 2, 4 x 4, 8 x 2. Keys of 4 tokens: 8 x 8, 4 x 4, 4. Streams before the head 16 x 2 + 2 + 1.
 */
static void counts_small(void **state)
{
	const double layer = 252 + 278 + 752;
	struct paleo_net *net = model_net(SMALL, "decode,past=11");

	(void)state;
	assert_true(paleo_net_weights(net) == 3 * layer + 2 * 4 + 148 + 106 + 84 + 35 + 8 + 2 * 80);
	/* of 12 tokens the window keeps 4 in each layer; 6 and 3 keys; 6 of the index */
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_ALL) ==
		    (3 * 4 + 6 + 3) * 4 * 2);
	assert_true(paleo_net_index_bytes(net, PALEO_BF16, 1) == 6 * 2);
	paleo_net_free(net);
}

#define ATTENTION(q, keys, window)                                                                 \
	"attention fwd bf16 batch=1 q=" q " keys=" keys                                            \
	" heads=4 kv_heads=1 qk=4 v=4 causal=1 window=" window " latent=1 cache=1 rope=2"

/* The 12th token sees 4 keys, and 2 that are chosen of 6, or all 3. */
static void decodes(void **state)
{
	static const char *const window[] = {ATTENTION("1", "12", "4"), NULL};
	static const char *const sparse[] = {ATTENTION("1", "12", "6"), NULL};
	static const char *const heavy[] = {ATTENTION("1", "12", "7"), NULL};
	static const char *const index[] = {
		"attention fwd bf16 batch=1 q=1 keys=12 heads=2 kv_heads=1 qk=2 v=1 causal=1 "
		"window=6 latent=1 cache=1 rope=2 kv=fp8",
		"softmax fwd f32 rows=1 cols=6", NULL};
	static const char *const mix[] = {"eltwise fwd bf16 op=add inputs=2 count=8", NULL};
	static const char *const factors[] = {"gemm fwd bf16 m=1 n=8 k=16 trans_b=1 bias=1", NULL};
	static const char *const sum[] = {"eltwise fwd bf16 op=add inputs=2 count=16 small=8",
					  NULL};
	static const char *const pairs[] = {"eltwise fwd bf16 op=mul inputs=2 count=8", NULL};
	static const char *const groups[] = {"gemm fwd bf16 m=1 n=3 k=8 batch=2", NULL};
	static const char *const one_group[] = {"gemm fwd bf16 m=1 n=3 k=8", NULL};
	struct paleo_net *net = model_net(SMALL, "decode,past=11");

	(void)state;
	check_ops(net, "l1_attention", window);
	check_ops(net, "l2_attention", sparse);
	check_ops(net, "l3_attention", heavy);
	check_ops(net, "l2_index", index);
	check_ops(net, "l2_mix1", mix);
	check_ops(net, "l2_mix2_factors", factors);
	check_ops(net, "l2_sum2", sum);
	check_ops(net, "l2_compressed", pairs);
	check_ops(net, "l3_project_groups", groups);
	paleo_net_free(net);
	net = model_net(SMALL, "decode,past=11,tp=2");
	check_ops(net, "l3_project_groups", one_group);
	paleo_net_free(net);
	/* a stage takes in all streams */
	net = model_net(SMALL, "decode,past=11,pp=2");
	assert_int_equal(net->layers[0]->out.c, 16);
	paleo_net_free(net);
}

/* Of 8 tokens, pairs with the window: 1 + 2 + 3 + 5 x 4 = 26. With keys of 4 tokens: 4 x 1 + 2, in
 * all 32; a window of 6 has 1 + ... + 6 + 2 x 6 = 33, of 5 it has 30. With keys of 2 tokens, of
 * which 2: 0 + 1 + 1 + 5 x 2, in all 38, more than the 36 there are. */
static void takes_prompts_in(void **state)
{
	static const char *const sparse[] = {ATTENTION("8", "8", "8"), NULL};
	static const char *const heavy[] = {ATTENTION("8", "8", "6"), NULL};
	struct paleo_net *net = model_net(SMALL, "seq=8");

	(void)state;
	check_ops(net, "l2_attention", sparse);
	check_ops(net, "l3_attention", heavy);
	paleo_net_free(net);
}

/* What a window stands for, counted query by query. */
static void windows_have_as_many_pairs(void **state)
{
	static const int sizes[][5] = {/* queries, keys, window, ratio, top */
				       {1, 1, 0, 2, 0},          {1, 700, 128, 4, 512},
				       {300, 4000, 128, 4, 512}, {4000, 4000, 128, 128, 0},
				       {17, 1000, 0, 4, 0},      {999, 2500, 64, 3, 7}};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const int *s = sizes[i];
		struct paleo_attention_geom g = {.q = s[0], .keys = s[1], .causal = 1};
		double pairs = 0;
		for (int n = s[1] - s[0] + 1; n <= s[1]; n++) {
			int more = n / s[3];
			pairs += (n < s[2] ? n : s[2]) + (s[4] && more > s[4] ? s[4] : more);
		}
		paleo_attention_compress(&g, s[2], s[3], s[4]);
		double found = paleo_attention_pairs(&g);
		if (g.window > 1) {
			g.window--;
			assert_true(paleo_attention_pairs(&g) < pairs);
		}
		assert_true(found >= pairs);
	}
}

/* Products in 8 bits, experts in 4 with a scale for 32, or for 16; what compresses stays. */
static void stores_experts_apart(void **state)
{
#define FP8 "\"quant_method\": \"fp8\", \"weight_block_size\": [128, 128]"
#define MIXED(a, b)                                                                                \
	SMALL ", \"expert_dtype\": \"fp4\", \"quantization_config\": {" FP8                        \
	      ", \"quant_algo\": \"MIXED_PRECISION\", \"quantized_layers\": {\"layers.0." a        \
	      "\": {\"quant_algo\": \"NVFP4\"}, \"layers.1.ffn.experts\": {\"quant_algo\": \"" b   \
	      "\"}, \"layers.2.ffn.experts\": {\"quant_algo\": \"NVFP4\"}}}"
	static const char *const moe[] = {
		"moe fwd fp8 tokens=8 hidden=8 inter=6 experts=4 local=4 topk=2 gated=1 "
		"stored=mxfp4",
		"moe fwd fp8 tokens=8 hidden=8 inter=6 experts=4 local=4 topk=2 gated=1 "
		"stored=nvfp4"};
	static const char *const q_b[] = {"gemm fwd fp8 m=8 n=16 k=4 trans_b=1 stored=fp8_block",
					  NULL};
	static const char *const wide[] = {"gemm fwd bf16 m=8 n=8 k=8 trans_b=1", NULL};
	static const char *const files[] = {SMALL ", \"expert_dtype\": \"fp4\", "
						  "\"quantization_config\": {" FP8 "}",
					    MIXED("ffn.experts", "NVFP4")};
	static const struct refusal bad[] = {
		{SMALL ", \"expert_dtype\": \"fp3\"", "", "weights of 'fp3' are not supported"},
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct paleo_net *net = model_net(files[i], "seq=8");
		struct paleo_op_list list = {0};
		struct paleo_error err = {0};
		char key[PALEO_OP_KEY_MAX];
		int found = 0;
		assert_int_equal(paleo_net_ops(net, PALEO_FP8, PALEO_PASSES_FWD, &list, &err),
				 PALEO_OK);
		for (int k = 0; k < list.count; k++) {
			if (list.items[k].op.kind != PALEO_MOE)
				continue;
			paleo_op_key(&list.items[k].op, key, sizeof(key));
			assert_string_equal(key, moe[i]);
			found++;
		}
		assert_int_equal(found, 3);
		paleo_op_list_release(&list);
		check_ops(net, "l2_q_b", q_b);
		check_ops(net, "l3_to_compress", wide);
		paleo_net_free(net);
	}
	check_refusals(bad, sizeof(bad) / sizeof(bad[0]));
}

static void refuses(void **state)
{
	static const struct refusal bad[] = {
		{SMALL, "train", "training of attention with selected keys is not supported"},
		{SMALL, "decode,tp=4", "tp 4 does not divide 2 groups"},
		{SIZES HEADS REST "\"norm_topk_prob\": true", "", "compress_ratios"},
		{SIZES HEADS REST "\"compress_ratios\": 4", "", "expected a list"},
		{SIZES HEADS REST "\"compress_ratios\": [0, 4]", "", "a word for each of 3 layers"},
		{SIZES HEADS REST "\"compress_ratios\": [0, 4, 128, 0]", "", "of 3 layers"},
		{SIZES HEADS REST "\"compress_ratios\": [0, 4, 8]", "",
		 "'8' is not supported, expected 0 or 4 or 128"},
		{SIZES HEADS REST "\"compress_ratios\": [0, 4, -4]", "", "compress_ratios[2]"},
		{SIZES HEADS REST "\"compress_ratios\": [0, 4, 99999999999]", "",
		 "compress_ratios[2]"},
		{SIZES HEADS REST LAYERS RATES("0", "4"), "", "compressed_sparse_attention"},
		{SIZES HEADS REST LAYERS RATES("2", "-1"), "", "heavily_compressed_attention"},
		{SIZES HEADS REST LAYERS RATES("2", "16777216"), "", "compressed keys of"},
		{SIZES HEADS REST LAYERS RATES("16777216", "4"), "", "an index's compressed keys"},
		{SIZES HEADS REST LAYERS "\"compress_rates\": {}", "",
		 "heavily_compressed_attention"},
		{SIZES HEADS REST LAYERS "\"hc_mult\": 1", "", "hc_mult"},
		{SIZES HEADS LAYERS "\"o_groups\": 2, \"index_topk\": 2, \"hc_mult\": 17", "",
		 "'hc_mult' is 17, expected 2 to 16"},
		{SIZES HEADS LAYERS "\"o_groups\": 3, \"index_topk\": 2, \"hc_mult\": 2", "",
		 "o_groups that divide 4 heads"},
		{SIZES HEADS LAYERS "\"o_groups\": 2, \"hc_mult\": 2", "", "index_topk"},
		{SIZES HEADS LAYERS "\"o_groups\": 2, \"index_topk\": 2, \"hc_mult\": 2, "
				    "\"qk_rope_head_dim\": 3",
		 "", "qk_rope_head_dim is 3, of heads of 4 and 2 of an index"},
		/* of this family alone */
		{"\"model_type\": \"qwen3\", \"layer_types\": "
		 "[\"compressed_sparse_attention\"], " TINY,
		 "", "'compressed_sparse_attention' is not supported, expected full_attention or"},
	};

	(void)state;
	check_refusals(bad, sizeof(bad) / sizeof(bad[0]));
}

#define NANO(streams, sparse)                                                                      \
	"\"model_type\": \"gemma3n_text\", \"hidden_size\": 8, \"intermediate_size\": [6, 6], "    \
	"\"num_hidden_layers\": 2, \"num_attention_heads\": 2, \"num_key_value_heads\": 1, "       \
	"\"head_dim\": 4, \"vocab_size\": 10, \"sliding_window\": 4, "                             \
	"\"vocab_size_per_layer_input\": 5, \"hidden_size_per_layer_input\": 3, "                  \
	"\"num_kv_shared_layers\": 0, \"layer_types\": [\"sliding_attention\", "                   \
	"\"full_attention\"], \"altup_num_inputs\": " streams                                      \
	", \"activation_sparsity_pattern\": " sparse

/*
 * Gemma 3n: a layer has q, k, v and what is behind 192, 4 norms of 8, 2 of 4, an MLP 144; for words
 * 8 x 3, 3 x 8, 8; for 3 streams a norm 8, 8 x 3, 3 x 9, 3 x 3, and 8 factors; beside attention 8 x
 * 2, 2 x 8, 8. In all there are words 80, a norm 8, words of layers 5 x 6, 8 x 6, 3; and twice two
 * products of 8 x 8 for the other streams.
 */
static void streams_follow_the_first(void **state)
{
	static const char model[] = NANO("3", "[0.95, 0]") ", \"laurel_rank\": 2";
	static const char *const foreseen[] = {"eltwise fwd bf16 op=mul inputs=2 count=24 small=3",
					       NULL};
	static const char *const corrected[] = {"eltwise fwd bf16 op=add inputs=2 count=24 small=8",
						NULL};
	static const char *const sparse[] = {"norm fwd bf16 mode=layer n=1 c=6 h=1 w=1", NULL};
	static const char *const none[] = {NULL};
	static const char *const others[] = {"gemm fwd bf16 m=1 n=8 k=8 batch=2", NULL};
	static const char *const mean[] = {"eltwise fwd bf16 op=add inputs=3 count=8", NULL};
	static const struct refusal bad[] = {
		{NANO("3", "0"), "", "a laurel_rank"},
		{NANO("1", "0") ", \"laurel_rank\": 2", "", "altup_num_inputs from 2 to 16"},
		{NANO("17", "0") ", \"laurel_rank\": 2", "", "altup_num_inputs from 2 to 16"},
		{NANO("3", "[0]") ", \"laurel_rank\": 2", "", "a number for each of 2 layers"},
		{NANO("3", "[0, -0.5]") ", \"laurel_rank\": 2", "",
		 "activation_sparsity_pattern[1]"},
		{NANO("3", "0") ", \"laurel_rank\": 2, \"altup_active_idx\": 1", "",
		 "altup_active_idx: models of 'gemma3n_text' are known with the value 0 alone"},
		{NANO("3", "0") ", \"laurel_rank\": 2", "pp=2",
		 "cannot be divided into stages: pp=1"},
	};
	const double layer = 192 + 32 + 8 + 144 + 56 + 76 + 40;
	struct paleo_net *net = model_net(model, "decode,past=9");

	(void)state;
	assert_true(paleo_net_weights(net) == 2 * layer + 80 + 8 + 30 + 48 + 3 + 4 * 64);
	check_ops(net, "l1_foreseen", foreseen);
	check_ops(net, "l1_corrected", corrected);
	check_ops(net, "l1_gate_sparse", sparse);
	check_ops(net, "l2_gate_sparse", none);
	check_ops(net, "rest_product", others);
	check_ops(net, "mean", mean);
	paleo_net_free(net);
	net = model_net(model, "train,seq=4");
	paleo_net_free(net);
	check_refusals(bad, sizeof(bad) / sizeof(bad[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_flash),
		cmocka_unit_test(counts_small),
		cmocka_unit_test(decodes),
		cmocka_unit_test(takes_prompts_in),
		cmocka_unit_test(windows_have_as_many_pairs),
		cmocka_unit_test(stores_experts_apart),
		cmocka_unit_test(refuses),
		cmocka_unit_test(streams_follow_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
