/* test_hf_layers.c - models whose layers differ: windows, chunks, chosen keys, parts left out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/hf_nets.h"

#define CHOOSING                                                                                   \
	"\"model_type\": \"deepseek_v32\", \"hidden_size\": 7168, \"intermediate_size\": 18432, "  \
	"\"num_hidden_layers\": 61, \"num_attention_heads\": 128, \"num_key_value_heads\": 128, "  \
	"\"vocab_size\": 129280, \"moe_intermediate_size\": 2048, \"n_routed_experts\": 256, "     \
	"\"n_shared_experts\": 1, \"num_experts_per_tok\": 8, \"first_k_dense_replace\": 3, "      \
	"\"q_lora_rank\": 1536, \"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128, "                \
	"\"qk_rope_head_dim\": 64, \"v_head_dim\": 128, \"index_n_heads\": 64, "                   \
	"\"index_head_dim\": 128, \"index_topk\": 2048"

/* What a model of pictures leaves out of text_config is as transformers has it: heads of 256, 4 of
 * keys and values for 8, all but each sixth layer with a window; the dtype stands outside. */
static void fills_what_is_left_out(void **state)
{
	struct paleo_net *net = model_net(
		"\"model_type\": \"gemma3\", \"torch_dtype\": \"float32\", \"text_config\": "
		"{\"model_type\": \"gemma3_text\", \"hidden_size\": 2560, "
		"\"intermediate_size\": 10240, \"num_hidden_layers\": 34, \"sliding_window\": "
		"1024}",
		"decode,past=4095");

	(void)state;
	assert_true(paleo_net_weights(net) ==
		    34 * (2560.0 * (8 + 2 * 4 + 8) * 256 + 3 * 2560 * 10240 + 4 * 2560 + 2 * 256) +
			    262208.0 * 2560 + 2560);
	assert_int_equal(net->dtype - 1, PALEO_F32);
	/* 5 of 34 layers keep all of 4096 tokens, the others 1024 */
	assert_true(paleo_net_cached_bytes(net, PALEO_F32, PALEO_CACHED_ALL) ==
		    (5 * 4096.0 + 29 * 1024) * 2 * 4 * 256 * 4);
	paleo_net_free(net);
}

/* gpt_oss: every other layer sees a window. */
static void reads_windows(void **state)
{
	static const char *const window[] = {
		"attention fwd bf16 batch=1 q=1 keys=301 heads=2 kv_heads=1 qk=4 v=4 causal=1 "
		"window=128 cache=1 rope=4",
		NULL};
	static const char *const whole[] = {
		"attention fwd bf16 batch=1 q=1 keys=301 heads=2 kv_heads=1 qk=4 v=4 causal=1 "
		"cache=1 rope=4",
		NULL};

	(void)state;
	struct paleo_net *net = model_net(
		"\"model_type\": \"gpt_oss\", \"hidden_size\": 8, \"intermediate_size\": 6, "
		"\"num_hidden_layers\": 2, \"num_attention_heads\": 2, \"num_key_value_heads\": 1, "
		"\"head_dim\": 4, \"vocab_size\": 10, \"num_local_experts\": 4, "
		"\"num_experts_per_tok\": 2, \"attention_bias\": true, \"sliding_window\": 128, "
		"\"layer_types\": [\"sliding_attention\", \"full_attention\"]",
		"decode,past=300");
	check_ops(net, "l1_attention", window);
	check_ops(net, "l2_attention", whole);
	/* a layer: q k v 8 * 16 + 16, o 8 * 8 + 8, sinks 2, router 8 * 4 + 4, norms 16; experts
	 * 4 * (3 * 8 * 6 + 2 * 6 + 8); words twice 80, a norm */
	assert_true(paleo_net_weights(net) == 2 * (144 + 72 + 2 + 36 + 16 + 4 * 164) + 160 + 8);
	/* what the cache keeps: 128 tokens in one layer, 301 in the other, 8 numbers */
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_ALL) == (128 + 301) * 16);
	paleo_net_free(net);
}

/* llama4: three layers of four have rotary positions and see their chunk alone. Of 10 new tokens
 * behind 6, 2 end a chunk of 4 and 8 are two whole ones; of 11 new ones 4, 4 and 3. */
