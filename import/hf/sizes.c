/* sizes.c - the sizes of a transformer: derived from a config.json, and checked. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "import/hf/read.h"

/* The dtype of a sequence's scan state. */
static int read_state(struct paleo_hf_config *c)
{
	const char *word;

	c->m->state = c->m->dtype;
	for (int i = 0; i < 2; i++) {
		const struct paleo_json *v = c->state_types[i];

		PALEO_TRY(v ? paleo_json_to_string(v, &word, c->err) : PALEO_OK);
		if (v && !paleo_dtype_of_table(word, &c->m->state))
			return paleo_json_fail(v, c->err, "unknown dtype '%s'", word);
	}
	return PALEO_OK;
}

/* In Mamba 1 each channel is a head; missing values follow from the channels. */
static void complete_mamba(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;
	struct paleo_hf_scan *s = &m->scan;
	int one = m->is.rule != PALEO_HF_MAMBA2, alone = c->family->scan_alone;

	if (!c->scan_inner && one && alone)
		c->scan_inner = m->inner;
	if (!c->scan_inner)
		c->scan_inner = paleo_hf_or(c->scan_expand, 2) * m->hidden;
	if (alone && !one) {
		s->heads = paleo_hf_or(s->heads, m->heads);
		s->v = paleo_hf_or(s->v, m->head_dim);
		if (!s->heads && s->v && c->scan_inner % s->v == 0)
			s->heads = c->scan_inner / s->v;
	}
	if (one) {
		s->heads = c->scan_inner;
		s->v = s->groups = 1;
		s->rank = s->rank ? s->rank : (m->hidden + 15) / 16;
	} else if (s->heads && !s->v) {
		s->v = c->scan_inner / s->heads;
	}
	s->groups = paleo_hf_or(s->groups, 1);
	if (alone) {
		m->heads = s->heads;
		m->head_dim = s->v;
		c->kv_heads = 0;
	}
}

/* Outputs of the GEMM before a scan: keys twice, values twice, gates, and low-rank numbers. */
static int check_scan(const struct paleo_hf_config *c)
{
	const struct paleo_hf_scan *s = &c->m->scan;
	double keys = (double)s->groups * s->qk, values = (double)s->heads * s->v;
	double channels = (double)paleo_hf_or(c->scan_expand, 2) * c->m->hidden;
	double all = 2 * (keys + values + s->heads + s->v + s->qk) + s->rank;

	return paleo_hf_check(c, SIZES({"a scan", fmax(channels, all)}));
}

/* LFM2 gives the width of an MLP without a gate: with one it is two thirds of that, rounded up. */
static int adjust_inner(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;
	int is = 1, multiple = 256, rc = PALEO_OK;
	double factor = 1;

	if (c->adjust_inner)
		rc = paleo_json_to_bool(c->adjust_inner, &is, c->err);
	if (!rc && c->inner_times)
		rc = paleo_json_to_double(c->inner_times, 0.01, 100, &factor, c->err);
	if (!rc && c->inner_multiple)
		rc = paleo_json_to_int(c->inner_multiple, 1, PALEO_HF_SIZE_MAX / 256, &multiple,
				       c->err);
	if (rc || !is)
		return rc;
	m->inner = (int)(factor * (int)(2.0 * m->inner / 3));
	m->inner = (m->inner + multiple - 1) / multiple * multiple;
	return PALEO_OK;
}

/* Derives sizes missing from the file by the rule. */
static void complete_rule(struct paleo_hf_config *c)
{
	struct paleo_hf_scan *s = &c->m->scan;

	switch (c->m->is.rule) {
	case PALEO_HF_SHORT_CONV:
		s->heads = s->groups = s->qk = s->v = 1;
		break;
	case PALEO_HF_KDA:
		s->qk = s->v;
		s->groups = s->heads;
		break;
	case PALEO_HF_MAMBA2:
	case PALEO_HF_MAMBA1:
	case PALEO_HF_MAMBA1_NORMS:
		complete_mamba(c);
		break;
	case PALEO_HF_DELTA:
	case PALEO_HF_NO_RULE:
		break;
	}
}

