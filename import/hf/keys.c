/* keys.c - THE list of a config.json's keys: where each is kept, and which values are known. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "import/hf/read.h"

/* Keys that every family has. */
static const char common[] =
	"model_type hidden_size intermediate_size num_hidden_layers num_attention_heads"
	" partial_rotary_factor rotary_pct rope_pct num_key_value_heads head_dim vocab_size"
	" hidden_act tie_word_embeddings max_position_embeddings torch_dtype dtype"
	" quantization_config quantization is_causal per_layer_config"
	" attention_dropout attention_probs_dropout_prob attn_pdrop attention_dropout_prob"
	" hidden_dropout hidden_dropout_prob resid_pdrop resid_dropout dropout dropout_rate";

/* Type of a key's value. */
enum form {
	NUMBER,
	RATE,    /* from 0 to 1 */
	OR_NONE, /* or -1 */
	OR_LIST, /* or a list, which layers.c reads */
	OR_EACH, /* or a list with the same for each layer */
	OR_WORD, /* or a word, which leaves it to us */
	FLAG,
	FLAG_OR_WORD,
	NOT,    /* a flag of the opposite */
	ONLY,   /* a flag or a number that is known in one value alone; or a word */
	ONE_OF, /* a word of which some are known; or a flag */
	ACTIVATION,
	BIAS,  /* a flag for some GEMMs */
	MEMBER /* read later */
};

#define HAS(member) .in_model = 1, .offset = offsetof(struct paleo_hf_model, member)
#define SAYS(member) .offset = offsetof(struct paleo_hf_config, member)

