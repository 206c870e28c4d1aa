/* test_hf.c - a config.json becomes a net: weights and caches worked out by hand, and refusals. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/hf_nets.h"

#define LLAMA_8B                                                                                   \
	"\"model_type\": \"llama\", \"hidden_size\": 4096, \"intermediate_size\": 14336, "         \
	"\"num_hidden_layers\": 32, \"num_attention_heads\": 32, \"num_key_value_heads\": 8, "     \
	"\"vocab_size\": 128256, \"hidden_act\": \"silu\", \"tie_word_embeddings\": false, "       \
	"\"torch_dtype\": \"bfloat16\""
#define MIXTRAL                                                                                    \
	"\"model_type\": \"mixtral\", \"hidden_size\": 4096, \"intermediate_size\": 14336, "       \
	"\"num_hidden_layers\": 32, \"num_attention_heads\": 32, \"num_key_value_heads\": 8, "     \
	"\"vocab_size\": 32000, \"num_local_experts\": 8, \"num_experts_per_tok\": 2"
#define DEEPSEEK                                                                                   \
	"\"model_type\": \"deepseek_v3\", \"hidden_size\": 7168, \"intermediate_size\": 18432, "   \
	"\"num_hidden_layers\": 61, \"num_attention_heads\": 128, \"num_key_value_heads\": 128, "  \
	"\"vocab_size\": 129280, \"moe_intermediate_size\": 2048, \"n_routed_experts\": 256, "     \
	"\"n_shared_experts\": 1, \"num_experts_per_tok\": 8, \"first_k_dense_replace\": 3, "      \
	"\"moe_layer_freq\": 1, \"q_lora_rank\": 1536, \"kv_lora_rank\": 512, "                    \
	"\"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64, \"v_head_dim\": 128"
#define GPT2                                                                                       \
	"\"model_type\": \"gpt2\", \"n_embd\": 768, \"n_layer\": 12, \"n_head\": 12, "             \
	"\"n_inner\": null, \"n_positions\": 1024, \"vocab_size\": 50257"
#define BERT                                                                                       \
	"\"model_type\": \"bert\", \"hidden_size\": 768, \"intermediate_size\": 3072, "            \
	"\"num_hidden_layers\": 12, \"num_attention_heads\": 12, \"vocab_size\": 30522, "          \
	"\"max_position_embeddings\": 512, \"type_vocab_size\": 2"
/* Small, so that all of it can be worked out: a head of 4 numbers, which is not 8 / 4. */
#define SMALL                                                                                      \
	"\"model_type\": \"qwen3\", \"hidden_size\": 8, \"intermediate_size\": 6, "                \
	"\"num_hidden_layers\": 2, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, "       \
	"\"head_dim\": 4, \"vocab_size\": 10, \"tie_word_embeddings\": true"

