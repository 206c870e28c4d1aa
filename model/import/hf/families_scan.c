/* families_scan.c - THE list of families with state spaces or linear attention. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/hf/family.h"

/* How a state starts, and how far a step may go, change no work. */
#define STEP_KEYS                                                                                  \
	"time_step_min", "time_step_max", "time_step_floor", "time_step_limit", "time_step_scale", \
		"time_step_init_scheme", "rescale_prenorm_residual", "residual_in_fp32",           \
		"num_logits_to_keep", "use_mamba_kernels", "use_mambapy", "use_associative_scan"
#define DELTA_KEYS                                                                                 \
	"layer_types", "full_attention_interval", "attention_bias", "attn_output_gate",            \
		"linear_conv_kernel_dim", "linear_key_head_dim", "linear_num_key_heads",           \
		"linear_num_value_heads", "linear_value_head_dim", "mamba_ssm_dtype",              \
		"mtp_num_hidden_layers", "mtp_use_dedicated_embeddings", "mlp_only_layers"
#define QWEN_EXPERTS                                                                               \
	DELTA_KEYS, "num_experts", "decoder_sparse_step", "num_experts_per_tok",                   \
		"moe_intermediate_size", "shared_expert_intermediate_size"
#define MAMBA_KEYS                                                                                 \
	STEP_KEYS, "mamba_n_heads", "mamba_d_head", "mamba_n_groups", "mamba_d_state",             \
		"mamba_d_conv", "mamba_expand", "mamba_chunk_size", "mamba_conv_bias",             \
		"mamba_proj_bias", "attention_bias", "mlp_bias"
#define ALONE_KEYS                                                                                 \
	STEP_KEYS, "state_size", "expand", "conv_kernel", "time_step_rank", "use_bias",            \
		"use_conv_bias"

