/* mixer.c - which layers of a model have attention, which have scans, and the sizes of these. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/import/hf/read.h"

/* Where layers have one norm, they are a mixer or an MLP. */
void paleo_hf_set_mixers(const struct paleo_hf_model *m, struct paleo_hf_layer *l, int mixers)
{
	l->mixers = mixers;
	l->no_mlp = m->family->scan_alone || (m->family->one_each && mixers != PALEO_HF_NO_MIXER);
}

static int read_state(const struct paleo_json *root, struct paleo_hf_model *m,
		      struct paleo_error *err)
{
	static const char *const keys[] = {"mamba_ssm_dtype", "mamba_ssm_cache_dtype"};
	const char *word;

	m->state = m->dtype;
	for (int i = 0; i < 2; i++) {
		const struct paleo_json *v = paleo_hf_get(root, keys[i]);
		if (!v || !paleo_hf_is_of(m, keys[i]))
			continue;
		int rc = paleo_json_to_string(v, &word, err);
		if (rc)
			return rc;
		if (!paleo_dtype_of_table(word, &m->state))
			return paleo_json_fail(v, err, "unknown number type '%s'", word);
	}
	return PALEO_OK;
}

/* Of Mamba 1 each channel is a head; what is not said follows from the channels. */
static void complete_mamba(struct paleo_hf_model *m)
{
	struct paleo_hf_scan *s = &m->scan;
	int one = m->family->rule != PALEO_HF_MAMBA2;

	if (!s->inner && one && m->family->scan_alone)
		s->inner = m->inner;
	if (!s->inner)
		s->inner = (s->expand ? s->expand : 2) * m->hidden;
	if (m->family->scan_alone && !one) {
		s->heads = s->heads ? s->heads : m->heads;
		s->v = s->v ? s->v : m->head_dim;
	}
	if (one) {
		s->heads = s->inner;
		s->v = s->groups = 1;
		s->rank = s->rank ? s->rank : (m->hidden + 15) / 16;
	} else if (s->heads && !s->v) {
		s->v = s->inner / s->heads;
	}
	s->groups = s->groups ? s->groups : 1;
	if (m->family->scan_alone) {
		m->heads = s->heads;
		m->head_dim = s->v;
		m->kv_heads = 0;
	}
}

/* What one product before a scan gives: keys twice, values twice, gates, and numbers of a low rank.
 */
static int check_scan(const struct paleo_json *root, const struct paleo_hf_model *m,
		      struct paleo_error *err)
{
	const struct paleo_hf_scan *s = &m->scan;
	double keys = (double)s->groups * s->qk, values = (double)s->heads * s->v;
	double channels = (double)(s->expand ? s->expand : 2) * m->hidden;

	return paleo_hf_check_size(
		root, "a scan",
		fmax(channels, 2 * (keys + values + s->heads + s->v + s->qk) + s->rank), err);
}

/* LFM2 gives the width of an MLP without a gate: with one it is two thirds of that, rounded up. */
static int adjust_inner(const struct paleo_json *root, struct paleo_hf_model *m,
			struct paleo_error *err)
{
	const struct paleo_json *adjust = paleo_hf_get(root, "block_auto_adjust_ff_dim");
	const struct paleo_json *times = paleo_hf_get(root, "block_ffn_dim_multiplier");
	const struct paleo_json *of = paleo_hf_get(root, "block_multiple_of");
	int is = 1, multiple = 256;
	double factor = 1;
	int rc = adjust ? paleo_json_to_bool(adjust, &is, err) : PALEO_OK;

	if (!rc && times)
		rc = paleo_json_to_double(times, 0.01, 100, &factor, err);
	if (!rc && of)
		rc = paleo_json_to_int(of, 1, PALEO_HF_SIZE_MAX / 256, &multiple, err);
	if (rc || !is)
		return rc;
	m->inner = (int)(factor * (int)(2.0 * m->inner / 3));
	m->inner = (m->inner + multiple - 1) / multiple * multiple;
	return PALEO_OK;
}

/* A model that says how places are told may say that they are not. */
static int read_places(const struct paleo_json *root, struct paleo_hf_model *m,
		       struct paleo_error *err)
{
	static const char key[] = "position_embedding_type";
	const struct paleo_json *v = paleo_hf_get(root, key);
	const char *word = "nope";
	int rc = v ? paleo_json_to_string(v, &word, err) : PALEO_OK;

	for (int i = 0; i < m->layers && !rc && paleo_hf_is_of(m, key) && strcmp(word, "rope") != 0;
	     i++)
		m->layer[i].heads.rotary = 0;
	return rc;
}

int paleo_hf_complete_scan(const struct paleo_json *root, struct paleo_hf_model *m,
			   struct paleo_error *err)
{
	struct paleo_hf_scan *s = &m->scan;
	enum paleo_hf_rule rule = m->family->rule;