static void reads_chunks(void **state)
{
	static const char model[] =
		"\"model_type\": \"llama4_text\", \"hidden_size\": 8, \"intermediate_size\": 6, "
		"\"num_hidden_layers\": 4, \"num_attention_heads\": 2, "
		"\"num_key_value_heads\": 1, \"head_dim\": 4, \"vocab_size\": 10, "
		"\"num_local_experts\": 4, \"num_experts_per_tok\": 1, "
		"\"attention_chunk_size\": 4";
#define HEADS "heads=2 kv_heads=1 qk=4 v=4 causal=1 cache=1 rope=4"
	static const char *const behind[] = {"attention fwd bf16 batch=3 q=2 keys=4 " HEADS,
					     "attention fwd bf16 batch=6 q=4 keys=4 " HEADS, NULL};
	static const char *const fresh[] = {"attention fwd bf16 batch=2 q=4 keys=4 " HEADS,
					    "attention fwd bf16 batch=1 q=3 keys=3 " HEADS, NULL};
	static const char *const one[] = {"attention fwd bf16 batch=1 q=1 keys=3 " HEADS, NULL};
	static const char *const within[] = {"attention fwd bf16 batch=1 q=4 keys=4 " HEADS, NULL};
	static const char *const whole[] = {
		"attention fwd bf16 batch=3 q=10 keys=16 heads=2 kv_heads=1 qk=4 v=4 causal=1 "
		"cache=1",
		NULL};
#undef HEADS

	(void)state;
	struct paleo_net *net = model_net(model, "batch=3,seq=10,past=6");
	check_ops(net, "l1_attention", behind);
	check_ops(net, "l4_attention", whole);
	/* three sequences: 4 tokens in three layers, 16 in one, 8 numbers */
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_ALL) ==
		    3 * (3 * 4 + 16) * 16);
	paleo_net_free(net);
	net = model_net(model, "seq=11");
	check_ops(net, "l2_attention", fresh);
	paleo_net_free(net);
	net = model_net(model, "decode,past=6");
	check_ops(net, "l3_attention", one);
	paleo_net_free(net);
	net = model_net(model, "seq=4");
	check_ops(net, "l3_attention", within);
	paleo_net_free(net);
}

/* DeepSeek-V3.2: of more than 2,048 keys an index chooses so many for each query, whose keys then
 * stay latent. Its scores are attention with values of one number; a query of 4,096 sees 2,048.5
 * of them in the mean. */
static void chooses_keys(void **state)
{
	static const char *const attention[] = {
		"attention fwd bf16 batch=2 q=1 keys=4096 heads=16 kv_heads=1 qk=576 v=512 "
		"causal=1 window=2048 latent=1 cache=1 rope=64",
		NULL};
	static const char *const index[] = {
		"attention fwd bf16 batch=2 q=1 keys=4096 heads=64 kv_heads=1 qk=128 v=1 causal=1 "
		"latent=1 cache=1 rope=64 kv=fp8",
		"softmax fwd f32 rows=2 cols=4096", NULL};
	static const char *const prompt[] = {
		"attention fwd bf16 batch=1 q=4096 keys=4096 heads=16 kv_heads=1 qk=576 v=512 "
		"causal=1 window=2048 latent=1 cache=1 rope=64",
		NULL};
	static const char *const choice[] = {
		"attention fwd bf16 batch=1 q=4096 keys=4096 heads=64 kv_heads=1 qk=128 v=1 "
		"causal=1 latent=1 cache=1 rope=64 kv=fp8",
		"softmax fwd f32 rows=4096 cols=2048", NULL};
	static const char *const few[] = {
		"attention fwd bf16 batch=1 q=9 keys=9 heads=16 kv_heads=16 qk=192 v=128 causal=1",
		NULL};
	static const char *const none[] = {NULL};

	(void)state;
	struct paleo_net *net = model_net(CHOOSING, "decode,batch=2,past=4095,tp=8");
	check_ops(net, "l61_attention", attention);
	check_ops(net, "l61_index", index);
	/* all tokens stay in the cache: 576 numbers in bf16, 128 in fp8 */
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_ALL) ==
		    61 * 2 * 4096.0 * 576 * 2);
	assert_true(paleo_net_index_bytes(net, PALEO_BF16, 1) == 61 * 2 * 4096.0 * 128);
	paleo_net_free(net);
	net = model_net(CHOOSING, "seq=4096,tp=8");
	check_ops(net, "l1_attention", prompt);
	check_ops(net, "l1_index", choice);
	paleo_net_free(net);
	net = model_net(CHOOSING, "seq=9,tp=8");
	check_ops(net, "l1_attention", few);
	check_ops(net, "l1_index", none);
	paleo_net_free(net);
}