static int complete_scan(struct paleo_hf_config *c)
{
	struct paleo_hf_scan *s = &c->m->scan;

	if (c->m->is.rule == PALEO_HF_NO_RULE)
		return PALEO_OK;
	PALEO_TRY(check_scan(c));
	if (!c->m->layers && c->block_types)
		c->m->layers = paleo_json_size(c->block_types);
	s->norm |= c->family->scan_norm;
	complete_rule(c);
	if (!s->heads || !s->groups || !s->qk || !s->v || !s->taps || s->heads % s->groups)
		return paleo_hf_fail(c,
				     "a scan of %d heads of %d values, %d groups of %d and %d taps "
				     "is not possible",
				     s->heads, s->v, s->groups, s->qk, s->taps);
	if (paleo_hf_is_of(c, "block_auto_adjust_ff_dim"))
		PALEO_TRY(adjust_inner(c));
	PALEO_TRY(check_scan(c));
	return read_state(c);
}

#define AT(member) offsetof(struct paleo_hf_model, member)

static int need_sizes(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;
	const struct paleo_hf_family *f = c->family;
	char name[PALEO_HF_KEY_BYTES];

	if (paleo_hf_check(c, SIZES({"an MLP", (double)c->ratio * m->hidden})))
		return PALEO_EINPUT;
	if (!m->inner && !f->pair && (f->is.plain || f->blocks))
		m->inner = paleo_hf_or(c->ratio, 4) * m->hidden;
	if (f->both_inner)
		m->inner /= 2;
	if (c->swiglu) /* of two thirds, a multiple of 8 */
		m->inner = ((int)(2.0 * m->inner / 3) + 7) / 8 * 8;
	const struct {
		size_t offset;
		int value;
	} sizes[] = {{AT(hidden), m->hidden},
		     {AT(layers), m->layers},
		     {AT(heads), m->heads},
		     {AT(words), m->words || m->is.pictures},
		     {AT(inner), m->inner || m->experts || f->scan_alone}};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		paleo_hf_name_key(c, sizes[i].offset, name);
		if (sizes[i].value <= 0)
			return paleo_hf_fail(c, "'%s' is missing, or null, or 0", name);
	}
	if (m->layers > PALEO_HF_LAYERS_MAX)
		return paleo_hf_fail(c, "%d layers are more than %d", m->layers,
				     PALEO_HF_LAYERS_MAX);
	return PALEO_OK;
}

/* Heads of queries, and those of keys and values. */
static int complete_heads(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;

	if (!m->head_dim && !m->kv_rank && m->hidden % m->heads)
		return paleo_hf_fail(c, "%d heads do not divide a hidden_size of %d", m->heads,
				     m->hidden);
	if (!m->head_dim)
		m->head_dim = m->hidden / m->heads;
	if (c->multi_query && !c->new_decoder)
		c->kv_heads = 1;
	if (!c->kv_heads)
		c->kv_heads = m->heads;
	if (m->heads % c->kv_heads && !m->kv_rank)
		return paleo_hf_fail(c, "%d heads cannot share %d evenly", m->heads, c->kv_heads);
	return PALEO_OK;
}

static int complete_qk_norm(struct paleo_hf_config *c)
{
	int normed = c->asked_qk_norm < 0 ? !c->family->asks_qk_norm : c->asked_qk_norm;

	c->m->qk_norm = normed ? c->family->qk_norm : PALEO_HF_NO_QK_NORM;
	return c->asked_qk_norm != 1 || c->m->qk_norm
		       ? PALEO_OK
		       : paleo_hf_fail(c, "normalised queries and keys are not supported for '%s'",
				       c->m->is.type);
}

static int check_attention(struct paleo_hf_config *c)
{
	const struct paleo_hf_model *m = c->m;

	if (m->index_top && (!m->index_heads || !m->index_dim || (m->kv_rank && !m->q_rank)))
		return paleo_hf_fail(c, "key selection needs index_n_heads, index_head_dim and, "
					"with latent attention, q_lora_rank");
	if (c->latent && !m->kv_rank)
		return paleo_hf_fail(c, "latent attention needs kv_lora_rank");
	if (m->kv_rank && (!m->nope || !m->rope || !m->v_dim))
		return paleo_hf_fail(c, "latent attention needs qk_nope_head_dim, qk_rope_head_dim "
					"and v_head_dim");
	return PALEO_OK;
}