static const struct {
	const char *members;
	const char *words;
	double weights, active, cached; /* cached: bytes of a token */
} models[] = {
	/* a layer: q and o 2 * 4096^2, k and v 2 * 4096 * 1024, three of 4096 * 14336, two norms;
	 * two of 128256 * 4096 and a norm. Cache: 32 layers, 8 heads of 128, twice, 2 bytes. */
	{LLAMA_8B, "seq=16",
	 32 * (2 * 16777216.0 + 2 * 4194304 + 3 * 58720256 + 8192) + 2 * 525336576.0 + 4096,
	 32 * (2 * 16777216.0 + 2 * 4194304 + 3 * 58720256 + 8192) + 525336576.0 + 4096,
	 32 * 8 * 128 * 2 * 2},
	{LLAMA_8B, "decode", 8030261248, 8030261248 - 525336576.0, 131072},
	{LLAMA_8B, "decode,kv=fp8", 8030261248, 8030261248 - 525336576.0, 65536},
	/* of eight experts two are active: six times 3 * 4096 * 14336 less in each layer */
	{MIXTRAL, "decode", 46702792704, 46702792704 - 131072000.0 - 32 * 6 * 3 * 58720256.0,
	 131072},
	/* 61 layers of 512 + 64 numbers, whatever num_key_value_heads says */
	{DEEPSEEK, "decode", 671026419200, 36625618432, 70272},
	{DEEPSEEK, "seq=16", 671026419200, 36625618432, 70272},
	/* published; the head is the embedding: active without positions */
	{GPT2, "seq=16", 124439808, 124439808 - 786432.0, 12 * 2 * 768 * 2},
	{BERT, "seq=16", 109482240, 109482240 - (30522 + 512 + 2) * 768.0, 0},
	/* keys of published files that nothing reads any more */
	{BERT ", \"directionality\": \"bidi\", \"pooler_type\": \"x\", \"sbert_x\": 1", "seq=16",
	 109482240, 109482240 - (30522 + 512 + 2) * 768.0, 0},
	/* a layer: q 8 * 16, k and v 8 * 8, o 16 * 8, 3 * 8 * 6, norms 8 + 8 + 4 + 4; words 80 */
	{SMALL, "seq=4", 2 * (128 + 64 + 64 + 128 + 144 + 24) + 80 + 8,
	 2 * (128 + 64 + 64 + 128 + 144 + 24) + 80 + 8, 2 * 2 * 2 * 4 * 2},
	/* one of two workers: half of the products and of the words */
	{SMALL, "seq=4,tp=2", 2 * (64 + 32 + 32 + 64 + 72 + 24) + 40 + 8,
	 2 * (64 + 32 + 32 + 64 + 72 + 24) + 40 + 8, 2 * 2 * 1 * 4 * 2},
	/* the last of two stages: a layer, a head of its own, no embedding */
	{SMALL, "seq=4,pp=2", 128 + 64 + 64 + 128 + 144 + 24 + 80 + 8,
	 128 + 64 + 64 + 128 + 144 + 24 + 80 + 8, 2 * 2 * 4 * 2},
};

