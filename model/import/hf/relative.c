/* relative.c - attention that adds scores of relative places, as DeBERTa has it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/import/hf/write.h"

/* He et al. 2021 (arXiv 2006.03654), section 3.1: a row for each distance in either direction. */
void paleo_hf_begin_places(struct paleo_hf_job *j, const char *tokens)
{
	const struct paleo_hf_model *m = j->m;
	int all = m->places_rows, most = 2 * j->o.seq;
	const int shape[] = {1, all, m->hidden};

	if (!all)
		return;
	const char *x = paleo_hf_begin(j, "rows", "Parameter", tokens, NULL);
	paleo_hf_put_list(j, "output_shape", shape, 3);
	paleo_json_close(j->w);
	if (m->family->relative == 2 && most < all) { /* those in the middle */
		x = paleo_hf_begin(j, "near_rows", "Slice", x, NULL);
		paleo_json_put_int(j->w, "dim", 1);
		paleo_json_put_int(j->w, "from", (all - most) / 2);
		paleo_json_put_int(j->w, "size", most);
		paleo_json_put_bool(j->w, "view", 1);
		paleo_json_close(j->w);
	}
	if (m->places_normed)
		x = paleo_hf_norm(j, "norm_rows", x, 0);
	snprintf(j->places, sizeof(j->places), "%s", x);
}

static const char *made(struct paleo_hf_job *j, const char *what, int outputs, int bias)
{
	const struct paleo_hf_model *m = j->m;
	const char *name = paleo_hf_begin(j, what, "InnerProduct", j->places, NULL);

	paleo_json_put_int(j->w, "num_outputs", outputs);
	paleo_json_put_bool(j->w, "bias", bias);
	paleo_hf_put_stored(j);
	if (m->places_shared)
		paleo_json_put_bool(j->w, "shared", 1);
	paleo_json_close(j->w);
	return name;
}

int paleo_hf_places(struct paleo_hf_job *j, int outputs, const char **parents)
{
	const struct paleo_hf_model *m = j->m;
	int count = 0;

	if (m->places_rows && m->places_terms & PALEO_HF_TERM_QUERIES)
		parents[count++] = made(j, "places_k", outputs, m->family->relative == 1);
	if (m->places_rows && m->places_terms & PALEO_HF_TERM_KEYS)
		parents[count++] = made(j, "places_q", outputs, 1);
	return count;
}
