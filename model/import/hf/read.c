/* read.c - reads the keys of a config.json, and refuses what might change the work unknown. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "model/import/hf/model.h"

enum {
	SIZE_MAX_READ = 1 << 24,
	KEYS_MAX = 160
};

/* Keys that every family has. */
static const char *const common[] = {"model_type",
				     "hidden_size",
				     "intermediate_size",
				     "num_hidden_layers",
				     "num_attention_heads",
				     "num_key_value_heads",
				     "head_dim",
				     "vocab_size",
				     "hidden_act",
				     "tie_word_embeddings",
				     "max_position_embeddings",
				     "torch_dtype",
				     "dtype",
				     "quantization_config",
				     NULL};

/* Numbers and flags, where they are kept. A null counts as not there. */
#define AT(member) offsetof(struct paleo_hf_model, member)
static const struct {
	const char *key;
	size_t offset;
	int is_flag;
} fields[] = {
	{"hidden_size", AT(hidden), 0},
	{"n_embd", AT(hidden), 0},
	{"intermediate_size", AT(inner), 0},
	{"n_inner", AT(inner), 0},
	{"num_hidden_layers", AT(layers), 0},
	{"n_layer", AT(layers), 0},
	{"num_attention_heads", AT(heads), 0},
	{"n_head", AT(heads), 0},
	{"num_key_value_heads", AT(kv_heads), 0},
	{"head_dim", AT(head_dim), 0},
	{"vocab_size", AT(words), 0},
	{"max_position_embeddings", AT(places), 0},
	{"n_positions", AT(places), 0},
	{"type_vocab_size", AT(types), 0},
	{"tie_word_embeddings", AT(tied), 1},
	{"attention_bias", AT(attention_bias), 1},
	{"mlp_bias", AT(mlp_bias), 1},
	{"sliding_window", AT(window), 0},
	{"use_sliding_window", AT(use_window), 1},
	{"max_window_layers", AT(first_window), 0},
	{"rotary_dim", AT(rotary), 0},
	{"num_experts", AT(experts), 0},
	{"num_local_experts", AT(experts), 0},
	{"n_routed_experts", AT(experts), 0},
	{"experts_per_token", AT(topk), 0},
	{"num_experts_per_tok", AT(topk), 0},
	{"moe_intermediate_size", AT(expert_inner), 0},
	{"n_shared_experts", AT(shared), 0},
	{"first_k_dense_replace", AT(first_dense), 0},
	{"moe_layer_freq", AT(expert_every), 0},
	{"decoder_sparse_step", AT(expert_every), 0},
	{"q_lora_rank", AT(q_rank), 0},
	{"kv_lora_rank", AT(kv_rank), 0},
	{"qk_nope_head_dim", AT(nope), 0},
	{"qk_rope_head_dim", AT(rope), 0},
	{"v_head_dim", AT(v_dim), 0},
};

static const struct paleo_json *get(const struct paleo_json *root, const char *key)
{
	const struct paleo_json *v = paleo_json_get(root, key);

	return v && paleo_json_type(v) != PALEO_JSON_NULL ? v : NULL;
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
	char names[512];
	int rc = paleo_json_need(root, "model_type", &v, err);

	if (!rc)
		rc = paleo_json_to_string(v, &type, err);
	if (rc)
		return rc;
	m->family = paleo_hf_family_find(type);
	if (m->family)
		return PALEO_OK;
	paleo_hf_family_names(names, sizeof(names));
	return paleo_json_fail(v, err, "the family '%s' is not known; there are %s", type, names);
}

static int check_keys(const struct paleo_json *root, const struct paleo_hf_model *m,
		      struct paleo_error *err)
{
	for (const struct paleo_json *v = paleo_json_first(root); v; v = paleo_json_next(v)) {
		const char *key = paleo_json_key(v);
		if (is_in(common, key) || is_in(m->family->keys, key) ||
		    is_in(paleo_hf_ignored, key) || paleo_json_type(v) == PALEO_JSON_NULL)
			continue;
		return paleo_json_fail(v, err,
				       "models of '%s' have no such key that is known; as it might "
				       "change the work, the file is refused",
				       m->family->type);
	}
	return PALEO_OK;
}

static int read_fields(const struct paleo_json *root, struct paleo_hf_model *m,
		       struct paleo_error *err)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct paleo_json *v = get(root, fields[i].key);
		int *to = (int *)(void *)((char *)m + fields[i].offset);
		int rc = PALEO_OK;
		if (!v)
			continue;
		rc = fields[i].is_flag ? paleo_json_to_bool(v, to, err)
				       : paleo_json_to_int(v, 0, SIZE_MAX_READ, to, err);
		if (rc)
			return rc;
	}
	return PALEO_OK;
}