/* What families have besides, each of one layer and an embedding of 80; 16 bytes of cache. */
static const struct {
	const char *members;
	double weights;
} families[] = {
	/* norms before and behind: four and one; the head is the embedding */
	{"\"model_type\": \"gemma2\", \"head_dim\": 4, " TINY, 192 + 144 + 5 * 8 + 80},
	/* and norms of queries and keys */
	{"\"model_type\": \"gemma3_text\", \"head_dim\": 4, " TINY, 192 + 144 + 5 * 8 + 8 + 80},
	/* one norm with a shift for attention and the net beside it; all products with biases */
	{"\"model_type\": \"phi\", " TINY, 192 + 16 + 8 + 96 + 6 + 8 + 16 + 16 + 80 + 80 + 10},
	/* the same with two norms; no bias of the head */
	{"\"model_type\": \"gpt_neox\", " TINY, 192 + 24 + 96 + 14 + 32 + 16 + 160},
	{"\"model_type\": \"gpt_neox\", \"attention_bias\": false, " TINY,
	 192 + 96 + 14 + 32 + 16 + 160},
	/* keys and values of one head, four times as wide a net, no biases */
	{"\"model_type\": \"falcon\", \"multi_query\": true, \"bias\": false, \"hidden_size\": 8, "
	 "\"num_hidden_layers\": 1, \"num_attention_heads\": 2, \"vocab_size\": 10",
	 192 + 2 * 8 * 32 + 16 + 16 + 80},
	{"\"model_type\": \"falcon\", \"new_decoder_architecture\": true, \"num_kv_heads\": 1, "
	 "\"bias\": false, \"hidden_size\": 8, \"num_hidden_layers\": 1, "
	 "\"num_attention_heads\": 2, \"vocab_size\": 10",
	 192 + 2 * 8 * 32 + 32 + 16 + 80},
	/* norms behind alone, and of all queries and keys */
	{"\"model_type\": \"olmo2\", " TINY, 192 + 144 + 16 + 8 + 4 + 8 + 160},
	/* norms that learn nothing; no shift */
	{"\"model_type\": \"olmo\", " TINY, 192 + 144 + 160},
	{"\"model_type\": \"cohere\", " TINY, 192 + 144 + 8 + 8 + 80},
	{"\"model_type\": \"stablelm\", \"use_qkv_bias\": true, " TINY, 192 + 16 + 144 + 48 + 160},
	{"\"model_type\": \"stablelm\", \"use_parallel_residual\": true, " TINY,
	 192 + 144 + 32 + 160},
	{"\"model_type\": \"starcoder2\", \"use_bias\": false, " TINY, 192 + 96 + 48 + 80},
	{"\"model_type\": \"starcoder2\", \"use_bias\": false, \"norm_type\": \"rms\", " TINY,
	 192 + 96 + 24 + 80},
	{"\"model_type\": \"nemotron\", \"hidden_act\": \"relu2\", " TINY, 192 + 96 + 48 + 160},
	{"\"model_type\": \"seed_oss\", \"attention_bias\": true, \"attention_out_bias\": "
	 "false, " TINY,
	 192 + 16 + 144 + 24 + 160},
	/* 4 experts of 3, one of 5 for all with a gate of 8, a router of 32 */
	{"\"model_type\": \"qwen2_moe\", \"num_experts\": 4, \"num_experts_per_tok\": 2, "
	 "\"moe_intermediate_size\": 3, \"shared_expert_intermediate_size\": 5, " TINY,
	 192 + 16 + 24 + 32 + 4 * 72 + 120 + 8 + 160},
	/* the first layer has no experts; the second 4 of 3, 2 for all, 4 routing biases */
	{"\"model_type\": \"ernie4_5_moe\", \"moe_num_experts\": 4, \"moe_k\": 2, "
	 "\"moe_num_shared_experts\": 2, \"moe_intermediate_size\": 3, "
	 "\"moe_layer_start_index\": 0, \"moe_layer_end_index\": 0, " TINY,
	 192 + 24 + 36 + 4 * 72 + 144 + 80},
	/* two experts, one for all, a router; nothing is learned for queries and keys */
	{"\"model_type\": \"llama4_text\", \"num_local_experts\": 2, \"num_experts_per_tok\": 1, "
	 "\"head_dim\": 4, " TINY,
	 192 + 2 * 144 + 144 + 16 + 24 + 160},
	/* its second layer would have experts: the first has a net of 7 */
	{"\"model_type\": \"llama4_text\", \"num_local_experts\": 2, \"num_experts_per_tok\": 1, "
	 "\"interleave_moe_layer_step\": 2, \"intermediate_size_mlp\": 7, " TINY,
	 192 + 168 + 24 + 160},
	{"\"model_type\": \"llama4_text\", \"num_local_experts\": 2, \"num_experts_per_tok\": 1, "
	 "\"moe_layers\": [], \"intermediate_size_mlp\": 7, " TINY,
	 192 + 168 + 24 + 160},
	/* a number for each head of queries, and norms of 4 */
	{"\"model_type\": \"step3p7\", " TINY, 192 + 144 + 24 + 8 + 16 + 160},
	/* a window: 2 heads of keys for each, with 2 numbers of values, and a sink for each of 4 */
	{"\"model_type\": \"mimo_v2_flash\", \"sliding_window\": 3, \"hybrid_layer_pattern\": [1], "
	 "\"swa_num_attention_heads\": 4, \"swa_num_key_value_heads\": 2, \"swa_head_dim\": 2, "
	 "\"swa_v_head_dim\": 2, \"v_head_dim\": 1, " TINY,
	 64 + 32 + 32 + 64 + 4 + 144 + 24 + 160},
	/* no layer has an MLP without experts: 4 of 3 and one for all, a router of 32 with 4 more
	 */
	{"\"model_type\": \"solar_open\", \"hidden_size\": 8, \"num_hidden_layers\": 1, "
	 "\"num_attention_heads\": 2, \"num_key_value_heads\": 1, \"vocab_size\": 10, "
	 "\"n_routed_experts\": 4, \"n_shared_experts\": 1, \"num_experts_per_tok\": 2, "
	 "\"moe_intermediate_size\": 3",
	 192 + 24 + 36 + 5 * 72 + 160},
	/* a sink for each head; norms before alone; norms of all queries and keys behind experts */
	{"\"model_type\": \"granite_swa\", " TINY, 192 + 2 + 144 + 24 + 80},
	{"\"model_type\": \"vaultgemma\", \"head_dim\": 4, " TINY, 192 + 144 + 24 + 80},
	{"\"model_type\": \"flex_olmo\", \"num_experts\": 2, \"num_experts_per_tok\": 1, " TINY,
	 192 + 12 + 16 + 288 + 24 + 160},
	/* a layer's own heads, as transformers writes them: 4 of 2 numbers, 2 of keys */
	{"\"model_type\": \"ministral3\", \"per_layer_config\": {\"00\": {\"head_dim\": 2, "
	 "\"num_attention_heads\": 4, \"num_key_value_heads\": 2}}, " TINY,
	 192 + 144 + 24 + 160},
	/* norms of heads with shifts, the same for all; without, of each head's own */
	{"\"model_type\": \"persimmon\", \"hidden_act\": \"relu2\", " TINY,
	 192 + 24 + 96 + 14 + 48 + 16 + 160},
	{"\"model_type\": \"phi\", \"qk_layernorm\": true, " TINY,
	 192 + 16 + 8 + 96 + 6 + 8 + 16 + 16 + 16 + 80 + 80 + 10},
	{"\"model_type\": \"cohere\", \"use_qk_norm\": true, " TINY, 192 + 144 + 8 + 8 + 12 + 80},
	{"\"model_type\": \"stablelm\", \"qk_layernorm\": true, " TINY, 192 + 144 + 48 + 12 + 160},
	/* norms before the products behind attention and the MLP */
	{"\"model_type\": \"bitnet\", \"hidden_act\": \"relu2\", " TINY,
	 192 + 8 + 144 + 6 + 24 + 160},
	{"\"model_type\": \"jais2\", \"hidden_act\": \"relu2\", " TINY,
	 192 + 24 + 96 + 14 + 48 + 160},
	/* norms, one of them behind the embedding, that learn nothing */
	{"\"model_type\": \"nanochat\", \"hidden_act\": \"relu2\", " TINY, 192 + 96 + 160},
	/* 4 experts of 3, one for all, a router with 4 numbers beside */
	{"\"model_type\": \"sarvam_moe\", \"head_dim\": 4, \"num_experts\": 4, "
	 "\"num_experts_per_tok\": 2, \"num_shared_experts\": 1, \"moe_intermediate_size\": "
	 "3, " TINY,
	 192 + 24 + 8 + 36 + 5 * 72 + 160},
	/* two experts and one for all, each as wide as an MLP; a list for each layer */
	{"\"model_type\": \"hunyuan_v1_moe\", \"num_experts\": 2, \"moe_topk\": [1], "
	 "\"norm_type\": \"rms\", " TINY,
	 192 + 24 + 8 + 16 + 3 * 144 + 160},
	{"\"model_type\": \"cohere2_moe\", \"head_dim\": 4, \"num_experts\": 2, "
	 "\"num_experts_per_tok\": 1, \"num_shared_experts\": 1, " TINY,
	 192 + 16 + 16 + 3 * 144 + 80},
	{"\"model_type\": \"cohere2_moe\", \"head_dim\": 4, \"num_experts\": 2, "
	 "\"num_experts_per_tok\": 1, \"first_k_dense_replace\": 1, "
	 "\"prefix_dense_intermediate_size\": 7, " TINY,
	 192 + 16 + 168 + 80},
	/* a gate of 64 for what attention gives, without its biases; five norms */
	{"\"model_type\": \"afmoe\", \"head_dim\": 4, \"num_experts\": 4, "
	 "\"num_experts_per_tok\": 2, \"num_shared_experts\": 1, \"moe_intermediate_size\": 3, "
	 "\"attention_bias\": true, " TINY,
	 192 + 24 + 64 + 40 + 8 + 36 + 5 * 72 + 160},
	/* a table of 5 places and 2 more */
	{"\"model_type\": \"opt\", \"ffn_dim\": 6, \"max_position_embeddings\": 5, " TINY,
	 192 + 24 + 96 + 14 + 48 + 7 * 8 + 80},
};

