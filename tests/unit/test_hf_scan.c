/* test_hf_scan.c - models with state spaces, linear attention and short convolutions. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/hf_nets.h"

/*
 * Weights are those of the meta-device models that transformers 5.24 makes of the same keys. State
 * of a sequence in bf16, 2 bytes a number, by hand: of each such layer heads x keys x values, and
 * taps - 1 of the channels that are convolved.
 */
static const struct {
	const char *members;
	double weights, cached, state;
} models[] = {
	/* 36 of 48 layers: 32 x 128 x 128, 3 x (2 x 16 x 128 + 32 x 128); 12 keep 2 x 2 x 256 */
	{"\"model_type\": \"qwen3_next\", \"vocab_size\": 151936, \"hidden_size\": 2048, "
	 "\"num_hidden_layers\": 48, \"num_attention_heads\": 16, \"num_key_value_heads\": 2, "
	 "\"head_dim\": 256, \"linear_conv_kernel_dim\": 4, \"linear_key_head_dim\": 128, "
	 "\"linear_value_head_dim\": 128, \"linear_num_key_heads\": 16, "
	 "\"linear_num_value_heads\": 32, \"moe_intermediate_size\": 512, "
	 "\"shared_expert_intermediate_size\": 512, \"num_experts_per_tok\": 10, "
	 "\"num_experts\": 512, \"mlp_only_layers\": [], \"full_attention_interval\": 4",
	 79674391296, 12 * 2 * 2 * 2 * 256, 36 * 2.0 * (32 * 128 * 128 + 3 * 8192)},
	/* a layer each of a scan, experts, attention, an MLP; the state is f32, the taps bf16 */
	{"\"model_type\": \"nemotron_h\", \"vocab_size\": 131072, \"hidden_size\": 4096, "
	 "\"num_hidden_layers\": 4, \"hybrid_override_pattern\": \"ME*-\", "
	 "\"num_attention_heads\": 32, \"num_key_value_heads\": 8, \"head_dim\": 128, "
	 "\"intermediate_size\": 21504, \"mlp_hidden_act\": \"relu2\", \"ssm_state_size\": 128, "
	 "\"mamba_num_heads\": 128, \"mamba_head_dim\": 64, \"n_groups\": 8, \"conv_kernel\": 4, "
	 "\"chunk_size\": 128, \"mamba_ssm_cache_dtype\": \"float32\", \"n_routed_experts\": 8, "
	 "\"n_shared_experts\": 1, \"moe_intermediate_size\": 7688, "
	 "\"moe_shared_expert_intermediate_size\": 7688, \"num_experts_per_tok\": 2, "
	 "\"time_step_limit\": [0.0, Infinity]",
	 1968355712, 2 * 2 * 8 * 128, 4.0 * 128 * 64 * 128 + 2.0 * 3 * (8192 + 2 * 8 * 128)},
	/* no attention at all, so no cache */
	{"\"model_type\": \"mamba2\", \"num_heads\": 128, \"head_dim\": 64, \"vocab_size\": 32768, "
	 "\"hidden_size\": 4096, \"state_size\": 128, \"num_hidden_layers\": 64, \"expand\": 2, "
	 "\"conv_kernel\": 4, \"n_groups\": 8, \"use_bias\": false, \"use_conv_bias\": true, "
	 "\"chunk_size\": 256, \"time_step_rank\": 256",
	 7285403648, 0, 64 * 2.0 * (128 * 64 * 128 + 3 * (8192 + 2 * 8 * 128))},
	/* each of 2 x 768 channels has a state of 16 */
	{"\"model_type\": \"mamba\", \"vocab_size\": 50280, \"hidden_size\": 768, \"state_size\": "
	 "16, \"num_hidden_layers\": 32, \"expand\": 2, \"conv_kernel\": 4, \"time_step_rank\": "
	 "\"auto\"",
	 159308544, 0, 32 * 2.0 * 1536 * (16 + 3)},
	/* both in every layer */
	{"\"model_type\": \"falcon_h1\", \"vocab_size\": 128000, \"hidden_size\": 4096, "
	 "\"intermediate_size\": 14336, \"num_hidden_layers\": 32, \"num_attention_heads\": 32, "
	 "\"num_key_value_heads\": 8, \"mamba_d_ssm\": 1024, \"mamba_n_heads\": 128, "
	 "\"mamba_d_head\": \"auto\", \"mamba_n_groups\": 1, \"mamba_d_state\": 256, "
	 "\"mamba_d_conv\": 4, \"mamba_rms_norm\": false",
	 8514961408, 32 * 2 * 2 * 8 * 128, 32 * 2.0 * (1024 * 256 + 3 * (1024 + 512))},
	{"\"model_type\": \"bamba\", \"vocab_size\": 128000, \"hidden_size\": 4096, "
	 "\"intermediate_size\": 14336, \"num_hidden_layers\": 32, \"num_attention_heads\": 32, "
	 "\"num_key_value_heads\": 8, \"mamba_n_heads\": 128, \"mamba_d_head\": 64, "
	 "\"mamba_n_groups\": 1, \"mamba_d_state\": 256, \"mamba_d_conv\": 4",
	 9992765440, 0, 32 * 2.0 * (8192 * 256 + 3 * (8192 + 512))},
	{"\"model_type\": \"granitemoehybrid\", \"vocab_size\": 32000, \"hidden_size\": 4096, "
	 "\"intermediate_size\": 11008, \"num_hidden_layers\": 32, \"num_attention_heads\": 32, "
	 "\"num_local_experts\": 8, \"num_experts_per_tok\": 2, \"shared_intermediate_size\": "
	 "1024, "
	 "\"mamba_n_heads\": 128, \"mamba_d_head\": 64, \"mamba_n_groups\": 1, "
	 "\"mamba_d_state\": 256, \"mamba_d_conv\": 4",
	 38601064448, 0, 32 * 2.0 * (8192 * 256 + 3 * (8192 + 512))},
	/* attention in layers 4, 12, 20, 28, experts in each second one */
	{"\"model_type\": \"jamba\", \"vocab_size\": 65536, \"hidden_size\": 4096, "
	 "\"intermediate_size\": 14336, \"num_hidden_layers\": 32, \"num_attention_heads\": 32, "
	 "\"num_key_value_heads\": 8, \"num_experts\": 16, \"num_experts_per_tok\": 2, "
	 "\"expert_layer_period\": 2, \"expert_layer_offset\": 1, \"attn_layer_period\": 8, "
	 "\"attn_layer_offset\": 4, \"mamba_d_state\": 16, \"mamba_d_conv\": 4, "
	 "\"mamba_expand\": 2, \"mamba_dt_rank\": 256",
	 51570323328, 4 * 2 * 2 * 8 * 128, 28 * 2.0 * 8192 * (16 + 3)},
	/* counted from 1; a latent cache of 512 + 64 in the others */
	{"\"model_type\": \"kimi_linear\", \"vocab_size\": 163840, \"hidden_size\": 2304, "
	 "\"intermediate_size\": 9216, \"moe_intermediate_size\": 1024, \"num_hidden_layers\": 27, "
	 "\"num_attention_heads\": 32, \"num_shared_experts\": 1, \"kv_lora_rank\": 512, "
	 "\"qk_rope_head_dim\": 64, \"v_head_dim\": 128, \"qk_nope_head_dim\": 128, "
	 "\"num_experts_per_token\": 8, \"num_experts\": 256, \"first_k_dense_replace\": 1, "
	 "\"linear_head_dim\": 128, \"linear_num_heads\": 32, \"linear_conv_kernel_dim\": 4, "
	 "\"linear_attn_config\": {\"full_attn_layers\": [5, 9, 13, 17, 21, 25]}",
	 49133074464, 6 * 2 * (512 + 64), 21 * 2.0 * (32 * 128 * 128 + 3 * 3 * 4096)},
	/* every layer attends here; the width of the MLP is 2/3 of 12288, in whole 256 */
	{"\"model_type\": \"lfm2\", \"vocab_size\": 65536, \"hidden_size\": 2560, "
	 "\"intermediate_size\": 12288, \"num_hidden_layers\": 32, \"num_attention_heads\": 32, "
	 "\"num_key_value_heads\": 8, \"conv_L_cache\": 3, \"full_attn_idxs\": [0, 1, 2, 3, 4, 5, "
	 "6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, "
	 "29, 30, 31]",
	 2705497600, 32 * 2 * 2 * 8 * 80, 0},
	/* none does: of each of 2560 channels 2 tokens; a product of 3 x 2560, 3 taps, one behind;
	 * instead of q, k, v, the one behind them, and two norms of 80 */
	{"\"model_type\": \"lfm2\", \"vocab_size\": 65536, \"hidden_size\": 2560, "
	 "\"intermediate_size\": 12288, \"num_hidden_layers\": 32, \"num_attention_heads\": 32, "
	 "\"num_key_value_heads\": 8, \"conv_L_cache\": 3",
	 2705497600 + 32 * (2560.0 * (4 * 2560 + 3) - 2560.0 * (2 * 2560 + 2 * 640) - 160), 0,
	 32 * 2.0 * 2 * 2560},
};

