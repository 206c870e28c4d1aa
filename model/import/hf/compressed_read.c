/* compressed_read.c - sizes of compressed keys and of residual streams, of a config.json. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/hf/read.h"

/* Lists say which layers have compressed keys; this one says of how many tokens a key is. */
static int read_ratios(const struct paleo_json *root, struct paleo_hf_model *m,
		       struct paleo_error *err)
{
	static const char *const keys[] = {"heavily_compressed_attention",
					   "compressed_sparse_attention"};
	const struct paleo_json *object = paleo_hf_get(root, "compress_rates"), *v = NULL;
	int rc = PALEO_OK;

	m->ratios[0] = 128; /* as published */
	m->ratios[1] = 4;
	for (int i = 0; i < 2 && object && !rc; i++) {
		rc = paleo_json_need(object, keys[i], &v, err);
		if (!rc)
			rc = paleo_json_to_int(v, 2, PALEO_HF_SIZE_MAX, &m->ratios[i], err);
	}
	return rc;
}

/* One of two lists is there, and is a list. */
static int check_lists(const struct paleo_json *root, struct paleo_error *err)
{
	static const char *const keys[] = {"layer_types", "compress_ratios"};
	const struct paleo_json *v = NULL;
	int found = 0;

	for (int i = 0; i < 2; i++) {
		v = paleo_hf_get(root, keys[i]);
		if (v && paleo_json_type(v) != PALEO_JSON_ARRAY)
			return paleo_json_fail(v, err, "expected a list");
		found += v != NULL;
	}
	return found ? PALEO_OK : paleo_json_need(root, keys[1], &v, err);
}

int paleo_hf_complete_compressed(const struct paleo_json *root, struct paleo_hf_model *m,
				 struct paleo_error *err)
{
	double product = (double)m->streams * (2 + m->streams);

	if (!m->family->compressed)
		return PALEO_OK;
	int rc = check_lists(root, err);
	if (!rc)
		rc = read_ratios(root, m, err);
	if (!rc && (m->streams < 2 || m->streams > PALEO_HF_STREAMS_MAX))
		return paleo_json_fail(root, err, "'hc_mult' is %d, expected 2 to %d", m->streams,
				       PALEO_HF_STREAMS_MAX);
	if (!rc && (!m->q_rank || !m->window || !m->index_top || !m->out_rank || !m->out_groups ||
		    m->heads % m->out_groups))
		return paleo_json_fail(root, err,
				       "compressed attention needs q_lora_rank, sliding_window, "
				       "index_topk, o_lora_rank, and o_groups that divide %d heads",
				       m->heads);
	if (!rc && (m->rope > m->head_dim || m->rope > m->index_dim || m->rope % 2))
		return paleo_json_fail(root, err,
				       "qk_rope_head_dim is %d, of heads of %d and %d of an index",
				       m->rope, m->head_dim, m->index_dim);
	if (!rc)
		rc = paleo_hf_check_size(root, "streams", product * m->hidden, err);
	if (!rc)
		rc = paleo_hf_check_size(root, "groups of heads",
					 (double)m->out_rank * m->out_groups, err);
	if (!rc)
		rc = paleo_hf_check_size(root, "compressed keys",
					 4.0 * m->head_dim * m->ratios[0] + m->q_rank, err);
	if (!rc)
		rc = paleo_hf_check_size(root, "an index's compressed keys",
					 4.0 * m->index_dim * m->ratios[1], err);
	m->rotary = m->rope;
	return rc;
}