/* A null counts as not there. Of several keys for one thing the last that is there counts. */
static const struct key {
	const char *names; /* with spaces between */
	enum form form;
	int in_model;
	size_t offset;
	int number;        /* the only value, or a bias's bits; 0: set by the family */
	const char *words; /* those that are known */
} keys[] = {
	{"d_model hidden_size n_embd n_embed dim", NUMBER, HAS(hidden)},
	{"embedding_size word_embed_proj_dim input_embedding_size", NUMBER, HAS(embed)},
	{"intermediate_size", OR_EACH, HAS(inner)},
	{"intermediate_size_mlp dense_intermediate_size prefix_dense_intermediate_size", NUMBER,
	 SAYS(dense_inner)},
	{"n_inner ffn_dim block_ff_dim ffn_hidden_size hidden_dim d_ff decoder_ffn_dim", NUMBER,
	 HAS(inner)},
	{"num_hidden_layers n_layer n_layers num_layers", NUMBER, HAS(layers)},
	{"num_attention_heads n_head n_heads num_heads attention_heads decoder_attention_heads",
	 NUMBER, HAS(heads)},
	{"num_key_value_heads num_kv_heads kv_n_heads multi_query_group_num", NUMBER,
	 SAYS(kv_heads)},
	{"attention_dropout attention_probs_dropout_prob attn_pdrop attention_dropout_prob", RATE,
	 HAS(scores_dropout)},
	{"hidden_dropout hidden_dropout_prob resid_pdrop resid_dropout dropout dropout_rate", RATE,
	 HAS(dropout)},
	{"multi_query", FLAG, SAYS(multi_query)},
	{"new_decoder_architecture", FLAG, SAYS(new_decoder)},
	{"num_ln_in_parallel_attn", NUMBER, SAYS(two_norms)},
	{"head_dim attention_head_dim kv_channels d_kv", NUMBER, HAS(head_dim)},
	{"global_head_dim", NUMBER, SAYS(global.qk)},
	{"num_global_key_value_heads", NUMBER, SAYS(global.kv)},
	{"attention_k_eq_v", FLAG, SAYS(shared_kv)},
	{"enable_moe_block", FLAG, HAS(beside)},
	{"swa_num_attention_heads num_sliding_attention_heads", NUMBER, SAYS(local.q)},
	{"swa_num_key_value_heads", NUMBER, SAYS(local.kv)},
	{"swa_head_dim", NUMBER, SAYS(local.qk)},
	{"swa_v_head_dim", NUMBER, SAYS(local.v)},
	{"index_n_heads", NUMBER, HAS(index_heads)},
	{"index_head_dim", NUMBER, HAS(index_dim)},
	{"index_topk", NUMBER, HAS(index_top)},
	{"index_block_size", NUMBER, SAYS(index_block)},
	{"index_topk_blocks", NUMBER, SAYS(index_blocks)},
	{"attention_chunk_size", NUMBER, SAYS(chunk)},
	{"no_rope_layer_interval", NUMBER, SAYS(no_rope_every)},
	{"vocab_size padded_vocab_size", NUMBER, HAS(words)},
	{"max_position_embeddings n_positions max_target_positions model_max_length", NUMBER,
	 HAS(places)},
	{"type_vocab_size", NUMBER, HAS(types)},
	{"tie_word_embeddings", FLAG, HAS(is.tied)},
	{"sliding_window window_size local_attention", NUMBER, SAYS(window)},
	{"layer_switch global_attn_every_n_layers", NUMBER, SAYS(full_every)},
	{"num_hidden_groups", NUMBER, SAYS(weight_groups)},
	{"do_layer_norm_before", FLAG, SAYS(norm_before)},
	{"use_gated_mlp", FLAG, SAYS(gated)},
	{"use_swiglu_ffn", FLAG, SAYS(swiglu)},
	{"num_decoder_layers decoder_layers", NUMBER, SAYS(decoder_layers)},
	{"encoder_layers", NUMBER, HAS(encoder_layers)},
	{"encoder_ffn_dim", NUMBER, SAYS(encoder_inner)},
	{"encoder_attention_heads", NUMBER, SAYS(encoder_heads)},
	{"decoder_vocab_size", NUMBER, SAYS(decoder_words)},
	{"max_source_positions", NUMBER, HAS(source)},
	{"num_mel_bins", NUMBER, HAS(mels)},
	{"image_size", NUMBER, HAS(image)},
	{"patch_size", NUMBER, HAS(patch)},
	{"num_channels", NUMBER, HAS(channels)},
	{"num_register_tokens", NUMBER, HAS(registers)},
	{"mlp_ratio expansion_ratio", NUMBER, SAYS(ratio)},
	{"pooler_output_size projection_size", NUMBER, HAS(pooled)},
	{"vision_use_head", FLAG, HAS(is.attends)},
	{"relative_attention_num_buckets", NUMBER, SAYS(buckets)},
	{"relative_attention", FLAG, SAYS(by_places)},
	{"use_relative_position_bias", FLAG, SAYS(by_distance)},
	{"position_buckets", OR_NONE, SAYS(place_buckets)},
	{"max_relative_positions", OR_NONE, SAYS(most_places)},
	{"share_att_key", FLAG, HAS(places_shared)},
	{"position_biased_input", FLAG, SAYS(places_join)},
	{"use_sliding_window", FLAG, SAYS(use_window)},
	{"use_bidirectional_attention", FLAG_OR_WORD, HAS(is.encoder)},
	{"is_causal", NOT, HAS(is.encoder)},
	{"max_window_layers", NUMBER, SAYS(first_window)},
	{"rotary_dim", NUMBER, SAYS(rotary)},
	{"num_experts", OR_EACH, HAS(experts)},
	{"num_local_experts moe_num_experts n_routed_experts", NUMBER, HAS(experts)},
	{"moe_topk", OR_EACH, HAS(topk)},
	{"experts_per_token num_experts_per_tok moe_k moe_top_k top_k_experts"
	 " num_experts_per_token",
	 NUMBER, HAS(topk)},
	{"num_shared_expert", OR_EACH, SAYS(shared)},
	{"n_shared_experts moe_num_shared_experts num_shared_experts", NUMBER, SAYS(shared)},
	{"zero_expert_num", NUMBER, HAS(idle_experts)},
	{"moe_intermediate_size", OR_EACH, HAS(expert_inner)},
	{"expert_ffn_hidden_size", NUMBER, HAS(expert_inner)},
	{"shared_expert_intermediate_size share_expert_dim shared_intermediate_size"
	 " moe_shared_expert_intermediate_size",
	 NUMBER, HAS(shared_inner)},
	{"first_k_dense_replace num_dense_layers moe_layer_num_skipped moe_layer_start_index",
	 NUMBER, SAYS(first_dense)},
	{"moe_layer_end_index", NUMBER, SAYS(last_sparse)},
	{"moe_layer_freq", OR_LIST, SAYS(expert_every)},
	{"interleave_moe_layer_step moe_layer_interval decoder_sparse_step", NUMBER,
	 SAYS(expert_every)},
	{"moe_latent_size", NUMBER, HAS(latent_experts)},
	{"q_lora_rank", NUMBER, HAS(q_rank)},
	{"kv_lora_rank", NUMBER, HAS(kv_rank)},
	{"use_mla", FLAG, SAYS(latent)},
	{"qk_nope_head_dim", NUMBER, HAS(nope)},
	{"qk_rope_head_dim", NUMBER, HAS(rope)},
	{"v_head_dim", NUMBER, HAS(v_dim)},
	{"use_parallel_residual parallel_attn", FLAG, SAYS(parallel)},
	{"hidden_size_per_layer_input", NUMBER, HAS(per_layer)},
	{"vocab_size_per_layer_input", NUMBER, HAS(per_layer_words)},
	{"num_kv_shared_layers", NUMBER, HAS(sharing_layers)},
	{"use_double_wide_mlp", FLAG, SAYS(double_wide)},
	{"o_lora_rank", NUMBER, HAS(out_rank)},
	{"o_groups", NUMBER, HAS(out_groups)},
	{"hc_mult", NUMBER, HAS(streams)},
	{"altup_num_inputs", NUMBER, HAS(altup)},
	{"laurel_rank", NUMBER, HAS(laurel)},
	{"num_hash_layers", NUMBER, SAYS(hashed_layers)},
	{"num_nextn_predict_layers", NUMBER, SAYS(more_layers)},
	{"linear_num_value_heads linear_num_heads mamba_num_heads mamba_n_heads", NUMBER,
	 HAS(scan.heads)},
	{"linear_num_key_heads mamba_n_groups n_groups", NUMBER, HAS(scan.groups)},
	{"linear_key_head_dim ssm_state_size mamba_d_state state_size", NUMBER, HAS(scan.qk)},
	{"linear_value_head_dim linear_head_dim mamba_head_dim", NUMBER, HAS(scan.v)},
	{"mamba_d_head", OR_WORD, HAS(scan.v)},
	{"linear_conv_kernel_dim conv_kernel mamba_d_conv conv_L_cache", NUMBER, HAS(scan.taps)},
	{"chunk_size mamba_chunk_size", NUMBER, HAS(scan.chunk)},
	{"expand mamba_expand", NUMBER, SAYS(scan_expand)},
	{"mamba_d_ssm", NUMBER, SAYS(scan_inner)},
	{"time_step_rank mamba_dt_rank", OR_WORD, HAS(scan.rank)},
	{"mamba_rms_norm", FLAG, HAS(scan.norm)},
	{"full_attention_interval attn_layer_period", NUMBER, SAYS(attention_every)},
	{"attn_layer_offset", NUMBER, SAYS(attention_first)},
	{"expert_layer_period", NUMBER, SAYS(experts_every)},
	{"expert_layer_offset", NUMBER, SAYS(experts_first)},
	{"use_qk_norm qk_layernorm", FLAG, SAYS(asked_qk_norm)},

	/* use_cla: caches that layers share */
	{"_remove_final_layer_norm apply_residual_connection_post_layernorm use_cla use_task_id"
	 " qk_ln prefix_lm add_bias_linear emb_layer_norm_before conv_kernel_size classifier_bias"
	 " norm_head use_absolute_position_embeddings use_shared_relative_position_bias prenorm"
	 " parallel_block causal use_rms_norm mlp_fc1_bias mlp_fc2_bias key_bias norm_bias"
	 " gap_size net_structure_type num_memory_blocks attention_output_gate projectors_bias"
	 " altup_active_idx router_bias mamba",
	 ONLY, .number = 0},
	{"layer_norm_elementwise_affine enable_bias use_gated_activation use_parallel_block"
	 " use_post_norm use_rmsnorm no_bias post_layer_norm rmsnorm multi_query_attention"
	 " use_mean_pooling use_expert_bias share_encoder_decoder_embeddings query_bias value_bias"
	 " proj_bias inner_group_num down_scale_factor full_attn_mod attn_output_gate"
	 " altup_correct_scale use_mixed_mlp_moe prefix_dense_sliding_window_pattern",
	 ONLY, .number = 1},

	{"qk_norm_type", ONE_OF, .words = "per_layer per_head"},
	{"position_embedding_type", ONE_OF, .words = "absolute rope rope_gptj nope rotary alibi"},
	{"mlp_type", ONE_OF, .words = "default"},
	{"norm_type", ONE_OF, .words = "layer_norm rms hf_rms low_precision_layernorm"},
	{"order_of_interleaved_layers", ONE_OF, .words = "local_attn_first"},
	{"moe_gate", ONE_OF, .words = "topk"},
	{"attn_type", ONE_OF,
	 .words = "multihead_attention multiquery_attention grouped_query_attention"},
	{"feed_forward_type", ONE_OF, .words = "original geglu"},
	{"pooler_act", ONE_OF, .words = "tanh"},
	{"shared_expert_combination_strategy", ONE_OF, .words = "average sum"},
	{"score_func", ONE_OF, .words = "sigmoid softmax"},
	{"zero_expert_type", ONE_OF, .words = "identity"},
	{"attention_method", ONE_OF, .words = "MLA"},
	{"output_gate_type", ONE_OF, .words = "swish silu sigmoid"},
	/* among the tokens of a picture */
	{"use_bidirectional_attention", ONE_OF, .words = "vision"},

	{.names = "hidden_act hidden_activation activation_function activation mlp_hidden_act"
		  " feed_forward_proj afn",
	 .form = ACTIVATION},

	{"attention_bias", BIAS, .number = 0},
	{"attention_out_bias", BIAS, .number = PALEO_HF_BIAS_OUT},
	{"mlp_bias", BIAS, .number = PALEO_HF_BIAS_MLP},
	{"use_bias bias", BIAS, .number = 0},
	{"qkv_bias qkv_proj_bias add_qkv_bias use_qkv_bias", BIAS, .number = PALEO_HF_BIAS_QKV},
	{"lm_head_bias decoder_bias", BIAS, .number = PALEO_HF_BIAS_HEAD},
	{"mamba_proj_bias", BIAS, .number = PALEO_HF_BIAS_SCAN},
	{"mamba_conv_bias use_conv_bias", BIAS, .number = PALEO_HF_BIAS_CONV},
	{"conv_bias", BIAS, .number = PALEO_HF_BIAS_CONV | PALEO_HF_BIAS_SCAN},

	{"activation_sparsity_pattern", MEMBER, SAYS(activation_sparsity)},
	{"attn_layer_indices", MEMBER, SAYS(attention_indices)},
	{"block_auto_adjust_ff_dim", MEMBER, SAYS(adjust_inner)},
	{"block_configs", MEMBER, SAYS(block_configs)},
	{"block_ffn_dim_multiplier", MEMBER, SAYS(inner_times)},
	{"block_multiple_of", MEMBER, SAYS(inner_multiple)},
	{"compress_rates", MEMBER, SAYS(compress_rates)},
	{"compress_ratios", MEMBER, SAYS(compress_ratios)},
	{"expert_dtype", MEMBER, SAYS(expert_dtype)},
	{"feed_forward_type", MEMBER, SAYS(feed_forward_type)},
	{"full_attn_idxs", MEMBER, SAYS(full_indices)},
	{"hybrid_override_pattern", MEMBER, SAYS(letters)},
	{"layer_types", MEMBER, SAYS(layer_types)},
	{"layers_block_type", MEMBER, SAYS(block_types)},
	{"linear_attn_config", MEMBER, SAYS(linear_attention)},
	{"mamba_ssm_cache_dtype", MEMBER, SAYS(state_types[1])},
	{"mamba_ssm_dtype", MEMBER, SAYS(state_types[0])},
	{"mlp_only_layers", MEMBER, SAYS(dense_layers)},
	{"moe_layers", MEMBER, SAYS(sparse_layers)},
	{"norm_rel_ebd", MEMBER, SAYS(rows_norm)},
	{"norm_type", MEMBER, SAYS(norm_type)},
	{"per_layer_config", MEMBER, SAYS(layers_apart)},
	{"pos_att_type", MEMBER, SAYS(place_terms)},
	{"position_embedding_type", MEMBER, SAYS(position_type)},
	{"sliding_window_pattern", MEMBER, SAYS(window_patterns[0])},
	{"_sliding_window_pattern", MEMBER, SAYS(window_patterns[1])},
	{"sparse_attention_config", MEMBER, SAYS(sparse_attention)},
};