static void counts_weights_and_states(void **state)
{
	static const char *const phases[] = {"prefill,seq=4", "decode,past=5"};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(models) / sizeof(models[0]); i++) {
		struct paleo_net *net = model_net(models[i / 2].members, phases[i % 2]);
		if (paleo_net_weights(net) != models[i / 2].weights ||
		    paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_TOKEN) !=
			    models[i / 2].cached ||
		    paleo_net_state_bytes(net, PALEO_BF16) != models[i / 2].state)
			fail_msg("%.40s: %.0f weights, %.0f bytes a token, %.0f a sequence",
				 models[i / 2].members, paleo_net_weights(net),
				 paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_TOKEN),
				 paleo_net_state_bytes(net, PALEO_BF16));
		paleo_net_free(net);
	}
}

/* In training nothing is kept from token to token, and nothing else changes. */
static void trains_without_a_state(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct paleo_net *net = model_net(models[i].members, "train,seq=4");
		assert_true(paleo_net_weights(net) == models[i].weights);
		assert_true(paleo_net_state_bytes(net, PALEO_BF16) == 0);
		paleo_net_free(net);
	}
}

/* Of two workers each has half of the heads: the state of a sequence is half as large. */
static void divides_heads(void **state)
{
	struct paleo_net *net = model_net(models[2].members, "decode,tp=2");

	(void)state;
	assert_true(paleo_net_state_bytes(net, PALEO_BF16) == models[2].state / 2);
	paleo_net_free(net);
}

