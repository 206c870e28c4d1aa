/* fields.c - THE list of a config.json's numbers and flags, and where each is kept. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "model/import/hf/read.h"

#define AT(member) offsetof(struct paleo_hf_model, member)

/* A null counts as not there. */
static const struct {
	const char *key;
	size_t offset;
	enum {
		NUMBER,
		FLAG,
		FLAG_OR_WORD,
		OR_LIST,
		OR_WORD,
		OR_EACH,
		NOT,
		OR_NONE
	} form; /* a list is read by pattern.c, or has the same for each; a word leaves it to us */
} fields[] = {
	{"d_model", AT(hidden), NUMBER},
	{"hidden_size", AT(hidden), NUMBER},
	{"n_embd", AT(hidden), NUMBER},
	{"n_embed", AT(hidden), NUMBER},
	{"dim", AT(hidden), NUMBER},
	{"embedding_size", AT(embed), NUMBER},
	{"word_embed_proj_dim", AT(embed), NUMBER},
	{"input_embedding_size", AT(embed), NUMBER},
	{"intermediate_size", AT(inner), OR_EACH},
	{"intermediate_size_mlp", AT(dense_inner), NUMBER},
	{"dense_intermediate_size", AT(dense_inner), NUMBER},
	{"prefix_dense_intermediate_size", AT(dense_inner), NUMBER},
	{"n_inner", AT(inner), NUMBER},
	{"ffn_dim", AT(inner), NUMBER},
	{"block_ff_dim", AT(inner), NUMBER},
	{"ffn_hidden_size", AT(inner), NUMBER},
	{"hidden_dim", AT(inner), NUMBER},
	{"num_hidden_layers", AT(layers), NUMBER},
	{"n_layer", AT(layers), NUMBER},
	{"n_layers", AT(layers), NUMBER},
	{"num_layers", AT(layers), NUMBER},
	{"num_attention_heads", AT(heads), NUMBER},
	{"n_head", AT(heads), NUMBER},
	{"n_heads", AT(heads), NUMBER},
	{"num_heads", AT(heads), NUMBER},
	{"num_key_value_heads", AT(kv_heads), NUMBER},
	{"num_kv_heads", AT(kv_heads), NUMBER},
	{"kv_n_heads", AT(kv_heads), NUMBER},
	{"multi_query_group_num", AT(kv_heads), NUMBER},
	{"multi_query", AT(multi_query), FLAG},
	{"new_decoder_architecture", AT(new_decoder), FLAG},
	{"num_ln_in_parallel_attn", AT(two_norms), NUMBER},
	{"head_dim", AT(head_dim), NUMBER},
	{"attention_head_dim", AT(head_dim), NUMBER},
	{"kv_channels", AT(head_dim), NUMBER},
	{"global_head_dim", AT(global.qk), NUMBER},
	{"num_global_key_value_heads", AT(global.kv), NUMBER},
	{"attention_k_eq_v", AT(shared_kv), FLAG},
	{"enable_moe_block", AT(beside), FLAG},
	{"swa_num_attention_heads", AT(local.q), NUMBER},
	{"num_sliding_attention_heads", AT(local.q), NUMBER},
	{"swa_num_key_value_heads", AT(local.kv), NUMBER},
	{"swa_head_dim", AT(local.qk), NUMBER},
	{"swa_v_head_dim", AT(local.v), NUMBER},
	{"index_n_heads", AT(index_heads), NUMBER},
	{"index_head_dim", AT(index_dim), NUMBER},
	{"index_topk", AT(index_top), NUMBER},
	{"index_block_size", AT(index_block), NUMBER},
	{"index_topk_blocks", AT(index_blocks), NUMBER},
	{"attention_chunk_size", AT(chunk), NUMBER},
	{"no_rope_layer_interval", AT(no_rope_every), NUMBER},
	{"vocab_size", AT(words), NUMBER},
	{"padded_vocab_size", AT(words), NUMBER},
	{"max_position_embeddings", AT(places), NUMBER},
	{"n_positions", AT(places), NUMBER},
	{"type_vocab_size", AT(types), NUMBER},
	{"tie_word_embeddings", AT(tied), FLAG},
	{"sliding_window", AT(window), NUMBER},
	{"window_size", AT(window), NUMBER},
	{"local_attention", AT(window), NUMBER},
	{"global_attn_every_n_layers", AT(full_every), NUMBER},
	{"num_hidden_groups", AT(weight_groups), NUMBER},
	{"attention_heads", AT(heads), NUMBER},
	{"num_dense_layers", AT(first_dense), NUMBER},
	{"do_layer_norm_before", AT(norm_before), FLAG},
	{"use_gated_mlp", AT(gated), FLAG},
	{"use_swiglu_ffn", AT(swiglu), FLAG},
	{"d_ff", AT(inner), NUMBER},
	{"d_kv", AT(head_dim), NUMBER},
	{"num_decoder_layers", AT(decoder_layers), NUMBER},
	{"decoder_layers", AT(decoder_layers), NUMBER},
	{"decoder_ffn_dim", AT(inner), NUMBER},
	{"decoder_attention_heads", AT(heads), NUMBER},
	{"encoder_layers", AT(encoder_layers), NUMBER},
	{"encoder_ffn_dim", AT(encoder_inner), NUMBER},
	{"encoder_attention_heads", AT(encoder_heads), NUMBER},
	{"decoder_vocab_size", AT(decoder_words), NUMBER},
	{"max_target_positions", AT(places), NUMBER},
	{"max_source_positions", AT(source), NUMBER},
	{"num_mel_bins", AT(mels), NUMBER},
	{"image_size", AT(image), NUMBER},
	{"patch_size", AT(patch), NUMBER},
	{"num_channels", AT(channels), NUMBER},
	{"num_register_tokens", AT(registers), NUMBER},
	{"mlp_ratio", AT(ratio), NUMBER},
	{"expansion_ratio", AT(ratio), NUMBER},
	{"pooler_output_size", AT(pooled), NUMBER},
	{"projection_size", AT(pooled), NUMBER},
	{"vision_use_head", AT(attends), FLAG},
	{"relative_attention_num_buckets", AT(buckets), NUMBER},
	{"relative_attention", AT(by_places), FLAG},
	{"use_relative_position_bias", AT(by_distance), FLAG},
	{"position_buckets", AT(place_buckets), OR_NONE},
	{"max_relative_positions", AT(most_places), OR_NONE},
	{"share_att_key", AT(places_shared), FLAG},
	{"position_biased_input", AT(places_join), FLAG},
	{"layer_switch", AT(full_every), NUMBER},
	{"global_attn_every_n_layers", AT(full_every), NUMBER},
	{"use_sliding_window", AT(use_window), FLAG},
	{"use_bidirectional_attention", AT(encoder), FLAG_OR_WORD},
	{"is_causal", AT(encoder), NOT},
	{"max_window_layers", AT(first_window), NUMBER},
	{"rotary_dim", AT(rotary), NUMBER},
	{"num_experts", AT(experts), OR_EACH},
	{"moe_topk", AT(topk), OR_EACH},
	{"num_shared_expert", AT(shared), OR_EACH},
	{"num_local_experts", AT(experts), NUMBER},
	{"moe_num_experts", AT(experts), NUMBER},
	{"n_routed_experts", AT(experts), NUMBER},
	{"zero_expert_num", AT(idle_experts), NUMBER},
	{"experts_per_token", AT(topk), NUMBER},
	{"num_experts_per_tok", AT(topk), NUMBER},
	{"moe_k", AT(topk), NUMBER},
	{"moe_top_k", AT(topk), NUMBER},
	{"top_k_experts", AT(topk), NUMBER},
	{"moe_intermediate_size", AT(expert_inner), OR_EACH},
	{"expert_ffn_hidden_size", AT(expert_inner), NUMBER},
	{"n_shared_experts", AT(shared), NUMBER},
	{"moe_num_shared_experts", AT(shared), NUMBER},
	{"num_shared_experts", AT(shared), NUMBER},
	{"shared_expert_intermediate_size", AT(shared_inner), NUMBER},
	{"share_expert_dim", AT(shared_inner), NUMBER},
	{"shared_intermediate_size", AT(shared_inner), NUMBER},
	{"first_k_dense_replace", AT(first_dense), NUMBER},
	{"num_dense_layers", AT(first_dense), NUMBER},
	{"moe_layer_num_skipped", AT(first_dense), NUMBER},
	{"moe_layer_start_index", AT(first_dense), NUMBER},
	{"moe_layer_end_index", AT(last_sparse), NUMBER},
	{"moe_layer_freq", AT(expert_every), OR_LIST},
	{"interleave_moe_layer_step", AT(expert_every), NUMBER},
	{"moe_layer_interval", AT(expert_every), NUMBER},
	{"decoder_sparse_step", AT(expert_every), NUMBER},
	{"q_lora_rank", AT(q_rank), NUMBER},
	{"kv_lora_rank", AT(kv_rank), NUMBER},
	{"use_mla", AT(latent), FLAG},
	{"qk_nope_head_dim", AT(nope), NUMBER},
	{"qk_rope_head_dim", AT(rope), NUMBER},
	{"v_head_dim", AT(v_dim), NUMBER},
	{"use_parallel_residual", AT(parallel), FLAG},
	{"parallel_attn", AT(parallel), FLAG},
	{"hidden_size_per_layer_input", AT(per_layer), NUMBER},
	{"vocab_size_per_layer_input", AT(per_layer_words), NUMBER},
	{"num_kv_shared_layers", AT(sharing_layers), NUMBER},
	{"use_double_wide_mlp", AT(double_wide), FLAG},
	{"o_lora_rank", AT(out_rank), NUMBER},
	{"o_groups", AT(out_groups), NUMBER},
	{"hc_mult", AT(streams), NUMBER},
	{"altup_num_inputs", AT(altup), NUMBER},
	{"laurel_rank", AT(laurel), NUMBER},
	{"num_hash_layers", AT(hashed_layers), NUMBER},
	{"num_nextn_predict_layers", AT(more_layers), NUMBER},
	{"shared_intermediate_size", AT(shared_inner), NUMBER},
	{"model_max_length", AT(places), NUMBER},
	{"num_experts_per_token", AT(topk), NUMBER},
	{"num_shared_experts", AT(shared), NUMBER},
	{"moe_shared_expert_intermediate_size", AT(shared_inner), NUMBER},
	{"moe_latent_size", AT(latent_experts), NUMBER},
	{"linear_num_value_heads", AT(scan.heads), NUMBER},
	{"linear_num_heads", AT(scan.heads), NUMBER},
	{"mamba_num_heads", AT(scan.heads), NUMBER},
	{"mamba_n_heads", AT(scan.heads), NUMBER},
	{"linear_num_key_heads", AT(scan.groups), NUMBER},
	{"mamba_n_groups", AT(scan.groups), NUMBER},
	{"n_groups", AT(scan.groups), NUMBER},
	{"linear_key_head_dim", AT(scan.qk), NUMBER},
	{"ssm_state_size", AT(scan.qk), NUMBER},
	{"mamba_d_state", AT(scan.qk), NUMBER},
	{"state_size", AT(scan.qk), NUMBER},
	{"linear_value_head_dim", AT(scan.v), NUMBER},
	{"linear_head_dim", AT(scan.v), NUMBER},
	{"mamba_head_dim", AT(scan.v), NUMBER},
	{"mamba_d_head", AT(scan.v), OR_WORD},
	{"linear_conv_kernel_dim", AT(scan.taps), NUMBER},
	{"conv_kernel", AT(scan.taps), NUMBER},
	{"mamba_d_conv", AT(scan.taps), NUMBER},
	{"conv_L_cache", AT(scan.taps), NUMBER},
	{"chunk_size", AT(scan.chunk), NUMBER},
	{"mamba_chunk_size", AT(scan.chunk), NUMBER},
	{"expand", AT(scan.expand), NUMBER},
	{"mamba_expand", AT(scan.expand), NUMBER},
	{"mamba_d_ssm", AT(scan.inner), NUMBER},
	{"time_step_rank", AT(scan.rank), OR_WORD},
	{"mamba_dt_rank", AT(scan.rank), OR_WORD},
	{"mamba_rms_norm", AT(scan.norm), FLAG},
	{"full_attention_interval", AT(scan.attention_every), NUMBER},
	{"attn_layer_period", AT(scan.attention_every), NUMBER},
	{"attn_layer_offset", AT(scan.attention_first), NUMBER},
	{"expert_layer_period", AT(scan.experts_every), NUMBER},
	{"expert_layer_offset", AT(scan.experts_first), NUMBER},
	{"use_qk_norm", AT(asked_qk_norm), FLAG},
	{"qk_layernorm", AT(asked_qk_norm), FLAG},
};