static void knows_families(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		struct paleo_net *net = model_net(families[i].members, "seq=4");
		if (paleo_net_weights(net) != families[i].weights ||
		    paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_TOKEN) != 16)
			fail_msg("%zu: %.0f weights, %.0f bytes", i, paleo_net_weights(net),
				 paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_TOKEN));
		paleo_net_free(net);
	}
}

static void counts_weights_and_caches(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct paleo_net *net = model_net(models[i].members, models[i].words);
		if (paleo_net_weights(net) != models[i].weights ||
		    paleo_net_active(net) != models[i].active ||
		    paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_TOKEN) != models[i].cached)
			fail_msg("%zu: %.0f weights, %.0f active, %.0f bytes", i,
				 paleo_net_weights(net), paleo_net_active(net),
				 paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_TOKEN));
		paleo_net_free(net);
	}
}

static void makes_the_ops_of_each_phase(void **state)
{
	static const char *const prefill[] = {
		"attention fwd bf16 batch=3 q=5 keys=5 heads=4 kv_heads=2 qk=4 v=4 causal=1 "
		"cache=1 rope=4",
		NULL};
	static const char *const decode[] = {
		"attention fwd bf16 batch=3 q=1 keys=8 heads=4 kv_heads=2 qk=4 v=4 causal=1 "
		"cache=1 rope=4 kv=fp8",
		NULL};
	static const char *const train[] = {
		"attention fwd bf16 batch=3 q=5 keys=5 heads=4 kv_heads=2 qk=4 v=4 causal=1", NULL};
	static const char *const rope[] = {"rope fwd bf16 rows=15 heads=4 dim=4", NULL};
	static const char *const q_norm[] = {"norm fwd bf16 mode=rms n=60 c=4 h=1 w=1 scale=1",
					     NULL};
	static const char *const norm2[] = {"norm fwd bf16 mode=rms n=15 c=8 h=1 w=1 scale=1 add=1",
					    NULL};
	static const char *const heads[] = {"norm fwd bf16 mode=layer n=8 c=4 h=1 w=1 scale=1",
					    NULL};
	static const char *const none[] = {NULL};
	static const char *const head[] = {"gemm fwd bf16 m=3 n=10 k=8 trans_b=1", NULL};
	static const char *const all[] = {"gemm fwd bf16 m=15 n=10 k=8 trans_b=1", NULL};

	(void)state;
	struct paleo_net *net = model_net(SMALL, "prefill,batch=3,seq=5");
	check_ops(net, "l2_attention", prefill);
	check_ops(net, "l1_q_norm", q_norm);
	check_ops(net, "l1_norm2", norm2); /* with the sum before it */
	check_ops(net, "l1_sum1", none);
	check_ops(net, "head", head); /* of the last token alone */
	paleo_net_free(net);
	net = model_net("\"model_type\": \"cohere\", \"use_qk_norm\": true, " TINY, "seq=4");
	check_ops(net, "l1_q_norm", heads);
	paleo_net_free(net);
	net = model_net(SMALL, "decode,batch=3,past=7,kv=fp8");
	check_ops(net, "l2_attention", decode);
	paleo_net_free(net);
	net = model_net(SMALL, "train,batch=3,seq=5");
	check_ops(net, "l2_attention", train);
	check_ops(net, "l2_q_rope", rope);
	check_ops(net, "head", all);
	paleo_net_free(net);
}

