/* test_hf_others.c - models that write, of families known by few: weights worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/hf_nets.h"

/* With biases a layer of TINY's sizes and two heads of keys has 288 in attention, 110 in an MLP of
 * two products, and 32 in two norms. */
#define OPT                                                                                        \
	"\"model_type\": \"opt\", \"hidden_size\": 8, \"ffn_dim\": 6, "                            \
	"\"num_hidden_layers\": 1, \"num_attention_heads\": 2, \"vocab_size\": 10, "               \
	"\"max_position_embeddings\": 5"

/* AutoModelForCausalLM of transformers 5.24, on its device "meta", counts the same of these files,
 * without the two numbers by which the router of LFM2 chooses. */
static const struct {
	const char *members;
	double weights;
} models[] = {
	{"\"model_type\": \"xglm\", \"d_model\": 8, \"ffn_dim\": 6, \"num_layers\": 1, "
	 "\"attention_heads\": 2, \"vocab_size\": 10",
	 288 + 110 + 32 + 80 + 16},
	/* 5 places and 2 more */
	{"\"model_type\": \"biogpt\", \"hidden_size\": 8, \"intermediate_size\": 6, "
	 "\"num_hidden_layers\": 1, \"num_attention_heads\": 2, \"vocab_size\": 10, "
	 "\"max_position_embeddings\": 5",
	 288 + 110 + 32 + 80 + 16 + 56},
	/* four times as wide, no norm behind all */
	{"\"model_type\": \"openai-gpt\", \"n_embd\": 8, \"n_layer\": 1, \"n_head\": 2, "
	 "\"n_positions\": 5, \"vocab_size\": 10, \"afn\": \"gelu\"",
	 288 + 2 * 8 * 32 + 32 + 8 + 32 + 80 + 40},
	/* words of 4 numbers: two products, and places of 8; norms behind the sums */
	{OPT ", \"word_embed_proj_dim\": 4, \"do_layer_norm_before\": false",
	 288 + 110 + 32 + 40 + 2 * 32 + 56},
	{OPT, 288 + 110 + 32 + 80 + 16 + 56},
	{"\"model_type\": \"hyperclovax\", " TINY, 192 + 144 + 32 + 8 + 160},
	{"\"model_type\": \"iquestcoder\", \"head_dim\": 4, " TINY, 192 + 144 + 16 + 8 + 160},
	/* two numbers of the activation, norms of heads */
	{"\"model_type\": \"apertus\", \"hidden_act\": \"xielu\", " TINY,
	 192 + 96 + 2 + 8 + 16 + 8 + 160},
	/* latent: queries 32 + 4 + 32, keys and values 48 + 4 + 48, behind it 64 */
	{"\"model_type\": \"minicpm3\", \"tie_word_embeddings\": true, \"q_lora_rank\": 4, "
	 "\"kv_lora_rank\": 4, \"qk_nope_head_dim\": 2, \"qk_rope_head_dim\": 2, "
	 "\"v_head_dim\": 4, \"hidden_size\": 8, \"intermediate_size\": 6, "
	 "\"num_hidden_layers\": 1, \"num_attention_heads\": 2, \"num_key_value_heads\": 2, "
	 "\"vocab_size\": 10",
	 232 + 144 + 16 + 8 + 80},
	/* four products of 64, two of 256; sizes of dbrx stand in parts of the file */
	{"\"model_type\": \"mpt\", \"d_model\": 8, \"n_heads\": 2, \"n_layers\": 1, "
	 "\"expansion_ratio\": 4, \"vocab_size\": 10, \"no_bias\": true, \"attn_config\": "
	 "{\"attn_type\": \"multihead_attention\", \"qk_ln\": false, \"clip_qkv\": null}",
	 256 + 512 + 16 + 8 + 80},
	/* a product of 64 and a norm before the head, which has 10 biases; no first norm */
	{"\"model_type\": \"modernbert-decoder\", \"local_attention\": 4, \"decoder_bias\": true, "
	 "\"hidden_size\": 8, \"intermediate_size\": 6, \"num_hidden_layers\": 2, "
	 "\"num_attention_heads\": 2, \"vocab_size\": 10",
	 2 * (256 + 144 + 16) - 8 + 8 + 80 + 8 + 64 + 8 + 10},
	/* biases of all products: 24 of attention, 20 of the MLP */
	{"\"model_type\": \"internlm3\", \"bias\": true, \"qkv_bias\": true, "
	 "\"attention_bias\": true, \"mlp_bias\": true, " TINY,
	 192 + 24 + 144 + 20 + 16 + 8 + 160},
	{"\"model_type\": \"dbrx\", \"d_model\": 8, \"n_heads\": 2, \"n_layers\": 1, "
	 "\"vocab_size\": 10, \"attn_config\": {\"kv_n_heads\": 1, \"rope_theta\": 5}, "
	 "\"ffn_config\": {\"ffn_hidden_size\": 6, \"moe_num_experts\": 2, \"moe_top_k\": 1}",
	 192 + 16 + 2 * 144 + 16 + 8 + 160},
	/* a sink for each head, two experts and their router */
	{"\"model_type\": \"granitemoe_swa\", \"num_local_experts\": 2, "
	 "\"num_experts_per_tok\": 1, \"sliding_window\": 3, " TINY,
	 192 + 2 + 16 + 2 * 144 + 16 + 8 + 160},
	/* 16 channels: in 256, taps 80, gates 80 and 32, a state's 48, out 128 */
	{"\"model_type\": \"falcon_mamba\", \"hidden_size\": 8, \"state_size\": 2, "
	 "\"num_hidden_layers\": 1, \"conv_kernel\": 4, \"expand\": 2, \"time_step_rank\": 1, "
	 "\"vocab_size\": 10",
	 256 + 80 + 80 + 32 + 48 + 128 + 8 + 8 + 80},
	/* a short convolution 192 + 24 + 64 with an MLP; attention with experts */
	{"\"model_type\": \"lfm2_moe\", \"layer_types\": [\"conv\", \"full_attention\"], "
	 "\"num_dense_layers\": 1, \"num_experts\": 2, \"num_experts_per_tok\": 1, "
	 "\"moe_intermediate_size\": 3, \"hidden_size\": 8, \"intermediate_size\": 6, "
	 "\"num_hidden_layers\": 2, \"num_attention_heads\": 2, \"num_key_value_heads\": 1, "
	 "\"vocab_size\": 10, \"conv_L_cache\": 3, \"tie_word_embeddings\": true",
	 280 + 144 + 16 + 192 + 8 + 16 + 2 + 2 * 72 + 16 + 8 + 80},
	/* three layers of the delta rule: products 288, taps 64, 8 learned; attention with wide
	 * norms of queries and keys */
	{"\"model_type\": \"olmo_hybrid\", \"hidden_size\": 8, \"intermediate_size\": 6, "
	 "\"num_hidden_layers\": 4, \"num_attention_heads\": 2, \"num_key_value_heads\": 1, "
	 "\"vocab_size\": 10, \"linear_num_key_heads\": 2, \"linear_num_value_heads\": 2, "
	 "\"linear_key_head_dim\": 2, \"linear_value_head_dim\": 4, "
	 "\"linear_conv_kernel_dim\": 4",
	 3 * (288 + 64 + 8 + 144 + 16) + 192 + 8 + 4 + 144 + 16 + 8 + 160},
};

