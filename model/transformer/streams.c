/* streams.c - several residual streams and per-layer embeddings: mixed, split, joined. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/transformer/write.h"

static const char *joined(struct paleo_hf_job *j, const char *const *parts)
{
	return paleo_hf_layer(j, "streams", "Concatenate", parts, KEYS(INT("dim", 2)));
}

/*
 * Hyper-connections (Zhu et al. 2024, arXiv 2409.19606), as DeepSeek-V4 has them. One kernel reads
 * the streams and writes their weighted sum; one reads the streams and the layer's result, and
 * writes the streams. They are priced as sums, which move the same bytes. The factors come from a
 * GEMM of all streams, with a bias for each of its outputs and a few scales; operations on the
 * factors are small and not priced.
 */
static void factors(struct paleo_hf_job *j, const char *prefix, const char *streams, int outputs,
		    int parts)
{
	char what[32];

	snprintf(what, sizeof(what), "%s_factors", prefix);
	paleo_hf_wide_product(j, what, streams, outputs, 1);
	snprintf(what, sizeof(what), "%s_scales", prefix);
	paleo_hf_learned(j, what, streams, parts);
}

/* Slices of a tensor to come: `width` apart, of `name` with a number. */
static void cut(struct paleo_hf_job *j, const char *name, const char *x, int width,
		const char *parts[PALEO_HF_STREAMS_MAX + 1])
{
	for (int i = 0; i < j->m->streams; i++) {
		char what[32];
		snprintf(what, sizeof(what), "%s_stream%d", name, i + 1);
		parts[i] = paleo_hf_slice(j, what, x, i * width, j->m->hidden);
	}
	parts[j->m->streams] = NULL;
}

const char *paleo_hf_spread(struct paleo_hf_job *j, const char *x)
{
	const char *parts[PALEO_HF_STREAMS_MAX + 1];

	cut(j, "first", x, 0, parts);
	return joined(j, parts);
}

const char *paleo_hf_collapse(struct paleo_hf_job *j, const char *prefix, const char *streams,
			      int last)
{
	const char *parts[PALEO_HF_STREAMS_MAX + 1];
	int n = j->m->streams;

	factors(j, prefix, streams, last ? n : n * (2 + n), last ? 1 : 3);
	cut(j, prefix, streams, j->m->hidden, parts);
	return paleo_hf_layer(j, prefix, "Elementwise", parts, NULL);
}