/* Decoding, the matrices that expand keys and values go with queries and results. */
static void absorbs_latent_attention(void **state)
{
	static const char *const attention[] = {
		"attention fwd bf16 batch=2 q=1 keys=1025 heads=16 kv_heads=1 qk=576 v=512 "
		"causal=1 latent=1 cache=1 rope=64",
		NULL};
	static const char *const before[] = {"gemm fwd bf16 m=2 n=512 k=128 batch=16", NULL};
	static const char *const behind[] = {"gemm fwd bf16 m=2 n=128 k=512 batch=16", NULL};
	static const char *const expanded[] = {
		"attention fwd bf16 batch=1 q=9 keys=9 heads=16 kv_heads=16 qk=192 v=128 causal=1",
		NULL};
	static const char *const experts[] = {
		"softmax fwd bf16 rows=2 cols=256",
		"moe fwd bf16 tokens=2 hidden=7168 inter=256 experts=256 local=256 topk=8 gated=1",
		NULL};

	(void)state;
	struct paleo_net *net = model_net(DEEPSEEK, "decode,batch=2,tp=8");
	check_ops(net, "l61_attention", attention);
	check_ops(net, "l61_absorb_k", before);
	check_ops(net, "l61_absorb_v", behind);
	check_ops(net, "l61_experts", experts);
	paleo_net_free(net);
	net = model_net(DEEPSEEK, "seq=9,tp=8");
	check_ops(net, "l1_attention", expanded);
	paleo_net_free(net);
}