/* Of custom code, which transformers has not: by hand alone. The published files give
 * 7,721,324,544 (Qwen 7B), 6,243,584,000 (ChatGLM3 6B), 2,724,880,896 (MiniCPM 2B) and
 * 16,375,728,128 (DeepSeek-MoE 16B), the counts of their checkpoints. */
static const struct {
	const char *members;
	double weights;
} custom[] = {
	/* the size is that of two products; queries, keys and values have biases */
	{"\"model_type\": \"qwen\", \"kv_channels\": 4, \"no_bias\": true, \"hidden_size\": 8, "
	 "\"intermediate_size\": 12, \"num_hidden_layers\": 1, \"num_attention_heads\": 2, "
	 "\"vocab_size\": 10",
	 256 + 24 + 144 + 16 + 8 + 160},
	{"\"model_type\": \"chatglm\", \"kv_channels\": 4, \"hidden_size\": 8, "
	 "\"ffn_hidden_size\": 6, \"num_layers\": 1, \"num_attention_heads\": 2, "
	 "\"multi_query_attention\": true, \"multi_query_group_num\": 1, "
	 "\"add_qkv_bias\": true, \"add_bias_linear\": false, \"rmsnorm\": true, "
	 "\"padded_vocab_size\": 10",
	 192 + 16 + 144 + 16 + 8 + 160},
	{"\"model_type\": \"minicpm\", \"scale_emb\": 12, " TINY, 192 + 144 + 16 + 8 + 80},
	/* norms with shifts, three of 8 */
	{"\"model_type\": \"orion\", " TINY, 192 + 144 + 2 * 24 + 160},
	/* Ling mini 2.0: 16,255,643,392, with a number for each expert to choose by; two of 72 here
	 */
	{"\"model_type\": \"bailing_moe\", \"use_qk_norm\": true, \"use_qkv_bias\": false, "
	 "\"num_experts\": 2, \"num_experts_per_tok\": 1, \"moe_intermediate_size\": 3, "
	 "\"num_shared_experts\": 1, " TINY,
	 192 + 8 + 18 + 3 * 72 + 16 + 8 + 160},
	/* two experts of 72, and one for all tokens */
	{"\"model_type\": \"deepseek\", \"n_routed_experts\": 2, \"n_shared_experts\": 1, "
	 "\"num_experts_per_tok\": 1, \"moe_intermediate_size\": 3, " TINY,
	 192 + 16 + 3 * 72 + 16 + 8 + 160},
};

