/* family.h - words of the tables of families: keys that several have. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_HF_FAMILY_H
#define PALEO_MODEL_IMPORT_HF_FAMILY_H

#include <stddef.h>

#include "model/import/hf/model.h"

#define KEYS(...)                                                                                  \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}
#define WINDOW_KEYS "sliding_window", "use_sliding_window", "max_window_layers", "layer_types"
#define EXPERT_KEYS "num_experts_per_tok", "moe_intermediate_size"
#define SHARED_KEYS "n_routed_experts", "n_shared_experts", "first_k_dense_replace", EXPERT_KEYS
#define LATENT_KEYS                                                                                \
	"q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim",       \
		"moe_layer_freq", "num_nextn_predict_layers", SHARED_KEYS
#define GRANITE_KEYS                                                                               \
	"attention_bias", "mlp_bias", "attention_multiplier", "embedding_multiplier",              \
		"logits_scaling", "residual_multiplier"
#define QWEN_KEYS WINDOW_KEYS, "attention_bias"
#define DEEPSEEK_KEYS                                                                              \
	"attention_bias", "ep_size", "pretraining_tp", "mlp_bias", "mlp_layer_types",              \
		"rope_interleave", "qk_head_dim", "use_mla", LATENT_KEYS
#define GEMMA_KEYS                                                                                 \
	"hidden_activation", "attention_bias", "query_pre_attn_scalar", "attn_logit_softcapping",  \
		"final_logit_softcapping", "sliding_window", "sliding_window_size",                \
		"sliding_window_pattern", "_sliding_window_pattern", "layer_types",                \
		"use_bidirectional_attention"
#define MODERN_KEYS                                                                                \
	"hidden_activation", "local_attention", "global_attn_every_n_layers", "layer_types",       \
		"attention_bias", "mlp_bias", "norm_bias", "decoder_bias", "classifier_pooling",   \
		"classifier_bias", "classifier_activation", "global_rope_theta",                   \
		"local_rope_theta", "sparse_prediction", "sparse_pred_ignore_index",               \
		"deterministic_flash_attn", "initializer_cutoff_factor", "reference_compile",      \
		"repad_logits_with_grad"

#endif