/* Of keys that are known in one value alone. */
static int check_values(const struct paleo_json *root, const struct paleo_hf_model *m,
			struct paleo_error *err)
{
	static const struct {
		const char *key;
		const char *only[4];
	} words[] = {
		{"hidden_act", {"silu", "gelu", "gelu_new", "swish"}},
		{"activation_function", {"gelu", "gelu_new", "gelu", "gelu"}},
		{"qk_norm_type", {"per_layer", "per_layer", "per_layer", "per_layer"}},
		{"position_embedding_type", {"absolute", "absolute", "absolute", "absolute"}},
	};
	const char *word;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const struct paleo_json *v = get(root, words[i].key);
		int known = 0;
		if (!v)
			continue;
		int rc = paleo_json_to_string(v, &word, err);
		if (rc)
			return rc;
		for (int k = 0; k < 4; k++)
			known |= !strcmp(word, words[i].only[k]);
		if (!known)
			return paleo_json_fail(v, err, "'%s' is not known here, expected '%s'",
					       word, words[i].only[0]);
	}
	const struct paleo_json *v = get(root, "shared_intermediate_size");
	int shared = 0;
	if (v && (paleo_json_to_int(v, 0, SIZE_MAX_READ, &shared, err) || shared))
		return paleo_json_fail(v, err, "shared experts of '%s' are not known",
				       m->family->type);
	return PALEO_OK;
}

static int read_dtype(const struct paleo_json *root, struct paleo_hf_model *m,
		      struct paleo_error *err)
{
	const struct paleo_json *v = get(root, "torch_dtype");
	const char *word;

	m->dtype = PALEO_BF16;
	if (!v)
		v = get(root, "dtype");
	if (!v)
		return PALEO_OK;
	int rc = paleo_json_to_string(v, &word, err);
	if (rc)
		return rc;
	if (!paleo_dtype_of_table(word, &m->dtype))
		return paleo_json_fail(v, err, "unknown number type '%s'", word);
	return PALEO_OK;
}

/* The word for the numbers that weights are stored in. */
static int read_method(const struct paleo_json *q, const struct paleo_json **v, const char **out,
		       struct paleo_error *err)
{
	*v = get(q, "quant_algo");
	if (!*v) {
		int rc = paleo_json_need(q, "quant_method", v, err);
		if (rc)
			return rc;
	}
	int rc = paleo_json_to_string(*v, out, err);
	if (!rc && !strcmp(*out, "fp8") && get(q, "weight_block_size"))
		*out = "fp8_block";
	return rc;
}

/* 1 if attention is not among the products whose weights are quantised. */
static int leaves_attention(const struct paleo_json *q)
{
	const struct paleo_json *list = get(q, "modules_to_not_convert"), *v;
	struct paleo_error ignored;
	const char *word;

	for (v = list ? paleo_json_first(list) : NULL; v; v = paleo_json_next(v))
		if (!paleo_json_to_string(v, &word, &ignored) && strstr(word, "*.self_attn"))
			return 1;
	return 0;
}

/* Which numbers the products' weights are stored in. */
static int read_quantisation(const struct paleo_json *q, const struct paleo_weight_type *asked,
			     struct paleo_hf_model *m, struct paleo_error *err)
{
	const struct paleo_json *v;
	const char *method;

	m->weights = asked ? *asked : (struct paleo_weight_type){0};
	struct paleo_error inner;
	if (!q)
		return PALEO_OK;
	m->only_experts = leaves_attention(q);
	if (asked)
		return PALEO_OK;
	int rc = read_method(q, &v, &method, err);
	if (rc || !paleo_weight_type_parse(method, &m->weights, &inner))
		return rc;
	return paleo_json_fail(v, err,
			       "weights of '%s' are not known; name a type with weights=", method);
}

static int read_windows(const struct paleo_json *root, struct paleo_hf_model *m,
			struct paleo_error *err)
{
	const struct paleo_json *types = get(root, "layer_types"), *v;
	int chosen = get(root, "use_sliding_window") != NULL, i = 0;

	for (; !types && i < m->layers; i++)
		m->windows[i] = chosen ? (m->use_window && i >= m->first_window ? m->window : 0)
				       : m->window;
	if (!types)
		return PALEO_OK;
	if (paleo_json_size(types) != m->layers)
		return paleo_json_fail(types, err, "expected a word for each of %d layers",
				       m->layers);
	for (v = paleo_json_first(types); v; v = paleo_json_next(v)) {
		const char *word;
		int rc = paleo_json_to_string(v, &word, err);
		if (rc)
			return rc;
		if (!strcmp(word, "sliding_attention"))
			m->windows[i] = m->window;
		else if (strcmp(word, "full_attention") != 0)
			return paleo_json_fail(v, err,
					       "'%s' is not known, expected "
					       "sliding_attention or full_attention",
					       word);
		i++;
	}
	return PALEO_OK;
}