static void counts_custom_code(void **state)
{
	static const char *const half[] = {
		"attention fwd bf16 batch=1 q=1 keys=4 heads=2 kv_heads=1 qk=4 v=4 causal=1 "
		"cache=1 rope=2",
		NULL};

	(void)state;
	for (size_t i = 0; i < sizeof(custom) / sizeof(custom[0]); i++) {
		struct paleo_net *net = model_net(custom[i].members, "decode,past=3");
		if (paleo_net_weights(net) != custom[i].weights)
			fail_msg("%zu: %.0f weights, expected %.0f", i, paleo_net_weights(net),
				 custom[i].weights);
		if (i == 1) /* half of a head is turned */
			check_ops(net, "l1_attention", half);
		paleo_net_free(net);
	}
}

static void counts_weights(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct paleo_net *net = model_net(models[i].members, "seq=4");
		if (paleo_net_weights(net) != models[i].weights)
			fail_msg("%zu: %.0f weights, expected %.0f", i, paleo_net_weights(net),
				 models[i].weights);
		paleo_net_free(net);
		net = model_net(models[i].members, "decode,past=3");
		assert_true(paleo_net_weights(net) == models[i].weights);
		paleo_net_free(net);
	}
}

/* A model of several parts is its text part, which has another's name; keys that begin or end as
 * those that change no op are none either. TINY: 192 + 144 + 16 + 8 + 160; Qwen 2 has 16 biases,
 * Qwen 3 heads of 4 with 8 numbers of two norms. */
static void takes_the_text(void **state)
{
	static const struct {
		const char *members;
		double weights;
	} all[] = {
		{"\"model_type\": \"llava\", \"mm_vision_tower\": \"x\", \"boi_token_index\": 3, "
		 "\"_from_model_config\": true, \"text_dropout\": 0.1, " TINY,
		 520},
		{"\"model_type\": \"internvl_chat\", \"hidden_size\": 3, \"llm_config\": "
		 "{\"model_type\": \"llava_qwen\", " TINY "}",
		 536},
		{"\"model_type\": \"multi_modality\", \"language_config\": {\"model_type\": "
		 "\"llama\", " TINY "}",
		 520},
		{"\"model_type\": \"qwen3_omni_moe\", \"thinker_config\": {\"model_type\": \"x\", "
		 "\"text_config\": {\"model_type\": \"qwen3_vl_text\", \"head_dim\": 4, " TINY "}}",
		 528},
		{"\"model_type\": \"qwen2\", \"is_causal\": false, " TINY, 536 - 80}, /* no head */
		{"\"model_type\": \"qwen2\", \"is_causal\": true, " TINY, 536},
		/* a text part with its class alone, without latent keys: two experts of 72, and one
		 */
		{"\"model_type\": \"deepseek_vl_v2\", \"language_config\": {\"architectures\": "
		 "[\"DeepseekV2ForCausalLM\"], \"use_mla\": false, \"kv_lora_rank\": null, "
		 "\"n_routed_experts\": 2, \"n_shared_experts\": 1, \"num_experts_per_tok\": 1, "
		 "\"moe_intermediate_size\": 3, " TINY "}",
		 520 - 144 + 16 + 3 * 72},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct paleo_net *net = model_net(all[i].members, "seq=4");
		if (paleo_net_weights(net) != all[i].weights)
			fail_msg("%zu: %.0f weights, expected %.0f", i, paleo_net_weights(net),
				 all[i].weights);
		paleo_net_free(net);
	}
}