/* MiniMax M3: two of blocks of two keys, in the second layer alone. Its index has queries 8 * 2 *
 * 4, keys 8 * 4 and two norms of 4. */
static void chooses_blocks_of_keys(void **state)
{
	static const char *const all[] = {
		"attention fwd bf16 batch=1 q=1 keys=8 heads=2 kv_heads=1 qk=4 v=4 causal=1 "
		"cache=1 rope=2",
		NULL};
	static const char *const chosen[] = {
		"attention fwd bf16 batch=1 q=1 keys=8 heads=2 kv_heads=1 qk=4 v=4 causal=1 "
		"window=4 cache=1 rope=2",
		NULL};
	static const char *const index[] = {
		"attention fwd bf16 batch=1 q=1 keys=8 heads=2 kv_heads=1 qk=4 v=1 causal=1 "
		"latent=1 cache=1 rope=2",
		"softmax fwd f32 rows=1 cols=8", NULL};

	(void)state;
	struct paleo_net *net = model_net(
		"\"model_type\": \"minimax_m3\", \"hidden_size\": 8, \"intermediate_size\": 6, "
		"\"dense_intermediate_size\": 7, \"shared_intermediate_size\": 5, "
		"\"num_hidden_layers\": 2, \"num_attention_heads\": 2, \"num_key_value_heads\": 1, "
		"\"vocab_size\": 10, \"rotary_dim\": 2, \"num_local_experts\": 4, "
		"\"num_experts_per_tok\": 2, \"moe_layer_freq\": [0, 1], "
		"\"sparse_attention_config\": {\"sparse_attention_freq\": [0, 1], "
		"\"sparse_num_index_heads\": 2, \"sparse_index_dim\": 4, \"sparse_block_size\": 2, "
		"\"sparse_topk_blocks\": 2}",
		"decode,past=7");
	check_ops(net, "l1_attention", all);
	check_ops(net, "l2_attention", chosen);
	check_ops(net, "l2_index", index);
	/* attention with norms of queries and keys; 3 * 8 * 7 | a router with 4 numbers more, 4
	 * experts and one for all */
	assert_true(paleo_net_weights(net) ==
		    2 * (192 + 8 + 16) + 168 + 104 + 36 + 4 * 144 + 120 + 160 + 8);
	paleo_net_free(net);
}

/* Gemma 4: an MLP and experts, seven norms and factors before the router. Without a window heads
 * are wider, and their values are the keys. */
static void knows_gemma4(void **state)
{
	struct paleo_net *net = model_net(
		"\"model_type\": \"gemma4_text\", \"hidden_size\": 8, \"intermediate_size\": 6, "
		"\"num_hidden_layers\": 2, \"num_attention_heads\": 2, \"num_key_value_heads\": 1, "
		"\"head_dim\": 4, \"global_head_dim\": 8, \"num_global_key_value_heads\": 2, "
		"\"attention_k_eq_v\": true, \"vocab_size\": 10, \"sliding_window\": 3, "
		"\"layer_types\": [\"sliding_attention\", \"full_attention\"], "
		"\"enable_moe_block\": true, \"num_experts\": 4, \"top_k_experts\": 2, "
		"\"moe_intermediate_size\": 3, \"use_bidirectional_attention\": \"vision\"",
		"decode,past=7");
	const double window = 192 + 8, full = 8 * 16 + 8 * 16 + 16 * 8 + 16;
	const double behind = 144 + 36 + 4 * 72 + 8 * 8;

	(void)state;
	assert_true(paleo_net_weights(net) == window + full + 2 * behind + 80 + 8);
	/* 3 of 8 tokens with 8 numbers, and 8 with 32 */
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_ALL) ==
		    2 * (3 * 8 + 8 * 32));
	paleo_net_free(net);
}

#define BLOCKS(first, second)                                                                      \
	"\"model_type\": \"nemotron-nas\", \"hidden_size\": 8, \"num_hidden_layers\": 2, "         \
	"\"num_attention_heads\": 2, \"vocab_size\": 10, \"block_configs\": ["                     \
	"{\"attention\": {" first "}, \"ffn\": {\"no_op\": true}}, "                               \
	"{\"attention\": {\"no_op\": true}, \"ffn\": {" second "}}]"