/* A table with numbers for all layers, and as many made of the embedding, which are normalised. */
void paleo_hf_look_up(struct paleo_hf_job *j, const char *embedding)
{
	const struct paleo_hf_model *m = j->m;
	int all = m->layers * m->per_layer, count = paleo_hf_or(m->per_layer_words, m->words);
	const char *rows = paleo_hf_layer(
		j, "layers_embedding", "Embedding", PARENTS("tokens"),
		KEYS(INT("num_words", paleo_hf_divided(count, j->o.tp)), INT("num_outputs", all)));
	const char *made = paleo_hf_wide_product(j, "layers_product", embedding, all, 0);
	const char *norm = paleo_hf_layer(j, "layers_norm", "RMSNorm", PARENTS(made),
					  KEYS(INT("heads", m->layers)));

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

/*
 * Alternating updates (Baykal et al. 2023, arXiv 2301.13310), as in Gemma 3n: one of several
 * streams goes through a layer, and the others follow. One kernel reads all streams and writes
 * their predictions; one reads these and the layer's result of the first, and writes all: they are
 * priced as a GEMM and a sum, which move the same bytes.
 */

/* Mixing factors of the streams: a norm and two GEMMs, of which the norm and the first are reused
 * where a layer asks `again`. */
static const char *mix_of(struct paleo_hf_job *j, const char *prefix, const char *x, int outputs,
			  int again)
{
	static const char *const parts[] = {"norm", "router", "factors"};
	const struct paleo_hf_key shared = WHERE(again, FLAG("shared", 1));
	char what[3][32];

	for (int i = 0; i < 3; i++)
		snprintf(what[i], sizeof(what[i]), "%s_%s", prefix, parts[i]);
	x = paleo_hf_layer(j, what[0], "RMSNorm", PARENTS(x), KEYS(shared));
	x = paleo_hf_layer(j, what[1], "InnerProduct", PARENTS(x),
			   KEYS(INT("num_outputs", j->m->altup), FLAG("bias", 0),
				WORD("activation_fn", "tanh"), shared,
				paleo_hf_stored(j, &j->m->weights[1])));
	return paleo_hf_wide_product(j, what[2], x, outputs, 0);
}

/* Scales streams to the norm of the first one: without parameters. */
static const char *as_large(struct paleo_hf_job *j, const char *what, const char *x, int heads)
{
	return paleo_hf_layer(j, what, "RMSNorm", PARENTS(x),
			      KEYS(INT("heads", heads), FLAG("scale", 0)));
}

const char *paleo_hf_altup_begin(struct paleo_hf_job *j, const char *x)
{
	int others = j->m->altup - 1;
	const char *made = paleo_hf_wide_product(j, "streams_product", x, others * j->m->hidden, 0);

	return joined(j, PARENTS(x, as_large(j, "streams_norm", made, others)));
}

const char *paleo_hf_altup_end(struct paleo_hf_job *j, const char *streams)
{
	int n = j->m->altup, hidden = j->m->hidden;
	const char *parts[PALEO_HF_STREAMS_MAX + 1] = {NULL};
	const char *rest = paleo_hf_slice(j, "rest", streams, hidden, (n - 1) * hidden);
	const char *x = paleo_hf_layer(
		j, "rest_product", "BatchedProduct", PARENTS(rest),
		KEYS(INT("heads", n - 1), INT("inputs", hidden), INT("num_outputs", hidden)));

	x = as_large(j, "rest_norm", x, n - 1);
	for (int i = 0; i < n; i++) {
		char what[32];
		snprintf(what, sizeof(what), "stream%d", i + 1);
		parts[i] =
			paleo_hf_slice(j, what, i ? x : streams, i ? (i - 1) * hidden : 0, hidden);
	}
	return paleo_hf_layer(j, "mean", "Elementwise", parts, NULL);
}

/* A low-rank GEMM pair in parallel with attention (LAuReL, Menghani et al. 2024, arXiv
 * 2411.07501). */
static const char *beside(struct paleo_hf_job *j, const char *x)
{
	const char *few = paleo_hf_product(j, "laurel_in", x, j->m->laurel, 0);
	const char *y = paleo_hf_product(j, "laurel_out", few, j->m->hidden, 0);

	return paleo_hf_sum(j, "laurel", x, paleo_hf_norm(j, "norm_laurel", y, 0));
}

const char *paleo_hf_altup_block(struct paleo_hf_job *j, const char *streams)
{
	const struct paleo_hf_model *m = j->m;
	int n = m->altup;
	const char *first = paleo_hf_slice(j, "first", streams, 0, m->hidden);
	const char *mix = mix_of(j, "foresee", first, n * n, 0);
	const char *of_each = paleo_hf_slice(j, "foresee_each", mix, 0, n);
	const char *foreseen = paleo_hf_of_two(j, "foreseen", "mul", streams, of_each);
	const char *active = paleo_hf_slice(j, "active", foreseen, 0, m->hidden);
	const char *x = paleo_hf_norm(j, "norm1", active, 0);
	const char *laurel = beside(j, x);

	x = paleo_hf_norm(j, "norm_attention", paleo_hf_attention(j, x), 0);
	const char *sum =
		paleo_hf_layer(j, "sum1", "Elementwise", PARENTS(active, x, laurel), NULL);
	x = paleo_hf_mlp(j, sum, paleo_hf_norm(j, "norm2", sum, 0));
	x = paleo_hf_sum(j, "sum2", sum, paleo_hf_norm(j, "norm_mlp", x, 0));
	mix_of(j, "correct", x, n, 1);
	streams = paleo_hf_sum(j, "corrected", foreseen, x);
	first = paleo_hf_slice(j, "corrected_first", streams, 0, m->hidden);
	paleo_hf_learned(j, "corrected_scales", first, m->hidden);
	return paleo_hf_with_words(j, streams, first);
}
