/* compressed.c - attention to a window and to compressed keys, with its projections. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/import/hf/write.h"

/* Keys of `size` numbers, one of so many tokens; what it is made of is not quantised. */
static const char *compress(struct paleo_hf_job *j, const char *prefix, const char *x, int size)
{
	const struct paleo_hf_layer *l = &j->m->layer[j->layer];
	char what[2][32];

	snprintf(what[0], sizeof(what[0]), "%sto_compress", prefix);
	snprintf(what[1], sizeof(what[1]), "%scompressed", prefix);
	x = paleo_hf_wide_product(j, what[0], x, 2 * (1 + l->chooses) * size, 0);
	const char *name = paleo_hf_begin(j, what[1], "Compress", x, NULL);
	paleo_json_put_int(j->w, "ratio", l->ratio);
	paleo_json_put_bool(j->w, "overlap", l->chooses);
	paleo_json_close(j->w);
	return name;
}

static const char *norm(struct paleo_hf_job *j, const char *what, const char *x, int heads)
{
	const char *name = paleo_hf_begin(j, what, "RMSNorm", x, NULL);

	if (heads > 1)
		paleo_json_put_int(j->w, "heads", heads);
	if (heads > 0)
		paleo_json_put_bool(j->w, "scale", 0);
	paleo_json_close(j->w);
	return name;
}

static void choose(struct paleo_hf_job *j, const char *x, const char *from)
{
	const struct paleo_hf_model *m = j->m;
	const char *q = paleo_hf_product(j, "index_q", from, m->index_heads * m->index_dim, 0);
	const char *k = compress(j, "index_", x, m->index_dim);

	paleo_hf_index(j, q, k, paleo_hf_wide_product(j, "index_weights", x, m->index_heads, 0));
}

/* What heads give goes through a product for each group of them, and one of all. */
static const char *project(struct paleo_hf_job *j, const char *x, int heads)
{
	const struct paleo_hf_model *m = j->m;
	int groups = m->out_groups / j->o.tp;
	const char *name = paleo_hf_begin(j, "project_groups", "BatchedProduct", x, NULL);

	paleo_json_put_int(j->w, "heads", groups);
	paleo_json_put_int(j->w, "inputs", heads / groups * m->head_dim);
	paleo_json_put_int(j->w, "num_outputs", m->out_rank);
	paleo_json_close(j->w);
	return paleo_hf_product(j, "project", name, m->hidden, 0);
}

/* Keys are values, too: one head of them, which all workers have (DeepSeek-AI 2026, "DeepSeek-V4",
 * section 2.3). */
const char *paleo_hf_compressed(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_model *m = j->m;
	const struct paleo_hf_layer *l = &m->layer[j->layer];
	int heads = l->heads.q / j->o.tp, dim = m->head_dim;
	const struct paleo_hf_parts down = paleo_hf_together(j, "down", x, m->q_rank + dim, 0);
	const char *q = norm(j, "q_a_norm", paleo_hf_part(j, "q_a", &down, 0, m->q_rank), 0);
	const char *key = norm(j, "k_norm", paleo_hf_part(j, "key", &down, m->q_rank, dim), 0);
	const char *more = l->ratio ? compress(j, "", x, dim) : NULL;

	if (l->chooses)
		choose(j, x, q);
	q = norm(j, "q_norm", paleo_hf_product(j, "q_b", q, heads * dim, 0), heads);
	const char *const parents[] = {q, key, more};
	paleo_hf_begin_of(j, "attention", "FusedAttention", parents, more ? 3 : 2);
	paleo_hf_put_heads(j, heads, 1, 1, l->heads.rotary);
	paleo_json_put_int(j->w, "latent", dim);
	paleo_json_put_bool(j->w, "sinks", 1);
	if (l->ratio)
		paleo_json_put_int(j->w, "compressed", l->ratio);
	paleo_json_close(j->w);
	return project(j, paleo_hf_name(j, "attention"), heads);
}