/* A layer of attention alone and one without: 2 * 8 * 8 / 3 wide, rounded up to 256. */
static void leaves_parts_out(void **state)
{
	struct paleo_net *net =
		model_net(BLOCKS("\"n_heads_in_group\": 2", "\"ffn_mult\": 8"), "decode,past=7");

	(void)state;
	assert_true(paleo_net_weights(net) == 192 + 8 + 3 * 8 * 256 + 8 + 160 + 8);
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_TOKEN) == 16);
	paleo_net_free(net);
	/* one sum of 8 numbers of bf16 in each */
	net = model_net(BLOCKS("\"n_heads_in_group\": 2", "\"ffn_mult\": 8"), "decode,tp=2");
	assert_non_null(strstr(net->note, " 2 all-reduces of 16 bytes"));
	paleo_net_free(net);
}

/* An index: queries 1536 * 64 * 128, keys 7168 * 128 and a norm of 2 * 128, weights 7168 * 64. */
static void counts_an_index(void **state)
{
	const double index = 61 * (12582912.0 + 917504 + 256 + 458752);
	struct paleo_net *net = model_net(CHOOSING, "decode");

	(void)state;
	assert_true(paleo_net_weights(net) == 671026419200 + index);
	assert_true(paleo_net_active(net) == 36625618432 + index);
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_TOKEN) == 70272);
	paleo_net_free(net);
}

/* 2^24 heads of 2^24 numbers, and what else would be too many for a product. */
#define MANY "16777216"
static const struct refusal bad[] = {
	{"\"model_type\": \"llama\", \"hidden_size\": 8, \"intermediate_size\": 6, "
	 "\"num_hidden_layers\": 1, \"vocab_size\": 10, \"num_attention_heads\": " MANY ", "
	 "\"head_dim\": " MANY,
	 "", "queries, keys and values of size 1125899906842624: expected at most 16777216"},
	{"\"model_type\": \"minimax_m3_vl_text\", \"num_local_experts\": 2, "
	 "\"num_experts_per_tok\": 1, \"index_n_heads\": 2, \"index_head_dim\": 4, "
	 "\"index_block_size\": " MANY ", \"index_topk_blocks\": 2, " TINY,
	 "", "selected blocks of keys of size 33554432"},
	{"\"model_type\": \"deepseek_v32\", \"index_n_heads\": " MANY ", \"index_head_dim\": 2, "
	 "\"index_topk\": 2, " TINY,
	 "", "an index of size 33554432"},
	{"\"model_type\": \"deepseek_v3\", \"kv_lora_rank\": 4, \"qk_nope_head_dim\": 4, "
	 "\"qk_rope_head_dim\": 2, \"v_head_dim\": " MANY ", " TINY,
	 "", "latent attention of size 33554448"},
	{"\"model_type\": \"ministral3\", \"per_layer_config\": {\"1\": {\"head_dim\": 2}}, " TINY,
	 "", "per_layer_config.1: expected the number of one of 1 layers"},
	{"\"model_type\": \"ministral3\", \"per_layer_config\": {\"0\": {\"window\": 2}}, " TINY,
	 "",
	 "per_layer_config.0.window: expected head_dim, num_attention_heads or "
	 "num_key_value_heads"},
	{"\"model_type\": \"solar_open\", \"hidden_size\": 8, \"num_hidden_layers\": 1, "
	 "\"num_attention_heads\": 2, \"vocab_size\": 10, \"n_routed_experts\": 4, "
	 "\"num_experts_per_tok\": 2, \"moe_intermediate_size\": 3, \"first_k_dense_replace\": 1",
	 "", "'intermediate_size' is missing, required by layer 0 without experts"},
	{CHOOSING, "train", "training of attention with selected keys is not supported"},
	{"\"model_type\": \"glm_moe_dsa\", \"index_topk\": 4, " TINY, "",
	 "key selection needs index_n_heads"},
	{BLOCKS("\"n_heads_in_group\": 2", "\"replace_with_linear\": true"), "",
	 "block_configs[1].ffn: a replacement by a linear layer is not supported"},
	{BLOCKS("\"n_heads_in_group\": 2", "\"ffn_mult\": 0"), "", "an MLP of no width"},
	{"\"model_type\": \"mimo_v2_flash\", \"hybrid_layer_pattern\": [2], " TINY, "",
	 "hybrid_layer_pattern[0]: '2' is not supported, expected 0 or 1"},
	{"\"model_type\": \"llama4_text\", \"layer_types\": [\"linear_attention\"], " TINY, "",
	 "expected full_attention or sliding_attention or chunked_attention"},
};

