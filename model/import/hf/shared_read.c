/* shared_read.c - layers that read the keys of another, and several streams, by a config.json. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/hf/read.h"

/* The last ones read those of the last layer before them that has a window, or none, as they do. */
int paleo_hf_share_keys(const struct paleo_json *root, struct paleo_hf_model *m,
			struct paleo_error *err)
{
	int first = m->layers - m->sharing_layers;

	for (int i = first; i < m->layers; i++) {
		int from = first - 1;
		while (from >= 0 && !m->layer[from].window != !m->layer[i].window)
			from--;
		if (from < 0)
			return paleo_json_fail(root, err,
					       "%d layers share keys: no layer before them leaves "
					       "such as layer %d reads",
					       m->sharing_layers, i);
		m->layer[i].reads = from + 1;
		m->layer[i].inner *= 1 + m->double_wide;
	}
	return paleo_hf_check_size(root, "what all layers have for a word",
				   (double)m->layers * m->per_layer, err);
}

/* Part of an MLP's gates that are 0, of each layer, or of all; without a word that of the first 10
 * of more. */
static int read_sparse(const struct paleo_json *root, struct paleo_hf_model *m,
		       struct paleo_error *err)
{
	const struct paleo_json *all = paleo_hf_get(root, "activation_sparsity_pattern"), *v;
	double part = m->layers > 10;
	int is_list = all && paleo_json_type(all) == PALEO_JSON_ARRAY;
	int rc = all && !is_list ? paleo_json_to_double(all, 0, 1, &part, err) : PALEO_OK;

	if (is_list && paleo_json_size(all) != m->layers)
		return paleo_json_fail(all, err, "expected a number for each of %d layers",
				       m->layers);
	v = is_list ? paleo_json_first(all) : NULL;
	for (int i = 0; i < m->layers && !rc; i++) {
		if (is_list) {
			rc = paleo_json_to_double(v, 0, 1, &part, err);
			v = paleo_json_next(v);
		}
		m->layer[i].sparse = part > 0 && (all || i < 10);
	}
	return rc;
}

int paleo_hf_read_altup(const struct paleo_json *root, struct paleo_hf_model *m,
			struct paleo_error *err)
{
	if (!m->family->altup)
		return PALEO_OK;
	if (m->altup < 2 || m->altup > PALEO_HF_STREAMS_MAX || !m->laurel || !m->per_layer)
		return paleo_json_fail(root, err,
				       "expected altup_num_inputs from 2 to %d, a laurel_rank and "
				       "a hidden_size_per_layer_input",
				       PALEO_HF_STREAMS_MAX);
	int rc = paleo_hf_check_size(root, "streams", (double)m->altup * m->hidden, err);
	return rc ? rc : read_sparse(root, m, err);
}