enum {
	KEYS = sizeof(keys) / sizeof(keys[0])
};

int paleo_hf_next_word(const char **text, char *word)
{
	size_t length;

	*text += strspn(*text, " ");
	length = strcspn(*text, " ");
	snprintf(word, PALEO_HF_KEY_BYTES, "%.*s", (int)length, *text);
	*text += length;
	return length > 0;
}

int paleo_hf_is_in(const char *text, const char *word)
{
	size_t length = strlen(word);

	if (!length || strchr(word, ' '))
		return 0;
	for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
		if ((at == text || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return 1;
	return 0;
}

int paleo_hf_is_of(const struct paleo_hf_config *c, const char *key)
{
	return paleo_hf_is_in(common, key) || paleo_hf_is_in(c->family->keys, key);
}

static int check_keys(const struct paleo_hf_config *c, const struct paleo_json *at)
{
	char list[240] = "";
	const int count = paleo_hf_unknown_keys(c, at, list, sizeof(list));

	if (!count)
		return PALEO_OK;
	if (c->ignores_all) {
		paleo_hf_say(c->m, "ignored: %.150s;", list);
		return PALEO_OK;
	}
	for (const struct paleo_json *v = paleo_json_first(at); v; v = paleo_json_next(v)) {
		const char *key = paleo_json_key(v);
		if (!strncmp(key, list, strlen(key)) && strchr(",", list[strlen(key)]))
			return paleo_json_fail(
				v, c->err,
				"unknown key%s for model_type '%s'%s%s; it may change the "
				"computation, "
				"so the file is refused; --ignore-keys accepts it",
				count > 1 ? "s" : "", c->family->is.type, count > 1 ? ": " : "",
				count > 1 ? list : "");
	}
	return PALEO_OK;
}

static void *place_of(struct paleo_hf_config *c, const struct key *k)
{
	return (k->in_model ? (char *)c->m : (char *)c) + k->offset;
}

static int read_number(struct paleo_hf_config *c, const struct key *k, const struct paleo_json *v)
{
	return paleo_json_to_int(v, k->form == OR_NONE ? -1 : 0, PALEO_HF_SIZE_MAX, place_of(c, k),
				 c->err);
}

static int read_rate(struct paleo_hf_config *c, const struct key *k, const struct paleo_json *v)
{
	return paleo_json_to_double(v, 0, 1, place_of(c, k), c->err);
}

static int read_each(struct paleo_hf_config *c, const struct key *k, const struct paleo_json *v)
{
	int first = 1, before = 0, *to = place_of(c, k);

	if (paleo_json_type(v) != PALEO_JSON_ARRAY)
		return read_number(c, k, v);
	for (v = paleo_json_first(v); v; v = paleo_json_next(v)) {
		PALEO_TRY(read_number(c, k, v));
		if (!first && *to != before)
			return paleo_json_fail(v, c->err,
					       "per-layer values of this key are not supported");
		before = *to;
		first = 0;
	}
	return PALEO_OK;
}

static int read_flag(struct paleo_hf_config *c, const struct key *k, const struct paleo_json *v)
{
	int *to = place_of(c, k), rc = paleo_json_to_bool(v, to, c->err);

	if (!rc && k->form == NOT)
		*to = !*to;
	return rc;
}

static int read_only(struct paleo_hf_config *c, const struct key *k, const struct paleo_json *v)
{
	int value = k->number;

	PALEO_TRY(paleo_json_type(v) == PALEO_JSON_BOOL
			  ? paleo_json_to_bool(v, &value, c->err)
			  : paleo_json_to_int(v, 0, PALEO_HF_SIZE_MAX, &value, c->err));
	return value == k->number
		       ? PALEO_OK
		       : paleo_json_fail(v, c->err,
					 "models of '%s' are known with the value %d alone",
					 c->family->is.type, k->number);
}

static int read_one_of(struct paleo_hf_config *c, const struct key *k, const struct paleo_json *v)
{
	const char *word = "", *known = k->words;
	char first[PALEO_HF_KEY_BYTES];
	int rc = paleo_json_to_string(v, &word, c->err);

	if (rc || paleo_hf_is_in(k->words, word))
		return rc;
	paleo_hf_next_word(&known, first);
	return paleo_json_fail(v, c->err, "'%s' is not supported here, expected '%s'", word, first);
}

static int read_activation(struct paleo_hf_config *c, const struct key *k,
			   const struct paleo_json *v)
{
	(void)k;
	return paleo_hf_read_activation(c, v);
}

static int read_bias(struct paleo_hf_config *c, const struct key *k, const struct paleo_json *v)
{
	int all = paleo_hf_or(c->family->with_bias, PALEO_HF_BIAS_ALL), is = 0;
	int attention = !strcmp(k->names, "attention_bias");
	int bits = attention ? c->family->with_attention_bias : paleo_hf_or(k->number, all);

	PALEO_TRY(paleo_json_to_bool(v, &is, c->err));
	c->m->bias = is ? c->m->bias | bits : c->m->bias & ~bits;
	return PALEO_OK;
}

static int keep(struct paleo_hf_config *c, const struct key *k, const struct paleo_json *v)
{
	const struct paleo_json **to = place_of(c, k);

	*to = v;
	return PALEO_OK;
}

static const struct {
	int (*read)(struct paleo_hf_config *c, const struct key *k, const struct paleo_json *v);
	enum paleo_json_type left; /* type of a value read elsewhere; NULL: none */
	int file_alone;            /* 1: only in the file itself, not in nested parts */
} forms[] = {
	[NUMBER] = {.read = read_number},
	[RATE] = {.read = read_rate},
	[OR_NONE] = {.read = read_number},
	[OR_LIST] = {.read = read_number, .left = PALEO_JSON_ARRAY},
	[OR_EACH] = {.read = read_each},
	[OR_WORD] = {.read = read_number, .left = PALEO_JSON_STRING},
	[FLAG] = {.read = read_flag},
	[FLAG_OR_WORD] = {.read = read_flag, .left = PALEO_JSON_STRING},
	[NOT] = {.read = read_flag},
	[ONLY] = {.read = read_only, .left = PALEO_JSON_STRING},
	[ONE_OF] = {.read = read_one_of, .left = PALEO_JSON_BOOL},
	[ACTIVATION] = {.read = read_activation, .file_alone = 1},
	[BIAS] = {.read = read_bias, .file_alone = 1},
	[MEMBER] = {.read = keep, .file_alone = 1},
};

int paleo_hf_read_keys(struct paleo_hf_config *c, const struct paleo_json *at)
{
	char key[PALEO_HF_KEY_BYTES];
	int rc = check_keys(c, at);

	for (const struct key *k = keys; k < keys + KEYS && !rc; k++) {
		const char *names = k->names;
		while (!rc && paleo_hf_next_word(&names, key)) {
			const struct paleo_json *v = paleo_hf_get(at, key);
			if (v && (at == c->root || !forms[k->form].file_alone) &&
			    paleo_json_type(v) != forms[k->form].left && paleo_hf_is_of(c, key))
				rc = forms[k->form].read(c, k, v);
		}
	}
	return rc;
}

void paleo_hf_fill_sizes(struct paleo_hf_config *c)
{
	for (const struct paleo_hf_size *s = c->family->sizes; s && s->key; s++)
		for (const struct key *k = keys; k < keys + KEYS; k++)
			if (paleo_hf_is_in(k->names, s->key))
				*(int *)place_of(c, k) = s->value;
}

void paleo_hf_name_key(const struct paleo_hf_config *c, size_t offset, char *name)
{
	char key[PALEO_HF_KEY_BYTES];

	name[0] = '\0';
	for (const struct key *k = keys; k < keys + KEYS; k++) {
		const char *names = k->names;
		while (k->in_model && k->offset == offset && paleo_hf_next_word(&names, key))
			if (paleo_hf_is_of(c, key) &&
			    (!name[0] || paleo_hf_is_in(c->family->keys, key)))
				snprintf(name, PALEO_HF_KEY_BYTES, "%s", key);
	}
}
