/* read.c - reads the keys of a config.json, and refuses what might change the work unknown. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/hf/read.h"

#include <stddef.h>
#include <string.h>

/* Keys that every family has. */
static const char *const common[] = {"model_type",
				     "hidden_size",
				     "intermediate_size",
				     "num_hidden_layers",
				     "num_attention_heads",
				     "partial_rotary_factor",
				     "rotary_pct",
				     "rope_pct",
				     "num_key_value_heads",
				     "head_dim",
				     "vocab_size",
				     "hidden_act",
				     "tie_word_embeddings",
				     "max_position_embeddings",
				     "torch_dtype",
				     "dtype",
				     "quantization_config",
				     "per_layer_config",
				     NULL};

/* Numbers and flags, where they are kept. A null counts as not there. */
#define AT(member) offsetof(struct paleo_hf_model, member)
static const struct {
	const char *key;
	size_t offset;
	enum {
		NUMBER,
		FLAG,
		OR_LIST,
		OR_WORD
	} form; /* a list is read by pattern.c; a word leaves it to us */
} fields[] = {
	{"hidden_size", AT(hidden), NUMBER},
	{"n_embd", AT(hidden), NUMBER},
	{"n_embed", AT(hidden), NUMBER},
	{"dim", AT(hidden), NUMBER},
	{"embedding_size", AT(embed), NUMBER},
	{"word_embed_proj_dim", AT(embed), NUMBER},
	{"intermediate_size", AT(inner), NUMBER},
	{"intermediate_size_mlp", AT(dense_inner), NUMBER},
	{"dense_intermediate_size", AT(dense_inner), NUMBER},
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
	{"multi_query", AT(multi_query), FLAG},
	{"new_decoder_architecture", AT(new_decoder), FLAG},
	{"num_ln_in_parallel_attn", AT(two_norms), NUMBER},
	{"head_dim", AT(head_dim), NUMBER},
	{"attention_head_dim", AT(head_dim), NUMBER},
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
	{"max_position_embeddings", AT(places), NUMBER},
	{"n_positions", AT(places), NUMBER},
	{"type_vocab_size", AT(types), NUMBER},
	{"tie_word_embeddings", AT(tied), FLAG},
	{"sliding_window", AT(window), NUMBER},
	{"window_size", AT(window), NUMBER},
	{"layer_switch", AT(full_every), NUMBER},
	{"use_sliding_window", AT(use_window), FLAG},
	{"max_window_layers", AT(first_window), NUMBER},
	{"rotary_dim", AT(rotary), NUMBER},
	{"num_experts", AT(experts), NUMBER},
	{"num_local_experts", AT(experts), NUMBER},
	{"moe_num_experts", AT(experts), NUMBER},
	{"n_routed_experts", AT(experts), NUMBER},
	{"experts_per_token", AT(topk), NUMBER},
	{"num_experts_per_tok", AT(topk), NUMBER},
	{"moe_k", AT(topk), NUMBER},
	{"moe_top_k", AT(topk), NUMBER},
	{"top_k_experts", AT(topk), NUMBER},
	{"moe_intermediate_size", AT(expert_inner), NUMBER},
	{"n_shared_experts", AT(shared), NUMBER},
	{"moe_num_shared_experts", AT(shared), NUMBER},
	{"num_shared_experts", AT(shared), NUMBER},
	{"shared_expert_intermediate_size", AT(shared_inner), NUMBER},
	{"share_expert_dim", AT(shared_inner), NUMBER},
	{"shared_intermediate_size", AT(shared_inner), NUMBER},
	{"first_k_dense_replace", AT(first_dense), NUMBER},
	{"moe_layer_start_index", AT(first_dense), NUMBER},
	{"moe_layer_end_index", AT(last_sparse), NUMBER},
	{"moe_layer_freq", AT(expert_every), OR_LIST},
	{"interleave_moe_layer_step", AT(expert_every), NUMBER},
	{"moe_layer_interval", AT(expert_every), NUMBER},
	{"decoder_sparse_step", AT(expert_every), NUMBER},
	{"q_lora_rank", AT(q_rank), NUMBER},
	{"kv_lora_rank", AT(kv_rank), NUMBER},
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

const struct paleo_json *paleo_hf_get(const struct paleo_json *root, const char *key)
{
	const struct paleo_json *v = paleo_json_get(root, key);

	return v && paleo_json_type(v) != PALEO_JSON_NULL ? v : NULL;
}

int paleo_hf_check_size(const struct paleo_json *at, const char *what, double size,
			struct paleo_error *err)
{
	return size <= PALEO_HF_SIZE_MAX
		       ? PALEO_OK
		       : paleo_json_fail(at, err, "%s of %.0f numbers: expected at most %d", what,
					 size, PALEO_HF_SIZE_MAX);
}

static int is_in(const char *const *list, const char *key)
{
	for (; *list; list++)
		if (!strcmp(*list, key))
			return 1;
	return 0;
}

static int find_family(const struct paleo_json *root, struct paleo_hf_model *m,
		       struct paleo_error *err)
{
	const struct paleo_json *v;
	const char *type;
	int rc = paleo_json_need(root, "model_type", &v, err);

	if (!rc)
		rc = paleo_json_to_string(v, &type, err);
	if (rc)
		return rc;
	m->family = paleo_hf_family_find(type);
	if (m->family)
		return PALEO_OK;
	const char *lacks = paleo_hf_family_lacks(type);
	if (lacks)
		return paleo_json_fail(
			v, err,
			"the family '%s' is not known, as it has %s; an ONNX export of "
			"the model may be taken",
			type, lacks);
	return paleo_json_fail(
		v, err,
		"the family '%s' is not known; docs/guide/transformers.md lists those "
		"that are, and an ONNX export of the model may be taken",
		type);
}

int paleo_hf_is_of(const struct paleo_hf_model *m, const char *key)
{
	return is_in(common, key) || is_in(m->family->keys, key);
}

static int check_keys(const struct paleo_json *root, const struct paleo_hf_model *m,
		      struct paleo_error *err)
{
	for (const struct paleo_json *v = paleo_json_first(root); v; v = paleo_json_next(v)) {
		const char *key = paleo_json_key(v);
		if (paleo_hf_is_of(m, key) || is_in(paleo_hf_ignored, key) ||
		    paleo_json_type(v) == PALEO_JSON_NULL)
			continue;
		return paleo_json_fail(v, err,
				       "models of '%s' have no such key that is known; as it might "
				       "change the work, the file is refused",
				       m->family->type);
	}
	return PALEO_OK;
}

/* A file leaves out of text_config what is as transformers has it. */
static void fill_sizes(struct paleo_hf_model *m)
{
	for (const struct paleo_hf_size *s = m->family->sizes; s && s->key; s++)
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			if (!strcmp(fields[i].key, s->key))
				*(int *)(void *)((char *)m + fields[i].offset) = s->value;
}

static int read_fields(const struct paleo_json *root, struct paleo_hf_model *m,
		       struct paleo_error *err)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct paleo_json *v = paleo_hf_get(root, fields[i].key);
		int *to = (int *)(void *)((char *)m + fields[i].offset);
		int rc = PALEO_OK;
		if (!v || !paleo_hf_is_of(m, fields[i].key) ||
		    (fields[i].form == OR_LIST && paleo_json_type(v) == PALEO_JSON_ARRAY) ||
		    (fields[i].form == OR_WORD && paleo_json_type(v) == PALEO_JSON_STRING))
			continue;
		rc = fields[i].form == FLAG ? paleo_json_to_bool(v, to, err)
					    : paleo_json_to_int(v, 0, PALEO_HF_SIZE_MAX, to, err);
		if (rc)
			return rc;
	}
	return PALEO_OK;
}

