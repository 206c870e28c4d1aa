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
				     "quantization",
				     "is_causal",
				     "per_layer_config",
				     NULL};

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

int paleo_hf_is_in(const char *const *list, const char *key)
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
	const struct paleo_json *class = paleo_hf_get(root, "architectures");
	int rc = PALEO_OK;

	v = class && paleo_json_type(class) == PALEO_JSON_ARRAY ? paleo_json_first(class) : NULL;
	if (!v || paleo_hf_get(root, "model_type")) /* a text part may have its class alone */
		rc = paleo_json_need(root, "model_type", &v, err);
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
	return paleo_hf_is_in(common, key) || paleo_hf_is_in(m->family->keys, key);
}

static int check_keys(const struct paleo_json *root, const struct paleo_hf_model *m,
		      struct paleo_error *err)
{
	for (const struct paleo_json *v = paleo_json_first(root); v; v = paleo_json_next(v)) {
		const char *key = paleo_json_key(v);
		if (paleo_hf_is_of(m, key) || paleo_hf_ignores(key) ||
		    paleo_json_type(v) == PALEO_JSON_NULL)
			continue;
		return paleo_json_fail(v, err,
				       "models of '%s' have no such key that is known; as it might "
				       "change the work, the file is refused",
				       m->family->type);
	}
	return PALEO_OK;
}

static int need(const struct paleo_json *root, const char *key, int value, struct paleo_error *err)
{
	return value > 0 ? PALEO_OK
			 : paleo_json_fail(root, err, "'%s' is missing, or null, or 0", key);
}

#define AT(member) offsetof(struct paleo_hf_model, member)

static int need_sizes(const struct paleo_json *root, struct paleo_hf_model *m,
		      struct paleo_error *err)
{
	if (m->ratio && paleo_hf_check_size(root, "an MLP", (double)m->ratio * m->hidden, err))
		return PALEO_EINPUT;
	if (!m->inner && !m->family->pair && (m->family->plain || m->family->blocks))
		m->inner = (m->ratio ? m->ratio : 4) * m->hidden;
	if (m->family->both_inner)
		m->inner /= 2;
	if (m->swiglu) /* of two thirds, a multiple of 8 */
		m->inner = ((int)(2.0 * m->inner / 3) + 7) / 8 * 8;
	const struct {
		size_t offset;
		int value;
	} sizes[] = {{AT(hidden), m->hidden},
		     {AT(layers), m->layers},
		     {AT(heads), m->heads},
		     {AT(words), m->words || m->family->pictures},
		     {AT(inner), m->inner || m->experts || m->family->scan_alone}};
	int rc = PALEO_OK;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !rc; i++)
		rc = need(root, paleo_hf_named(m, sizes[i].offset), sizes[i].value, err);
	if (rc)
		return rc;
	if (m->layers > PALEO_HF_LAYERS_MAX)
		return paleo_json_fail(root, err, "%d layers are more than %d", m->layers,
				       PALEO_HF_LAYERS_MAX);
	return PALEO_OK;
}

/* Patches cover the picture but for a rest, which is left out. */
static int check_picture(const struct paleo_json *root, struct paleo_hf_model *m,
			 struct paleo_error *err)
{
	if (!m->family->pictures)
		return PALEO_OK;
	m->channels = m->channels ? m->channels : 3;
	if (!m->image || !m->patch || m->patch > m->image)
		return paleo_json_fail(
			root, err, "an image_size of %d and a patch_size of %d are not possible",
			m->image, m->patch);
	int side = m->image / m->patch;
	if (m->by_distance) { /* of two patches, and three with the token before them */
		double distances = (2.0 * side - 1) * (2.0 * side - 1) + 3;
		int rc =
			paleo_hf_check_size(root, "numbers by distance", distances * m->heads, err);
		if (rc)
			return rc;
		m->buckets = (int)distances;
	}
	return paleo_hf_check_size(root, "the tokens of a picture",
				   (double)side * side + m->family->front + m->registers, err);
}

/* Products of sizes that are those of all layers. */
static int check_products(const struct paleo_json *root, const struct paleo_hf_model *m,
			  struct paleo_error *err)
{
	double head = (double)m->nope + m->rope + m->v_dim;
	int rc = paleo_hf_check_size(root, "an index", (double)m->index_heads * m->index_dim, err);

	if (!rc && m->embed)
		rc = paleo_hf_check_size(root, "a table of places",
					 ((double)m->places + 2) * m->hidden, err);

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
	if (m->heads % m->kv_heads && !m->kv_rank)
		return paleo_json_fail(root, err, "%d heads cannot share %d evenly", m->heads,
				       m->kv_heads);
	int normed = m->asked_qk_norm < 0 ? !m->family->asks_qk_norm : m->asked_qk_norm;
	m->qk_norm = normed ? m->family->qk_norm : PALEO_HF_NO_QK_NORM;
	if (m->asked_qk_norm == 1 && !m->qk_norm)
		return paleo_json_fail(root, err,
				       "normalised queries and keys of '%s' are not known",
				       m->family->type);
	if (m->index_top && (!m->index_heads || !m->index_dim || (m->kv_rank && !m->q_rank)))
		return paleo_json_fail(root, err,
				       "a choice of keys needs index_n_heads, index_head_dim and, "
				       "with latent attention, q_lora_rank");
	if (m->latent && !m->kv_rank)
		return paleo_json_fail(root, err, "latent attention needs kv_lora_rank");
	if (m->kv_rank && (!m->nope || !m->rope || !m->v_dim))
		return paleo_json_fail(root, err,
				       "latent attention needs qk_nope_head_dim, "
				       "qk_rope_head_dim and v_head_dim");
	return PALEO_OK;
}