/* Weights in 4 bits have their scales beside them; norms and words stay as they are: 1,056 numbers
 * of 17/32 byte, 48 + 8 and 80 of 2. With fp8 in blocks a number of products is a byte. */
static void stores_weights(void **state)
{
	static const char *const product[] = {"gemm fwd bf16 m=4 n=32 k=8 trans_b=1 stored=mxfp4",
					      NULL};
	static const char *const block[] = {"gemm fwd fp8 m=4 n=32 k=8 trans_b=1 stored=fp8_block",
					    NULL};
	static const char *const head[] = {"gemm fwd bf16 m=1 n=10 k=8 trans_b=1", NULL};

	(void)state;
	struct paleo_net *net = model_net(SMALL, "seq=4,weights=mxfp4");
	check_ops(net, "l1_qkv", product);
	check_ops(net, "head", head);
	assert_true(paleo_net_weight_bytes(net, PALEO_BF16) == 561 + 112 + 160);
	paleo_net_free(net);
	net = model_net(SMALL ", \"quantization_config\": {\"quant_method\": \"fp8\", "
			      "\"weight_block_size\": [128, 128]}",
			"seq=4");
	assert_int_equal(net->dtype, 1 + PALEO_FP8);
	check_ops(net, "l1_qkv", block);
	check_ops(net, "head", head);
	assert_true(paleo_net_weight_bytes(net, PALEO_FP8) == 1056 + 1056.0 / 4096 + 112 + 160);
	paleo_net_free(net);
}

/* A router stays in the wide type where experts are quantised. */
static void keeps_routers(void **state)
{
	static const char *const router[] = {"gemm fwd bf16 m=4 n=8 k=4096 trans_b=1", NULL};

	(void)state;
	struct paleo_net *net = model_net(MIXTRAL, "seq=4,weights=fp8");
	check_ops(net, "l1_router", router);
	paleo_net_free(net);
}

