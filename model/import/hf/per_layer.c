/* per_layer.c - words that each layer has a row of its own for, beside those of the first. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/hf/write.h"

/* A table with numbers for all layers, and as many made of the embedding, which are normalised. */
void paleo_hf_look_up(struct paleo_hf_job *j, const char *embedding)
{
	const struct paleo_hf_model *m = j->m;
	int all = m->layers * m->per_layer;
	const char *rows = paleo_hf_begin(j, "layers_embedding", "Embedding", "tokens", NULL);

	paleo_json_put_int(
		j->w, "num_words",
		paleo_hf_divided(m->per_layer_words ? m->per_layer_words : m->words, j->o.tp));
	paleo_json_put_int(j->w, "num_outputs", all);
	paleo_json_close(j->w);
	const char *made = paleo_hf_wide_product(j, "layers_product", embedding, all, 0);
	const char *norm = paleo_hf_begin(j, "layers_norm", "RMSNorm", made, NULL);
	paleo_json_put_int(j->w, "heads", m->layers);
	paleo_json_close(j->w);
	paleo_hf_sum(j, "layers_words", norm, rows);
}

const char *paleo_hf_with_words(struct paleo_hf_job *j, const char *stream, const char *x)
{
	const struct paleo_hf_model *m = j->m;
	const char *words =
		paleo_hf_slice(j, "words", "layers_words", j->layer * m->per_layer, m->per_layer);
	const char *gate = paleo_hf_product(j, "words_gate", x, m->per_layer, 0);

	x = paleo_hf_of_two(j, "words_gated", "silu_mul", gate, words);
	x = paleo_hf_product(j, "words_project", x, m->hidden, 0);
	x = paleo_hf_norm(j, "norm_words", x, 0);
	return paleo_hf_sum(j, "sum3", stream, x);
}
