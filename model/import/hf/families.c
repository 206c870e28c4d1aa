/* families.c - THE list of families of models: which keys their files have, and what they mean. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "model/import/hf/model.h"

#define EXPERT_KEYS "num_experts_per_tok", "moe_intermediate_size"
#define LATENT_KEYS                                                                                \
	"q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim",       \
		"n_routed_experts", "n_shared_experts", "first_k_dense_replace", "moe_layer_freq", \
		"num_nextn_predict_layers", EXPERT_KEYS

static const char *const llama[] = {"attention_bias", "mlp_bias", "pretraining_tp", NULL};
static const char *const windows[] = {"sliding_window", "use_sliding_window", "max_window_layers",
				      "layer_types",    "attention_bias",     NULL};
static const char *const mimo[] = {"sliding_window",
				   "use_sliding_window",
				   "max_window_layers",
				   "attention_bias",
				   "use_mrope",
				   "num_nextn_predict_layers",
				   NULL};
static const char *const qwen_experts[] = {
	"sliding_window",  "use_sliding_window", "max_window_layers",
	"attention_bias",  "num_experts",        "decoder_sparse_step",
	"mlp_only_layers", EXPERT_KEYS,          NULL};
static const char *const mixtral[] = {"sliding_window", "num_local_experts", "num_experts_per_tok",
				      NULL};
static const char *const gpt_oss[] = {
	"sliding_window",         "layer_types",       "num_local_experts",
	"num_experts_per_tok",    "experts_per_token", "attention_bias",
	"initial_context_length", "swiglu_limit",      NULL};
static const char *const minimax[] = {"sliding_window",
				      "num_local_experts",
				      "num_experts_per_tok",
				      "rotary_dim",
				      "use_qk_norm",
				      "qk_norm_type",
				      "use_routing_bias",
				      "use_mtp",
				      "mtp_transformer_layers",
				      "num_mtp_modules",
				      "shared_intermediate_size",
				      "attn_type_list",
				      NULL};
static const char *const deepseek[] = {"attention_bias", "ep_size", "pretraining_tp", LATENT_KEYS,
				       NULL};
static const char *const gpt2[] = {
	"n_embd", "n_layer", "n_head", "n_inner", "n_positions", "n_ctx", "activation_function",
	NULL};
static const char *const bert[] = {"type_vocab_size", "position_embedding_type", NULL};

static const struct paleo_hf_family families[] = {
	{.type = "llama", .keys = llama, .with_attention_bias = PALEO_HF_BIAS_ATTENTION},
	{.type = "mistral", .keys = windows, .with_attention_bias = PALEO_HF_BIAS_ATTENTION},
	{.type = "qwen2", .keys = windows, .bias = PALEO_HF_BIAS_QKV},
	{.type = "qwen3",
	 .keys = windows,
	 .with_attention_bias = PALEO_HF_BIAS_ATTENTION,
	 .qk_norm = PALEO_HF_NORM_HEADS},
	{.type = "qwen3_vl_text",
	 .keys = windows,
	 .with_attention_bias = PALEO_HF_BIAS_ATTENTION,
	 .qk_norm = PALEO_HF_NORM_HEADS},
	{.type = "qwen3_moe",
	 .keys = qwen_experts,
	 .with_attention_bias = PALEO_HF_BIAS_ATTENTION,
	 .qk_norm = PALEO_HF_NORM_HEADS},
	{.type = "qwen3_vl_moe_text",
	 .keys = qwen_experts,
	 .with_attention_bias = PALEO_HF_BIAS_ATTENTION,
	 .qk_norm = PALEO_HF_NORM_HEADS},
	{.type = "mimo", .keys = mimo, .with_attention_bias = PALEO_HF_BIAS_QKV},
	{.type = "mixtral", .keys = mixtral, .experts_inner = 1},
	{.type = "minimax_m2",
	 .keys = minimax,
	 .qk_norm = PALEO_HF_NORM_WIDTH,
	 .experts_inner = 1,
	 .routing_bias = 1},
	{.type = "gpt_oss",
	 .keys = gpt_oss,
	 .with_attention_bias = PALEO_HF_BIAS_ALL,
	 .experts_inner = 1,
	 .sinks = 1},
	{.type = "deepseek_v2", .keys = deepseek},
	{.type = "deepseek_v3", .keys = deepseek, .routing_bias = 1},
	{.type = "kimi_k2", .keys = deepseek, .routing_bias = 1},
	{.type = "gpt2",
	 .keys = gpt2,
	 .style = PALEO_HF_GPT2,
	 .bias = PALEO_HF_BIAS_ALL,
	 .always_tied = 1},
	{.type = "bert", .keys = bert, .style = PALEO_HF_BERT, .bias = PALEO_HF_BIAS_ALL},
};

enum {
	FAMILIES = sizeof(families) / sizeof(families[0])
};

/* What a checkpoint's file says besides: places in the text, training, how a number is computed at
 * the same cost. */
const char *const paleo_hf_ignored[] = {"architectures",
					"auto_map",
					"transformers_version",
					"_name_or_path",
					"bos_token_id",
					"eos_token_id",
					"pad_token_id",
					"decoder_start_token_id",
					"use_cache",
					"initializer_range",
					"attention_dropout",
					"attn_pdrop",
					"embd_pdrop",
					"resid_pdrop",
					"hidden_dropout_prob",
					"attention_probs_dropout_prob",
					"classifier_dropout",
					"summary_activation",
					"summary_first_dropout",
					"summary_proj_to_labels",
					"summary_type",
					"summary_use_proj",
					"task_specific_params",
					"rms_norm_eps",
					"layer_norm_epsilon",
					"layer_norm_eps",
					"rope_theta",
					"rope_scaling",
					"rope_parameters",
					"partial_rotary_factor",
					"output_router_logits",
					"router_aux_loss_coef",
					"router_jitter_noise",
					"norm_topk_prob",
					"scoring_func",
					"topk_method",
					"n_group",
					"topk_group",
					"routed_scaling_factor",
					"seq_aux",
					"aux_loss_alpha",
					"gradient_checkpointing",
					"is_decoder",
					"add_cross_attention",
					"id2label",
					"label2id",
					"architecture",
					"output_past",
					"return_dict",
					"chunk_size_feed_forward",
					"cross_attention_hidden_size",
					"diversity_penalty",
					"do_sample",
					"early_stopping",
					"encoder_no_repeat_ngram_size",
					"exponential_decay_length_penalty",
					"finetuning_task",
					"forced_bos_token_id",
					"forced_eos_token_id",
					"is_encoder_decoder",
					"length_penalty",
					"max_length",
					"min_length",
					"no_repeat_ngram_size",
					"num_beam_groups",
					"num_beams",
					"num_return_sequences",
					"output_attentions",
					"output_hidden_states",
					"output_scores",
					"prefix",
					"problem_type",
					"pruned_heads",
					"remove_invalid_values",
					"repetition_penalty",
					"return_dict_in_generate",
					"sep_token_id",
					"suppress_tokens",
					"begin_suppress_tokens",
					"bad_words_ids",
					"temperature",
					"tf_legacy_loss",
					"tie_encoder_decoder",
					"tokenizer_class",
					"top_k",
					"top_p",
					"torchscript",
					"typical_p",
					"use_bfloat16",
					NULL};

const struct paleo_hf_family *paleo_hf_family_find(const char *type)
{
	for (int i = 0; i < FAMILIES; i++)
		if (!strcmp(families[i].type, type))
			return &families[i];
	return NULL;
}

void paleo_hf_family_names(char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (int i = 0; i < FAMILIES && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
					 families[i].type);
}