static int need(const struct paleo_json *root, const char *key, int value, struct paleo_error *err)
{
	return value > 0 ? PALEO_OK
			 : paleo_json_fail(root, err, "'%s' is missing, or null, or 0", key);
}

/* The name of this family's key for a size, for messages. */
static const char *named(const struct paleo_hf_model *m, size_t offset)
{
	const char *name = NULL;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].offset == offset && (!name || is_in(m->family->keys, fields[i].key)))
			name = fields[i].key;
	return name;
}

static int need_sizes(const struct paleo_json *root, struct paleo_hf_model *m,
		      struct paleo_error *err)
{
	if (!m->inner && (m->family->plain || m->family->blocks))
		m->inner = 4 * m->hidden;
	const struct {
		size_t offset;
		int value;
	} sizes[] = {{AT(hidden), m->hidden},
		     {AT(layers), m->layers},
		     {AT(heads), m->heads},
		     {AT(words), m->words},
		     {AT(inner), m->inner || m->experts || m->family->scan_alone}};
	int rc = PALEO_OK;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !rc; i++)
		rc = need(root, named(m, sizes[i].offset), sizes[i].value, err);
	if (rc)
		return rc;
	if (m->layers > PALEO_HF_LAYERS_MAX)
		return paleo_json_fail(root, err, "%d layers are more than %d", m->layers,
				       PALEO_HF_LAYERS_MAX);
	if (m->embed && m->embed != m->hidden)
		return paleo_json_fail(root, err,
				       "words of %d numbers in a model of %d are not known",
				       m->embed, m->hidden);
	return PALEO_OK;
}

