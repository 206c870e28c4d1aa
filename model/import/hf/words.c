/* words.c - words, flags and parts of a config.json: what they say, or why they are refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/hf/read.h"

/* Words of which each key knows some. */
static const struct {
	const char *key;
	const char *only[12];
} words[] = {
	{"qk_norm_type", {"per_layer", "per_head"}},
	{"position_embedding_type", {"absolute", "rope", "rope_gptj", "nope", "rotary", "alibi"}},
	{"mlp_type", {"default"}},
	{"norm_type", {"layer_norm", "rms", "hf_rms", "low_precision_layernorm"}},
	{"order_of_interleaved_layers", {"local_attn_first"}},
	{"moe_gate", {"topk"}},
	{"attn_type", {"multihead_attention", "multiquery_attention", "grouped_query_attention"}},
	{"feed_forward_type", {"original", "geglu"}},
	{"pooler_act", {"tanh"}},
	{"shared_expert_combination_strategy", {"average", "sum"}},
	{"score_func", {"sigmoid", "softmax"}},
	{"zero_expert_type", {"identity"}},
	{"attention_method", {"MLA"}},
	{"use_bidirectional_attention", {"vision"}}, /* among the tokens of a picture */
};

/* Flags and numbers that are known in one value alone. */
static const struct {
	const char *key;
	int only;
} values[] = {
	{"layer_norm_elementwise_affine", 1},
	{"_remove_final_layer_norm", 0},
	{"enable_bias", 1},
	{"apply_residual_connection_post_layernorm", 0},
	{"use_cla", 0}, /* caches that layers share */
	{"use_gated_activation", 1},
	{"use_parallel_block", 1},
	{"use_task_id", 0},
	{"use_post_norm", 1},
	{"use_rmsnorm", 1},
	{"no_bias", 1},
	{"qk_ln", 0},
	{"prefix_lm", 0},
	{"add_bias_linear", 0},
	{"post_layer_norm", 1},
	{"rmsnorm", 1},
	{"multi_query_attention", 1},
	{"emb_layer_norm_before", 0},
	{"conv_kernel_size", 0},
	{"classifier_bias", 0},
	{"norm_head", 0},
	{"use_absolute_position_embeddings", 0},
	{"use_shared_relative_position_bias", 0},
	{"use_mean_pooling", 1},
	{"prenorm", 0},
	{"parallel_block", 0},
	{"causal", 0},
	{"use_rms_norm", 0},
	{"mlp_fc1_bias", 0},
	{"mlp_fc2_bias", 0},
	{"use_expert_bias", 1},
	{"share_encoder_decoder_embeddings", 1},
	{"query_bias", 1},
	{"key_bias", 0},
	{"value_bias", 1},
	{"proj_bias", 1},
	{"norm_bias", 0},
	{"inner_group_num", 1},
	{"gap_size", 0},
	{"net_structure_type", 0},
	{"num_memory_blocks", 0},
	{"down_scale_factor", 1},
	{"full_attn_mod", 1},
	{"attention_output_gate", 0},
	{"attn_output_gate", 1},
	{"projectors_bias", 0},
	{"altup_active_idx", 0},
	{"router_bias", 0},
	{"altup_correct_scale", 1},
	{"use_mixed_mlp_moe", 1},
	{"mamba", 0},
	{"prefix_dense_sliding_window_pattern", 1},
};

static int check_words(const struct paleo_json *root, const struct paleo_hf_model *m,
		       struct paleo_error *err)
{
	const char *word;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const struct paleo_json *v = paleo_hf_get(root, words[i].key);
		int known = 0;
		if (!v || !paleo_hf_is_of(m, words[i].key) || paleo_json_type(v) == PALEO_JSON_BOOL)
			continue;
		int rc = paleo_json_to_string(v, &word, err);
		if (rc)
			return rc;
		for (const char *const *w = words[i].only; *w; w++)
			known |= !strcmp(word, *w);
		if (!known)
			return paleo_json_fail(v, err, "'%s' is not known here, expected '%s'",
					       word, words[i].only[0]);
	}
	return PALEO_OK;
}

/* 1 if the family has such a key, and the file this word. */
static int is_word(const struct paleo_json *root, const struct paleo_hf_model *m, const char *key,
		   const char *word)
{
	const struct paleo_json *v = paleo_hf_is_of(m, key) ? paleo_hf_get(root, key) : NULL;
	const char *said;
	struct paleo_error none;

	return v && !paleo_json_to_string(v, &said, &none) && !strcmp(said, word);
}

/* Where an encoder says how places are told. */
static void read_positions(const struct paleo_json *root, struct paleo_hf_model *m)
{
	static const struct {
		const char *word;
		enum paleo_hf_positions positions;
	} known[] = {{"absolute", PALEO_HF_LEARNED},
		     {"rotary", PALEO_HF_ROTARY},
		     {"alibi", PALEO_HF_NO_POSITIONS}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && m->family->told_positions; i++)
		if (is_word(root, m, "position_embedding_type", known[i].word))
			m->positions = known[i].positions;
}

int paleo_hf_check_values(const struct paleo_json *root, struct paleo_hf_model *m,
			  struct paleo_error *err)
{
	read_positions(root, m);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const struct paleo_json *v = paleo_hf_get(root, values[i].key);
		int value = values[i].only;
		if (!v || !paleo_hf_is_of(m, values[i].key) ||
		    paleo_json_type(v) == PALEO_JSON_STRING)
			continue;
		int rc = paleo_json_type(v) == PALEO_JSON_BOOL
				 ? paleo_json_to_bool(v, &value, err)
				 : paleo_json_to_int(v, 0, PALEO_HF_SIZE_MAX, &value, err);
		if (rc)
			return rc;
		if (value != values[i].only)
			return paleo_json_fail(v, err,
					       "models of '%s' are known with the value %d alone",
					       m->family->type, values[i].only);
	}
	return check_words(root, m, err);
}