	if (rule == PALEO_HF_NO_RULE)
		return PALEO_OK;
	int rc = check_scan(root, m, err);
	if (rc)
		return rc;
	const struct paleo_json *list = paleo_hf_get(root, "layers_block_type");
	if (!m->layers && list)
		m->layers = paleo_json_size(list);
	s->norm |= m->family->scan_norm;
	if (rule == PALEO_HF_SHORT_CONV)
		s->heads = s->groups = s->qk = s->v = 1;
	else if (rule == PALEO_HF_KDA)
		s->qk = s->v;
	else if (rule != PALEO_HF_DELTA)
		complete_mamba(m);
	if (rule == PALEO_HF_KDA)
		s->groups = s->heads;
	if (!s->heads || !s->groups || !s->qk || !s->v || !s->taps || s->heads % s->groups)
		return paleo_json_fail(root, err,
				       "a scan of %d heads of %d values, %d groups of %d and %d "
				       "taps is not possible",
				       s->heads, s->v, s->groups, s->qk, s->taps);
	if (paleo_hf_is_of(m, "block_auto_adjust_ff_dim"))
		rc = adjust_inner(root, m, err);
	if (!rc)
		rc = check_scan(root, m, err);
	if (rc)
		return rc;
	return read_state(root, m, err);
}

/* Numbers of the layers with attention; `from` is that of the first layer. */
static int read_indices(const struct paleo_json *list, struct paleo_hf_model *m, int from,
			struct paleo_error *err)
{
	for (const struct paleo_json *v = paleo_json_first(list); v; v = paleo_json_next(v)) {
		int layer;
		int rc = paleo_json_to_int(v, from, m->layers - 1 + from, &layer, err);
		if (rc)
			return rc;
		paleo_hf_set_mixers(m, &m->layer[layer - from], PALEO_HF_ATTENTION);
	}
	return PALEO_OK;
}

/* A letter for each layer: M is a scan, * attention, E experts, - an MLP. */
static int read_letters(const struct paleo_json *v, struct paleo_hf_model *m,
			struct paleo_error *err)
{
	const char *letters;
	int rc = paleo_json_to_string(v, &letters, err);

	if (rc)
		return rc;
	if ((int)strlen(letters) != m->layers || strspn(letters, "M*E-") != strlen(letters))
		return paleo_json_fail(v, err,
				       "expected %d letters, of M, *, E and -, one for each layer",
				       m->layers);
	for (int i = 0; i < m->layers; i++) {
		paleo_hf_set_mixers(m, &m->layer[i],
				    letters[i] == 'M'   ? PALEO_HF_SCAN
				    : letters[i] == '*' ? PALEO_HF_ATTENTION
							: PALEO_HF_NO_MIXER);
		m->layer[i].dense = letters[i] == '-' || !m->experts;
	}
	return PALEO_OK;
}

/* Kimi's object with two lists, counted from 1. */
static int read_object(const struct paleo_json *v, struct paleo_hf_model *m,
		       struct paleo_error *err)
{
	const struct paleo_json *full = NULL;
	int rc = paleo_json_need(v, "full_attn_layers", &full, err);

	return rc ? rc : read_indices(full, m, 1, err);
}

static int read_from_0(const struct paleo_json *v, struct paleo_hf_model *m,
		       struct paleo_error *err)
{
	return read_indices(v, m, 0, err);
}

static void count_mixers(struct paleo_hf_model *m)
{
	const struct paleo_hf_scan *s = &m->scan;
	int every = s->attention_every ? s->attention_every : m->family->attention_every;
	int first = s->attention_first ? s->attention_first : every - 1;

	for (int i = 0; i < m->layers; i++) {
		int attends = every && i % every == first;
		paleo_hf_set_mixers(m, &m->layer[i],
				    m->family->both ? PALEO_HF_ATTENTION | PALEO_HF_SCAN
				    : attends       ? PALEO_HF_ATTENTION
						    : PALEO_HF_SCAN);
		if (s->experts_every)
			m->layer[i].dense = !m->experts || i % s->experts_every != s->experts_first;
		if (m->family->shared_mlp && !m->experts)
			m->layer[i].inner = m->shared_inner;
	}
}

int paleo_hf_read_mixers(const struct paleo_json *root, struct paleo_hf_model *m,
			 struct paleo_error *err)
{
	static const struct {
		const char *key;
		int (*read)(const struct paleo_json *v, struct paleo_hf_model *m,
			    struct paleo_error *err);
	} lists[] = {{"attn_layer_indices", read_from_0},
		     {"full_attn_idxs", read_from_0},
		     {"linear_attn_config", read_object},
		     {"hybrid_override_pattern", read_letters}};

	if (m->family->rule == PALEO_HF_NO_RULE)
		return PALEO_OK;
	count_mixers(m);
	int rc = read_places(root, m, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const struct paleo_json *v = paleo_hf_get(root, lists[i].key);
		rc = v && paleo_hf_is_of(m, lists[i].key) ? lists[i].read(v, m, err) : PALEO_OK;
		if (rc)
			return rc;
	}
	return PALEO_OK;
}
