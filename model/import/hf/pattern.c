/* pattern.c - what differs from layer to layer of a model: windows, places, heads, experts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "model/import/hf/read.h"

/* What a list's word says of its layer. */
enum mark {
	ALL_KEYS,
	WINDOW,
	CHUNK,
	TURNED,
	UNTURNED,
	DENSE,
	EXPERTS
};

/* Lists with a word or a number for each layer. Those of one key stand together. */
static const struct listed {
	const char *key, *word;
	enum mark mark;
} listed[] = {
	{"layer_types", "full_attention", ALL_KEYS},
	{"layer_types", "sliding_attention", WINDOW},
	{"layer_types", "chunked_attention", CHUNK},
	{"attention_layers", "global", ALL_KEYS},
	{"attention_layers", "local", WINDOW},
	{"hybrid_layer_pattern", "0", ALL_KEYS},
	{"hybrid_layer_pattern", "1", WINDOW},
	{"no_rope_layers", "0", UNTURNED},
	{"no_rope_layers", "1", TURNED},
	{"moe_layer_freq", "0", DENSE},
	{"moe_layer_freq", "1", EXPERTS},
	{"mlp_layer_types", "dense", DENSE},
	{"mlp_layer_types", "sparse", EXPERTS},
};

enum {
	LISTED = sizeof(listed) / sizeof(listed[0])
};

/* Layers with a window by a count alone: each full_every'th has none. */
static int count_windows(const struct paleo_json *root, struct paleo_hf_model *m,
			 struct paleo_error *err)
{
	static const char *const keys[] = {"sliding_window_pattern", "_sliding_window_pattern"};
	int chosen = paleo_hf_is_of(m, "use_sliding_window");

	if (!m->full_every)
		m->full_every = m->family->full_every;
	for (int i = 0; i < 2; i++) {
		const struct paleo_json *v = paleo_hf_get(root, keys[i]);
		const char *letters;
		if (!v || !paleo_hf_is_of(m, keys[i]))
			continue;
		int is_word = paleo_json_type(v) == PALEO_JSON_STRING;
		int rc = is_word ? paleo_json_to_string(v, &letters, err)
				 : paleo_json_to_int(v, 1, PALEO_HF_SIZE_MAX, &m->full_every, err);
		if (rc)
			return rc;
		if (is_word && (strspn(letters, "L") + 1 != strlen(letters) ||
				letters[strlen(letters) - 1] != 'G'))
			return paleo_json_fail(v, err, "'%s' is not known, expected a word as LLLG",
					       letters);
		m->full_every = is_word ? (int)strlen(letters) : m->full_every;
	}
	for (int i = 0; i < m->layers; i++) {
		int has = chosen ? m->use_window && i >= m->first_window
				 : !m->full_every || (i + 1) % m->full_every != 0;
		m->layer[i].window = has ? m->window : 0;
	}
	return PALEO_OK;
}

static void set(const struct paleo_hf_model *m, struct paleo_hf_layer *l, enum mark mark)
{
	if (mark == ALL_KEYS || mark == WINDOW || mark == CHUNK) {
		l->window = mark == WINDOW ? m->window : 0;
		l->chunk = mark == CHUNK ? m->chunk : 0;
	} else if (mark == TURNED || mark == UNTURNED) {
		l->heads.rotary = mark == TURNED ? l->heads.rotary : 0;
	} else {
		l->dense = mark == DENSE || !m->experts;
	}
}

static int not_listed(const struct paleo_json *v, const char *word, int first,
		      struct paleo_error *err)
{
	char known[128] = "";
	size_t used = 0;

	for (int i = first; i < LISTED && !strcmp(listed[i].key, listed[first].key); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					 i > first ? " or " : "", listed[i].word);
	return paleo_json_fail(v, err, "'%s' is not known, expected %s", word, known);
}

/* Reads the list whose words begin at `first`, if the file has it. */
static int read_list(const struct paleo_json *root, struct paleo_hf_model *m, int first, int *has,
		     struct paleo_error *err)
{
	const char *key = listed[first].key, *word;
	const struct paleo_json *list = paleo_hf_get(root, key), *v;
	struct paleo_hf_layer *l = m->layer;
	char number[16];