/* Experts, and GEMM sizes common to all layers. */
static int complete_experts(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;
	double head = (double)m->nope + m->rope + m->v_dim;

	if (c->family->experts_inner && !m->expert_inner)
		m->expert_inner = m->inner;
	if (m->experts && (!m->topk || m->topk > m->experts || !m->expert_inner))
		return paleo_hf_fail(c,
				     "%d experts of size %d, %d of them for a token: not possible",
				     m->experts, m->expert_inner, m->topk);
	if (!c->shared && m->experts)
		c->shared = c->family->shared;
	int rc = paleo_hf_check(
		c, SIZES({"a router", (double)m->experts + m->idle_experts},
			 {"an index", (double)m->index_heads * m->index_dim},
			 {"a table of places", m->embed ? ((double)m->places + 2) * m->hidden : 0},
			 {"latent attention",
			  m->kv_rank ? m->heads * head + m->q_rank + m->kv_rank : 0},
			 {"experts for all tokens", (double)c->shared * m->expert_inner}));
	if (!rc && !m->shared_inner)
		m->shared_inner = c->shared * m->expert_inner;
	return rc;
}

/* Patches cover the picture but for a rest, which is left out. */
static int complete_picture(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;

	if (!m->is.pictures)
		return PALEO_OK;
	m->channels = paleo_hf_or(m->channels, 3);
	if (!m->image || !m->patch || m->patch > m->image)
		return paleo_hf_fail(c,
				     "an image_size of %d and a patch_size of %d are not possible",
				     m->image, m->patch);
	int side = m->image / m->patch;
	/* of two patches, and three with the token before them */
	double distances = c->by_distance ? (2.0 * side - 1) * (2.0 * side - 1) + 3 : 0;
	int rc = paleo_hf_check(c, SIZES({"numbers by distance", distances * m->heads},
					 {"the tokens of a picture",
					  (double)side * side + m->is.front + m->registers}));
	if (!rc && c->by_distance)
		c->buckets = (int)distances;
	return rc;
}

/* Where a file does not distinguish them, the encoder equals the decoder. */
static int begin_pair(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;

	if (!c->family->pair)
		return PALEO_OK;
	m->encoder_layers = paleo_hf_or(m->encoder_layers, m->layers);
	m->layers = paleo_hf_or(c->decoder_layers, m->layers);
	m->heads = paleo_hf_or(m->heads, c->encoder_heads);
	c->encoder_heads = paleo_hf_or(c->encoder_heads, m->heads);
	return PALEO_OK;
}

static int complete_pair(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;

	if (!c->family->pair)
		return PALEO_OK;
	c->encoder_inner = paleo_hf_or(c->encoder_inner, m->inner);
	if (m->encoder_layers + m->layers > PALEO_HF_LAYERS_MAX)
		return paleo_hf_fail(c, "%d layers are more than %d", m->encoder_layers + m->layers,
				     PALEO_HF_LAYERS_MAX);
	if (c->decoder_words && c->decoder_words != m->words)
		return paleo_hf_fail(
			c,
			"different vocabularies of decoder (%d) and encoder (%d) are not supported",
			c->decoder_words, m->words);
	if (c->encoder_heads != m->heads && m->hidden % c->encoder_heads)
		return paleo_hf_fail(c, "%d heads do not divide a d_model of %d", c->encoder_heads,
				     m->hidden);
	if (!m->mels != !m->source)
		return paleo_hf_fail(c, "audio needs num_mel_bins and max_source_positions");
	return paleo_hf_check(c, SIZES({"an encoder's heads", 3.0 * c->encoder_heads * m->head_dim},
				       {"sound", 2.0 * m->source * m->mels}));
}