static void refuses_what_it_does_not_know(void **state)
{
	(void)state;
	check_refusals(bad, sizeof(bad) / sizeof(bad[0]));
}

/* cohere2_moe counts windows behind its dense layers, which see all; afmoe has rotary positions in
 * layers with a window alone. */
static void counts_windows(void **state)
{
#define ATTENTION "attention fwd bf16 batch=1 q=1 keys=10 heads=2 kv_heads=1 qk=4 v=4 causal=1 "
	static const char sizes[] =
		"\"hidden_size\": 8, \"intermediate_size\": 6, \"num_hidden_layers\": 3, "
		"\"num_attention_heads\": 2, \"num_key_value_heads\": 1, \"head_dim\": 4, "
		"\"vocab_size\": 10, \"sliding_window\": 4, \"num_experts\": 2, "
		"\"num_experts_per_tok\": 1, ";
	static const char *const window[] = {ATTENTION "window=4 cache=1 rope=4", NULL};
	static const char *const whole[] = {ATTENTION "cache=1 rope=4", NULL};
	static const char *const unturned[] = {ATTENTION "cache=1", NULL};
	char members[1024];

	(void)state;
	snprintf(members, sizeof(members),
		 "%s\"model_type\": \"cohere2_moe\", \"first_k_dense_replace\": 1, "
		 "\"sliding_window_pattern\": 2",
		 sizes);
	struct paleo_net *net = model_net(members, "decode,past=9");
	check_ops(net, "l1_attention", whole);
	check_ops(net, "l2_attention", window);
	check_ops(net, "l3_attention", whole);
	paleo_net_free(net);
	snprintf(members, sizeof(members),
		 "%s\"model_type\": \"afmoe\", \"num_dense_layers\": 1, "
		 "\"moe_intermediate_size\": 3, \"global_attn_every_n_layers\": 2",
		 sizes);
	net = model_net(members, "decode,past=9");
	check_ops(net, "l1_attention", window);
	check_ops(net, "l2_attention", unturned);
	check_ops(net, "l3_attention", window);
	paleo_net_free(net);
#undef ATTENTION
}

/*
 * gemma4 with words of each layer, whose last layers read the keys of the last before them that
 * have a window, or none. Heads have 4 numbers, or 6. With a window q, k, v and what is behind have
 * 64 + 2 x 32 + 64 weights, without 96 + 2 x 48 + 96; the last ones have no k and v, nor their norm
 * of 4 or 6, and an MLP twice as wide. A layer has 4 norms of 8, and for words 8 x 3, 3 x 8, 8. In
 * all there are words 80, a norm 8; words for layers 5 x 12, a product 8 x 12, a norm of 3.
 */
static void layers_share_keys(void **state)
{
#define SHARING(sharing)                                                                           \
	"\"model_type\": \"gemma4_text\", \"hidden_size\": 8, \"intermediate_size\": 6, "          \
	"\"num_hidden_layers\": 4, \"num_attention_heads\": 2, \"num_key_value_heads\": 1, "       \
	"\"head_dim\": 4, \"global_head_dim\": 6, \"vocab_size\": 10, \"sliding_window\": 4, "     \
	"\"vocab_size_per_layer_input\": 5, \"use_double_wide_mlp\": true, "                       \
	"\"num_kv_shared_layers\": " sharing ", \"layer_types\": [\"sliding_attention\", "         \
	"\"full_attention\", \"sliding_attention\", \"full_attention\"], "
	static const char model[] = SHARING("2") "\"hidden_size_per_layer_input\": 3";
	static const char *const window[] = {
		"attention fwd bf16 batch=2 q=1 keys=10 heads=2 kv_heads=1 qk=4 v=4 causal=1 "
		"window=4",
		NULL};
	static const char *const whole[] = {
		"attention fwd bf16 batch=2 q=1 keys=10 heads=2 kv_heads=1 qk=6 v=6 causal=1",
		NULL};
	static const char *const turned[] = {"rope fwd bf16 rows=2 heads=2 dim=4", NULL};
	static const char *const gate[] = {"gemm fwd bf16 m=2 n=3 k=8 trans_b=1", NULL};
	static const struct refusal others[] = {
		{model, "pp=2", "layers that share keys cannot be divided into stages"},
		{SHARING("4") "\"tie_word_embeddings\": true", "",
		 "4 layers share keys: no earlier layer"},
		{SHARING("3") "\"tie_word_embeddings\": true", "", "those that layer 1 reads"},
		{SHARING("5") "\"tie_word_embeddings\": true", "", "5 layers share keys"},
		{SHARING("2") "\"hidden_size_per_layer_input\": 16777216", "",
		 "per-layer embeddings"},
	};
	const double each = 32 + 56;
	struct paleo_net *net = model_net(model, "decode,batch=2,past=9");

	(void)state;
	assert_true(paleo_net_weights(net) == 4 * each + (192 + 8 + 144) + (288 + 12 + 144) +
						      (128 + 4 + 288) + (192 + 6 + 288) + 80 + 8 +
						      60 + 96 + 3);
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_TOKEN) ==
		    (2 * 4 + 2 * 6) * 2);
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_ALL) ==
		    2 * (4 * 2 * 4 + 10 * 2 * 6) * 2);
	/* the window of the first layer is full */
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_NEXT) == 2 * 6 * 2);
	check_ops(net, "l3_attention", window);
	check_ops(net, "l4_attention", whole);
	check_ops(net, "l3_q_rope", turned);
	check_ops(net, "l4_words_gate", gate);
	paleo_net_free(net);
	net = model_net(model, "train,seq=4");
	paleo_net_free(net);
	check_refusals(others, sizeof(others) / sizeof(others[0]));
}