/* Which norm; its word was checked. */
static enum paleo_hf_norm norm_of(const struct paleo_json *root, const struct paleo_hf_model *m)
{
	const struct paleo_json *type = paleo_hf_get(root, "norm_type");
	const char *word = NULL;
	struct paleo_error none;

	if (m->family->rms_if_told && paleo_hf_get(root, "rms_norm_eps"))
		return PALEO_HF_RMS_NORM;
	if (!type || !paleo_hf_is_of(m, "norm_type") || paleo_json_to_string(type, &word, &none))
		return m->family->norm;
	if (!strcmp(word, "low_precision_layernorm"))
		return m->family->norm;
	return !strcmp(word, "layer_norm") ? PALEO_HF_LAYER_NORM : PALEO_HF_RMS_NORM;
}

static enum paleo_hf_place place_of(const struct paleo_hf_model *m)
{
	if (m->norm_before == 0)
		return PALEO_HF_NORMS_BEHIND_SUMS;
	if (m->parallel == 0)
		return PALEO_HF_NORMS_BEFORE;
	if (m->new_decoder && m->two_norms != 1)
		return PALEO_HF_PARALLEL_TWO;
	return m->parallel == 1 ? m->family->if_parallel : m->family->place;
}

/* Where a file does not tell them apart, the encoder is as the decoder. */
static void complete_pair(struct paleo_hf_model *m)
{
	if (!m->family->pair)
		return;
	m->encoder_layers = m->encoder_layers ? m->encoder_layers : m->layers;
	m->layers = m->decoder_layers ? m->decoder_layers : m->layers;
	m->heads = m->heads ? m->heads : m->encoder_heads;
	m->encoder_heads = m->encoder_heads ? m->encoder_heads : m->heads;
}

static int check_pair(const struct paleo_json *root, struct paleo_hf_model *m,
		      struct paleo_error *err)
{
	if (!m->family->pair)
		return PALEO_OK;
	m->encoder_inner = m->encoder_inner ? m->encoder_inner : m->inner;
	if (m->encoder_layers + m->layers > PALEO_HF_LAYERS_MAX)
		return paleo_json_fail(root, err, "%d layers are more than %d",
				       m->encoder_layers + m->layers, PALEO_HF_LAYERS_MAX);
	if (m->decoder_words && m->decoder_words != m->words)
		return paleo_json_fail(
			root, err, "%d words of a decoder beside %d of the encoder are not known",
			m->decoder_words, m->words);
	if (m->encoder_heads != m->heads && m->hidden % m->encoder_heads)
		return paleo_json_fail(root, err, "%d heads do not divide a d_model of %d",
				       m->encoder_heads, m->hidden);
	if (!m->mels != !m->source)
		return paleo_json_fail(root, err,
				       "sound needs num_mel_bins and max_source_positions");
	int rc = paleo_hf_check_size(root, "an encoder's heads",
				     3.0 * m->encoder_heads * m->head_dim, err);
	return rc ? rc : paleo_hf_check_size(root, "sound", 2.0 * m->source * m->mels, err);
}

/* What follows from what was read, and what does not go together. */
static int complete(const struct paleo_json *root, struct paleo_hf_model *m,
		    struct paleo_error *err)
{
	if (m->family->twice && paleo_hf_get(root, "num_layers"))
		m->layers = m->layers > PALEO_HF_LAYERS_MAX ? m->layers : 2 * m->layers;
	if (m->family->twice)
		m->expert_every = 2;
	int rc = paleo_hf_complete_scan(root, m, err);

	complete_pair(m);
	if (!rc)
		rc = need_sizes(root, m, err);
	if (!rc)
		rc = complete_heads(root, m, err);
	if (rc)
		return rc;
	if (m->family->experts_inner && !m->expert_inner)
		m->expert_inner = m->inner;
	if (m->experts && (!m->topk || m->topk > m->experts || !m->expert_inner))
		return paleo_json_fail(root, err,
				       "of %d experts of %d a token goes to %d: not possible",
				       m->experts, m->expert_inner, m->topk);
	if (!m->shared && m->experts)
		m->shared = m->family->shared;
	rc = paleo_hf_check_size(root, "a router", (double)m->experts + m->idle_experts, err);
	if (!rc)
		rc = check_products(root, m, err);
	if (!rc)
		rc = check_picture(root, m, err);
	if (!rc)
		rc = check_pair(root, m, err);
	if (rc)
		return rc;
	if (!m->shared_inner)
		m->shared_inner = m->shared * m->expert_inner;
	m->place = place_of(m);
	m->norm = norm_of(root, m);
	rc = paleo_hf_complete_relative(root, m, err);
	if (!rc)
		rc = paleo_hf_complete_compressed(root, m, err);
	return rc ? rc : paleo_hf_read_rotary(root, m, err);
}

