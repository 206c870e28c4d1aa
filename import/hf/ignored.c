/* ignored.c - THE list of keys of a config.json that change no op. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "import/hf/read.h"

/* Token ids, training, numerics at the same cost, parts other than the text model. */
static const char ignored[] =
	"add_cross_attention alibi_bias_max architecture architectures attention_softmax_in_fp32"
	" attn_impl attn_implementation audio_config audio_processor auto_map aux_loss_alpha"
	" bad_words_ids begin_suppress_tokens bf16 bias_dropout_fusion bias_update_speed"
	" cache_implementation chat_template chunk_size_feed_forward classifiers_size"
	" cross_attention_hidden_size dense_seq_output directionality diversity_penalty do_sample"
	" dual_chunk_attention_config early_stopping embd_layer"
	" encoder_no_repeat_ngram_size ep_size esmfold_config expert_capacity"
	" expert_capacity_factor exponential_decay_length_penalty fa_version finetuning_task"
	" flash_attn for_llm_compressor fp16 fp32 freeze_layers freeze_mm_mlp_adapter"
	" freeze_mm_vision_resampler fuse_cross_entropy fuse_norm fused_bias_fc"
	" fused_dropout_add_ln gradient_checkpointing head_dtype id2label ignore_index"
	" image_aspect_ratio image_crop_resolution image_grid_pinpoints image_seq_length"
	" image_split_resolution img_processor inference_runner init_device init_method init_std"
	" initializer_factor initializer_range input_jitter_noise is_composition is_decoder"
	" is_encoder_decoder is_folding_model is_llama_config label2id language layer_norm_eps"
	" layer_norm_epsilon layerdrop layernorm_epsilon legacy length_penalty license lm_head"
	" logn_attention_clip1 logn_attention_scale lora_config loss_function loss_type"
	" masked_softmax_fusion matryoshka_dimensions max_length max_new_tokens max_seq_len"
	" max_seq_length max_sequence_length max_trained_positions merges_file min_length"
	" min_new_tokens model_max_length model_parallel moe_jitter_eps moe_loss_weight"
	" moe_router_dtype n_ctx n_group neftune_noise_alpha no_cache no_repeat_ngram_size"
	" norm_eps norm_epsilon norm_topk_prob norm_topk_prob_eps num_beam_groups num_beams"
	" num_image_tokens num_labels num_return_sequences num_return_sequences_per_prompt"
	" onnx_safe original_max_position_embeddings output_attentions output_hidden_states"
	" output_past output_router_logits output_scores pack_qkv pad_vocab_size_multiple"
	" padding_side perceiver_config pipeline_tag pixel_shuffle_factor pooler_hidden_act"
	" pooler_hidden_size pos_skipping_range precision prefix problem_type"
	" projector_hidden_act prompts pruned_heads qk_layer_norms quantization_bit"
	" remove_invalid_values remove_unused_columns reorder_and_upcast_attn repetition_penalty"
	" return_dict return_dict_in_generate rm_head rms_norm_eps rms_norm_epsilon"
	" rope_interleaved rope_local_base_freq rope_parameters rope_ratio rope_scaling"
	" rope_scaling_factor rope_theta rope_theta_local rope_type rotary_emb_base"
	" rotary_emb_fraction rotary_emb_interleaved rotary_emb_scale_base rotary_scaling_factor"
	" routed_scaling_factor router_bias_update_rate router_dtype router_jitter_noise"
	" sample_softmax scale_attention_softmax_in_fp32 scale_attn_by_inverse_layer_idx"
	" scale_attn_weights scoring_func seed sentence_transformers seq_aux similarity_fn_name"
	" sinusoidal_pos_embds slow_but_exact softmax_in_fp32 speech_lora summary_activation"
	" summary_proj_to_labels summary_type summary_use_proj suppress_tokens"
	" task_specific_params temperature tf_legacy_loss tie_encoder_decoder tie_weights_"
	" tokenizer_class tokenizer_name tokenizer_padding_side top_k top_p topk_group"
	" topk_method torch_compile torch_fx torchscript train_batch_size training_args"
	" transformers.js_config transformers_js_config transformers_version trust_remote_code"
	" tune_mm_mlp_adapter tune_mm_vision_resampler typical_p unfreeze_mm_vision_tower"
	" unpad_inputs unsloth_fixed unsloth_version use_bfloat16 use_cache use_cache_kernel"
	" use_cache_quantization use_dynamic_ntk use_flash_attention use_flash_attention_2"
	" use_flash_attn use_flash_attn_2 use_image_start_end use_liger_kernel use_logn_attn"
	" use_memory_efficient_attention use_mm_proj use_pos_skipping use_reentrant_checkpointing"
	" use_resampler use_unified_vision_chunk use_xentropy video_placeholder vision_config"
	" vision_lora vision_tower vocab_file vocab_list weight_init world_size"
	" z_loss_coefficient z_loss_weight z_steps zero_init";

