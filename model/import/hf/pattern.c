/* pattern.c - which layers of a model have windows, and which have experts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/hf/read.h"

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

int paleo_hf_read_windows(const struct paleo_json *root, struct paleo_hf_model *m,
			  struct paleo_error *err)
{
	const struct paleo_json *types = paleo_hf_get(root, "layer_types"), *v;
	int i = 0;

	if (!types)
		types = paleo_hf_get(root, "attention_layers");
	if (!types)
		return count_windows(root, m, err);
	if (paleo_json_size(types) != m->layers)
		return paleo_json_fail(types, err, "expected a word for each of %d layers",
				       m->layers);
	for (v = paleo_json_first(types); v; v = paleo_json_next(v)) {
		const char *word;
		int rc = paleo_json_to_string(v, &word, err);
		if (rc)
			return rc;
		if (!strcmp(word, "sliding_attention") || !strcmp(word, "local"))
			m->layer[i].window = m->window;
		else if (strcmp(word, "full_attention") != 0 && strcmp(word, "global") != 0)
			return paleo_json_fail(v, err,
					       "'%s' is not known, expected "
					       "sliding_attention or full_attention",
					       word);
		i++;
	}
	return PALEO_OK;
}

int paleo_hf_read_dense(const struct paleo_json *root, struct paleo_hf_model *m,
			struct paleo_error *err)
{
	const struct paleo_json *only = paleo_hf_get(root, "mlp_only_layers"), *v;
	int every = m->expert_every ? m->expert_every : 1;

	/* Qwen counts from 1, DeepSeek from 0: the same where every layer has experts. */
	for (int i = 0; i < m->layers; i++)
		m->layer[i].dense = !m->experts || i < m->first_dense ||
				    (m->last_sparse && i > m->last_sparse) ||
				    (m->kv_rank ? i % every != 0 : (i + 1) % every != 0);
	for (v = only ? paleo_json_first(only) : NULL; v; v = paleo_json_next(v)) {
		int layer;
		int rc = paleo_json_to_int(v, 0, m->layers - 1, &layer, err);
		if (rc)
			return rc;
		m->layer[layer].dense = 1;
	}
	return PALEO_OK;
}