/* A file leaves out of text_config what is as transformers has it. */
void paleo_hf_fill_sizes(struct paleo_hf_model *m)
{
	for (const struct paleo_hf_size *s = m->family->sizes; s && s->key; s++)
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			if (!strcmp(fields[i].key, s->key))
				*(int *)(void *)((char *)m + fields[i].offset) = s->value;
}

/* A list with the same number for each layer. */
static int read_each(const struct paleo_json *list, int *to, struct paleo_error *err)
{
	int first = 1;

	for (const struct paleo_json *v = paleo_json_first(list); v; v = paleo_json_next(v)) {
		int value;
		int rc = paleo_json_to_int(v, 0, PALEO_HF_SIZE_MAX, &value, err);
		if (rc)
			return rc;
		if (!first && value != *to)
			return paleo_json_fail(v, err, "layers that differ in this are not known");
		*to = value;
		first = 0;
	}
	return PALEO_OK;
}

int paleo_hf_read_fields(const struct paleo_json *root, struct paleo_hf_model *m,
			 struct paleo_error *err)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct paleo_json *v = paleo_hf_get(root, fields[i].key);
		int *to = (int *)(void *)((char *)m + fields[i].offset);
		int rc = PALEO_OK;
		if (!v || !paleo_hf_is_of(m, fields[i].key) ||
		    (fields[i].form == OR_LIST && paleo_json_type(v) == PALEO_JSON_ARRAY) ||
		    ((fields[i].form == OR_WORD || fields[i].form == FLAG_OR_WORD) &&
		     paleo_json_type(v) == PALEO_JSON_STRING))
			continue;
		if (fields[i].form == OR_EACH && paleo_json_type(v) == PALEO_JSON_ARRAY)
			rc = read_each(v, to, err);
		else if (fields[i].form == FLAG || fields[i].form == FLAG_OR_WORD ||
			 fields[i].form == NOT)
			rc = paleo_json_to_bool(v, to, err);
		else
			rc = paleo_json_to_int(v, fields[i].form == OR_NONE ? -1 : 0,
					       PALEO_HF_SIZE_MAX, to, err);
		if (rc)
			return rc;
		if (fields[i].form == NOT)
			*to = !*to;
	}
	return PALEO_OK;
}

/* The name of this family's key for a size, for messages. */
const char *paleo_hf_named(const struct paleo_hf_model *m, size_t offset)
{
	const char *name = NULL;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].offset == offset && paleo_hf_is_of(m, fields[i].key) &&
		    (!name || paleo_hf_is_in(m->family->keys, fields[i].key)))
			name = fields[i].key;
	return name;
}