const struct paleo_hf_family paleo_hf_scan_families[] = {
#define QWEN                                                                                       \
	.rule = PALEO_HF_DELTA, .attention_every = 4, .wide_gate = 1, .head_dim = 256,             \
	.with_attention_bias = PALEO_HF_BIAS_ATTENTION, .qk_norm = PALEO_HF_NORM_HEADS
	{.type = "qwen3_next", .keys = KEYS(QWEN_EXPERTS), .shared_gate = 1, QWEN},
	{.type = "qwen3_5_text", .keys = KEYS(DELTA_KEYS), QWEN},
	{.type = "qwen3_5_moe_text", .keys = KEYS(QWEN_EXPERTS), .shared_gate = 1, QWEN},
	{.type = "nemotron_h",
	 .keys = KEYS(STEP_KEYS, "hybrid_override_pattern", "layers_block_type", "mamba_num_heads",
		      "mamba_head_dim", "n_groups", "ssm_state_size", "conv_kernel", "chunk_size",
		      "expand", "mamba_hidden_act", "mamba_proj_bias", "mamba_ssm_cache_dtype",
		      "use_bias", "use_conv_bias", "attention_bias", "mlp_bias", "mlp_hidden_act",
		      "sliding_window", "n_routed_experts", "n_shared_experts",
		      "num_experts_per_tok", "moe_intermediate_size", "moe_latent_size",
		      "moe_shared_expert_intermediate_size", "moe_shared_expert_overlap",
		      "num_nextn_predict_layers", "mtp_hybrid_override_pattern",
		      "mtp_layers_block_type", "attention_head_dim"),
	 .rule = PALEO_HF_MAMBA2,
	 .one_each = 1,
	 .scan_norm = 1,
	 .plain = 1,
	 .positions = PALEO_HF_NO_POSITIONS,
	 .bias = PALEO_HF_BIAS_CONV,
	 .with_bias = PALEO_HF_BIAS_SCAN,
	 .with_attention_bias = PALEO_HF_BIAS_ATTENTION},
	{.type = "mamba2",
	 .keys = KEYS(ALONE_KEYS, "num_heads", "n_groups", "chunk_size", "rms_norm",
		      "norm_before_gate"),
	 .rule = PALEO_HF_MAMBA2,
	 .scan_alone = 1,
	 .scan_norm = 1,
	 .positions = PALEO_HF_NO_POSITIONS,
	 .bias = PALEO_HF_BIAS_CONV,
	 .with_bias = PALEO_HF_BIAS_SCAN},
	{.type = "mamba",
	 .keys = KEYS(ALONE_KEYS, "d_inner", "d_model", "n_layer", "ssm_cfg", "fused_add_norm",
		      "rms_norm", "pad_vocab_size_multiple"),
	 .rule = PALEO_HF_MAMBA1,
	 .scan_alone = 1,
	 .positions = PALEO_HF_NO_POSITIONS,
	 .bias = PALEO_HF_BIAS_CONV,
	 .with_bias = PALEO_HF_BIAS_SCAN,
	 .tied = 1},
	{.type = "falcon_mamba", /* with norms that learn nothing */
	 .keys = KEYS(ALONE_KEYS, "mixer_rms_eps", "use_falcon_mambapy"),
	 .rule = PALEO_HF_MAMBA1_NORMS,
	 .fixed_norms = 1,
	 .scan_alone = 1,
	 .positions = PALEO_HF_NO_POSITIONS,
	 .bias = PALEO_HF_BIAS_CONV,
	 .with_bias = PALEO_HF_BIAS_SCAN,
	 .tied = 1},
	{.type = "falcon_h1",
	 .keys = KEYS(MAMBA_KEYS, "mamba_d_ssm", "mamba_norm_before_gate", "mamba_rms_norm",
		      "mamba_use_mlp", "projectors_bias", "lm_head_multiplier",
		      "embedding_multiplier", "mlp_multipliers", "key_multiplier",
		      "attention_out_multiplier", "attention_in_multiplier", "ssm_multipliers",
		      "ssm_in_multiplier", "ssm_out_multiplier", "attn_layer_indices",
		      "mlp_expansion_factor"),
	 .rule = PALEO_HF_MAMBA2,
	 .both = 1,
	 .bias = PALEO_HF_BIAS_CONV,
	 .with_attention_bias = PALEO_HF_BIAS_ATTENTION},
	{.type = "bamba",
	 .keys = KEYS(MAMBA_KEYS, "attn_layer_indices", "layer_types", "attn_rotary_emb"),
	 .rule = PALEO_HF_MAMBA2,
	 .scan_norm = 1,
	 .bias = PALEO_HF_BIAS_CONV,
	 .with_attention_bias = PALEO_HF_BIAS_ATTENTION},
	{.type = "granitemoehybrid",
	 .keys = KEYS(MAMBA_KEYS, "layer_types", "layers_block_type", "num_local_experts",
		      "num_experts_per_tok", "shared_intermediate_size", "position_embedding_type",
		      "embedding_multiplier", "logits_scaling", "residual_multiplier",
		      "attention_multiplier", "normalization_function"),
	 .rule = PALEO_HF_MAMBA2,
	 .scan_norm = 1,
	 .shared_mlp = 1,
	 .experts_inner = 1,
	 .bias = PALEO_HF_BIAS_CONV,
	 .with_attention_bias = PALEO_HF_BIAS_ATTENTION},
	{.type = "jamba",
	 .keys = KEYS(STEP_KEYS, "mamba_d_state", "mamba_d_conv", "mamba_expand", "mamba_dt_rank",
		      "mamba_conv_bias", "mamba_proj_bias", "mamba_inner_layernorms",
		      "attn_layer_period", "attn_layer_offset", "expert_layer_period",
		      "expert_layer_offset", "num_experts", "num_experts_per_tok",
		      "sliding_window"),
	 .rule = PALEO_HF_MAMBA1_NORMS,
	 .positions = PALEO_HF_NO_POSITIONS,
	 .experts_inner = 1,
	 .bias = PALEO_HF_BIAS_CONV},
	{.type = "kimi_linear",
	 .keys = KEYS("layer_types", "mlp_layer_types", "linear_attn_config", "linear_head_dim",
		      "linear_num_heads", "linear_conv_kernel_dim", "q_lora_rank", "kv_lora_rank",
		      "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim", "qk_head_dim",
		      "num_experts", "num_experts_per_token", "num_shared_experts",
		      "moe_intermediate_size", "first_k_dense_replace", "moe_layer_freq",
		      "moe_renormalize", "moe_router_activation_func", "use_grouped_topk",
		      "num_expert_group", "mla_use_nope", "num_nextn_predict_layers",
		      "pretraining_tp", "attention_bias", "model_max_length"),
	 .rule = PALEO_HF_KDA,
	 .positions = PALEO_HF_NO_POSITIONS},
	{.type = "lfm2_moe",
	 .keys = KEYS("layer_types", "conv_L_cache", "conv_bias", "num_dense_layers", "num_experts",
		      "num_experts_per_tok", "moe_intermediate_size", "use_expert_bias"),
	 .rule = PALEO_HF_SHORT_CONV,
	 .qk_norm = PALEO_HF_NORM_HEADS,
	 .routing_bias = 1,
	 .tied = 1},
	{.type = "olmo_hybrid", /* layers with attention have their norms behind it and the MLP */
	 .keys = KEYS("layer_types", "attention_bias", "linear_conv_kernel_dim",
		      "linear_key_head_dim", "linear_num_key_heads", "linear_num_value_heads",
		      "linear_value_head_dim", "linear_a_log_min", "linear_a_log_max",
		      "linear_dt_min", "linear_dt_max", "linear_dt_init_floor",
		      "linear_allow_neg_eigval"),
	 .rule = PALEO_HF_DELTA,
	 .attention_every = 4,
	 .attention_behind = 1,
	 .with_attention_bias = PALEO_HF_BIAS_ATTENTION,
	 .qk_norm = PALEO_HF_NORM_WIDTH},
	{.type = "lfm2",
	 .keys = KEYS("layer_types", "full_attn_idxs", "conv_L_cache", "conv_bias", "conv_dim",
		      "conv_dim_out", "block_dim", "block_ff_dim", "block_multiple_of",
		      "block_ffn_dim_multiplier", "block_auto_adjust_ff_dim",
		      "block_mlp_init_scale", "block_norm_eps", "block_out_init_scale",
		      "block_use_swiglu", "block_use_xavier_init", "conv_use_xavier_init",
		      "num_heads", "use_pos_enc"),
	 .rule = PALEO_HF_SHORT_CONV,
	 .qk_norm = PALEO_HF_NORM_HEADS,
	 .tied = 1},
	{.type = NULL},
};