/* Beginnings and ends of such keys, of which people add new ones. */
static const char beginnings[] = "_ mm_ pooler_ sbert_";
static const char ends[] = "_token_id _token_ids _token_index _dropout _dropout_prob _dropout_rate"
			   " _pdrop _loss_coef _init_std";

/* Parts of such keys: of writing a text, training, splitting over devices, saving. */
static const char inside[] =
	"decoder_ids suppress_ forced_ beam_ _penalty generation_ sampling_ checkpoint_ _checkpoint"
	" sequence_parallel tensor_parallel pipeline_parallel expert_parallel context_parallel"
	" data_parallel model_parallel parallel_size parallel_degree parallel_output parallelism"
	" learning_rate weight_decay warmup_ optimizer _loss loss_ grad_ gradient_ dropout init_std"
	" initializer _init_ deepspeed fsdp wandb logging_ save_ eval_ train_ training_ dataset"
	" tokenizer model_to_device device_map low_cpu_mem license _version author_ _url repo_ "
	"prompt"
	" processor_ spec_augment mask_time mask_feature";

/* 1 if a key changes no op, whatever its family. */
static int ignores(const char *key)
{
	char part[PALEO_HF_KEY_BYTES];
	size_t length = strlen(key);
	const char *begins = beginnings, *at_end = ends, *within = inside;

	/* a key that another family has may change the work of this one */
	if (paleo_hf_is_in(ignored, key) || paleo_hf_any_has(key))
		return paleo_hf_is_in(ignored, key);
	while (paleo_hf_next_word(&begins, part))
		if (length > strlen(part) && !strncmp(key, part, strlen(part)))
			return 1;
	while (paleo_hf_next_word(&at_end, part))
		if (length > strlen(part) && !strcmp(key + length - strlen(part), part))
			return 1;
	while (paleo_hf_next_word(&within, part))
		if (strstr(key, part))
			return 1;
	return 0;
}

/* 1 if the value switches nothing on: false, null, 0, an empty list or text. */
static int is_off(const struct paleo_json *v)
{
	struct paleo_error none;
	const char *text = "";
	double number = 1;
	int is = 1;

	switch (paleo_json_type(v)) {
	case PALEO_JSON_NULL:
		return 1;
	case PALEO_JSON_BOOL:
		return !paleo_json_to_bool(v, &is, &none) && !is;
	case PALEO_JSON_NUMBER:
		return !paleo_json_to_double(v, -1, 1, &number, &none) && number == 0;
	case PALEO_JSON_STRING:
		return !paleo_json_to_string(v, &text, &none) && !*text;
	case PALEO_JSON_ARRAY:
	case PALEO_JSON_OBJECT:
		break;
	}
	return !paleo_json_first(v);
}

int paleo_hf_unknown_keys(const struct paleo_hf_config *c, const struct paleo_json *at, char *list,
			  size_t size)
{
	size_t used = 0;
	int count = 0;

	for (const struct paleo_json *v = paleo_json_first(at); v; v = paleo_json_next(v)) {
		const char *key = paleo_json_key(v);
		if (paleo_hf_is_of(c, key) || ignores(key) || is_off(v))
			continue;
		if (list && used < size)
			used += (size_t)snprintf(list + used, size - used, "%s%s",
						 count ? ", " : "", key);
		count++;
	}
	return count;
}