static enum paleo_hf_place place_of(const struct paleo_hf_config *c)
{
	if (c->norm_before == 0)
		return PALEO_HF_NORMS_BEHIND_SUMS;
	if (c->parallel == 0)
		return PALEO_HF_NORMS_BEFORE;
	if (c->new_decoder && c->two_norms != 1)
		return PALEO_HF_PARALLEL_TWO;
	return c->parallel == 1 ? c->family->if_parallel : c->family->place;
}

/* Kind and position of norms; their word was checked. */
static int complete_norms(struct paleo_hf_config *c)
{
	int is_named = c->norm_type && paleo_json_type(c->norm_type) == PALEO_JSON_STRING &&
		       !paleo_hf_is_word(c->norm_type, "low_precision_layernorm");
	int rms = c->family->rms_if_given && paleo_hf_get(c->root, "rms_norm_eps");

	c->m->place = place_of(c);
	c->m->norm = c->family->norm;
	if (rms || is_named)
		c->m->norm = !rms && paleo_hf_is_word(c->norm_type, "layer_norm")
				     ? PALEO_HF_LAYER_NORM
				     : PALEO_HF_RMS_NORM;
	return PALEO_OK;
}

/* "c2p|p2c", or a list of both: tokens' queries by places, and tokens' keys. */
static int add_terms(struct paleo_hf_config *c, const struct paleo_json *v)
{
	const char *word = "";
	int rc = paleo_json_to_string(v, &word, c->err);

	while (!rc && *word) {
		size_t length = strcspn(word, "|");
		int queries = length == 3 && !strncmp(word, "c2p", 3);
		if (!queries && (length != 3 || strncmp(word, "p2c", 3) != 0))
			return paleo_json_fail(v, c->err,
					       "'%s' is not supported, expected c2p or p2c", word);
		c->m->places_terms |= queries ? PALEO_HF_TERM_QUERIES : PALEO_HF_TERM_KEYS;
		word += length + (word[length] == '|');
	}
	return rc;
}

static int read_terms(struct paleo_hf_config *c)
{
	const struct paleo_json *v = c->place_terms;

	if (!v || paleo_json_type(v) != PALEO_JSON_ARRAY)
		return v ? add_terms(c, v) : PALEO_OK;
	for (v = paleo_json_first(v); v; v = paleo_json_next(v))
		PALEO_TRY(add_terms(c, v));
	return PALEO_OK;
}

/* Relative position scores: which terms have projections. */
static int complete_relative(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;
	const char *word = "none";

	if (m->is.relative && c->places_join == 0)
		m->is.positions = PALEO_HF_NO_POSITIONS;
	if (!m->is.relative || !c->by_places)
		return PALEO_OK;
	PALEO_TRY(read_terms(c));
	if (c->rows_norm)
		PALEO_TRY(paleo_json_to_string(c->rows_norm, &word, c->err));
	m->places_normed = strcmp(word, "none") != 0;
	if (m->places_normed && strcmp(word, "layer_norm") != 0)
		return paleo_json_fail(c->rows_norm, c->err,
				       "'%s' is not supported here, expected 'layer_norm'", word);
	m->places_rows = 2 * (c->place_buckets > 0 ? c->place_buckets
			      : c->most_places > 0 ? c->most_places
						   : m->places);
	if (!m->places_rows)
		return paleo_hf_fail(c, "relative_attention needs position_buckets, "
					"max_relative_positions or max_position_embeddings");
	return paleo_hf_check(c, SIZES({"a table of places", (double)m->places_rows * m->hidden}));
}

/* Layers with compressed keys are given by lists; one of two is present, and is a list. Another
 * gives the number of tokens per key. */