/* 1 if the weights of layer `i` are those of the one before: both are of one group. */
static int again(const struct paleo_hf_model *m, int i)
{
	double each = m->weight_groups ? (double)m->layers / m->weight_groups : 1;

	return i > 0 && (int)(i / each) == (int)((i - 1) / each);
}

/* Every layer as the model has them, before what differs is read. */
static void fill_layers(struct paleo_hf_model *m)
{
	int rotary = m->positions != PALEO_HF_ROTARY ? 0 : m->rotary ? m->rotary : m->head_dim;

	int value = m->v_dim && !m->kv_rank ? m->v_dim : m->head_dim;

	for (int i = 0; i < m->layers; i++) {
		struct paleo_hf_layer *l = &m->layer[i];
		l->heads =
			(struct paleo_hf_heads){m->heads, m->kv_heads, m->head_dim, value, rotary};
		l->inner = m->dense_inner ? m->dense_inner : m->inner;
		l->sinks = m->family->sinks;
		l->chooses = m->index_top > 0;
		l->mixers = PALEO_HF_ATTENTION;
		l->again = again(m, i);
		l->buckets = i == 0 || m->family->buckets_each ? m->buckets : 0;
	}
}

/* The encoder's layers differ in nothing. */
static void fill_encoder(struct paleo_hf_model *m)
{
	int heads = m->encoder_heads;
	int dim = heads && heads != m->heads ? m->hidden / heads : m->head_dim;

	for (int i = 0; i < m->encoder_layers; i++)
		m->layer[m->layers + i] = (struct paleo_hf_layer){
			.mixers = PALEO_HF_ATTENTION,
			.heads = {heads, heads, dim, dim, 0},
			.inner = m->encoder_inner,
			.dense = 1,
			.buckets = i == 0 || m->family->buckets_each ? m->buckets : 0};
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

/* What stands in a file itself, and in parts that stand for it. */
static int read_members(const struct paleo_json *root, struct paleo_hf_model *m,
			struct paleo_error *err)
{
	const struct paleo_json *at = root;
	const char *const *part = m->family->parts;

	for (int rc; at;) {
		rc = check_keys(at, m, err);
		if (!rc)
			rc = paleo_hf_read_fields(at, m, err);
		if (!rc)
			rc = paleo_hf_check_values(at, m, err);
		if (m->family->head_dense && paleo_hf_get(at, "local_attention"))
			m->window /= 2;
		if (rc)
			return rc;
		for (at = NULL; part && *part && !at; part++) {
			at = paleo_hf_get(root, *part);
			if (at && paleo_json_type(at) != PALEO_JSON_OBJECT)
				return paleo_json_fail(at, err, "expected an object");
		}
	}
	return PALEO_OK;
}

/* The text part of a model that has others, or all of it. */
static const struct paleo_json *text_of(const struct paleo_json *root)
{
	static const char *const keys[] = {"thinker_config", "text_config", "language_config",
					   "llm_config"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct paleo_json *inner = paleo_hf_get(root, keys[i]);
		if (inner && paleo_json_type(inner) == PALEO_JSON_OBJECT)
			root = inner;
	}
	return root;
}

/* What tells how weights are stored, or NULL. */
static const struct paleo_json *stored_of(const struct paleo_json *root,
					  const struct paleo_json *outer,
					  const struct paleo_json *quantised)
{
	static const char *const keys[] = {"quantization_config", "quantization"};
	const struct paleo_json *q = paleo_hf_get(root, keys[0]);

	if (!q && quantised)
		return paleo_hf_get(quantised, keys[1]);
	for (int i = 0; i < 4 && !q; i++)
		q = paleo_hf_get(i < 2 ? outer : root, keys[i % 2]);
	return q;
}

int paleo_hf_read(const struct paleo_json *root, const struct paleo_json *quantised,
		  const struct paleo_weight_type *asked, struct paleo_hf_model *m,
		  struct paleo_error *err)
{
	const struct paleo_json *outer = root;

	root = text_of(outer);
	const struct paleo_json *q = stored_of(root, outer, quantised);
	memset(m, 0, sizeof(*m));
	m->parallel = m->asked_qk_norm = m->norm_before = m->places_join = -1;
	int rc = find_family(root, m, err);
	if (!rc) {
		m->tied = m->family->tied;
		m->encoder = m->family->encoder;
		m->attends = m->family->attends;
		m->plain = m->family->plain;
		m->weight_groups = m->family->weight_groups;
		m->buckets = m->family->buckets;
		m->head_dim = m->family->head_dim;
		m->positions = m->family->positions;
	}
	if (!rc && outer != root)
		paleo_hf_fill_sizes(m);
	if (!rc)
		rc = read_members(root, m, err);
	if (!rc && outer != root)
		rc = read_outer(outer, root, m, err);
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
	fill_encoder(m);
	return paleo_hf_read_layers(root, m, err);
}