static const struct refusal bad[] = {
	{"\"model_type\": \"mamba2\", \"num_heads\": 3, \"head_dim\": 4, \"vocab_size\": 10, "
	 "\"hidden_size\": 8, \"state_size\": 4, \"num_hidden_layers\": 2, \"n_groups\": 2, "
	 "\"conv_kernel\": 4",
	 "decode", "3 heads of 4 values, 2 groups"},
	/* twice the numbers of 2^24 heads of 2, of keys, and one for each head */
	{"\"model_type\": \"mamba2\", \"num_heads\": 16777216, \"head_dim\": 2, "
	 "\"vocab_size\": 10, \"hidden_size\": 8, \"state_size\": 4, \"num_hidden_layers\": 2, "
	 "\"n_groups\": 2, \"conv_kernel\": 4",
	 "decode", "a scan of size 100663324: expected at most 16777216"},
	{"\"model_type\": \"nemotron_h\", \"vocab_size\": 10, \"hidden_size\": 8, "
	 "\"num_hidden_layers\": 2, \"hybrid_override_pattern\": \"MX\", "
	 "\"num_attention_heads\": 2, \"intermediate_size\": 6, \"ssm_state_size\": 4, "
	 "\"mamba_num_heads\": 4, \"mamba_head_dim\": 4, \"n_groups\": 2, \"conv_kernel\": 4",
	 "decode", "hybrid_override_pattern: expected 2 characters"},
};

static void refuses_what_is_not_possible(void **state)
{
	(void)state;
	check_refusals(bad, sizeof(bad) / sizeof(bad[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_weights_and_states),
		cmocka_unit_test(trains_without_a_state),
		cmocka_unit_test(divides_heads),
		cmocka_unit_test(refuses_what_is_not_possible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