static int read_dense(const struct paleo_json *root, struct paleo_hf_model *m,
		      struct paleo_error *err)
{
	const struct paleo_json *only = get(root, "mlp_only_layers"), *v;
	int every = m->expert_every ? m->expert_every : 1;

	/* Qwen counts from 1, DeepSeek from 0: the same where every layer has experts. */
	for (int i = 0; i < m->layers; i++)
		m->dense[i] = !m->experts || i < m->first_dense ||
			      (m->kv_rank ? i % every != 0 : (i + 1) % every != 0);
	for (v = only ? paleo_json_first(only) : NULL; v; v = paleo_json_next(v)) {
		int layer;
		int rc = paleo_json_to_int(v, 0, m->layers - 1, &layer, err);
		if (rc)
			return rc;
		m->dense[layer] = 1;
	}
	return PALEO_OK;
}

static int need(const struct paleo_json *root, const char *key, int value, struct paleo_error *err)
{
	return value > 0 ? PALEO_OK
			 : paleo_json_fail(root, err, "'%s' is missing, or null, or 0", key);
}

/* What follows from what was read, and what does not go together. */
static int complete(const struct paleo_json *root, struct paleo_hf_model *m,
		    struct paleo_error *err)
{
	int gpt2 = m->family->style == PALEO_HF_GPT2;
	int rc = need(root, gpt2 ? "n_embd" : "hidden_size", m->hidden, err);

	if (!rc)
		rc = need(root, gpt2 ? "n_layer" : "num_hidden_layers", m->layers, err);
	if (!rc)
		rc = need(root, gpt2 ? "n_head" : "num_attention_heads", m->heads, err);
	if (!rc)
		rc = need(root, "vocab_size", m->words, err);
	if (gpt2 && !m->inner)
		m->inner = 4 * m->hidden;
	if (!rc)
		rc = need(root, "intermediate_size", m->inner, err);
	if (rc)
		return rc;
	if (m->layers > PALEO_HF_LAYERS_MAX)
		return paleo_json_fail(root, err, "%d layers are more than %d", m->layers,
				       PALEO_HF_LAYERS_MAX);
	if (!m->head_dim && !m->kv_rank && m->hidden % m->heads)
		return paleo_json_fail(root, err, "%d heads do not divide a hidden_size of %d",
				       m->heads, m->hidden);
	if (!m->head_dim)
		m->head_dim = m->hidden / m->heads;
	if (!m->kv_heads)
		m->kv_heads = m->heads;
	if (m->heads % m->kv_heads)
		return paleo_json_fail(root, err, "%d heads cannot share %d evenly", m->heads,
				       m->kv_heads);
	if (m->family->experts_inner)
		m->expert_inner = m->inner;
	if (m->experts && (!m->topk || m->topk > m->experts || !m->expert_inner))
		return paleo_json_fail(root, err,
				       "of %d experts of %d a token goes to %d: not possible",
				       m->experts, m->expert_inner, m->topk);
	if (m->kv_rank && (!m->nope || !m->rope || !m->v_dim))
		return paleo_json_fail(root, err,
				       "latent attention needs qk_nope_head_dim, "
				       "qk_rope_head_dim and v_head_dim");
	m->tied |= m->family->always_tied;
	return PALEO_OK;
}

/* What a model of text and pictures says of both. */
static int read_outer(const struct paleo_json *outer, const struct paleo_json *root,
		      struct paleo_hf_model *m, struct paleo_error *err)
{
	const struct paleo_json *tied = get(outer, "tie_word_embeddings");

	return tied && !get(root, "tie_word_embeddings") ? paleo_json_to_bool(tied, &m->tied, err)
							 : PALEO_OK;
}

int paleo_hf_read(const struct paleo_json *root, const struct paleo_json *quantised,
		  const struct paleo_weight_type *asked, struct paleo_hf_model *m,
		  struct paleo_error *err)
{
	const struct paleo_json *inner = get(root, "text_config"), *outer = root;

	if (inner && paleo_json_type(inner) == PALEO_JSON_OBJECT)
		root = inner;
	const struct paleo_json *q = get(root, "quantization_config");
	if (!q)
		q = quantised ? get(quantised, "quantization") : get(outer, "quantization_config");
	*m = (struct paleo_hf_model){0};
	int rc = find_family(root, m, err);
	if (!rc)
		rc = check_keys(root, m, err);
	if (!rc)
		rc = read_fields(root, m, err);
	if (!rc && outer != root)
		rc = read_outer(outer, root, m, err);
	if (!rc)
		rc = check_values(root, m, err);
	if (!rc)
		rc = read_dtype(root, m, err);
	if (!rc)
		rc = read_quantisation(q, asked, m, err);
	if (!rc)
		rc = complete(root, m, err);
	if (!rc)
		rc = read_windows(root, m, err);
	return rc ? rc : read_dense(root, m, err);
}
