/* shared_read.c - layers that read the keys and values of another, by a config.json. */
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