/* Products of sizes that are those of all layers. */
static int check_products(const struct paleo_json *root, const struct paleo_hf_model *m,
			  struct paleo_error *err)
{
	double head = (double)m->nope + m->rope + m->v_dim;
	int rc = paleo_hf_check_size(root, "an index", (double)m->index_heads * m->index_dim, err);

	if (!rc && m->kv_rank)
		rc = paleo_hf_check_size(root, "latent attention",
					 m->heads * head + m->q_rank + m->kv_rank, err);
	return rc ? rc
		  : paleo_hf_check_size(root, "experts for all tokens",
					(double)m->shared * m->expert_inner, err);
}

/* Heads of queries, and those of keys and values. */
static int complete_heads(const struct paleo_json *root, struct paleo_hf_model *m,
			  struct paleo_error *err)
{
	if (!m->head_dim && !m->kv_rank && m->hidden % m->heads)
		return paleo_json_fail(root, err, "%d heads do not divide a hidden_size of %d",
				       m->heads, m->hidden);
	if (!m->head_dim)
		m->head_dim = m->hidden / m->heads;
	if (m->multi_query && !m->new_decoder)
		m->kv_heads = 1;
	if (!m->kv_heads)
		m->kv_heads = m->heads;
	if (m->heads % m->kv_heads)
		return paleo_json_fail(root, err, "%d heads cannot share %d evenly", m->heads,
				       m->kv_heads);
	m->qk_norm = m->asked_qk_norm ? m->family->qk_norm : PALEO_HF_NO_QK_NORM;
	if (m->asked_qk_norm == 1 && !m->qk_norm)
		return paleo_json_fail(root, err,
				       "normalised queries and keys of '%s' are not known",
				       m->family->type);
	if (m->index_top && (!m->index_heads || !m->index_dim || (m->kv_rank && !m->q_rank)))
		return paleo_json_fail(root, err,
				       "a choice of keys needs index_n_heads, index_head_dim and, "
				       "with latent attention, q_lora_rank");
	if (m->kv_rank && (!m->nope || !m->rope || !m->v_dim))
		return paleo_json_fail(root, err,
				       "latent attention needs qk_nope_head_dim, "
				       "qk_rope_head_dim and v_head_dim");
	return PALEO_OK;
}

static enum paleo_hf_place place_of(const struct paleo_hf_model *m)
{
	if (m->parallel == 0)
		return PALEO_HF_NORMS_BEFORE;
	if (m->new_decoder && m->two_norms != 1)
		return PALEO_HF_PARALLEL_TWO;
	return m->parallel == 1 ? m->family->if_parallel : m->family->place;
}