/*
 * longcat_flash: of two attentions, 8 x 4, 4, 4 x 12 of queries, 8 x 6, 4, 4 x 16 of keys and
 * values and 8 x 8, and two MLPs of 144 with four norms, one layer of the file is two here. The
 * first has 2 experts of 72 beside its MLP, and a router of 4 outputs: half of a token's 2 experts
 * are idle.
 */
static void layers_have_two_of_each(void **state)
{
#define TWICE                                                                                      \
	"\"model_type\": \"longcat_flash\", \"hidden_size\": 8, \"ffn_hidden_size\": 6, "          \
	"\"num_attention_heads\": 2, \"vocab_size\": 10, \"q_lora_rank\": 4, "                     \
	"\"kv_lora_rank\": 4, \"qk_nope_head_dim\": 4, \"qk_rope_head_dim\": 2, "                  \
	"\"v_head_dim\": 4, \"n_routed_experts\": 2, \"moe_topk\": 2, "                            \
	"\"expert_ffn_hidden_size\": 3, "
	static const char *const experts[] = {
		"softmax fwd bf16 rows=4 cols=2",
		"moe fwd bf16 tokens=4 hidden=8 inter=3 experts=2 local=2 topk=1 gated=1", NULL};
	static const char *const mlp[] = {"gemm fwd bf16 m=4 n=12 k=8 trans_b=1", NULL};
	static const char *const none[] = {NULL};
	static const struct refusal twice_bad[] = {
		{TWICE "\"num_layers\": 513", "", "1026 layers are more than 1024"},
		{TWICE "\"num_layers\": 16777216", "", "16777216 layers are more than 1024"},
		{TWICE "\"num_layers\": 1, \"zero_expert_num\": 16777216", "", "a router of"},
		{TWICE "\"num_layers\": 1, \"zero_expert_type\": \"copy\"", "",
		 "'copy' is not supported here, expected 'identity'"},
	};
	struct paleo_net *net =
		model_net(TWICE "\"num_layers\": 1, \"zero_expert_num\": 2", "seq=4");

	(void)state;
	assert_true(paleo_net_weights(net) == 2 * (264 + 144 + 16) + 32 + 4 + 2 * 72 + 8 + 160);
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_TOKEN) == 2 * 6 * 2);
	check_ops(net, "l1_experts", experts);
	check_ops(net, "l2_experts", none);
	check_ops(net, "l1_expand", mlp);
	check_ops(net, "l2_expand", mlp);
	paleo_net_free(net);
	check_refusals(twice_bad, sizeof(twice_bad) / sizeof(twice_bad[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_what_is_left_out),
		cmocka_unit_test(reads_windows),
		cmocka_unit_test(reads_chunks),
		cmocka_unit_test(chooses_keys),
		cmocka_unit_test(counts_an_index),
		cmocka_unit_test(chooses_blocks_of_keys),
		cmocka_unit_test(knows_gemma4),
		cmocka_unit_test(leaves_parts_out),
		cmocka_unit_test(refuses_what_it_does_not_know),
		cmocka_unit_test(counts_windows),
		cmocka_unit_test(layers_share_keys),
		cmocka_unit_test(layers_have_two_of_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