static const struct refusal bad[] = {
	{LLAMA_8B, "sequence=4", "unknown word 'sequence=4'"},
	{LLAMA_8B, "seq=0", "'seq' is '0', expected an integer"},
	{LLAMA_8B, "weights=fp3", "unknown dtype 'fp3'"},
	{LLAMA_8B, "tp=5", "tp 5 does not divide 32 heads"},
	{LLAMA_8B, "ep=2", "ep 2 does not divide 0 experts"},
	{LLAMA_8B, "pp=33", "pp 33 is more than 32 layers"},
	{BERT, "decode", "a 'bert' has no cache"},
	{GPT2, "seq=1025", "1025 tokens exceed the model's 1024 positions"},
	{DEEPSEEK, "seq=4,past=4", "after a past is not supported"},
	{"\"model_type\": \"llamb\"", "",
	 "config.json:1:16: model_type: unsupported model_type 'llamb'"},
	{"\"model_type\": \"rwkv\"", "", "'rwkv': it has linear attention"},
	{"\"model_type\": \"cohere2\", \"use_qk_norm\": true, " TINY, "",
	 "normalised queries and keys are not supported for 'cohere2'"},
	{"\"model_type\": \"exaone4\", \"sliding_window_pattern\": \"LGLG\", " TINY, "",
	 "'LGLG' is not supported, expected a word such as LLLG"},
	{"\"model_type\": \"hunyuan_v1_moe\", \"num_experts\": 2, \"moe_topk\": [1, 2], " TINY, "",
	 "moe_topk[1]: per-layer values of this key are not supported"},
	{"\"model_type\": \"hunyuan_v1_moe\", \"num_experts\": 2, \"moe_topk\": [-1], " TINY, "",
	 "moe_topk[0]"},
	{"\"model_type\": \"hunyuan_v1_moe\", \"norm_type\": \"batch\", " TINY, "",
	 "norm_type: 'batch' is not supported here"},
	{"\"model_type\": \"hunyuan_v1_moe\", \"num_experts\": 2, \"moe_topk\": [], " TINY, "",
	 "0 of them for a token: not possible"},
	{"\"hidden_size\": 4", "", "model_type"},
	/* what might change the work */
	{LLAMA_8B ", \"num_experts\": 8", "", "config.json:1:"},
	{LLAMA_8B ", \"num_experts\": 8", "", "num_experts: unknown key for model_type 'llama'"},
	{LLAMA_8B ", \"attention_chunk_size\": 8192", "", "it may change the computation"},
	{SMALL ", \"hidden_act\": \"relu2\"", "", "'relu2' is not supported here"},
	{SMALL ", \"quantization_config\": {\"quant_method\": \"awq\"}", "",
	 "quantization_config.quant_method: weights of 'awq' are not supported"},
	{SMALL ", \"quantization_config\": {\"quant_method\": \"gptq\", \"bits\": 3}", "",
	 "weights of 3 bits are not supported; set a type"},
	{SMALL ", \"quantization_config\": {\"quant_method\": \"torchao\"}", "",
	 "weights of 'torchao' are not supported"},
	{SMALL ", \"quantization_config\": {\"format\": \"x\"}", "", "quant_method"},
	/* its end tells nothing, as another family has it */
	{SMALL ", \"_sliding_window_pattern\": 2", "", "unknown key for model_type 'qwen3'"},
	{"\"model_type\": \"llama\", \"hidden_size\": 10, \"num_attention_heads\": 3, "
	 "\"num_hidden_layers\": 1, \"vocab_size\": 4, \"intermediate_size\": 4",
	 "", "3 heads do not divide a hidden_size of 10"},
	{"\"model_type\": \"llama\", \"num_attention_heads\": 3", "", "'hidden_size' is missing"},
};

static void refuses_what_it_does_not_know(void **state)
{
	(void)state;
	check_refusals(bad, sizeof(bad) / sizeof(bad[0]));
}

/* A null is as good as no key. In each of 32 layers 4 tokens go to 2 experts, 8 pairs, of 3
 * products of 4096 x 14336; the tokens' gradients have as many, and the experts'. */
static void trains_experts(void **state)
{
	struct paleo_op_list list = {0};
	struct paleo_error err = {0};
	double flops[PALEO_PASSES] = {0};
	int ops = 0;

	(void)state;
	struct paleo_net *net = model_net(MIXTRAL ", \"sliding_window\": null", "train,seq=4");
	assert_int_equal(paleo_net_ops(net, PALEO_BF16, PALEO_PASSES_ALL, &list, &err), 0);
	for (int i = 0; i < list.count; i++) {
		if (list.items[i].op.kind != PALEO_MOE)
			continue;
		ops++;
		flops[list.items[i].pass] += list.items[i].op.flops;
	}
	double products = 32.0 * 8 * 6 * 4096 * 14336;
	assert_int_equal(ops, 3 * 32);
	for (int i = PALEO_FWD; i <= PALEO_BWD_FILTER; i++)
		assert_true(flops[i] > products && flops[i] < 1.001 * products);
	paleo_op_list_release(&list);
	paleo_net_free(net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_weights_and_caches),
		cmocka_unit_test(knows_families),
		cmocka_unit_test(makes_the_ops_of_each_phase),
		cmocka_unit_test(absorbs_latent_attention),
		cmocka_unit_test(stores_weights),
		cmocka_unit_test(keeps_routers),
		cmocka_unit_test(refuses_what_it_does_not_know),
		cmocka_unit_test(trains_experts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