/* What follows from what was read, and what does not go together. */
static int complete(const struct paleo_json *root, struct paleo_hf_model *m,
		    struct paleo_error *err)
{
	int rc = paleo_hf_complete_scan(root, m, err);

	if (!rc)
		rc = need_sizes(root, m, err);
	if (!rc)
		rc = complete_heads(root, m, err);
	if (rc)
		return rc;
	if (m->family->experts_inner)
		m->expert_inner = m->inner;
	if (m->experts && (!m->topk || m->topk > m->experts || !m->expert_inner))
		return paleo_json_fail(root, err,
				       "of %d experts of %d a token goes to %d: not possible",
				       m->experts, m->expert_inner, m->topk);
	if (!m->shared && m->experts)
		m->shared = m->family->shared;
	rc = check_products(root, m, err);
	if (rc)
		return rc;
	if (!m->shared_inner)
		m->shared_inner = m->shared * m->expert_inner;
	m->place = place_of(m);
	rc = paleo_hf_complete_compressed(root, m, err);
	return rc ? rc : paleo_hf_read_rotary(root, m, err);
}

/* Every layer as the model has them, before what differs is read. */
static void fill_layers(struct paleo_hf_model *m)
{
	int rotary = m->family->positions != PALEO_HF_ROTARY ? 0
		     : m->rotary                             ? m->rotary
							     : m->head_dim;

	int value = m->v_dim && !m->kv_rank ? m->v_dim : m->head_dim;

	for (int i = 0; i < m->layers; i++) {
		struct paleo_hf_layer *l = &m->layer[i];
		l->heads =
			(struct paleo_hf_heads){m->heads, m->kv_heads, m->head_dim, value, rotary};
		l->inner = m->dense_inner ? m->dense_inner : m->inner;
		l->sinks = m->family->sinks;
		l->chooses = m->index_top > 0;
		l->mixers = PALEO_HF_ATTENTION;
	}
}

/* What a model of text and pictures says of both. */
static int read_outer(const struct paleo_json *outer, const struct paleo_json *root,
		      struct paleo_hf_model *m, struct paleo_error *err)
{
	const struct paleo_json *tied = paleo_hf_get(outer, "tie_word_embeddings");

	return tied && !paleo_hf_get(root, "tie_word_embeddings")
		       ? paleo_json_to_bool(tied, &m->tied, err)
		       : PALEO_OK;
}

int paleo_hf_read(const struct paleo_json *root, const struct paleo_json *quantised,
		  const struct paleo_weight_type *asked, struct paleo_hf_model *m,
		  struct paleo_error *err)
{
	const struct paleo_json *inner = paleo_hf_get(root, "text_config"), *outer = root;

	if (inner && paleo_json_type(inner) == PALEO_JSON_OBJECT)
		root = inner;
	const struct paleo_json *q = paleo_hf_get(root, "quantization_config");
	if (!q)
		q = quantised ? paleo_hf_get(quantised, "quantization")
			      : paleo_hf_get(outer, "quantization_config");
	memset(m, 0, sizeof(*m));
	m->parallel = m->asked_qk_norm = -1;
	int rc = find_family(root, m, err);
	if (!rc) {
		m->tied = m->family->tied;
		m->head_dim = m->family->head_dim;
	}
	if (!rc)
		rc = check_keys(root, m, err);
	if (!rc && outer != root)
		fill_sizes(m);
	if (!rc)
		rc = read_fields(root, m, err);
	if (!rc && outer != root)
		rc = read_outer(outer, root, m, err);
	if (!rc)
		rc = paleo_hf_check_values(root, m, err);
	if (!rc)
		rc = paleo_hf_read_activation(root, m, err);
	if (!rc)
		rc = paleo_hf_read_biases(root, m, err);
	if (!rc)
		rc = paleo_hf_read_dtype(root, outer, m, err);
	if (!rc)
		rc = paleo_hf_read_quantisation(root, q, asked, m, err);
	if (!rc)
		rc = complete(root, m, err);
	if (rc)
		return rc;
	fill_layers(m);
	return paleo_hf_read_layers(root, m, err);
}