	*has = list && paleo_hf_is_of(m, key) && paleo_json_type(list) == PALEO_JSON_ARRAY;
	if (!*has)
		return PALEO_OK;
	if (paleo_json_size(list) != m->layers)
		return paleo_json_fail(list, err, "expected a word for each of %d layers",
				       m->layers);
	for (v = paleo_json_first(list); v; v = paleo_json_next(v), l++) {
		int i = first, n = 0, is_number = paleo_json_type(v) == PALEO_JSON_NUMBER;
		int rc = is_number ? paleo_json_to_int(v, 0, PALEO_HF_SIZE_MAX, &n, err)
				   : paleo_json_to_string(v, &word, err);
		if (rc)
			return rc;
		if (is_number) {
			snprintf(number, sizeof(number), "%d", n);
			word = number;
		}
		while (i < LISTED && (strcmp(listed[i].key, key) || strcmp(listed[i].word, word)))
			i++;
		if (i == LISTED)
			return not_listed(v, word, first, err);
		set(m, l, listed[i].mark);
	}
	return PALEO_OK;
}

/* A list of layers' numbers, from 0: those that are in it. */
static int read_numbers(const struct paleo_json *list, struct paleo_hf_model *m, int dense,
			struct paleo_error *err)
{
	const struct paleo_json *v;

	for (int i = 0; i < m->layers && !dense; i++)
		m->layer[i].dense = 1;
	for (v = paleo_json_first(list); v; v = paleo_json_next(v)) {
		int layer;
		int rc = paleo_json_to_int(v, 0, m->layers - 1, &layer, err);
		if (rc)
			return rc;
		m->layer[layer].dense = dense || !m->experts;
	}
	return PALEO_OK;
}

/* Which layers have experts, where no list has a word for each. Qwen counts from 1, DeepSeek from
 * 0: the same where every layer has experts. */
static int count_dense(const struct paleo_json *root, struct paleo_hf_model *m,
		       struct paleo_error *err)
{
	const struct paleo_json *dense = paleo_hf_get(root, "mlp_only_layers");
	const struct paleo_json *sparse = paleo_hf_get(root, "moe_layers");
	int every = m->expert_every ? m->expert_every : 1, rc = PALEO_OK;

	for (int i = 0; i < m->layers; i++)
		m->layer[i].dense = !m->experts || i < m->first_dense ||
				    (m->last_sparse && i > m->last_sparse) ||
				    (m->kv_rank ? i % every != 0 : (i + 1) % every != 0);
	if (sparse && paleo_hf_is_of(m, "moe_layers"))
		rc = read_numbers(sparse, m, 0, err);
	return !rc && dense ? read_numbers(dense, m, 1, err) : rc;
}

/* Which layers turn queries and keys, where no list says it; and those in chunks are these. */
static void count_turned(struct paleo_hf_model *m)
{
	int every = m->unturned_every ? m->unturned_every : m->family->unturned_every;

	for (int i = 0; i < m->layers && every; i++)
		if ((i + 1) % every == 0)
			set(m, &m->layer[i], UNTURNED);
}

/* What follows for a layer from its window or its place. */
static void complete(const struct paleo_hf_model *m, struct paleo_hf_layer *l)
{
	const struct paleo_hf_heads *o = &m->local;
	struct paleo_hf_heads *h = &l->heads;

	l->sinks |= l->window && m->family->local_sinks;
	if (!l->window)
		return;
	*h = (struct paleo_hf_heads){o->q ? o->q : h->q, o->kv ? o->kv : h->kv,
				     o->qk ? o->qk : h->qk, o->v ? o->v : h->v, h->rotary};
}

int paleo_hf_read_layers(const struct paleo_json *root, struct paleo_hf_model *m,
			 struct paleo_error *err)
{
	int rc = count_windows(root, m, err), has, turns = 0, chunks = 0;

	if (!rc)
		rc = count_dense(root, m, err);
	for (int i = 0; i < LISTED && !rc; i++) {
		if (i && !strcmp(listed[i].key, listed[i - 1].key))
			continue;
		rc = read_list(root, m, i, &has, err);
		turns |= has && listed[i].mark == UNTURNED;
		chunks |= has && listed[i].mark == ALL_KEYS;
	}
	if (rc)
		return rc;
	if (!turns)
		count_turned(m);
	for (int i = 0; i < m->layers; i++) {
		if (m->family->chunked && !chunks && m->layer[i].heads.rotary)
			set(m, &m->layer[i], CHUNK);
		complete(m, &m->layer[i]);
	}
	return PALEO_OK;
}