/* The activation between the two products of an MLP, by the word of ours that costs as much. */
int paleo_hf_read_activation(const struct paleo_json *root, struct paleo_hf_model *m,
			     struct paleo_error *err)
{
	static const char *const keys[] = {"hidden_act",
					   "hidden_activation",
					   "activation_function",
					   "activation",
					   "mlp_hidden_act",
					   "feed_forward_proj",
					   "afn",
					   NULL};
	static const struct {
		const char *word, *ours;
		int with_gate;
	} known[] = {{"silu", "silu", 1},       {"swish", "silu", 1},
		     {"swigluoai", "silu", 1},  {"swiglu", "silu", 1},
		     {"gelu", "gelu", 1},       {"gelu_new", "gelu", 1},
		     {"gelu_fast", "gelu", 1},  {"gelu_python", "gelu", 1},
		     {"quick_gelu", "gelu", 1}, {"gelu_pytorch_tanh", "gelu", 1},
		     {"relu", "relu", 0},       {"xielu", "gelu", 0},
		     {"relu2", "relu", 0}};
	const char *word;

	m->activation = "gelu";
	if (m->gated || m->swiglu)
		m->plain = 0;
	for (const char *const *key = keys; *key; key++) {
		const struct paleo_json *v = paleo_hf_get(root, *key);
		size_t i = 0;
		if (!v)
			continue;
		int rc = paleo_json_to_string(v, &word, err);
		if (rc)
			return rc;
		if (!strncmp(word, "gated-", 6)) { /* T5's way to say it */
			word += 6;
			m->plain = 0;
		}
		while (i < sizeof(known) / sizeof(known[0]) && strcmp(word, known[i].word) != 0)
			i++;
		if (i == sizeof(known) / sizeof(known[0]) ||
		    (!known[i].with_gate && !m->plain && !m->family->relu_gate))
			return paleo_json_fail(v, err, "'%s' is not known here, expected '%s'",
					       word, known[0].word);
		m->activation = known[i].ours;
	}
	return PALEO_OK;
}

int paleo_hf_read_biases(const struct paleo_json *root, struct paleo_hf_model *m,
			 struct paleo_error *err)
{
	const int all = m->family->with_bias ? m->family->with_bias : PALEO_HF_BIAS_ALL;
	const struct {
		const char *key;
		int bits;
	} keys[] = {
		{"attention_bias", m->family->with_attention_bias},
		{"attention_out_bias", PALEO_HF_BIAS_OUT},
		{"mlp_bias", PALEO_HF_BIAS_MLP},
		{"use_bias", all},
		{"bias", m->plain || m->family->with_bias ? all : PALEO_HF_BIAS_ATTENTION},
		{"qkv_bias", PALEO_HF_BIAS_QKV},
		{"qkv_proj_bias", PALEO_HF_BIAS_QKV},
		{"add_qkv_bias", PALEO_HF_BIAS_QKV},
		{"use_qkv_bias", PALEO_HF_BIAS_QKV},
		{"lm_head_bias", PALEO_HF_BIAS_HEAD},
		{"decoder_bias", PALEO_HF_BIAS_HEAD},
		{"mamba_proj_bias", PALEO_HF_BIAS_SCAN},
		{"mamba_conv_bias", PALEO_HF_BIAS_CONV},
		{"use_conv_bias", PALEO_HF_BIAS_CONV},
		{"conv_bias", PALEO_HF_BIAS_CONV | PALEO_HF_BIAS_SCAN},
	};

	m->bias = m->family->bias;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct paleo_json *v = paleo_hf_get(root, keys[i].key);
		int is;
		if (!v || !paleo_hf_is_of(m, keys[i].key))
			continue;
		int rc = paleo_json_to_bool(v, &is, err);
		if (rc)
			return rc;
		m->bias = is ? m->bias | keys[i].bits : m->bias & ~keys[i].bits;
	}
	if (is_word(root, m, "feed_forward_type", "geglu")) { /* the last product alone has one */
		m->plain = 0;
		m->bias = (m->bias & ~PALEO_HF_BIAS_MLP) | PALEO_HF_BIAS_CONTRACT;
	}
	return PALEO_OK;
}

/* The part of a head that has rotary positions. */
int paleo_hf_read_rotary(const struct paleo_json *root, struct paleo_hf_model *m,
			 struct paleo_error *err)
{
	static const char *const keys[] = {"partial_rotary_factor", "rotary_pct", "rope_pct"};
	const struct paleo_json *inner = paleo_hf_get(root, "rope_parameters");
	double part;

	for (size_t i = 0; i < 2 * sizeof(keys) / sizeof(keys[0]) && !m->rotary; i++) {
		const struct paleo_json *v = i % 2 ? root : inner;
		v = v && paleo_json_type(v) == PALEO_JSON_OBJECT ? paleo_hf_get(v, keys[i / 2])
								 : NULL;
		if (!v)
			continue;
		int rc = paleo_json_to_double(v, 0, 1, &part, err);
		if (rc)
			return rc;
		m->rotary = (int)(part * m->head_dim);
		m->rotary += m->rotary % 2;
	}
	if (!m->rotary && m->family->half_rotary)
		m->rotary = m->head_dim / 2;
	return PALEO_OK;
}
