/* relative_read.c - scores by relative places of a config.json: whose products there are. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/hf/read.h"

/* "c2p|p2c", or a list of both: tokens' queries by places, and tokens' keys. */
static int add_terms(const struct paleo_json *v, struct paleo_hf_model *m, struct paleo_error *err)
{
	const char *word;
	int rc = paleo_json_to_string(v, &word, err);

	while (!rc && *word) {
		size_t length = strcspn(word, "|");
		int queries = length == 3 && !strncmp(word, "c2p", 3);
		if (!queries && (length != 3 || strncmp(word, "p2c", 3) != 0))
			return paleo_json_fail(v, err, "'%s' is not known, expected c2p or p2c",
					       word);
		m->places_terms |= queries ? PALEO_HF_TERM_QUERIES : PALEO_HF_TERM_KEYS;
		word += length + (word[length] == '|');
	}
	return rc;
}

int paleo_hf_complete_relative(const struct paleo_json *root, struct paleo_hf_model *m,
			       struct paleo_error *err)
{
	const struct paleo_json *v = paleo_hf_get(root, "pos_att_type");
	const struct paleo_json *norm = paleo_hf_get(root, "norm_rel_ebd");
	const char *word = "none";
	int rc = PALEO_OK;

	if (!m->family->relative)
		return PALEO_OK;
	if (m->places_join == 0)
		m->positions = PALEO_HF_NO_POSITIONS;
	if (!m->by_places)
		return PALEO_OK;
	if (v && paleo_json_type(v) == PALEO_JSON_ARRAY)
		for (v = paleo_json_first(v); v && !rc; v = paleo_json_next(v))
			rc = add_terms(v, m, err);
	else if (v)
		rc = add_terms(v, m, err);
	if (!rc && norm && paleo_hf_is_of(m, "norm_rel_ebd"))
		rc = paleo_json_to_string(norm, &word, err);
	if (!rc && strcmp(word, "none") != 0 && strcmp(word, "layer_norm") != 0)
		return paleo_json_fail(norm, err, "'%s' is not known here, expected 'layer_norm'",
				       word);
	m->places_normed = strcmp(word, "none") != 0;
	m->places_rows = 2 * (m->place_buckets > 0 ? m->place_buckets
			      : m->most_places > 0 ? m->most_places
						   : m->places);
	if (!rc && !m->places_rows)
		return paleo_json_fail(root, err,
				       "relative_attention needs position_buckets, "
				       "max_relative_positions or max_position_embeddings");
	return rc ? rc
		  : paleo_hf_check_size(root, "a table of places",
					(double)m->places_rows * m->hidden, err);
}