static int read_ratios(struct paleo_hf_config *c)
{
	static const char *const keys[] = {"heavily_compressed_attention",
					   "compressed_sparse_attention"};
	const struct paleo_json *const lists[] = {c->layer_types, c->compress_ratios};
	const struct paleo_json *v = NULL;

	for (int i = 0; i < 2; i++)
		if (lists[i] && paleo_json_type(lists[i]) != PALEO_JSON_ARRAY)
			return paleo_json_fail(lists[i], c->err, "expected a list");
	if (!lists[0] && !lists[1])
		PALEO_TRY(paleo_json_need(c->root, "compress_ratios", &v, c->err));
	c->ratios[0] = 128; /* as published */
	c->ratios[1] = 4;
	for (int i = 0; i < 2 && c->compress_rates; i++) {
		PALEO_TRY(paleo_json_need(c->compress_rates, keys[i], &v, c->err));
		PALEO_TRY(paleo_json_to_int(v, 2, PALEO_HF_SIZE_MAX, &c->ratios[i], c->err));
	}
	return PALEO_OK;
}

static int complete_compressed(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;
	double product = (double)m->streams * (2 + m->streams);

	if (!m->is.compressed)
		return PALEO_OK;
	PALEO_TRY(read_ratios(c));
	if (m->streams < 2 || m->streams > PALEO_HF_STREAMS_MAX)
		return paleo_hf_fail(c, "'hc_mult' is %d, expected 2 to %d", m->streams,
				     PALEO_HF_STREAMS_MAX);
	if (!m->q_rank || !c->window || !m->index_top || !m->out_rank || !m->out_groups ||
	    m->heads % m->out_groups)
		return paleo_hf_fail(c,
				     "compressed attention needs q_lora_rank, sliding_window, "
				     "index_topk, o_lora_rank, and o_groups that divide %d heads",
				     m->heads);
	if (m->rope > m->head_dim || m->rope > m->index_dim || m->rope % 2)
		return paleo_hf_fail(c, "qk_rope_head_dim is %d, of heads of %d and %d of an index",
				     m->rope, m->head_dim, m->index_dim);
	c->rotary = m->rope;
	return paleo_hf_check(
		c, SIZES({"streams", product * m->hidden},
			 {"groups of heads", (double)m->out_rank * m->out_groups},
			 {"compressed keys", 4.0 * m->head_dim * c->ratios[0] + m->q_rank},
			 {"an index's compressed keys", 4.0 * m->index_dim * c->ratios[1]}));
}

/* The part of a head that has rotary positions. */
static int complete_rotary(struct paleo_hf_config *c)
{
	const char *keys = "partial_rotary_factor rotary_pct rope_pct";
	const struct paleo_json *inner = paleo_hf_get(c->root, "rope_parameters");
	char key[PALEO_HF_KEY_BYTES];
	double part;

	if (inner && paleo_json_type(inner) != PALEO_JSON_OBJECT)
		inner = NULL;
	while (!c->rotary && paleo_hf_next_word(&keys, key)) {
		for (int i = 0; i < 2 && !c->rotary; i++) {
			const struct paleo_json *at = i ? c->root : inner;
			const struct paleo_json *v = at ? paleo_hf_get(at, key) : NULL;

			PALEO_TRY(v ? paleo_json_to_double(v, 0, 1, &part, c->err) : PALEO_OK);
			c->rotary = v ? (int)(part * c->m->head_dim) : 0;
			c->rotary += c->rotary % 2;
		}
	}
	if (!c->rotary && c->family->half_rotary)
		c->rotary = c->m->head_dim / 2;
	return PALEO_OK;
}

/* Layers that have two of each part are counted once. */
static int count_twice(struct paleo_hf_config *c)
{
	if (!c->m->is.twice)
		return PALEO_OK;
	c->expert_every = 2;
	if (paleo_hf_get(c->root, "num_layers") && c->m->layers <= PALEO_HF_LAYERS_MAX)
		c->m->layers *= 2;
	return PALEO_OK;
}

int paleo_hf_complete(struct paleo_hf_config *c)
{
	static int (*const steps[])(struct paleo_hf_config * c) = {
		count_twice,         complete_scan,    begin_pair,      need_sizes,
		complete_heads,      complete_qk_norm, check_attention, complete_experts,
		complete_picture,    complete_pair,    complete_norms,  complete_relative,
		complete_compressed, complete_rotary};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		PALEO_TRY(steps[i](c));
	return PALEO_OK;
}