/* A file's intermediate_size says how many channels go through Mamba, whatever `expand` is. */
static void reads_channels(void **state)
{
	static const char *const conv[] = {
		"causal_conv fwd bf16 batch=1 tokens=4 channels=12 taps=4 bias=1 act=1 cache=1",
		NULL};

	(void)state;
	struct paleo_net *net = model_net(
		"\"model_type\": \"falcon_mamba\", \"hidden_size\": 8, \"state_size\": 2, "
		"\"num_hidden_layers\": 1, \"conv_kernel\": 4, \"expand\": 16, "
		"\"intermediate_size\": 12, \"time_step_rank\": 1, \"vocab_size\": 10",
		"seq=4");
	check_ops(net, "l1_conv", conv);
	paleo_net_free(net);
}

/* Half of the file's width, in two of three layers. */
static void halves_windows(void **state)
{
	static const char *const window[] = {
		"attention fwd bf16 batch=1 q=1 keys=9 heads=2 kv_heads=2 qk=4 v=4 causal=1 "
		"window=2 cache=1 rope=4",
		NULL};
	static const char *const whole[] = {
		"attention fwd bf16 batch=1 q=1 keys=9 heads=2 kv_heads=2 qk=4 v=4 causal=1 "
		"cache=1 rope=4",
		NULL};

	(void)state;
	struct paleo_net *net =
		model_net("\"model_type\": \"modernbert-decoder\", \"local_attention\": 4, "
			  "\"hidden_size\": 8, \"intermediate_size\": 6, \"num_hidden_layers\": 4, "
			  "\"num_attention_heads\": 2, \"vocab_size\": 10",
			  "decode,past=8");
	check_ops(net, "l1_attention", whole);
	check_ops(net, "l2_attention", window);
	check_ops(net, "l4_attention", whole);
	paleo_net_free(net);
}

/*
 * Scales of activations are in the checkpoint, and the op before a GEMM quantises, but where a file
 * says that they are found at run time; those of blocks always are. In training they are, too.
 */
static void knows_scales(void **state)
{
#define QWEN                                                                                       \
	"\"model_type\": \"qwen3\", \"hidden_size\": 8, \"intermediate_size\": 6, "                \
	"\"num_hidden_layers\": 2, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, "       \
	"\"head_dim\": 4, \"vocab_size\": 10, \"quantization_config\": {"
#define SCHEME(dynamic)                                                                            \
	"\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"group_0\": "              \
	"{\"weights\": {\"num_bits\": 8, \"type\": \"float\"}, "                                   \
	"\"input_activations\": {\"num_bits\": 8, \"type\": \"float\", \"dynamic\": " dynamic      \
	"}}}"
	static const char fp8[] = "fp8 m=4 n=32 k=8 trans_b=1";
	static const struct {
		const char *how, *words, *type, *rest;
	} files[] = {
		{"\"quant_algo\": \"FP8\"", "seq=4", fp8, " codes=1"},
		{"\"quant_algo\": \"FP8\"", "train,seq=4", "fp8 m=4 n=16 k=8 trans_b=1", ""},
		{"\"quant_method\": \"fp8\", \"activation_scheme\": \"static\"", "seq=4", fp8,
		 " codes=1"},
		{"\"quant_method\": \"fp8\", \"activation_scheme\": \"dynamic\"", "seq=4", fp8, ""},
		{"\"quant_method\": \"fbgemm_fp8\"", "seq=4", fp8, ""},
		{SCHEME("true"), "seq=4", fp8, ""},
		{SCHEME("false"), "seq=4", fp8, " codes=1"},
		{"\"quant_algo\": \"NVFP4\"", "seq=4", "bf16 m=4 n=32 k=8 trans_b=1",
		 " stored=nvfp4 codes=1"},
		{"\"quant_method\": \"fp8\", \"weight_block_size\": [128, 128]", "seq=4", fp8,
		 " stored=fp8_block"},
		{"\"quant_algo\": \"FP8\"", "seq=4,weights=fp8_block", fp8, " stored=fp8_block"},
		{"\"bits\": 4", "seq=4,weights=fp8", fp8, " codes=1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char members[1024], key[128];
		snprintf(members, sizeof(members), QWEN "%s}", files[i].how);
		snprintf(key, sizeof(key), "gemm fwd %s%s", files[i].type, files[i].rest);
		const char *const keys[] = {key, NULL};
		struct paleo_net *net = model_net(members, files[i].words);
		check_ops(net, i == 1 ? "l1_q" : "l1_qkv", keys);
		paleo_net_free(net);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_weights), cmocka_unit_test(counts_custom_code),
		cmocka_unit_test(halves_windows), cmocka_unit_test(takes_the_text),
		cmocka_unit_test(reads_channels), cmocka_unit_test(knows_scales),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
