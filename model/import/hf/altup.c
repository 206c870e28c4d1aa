/* altup.c - a layer over several streams of which one goes through it, and the others follow. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/import/hf/write.h"

/*
 * Alternating updates (Baykal et al. 2023, arXiv 2301.13310), as Gemma 3n has them. One kernel
 * reads all streams and writes what they are foreseen to be; one reads these and what the layer
 * made of the first, and writes all: they are priced as a product and a sum, which move the same
 * bytes.
 */

/* Numbers that mix streams: a norm and two products, of which the norm and the first are the same
 * ones where a layer asks `again`. */
static const char *factors(struct paleo_hf_job *j, const char *prefix, const char *x, int outputs,
			   int again)
{
	char what[3][32];
	static const char *const parts[] = {"norm", "router", "factors"};

	for (int i = 0; i < 3; i++)
		snprintf(what[i], sizeof(what[i]), "%s_%s", prefix, parts[i]);
	x = paleo_hf_begin(j, what[0], "RMSNorm", x, NULL);
	if (again)
		paleo_json_put_bool(j->w, "shared", 1);
	paleo_json_close(j->w);
	x = paleo_hf_begin(j, what[1], "InnerProduct", x, NULL);
	paleo_json_put_int(j->w, "num_outputs", j->m->altup);
	paleo_json_put_bool(j->w, "bias", 0);
	paleo_json_put_string(j->w, "activation_fn", "tanh");
	if (again)
		paleo_json_put_bool(j->w, "shared", 1);
	paleo_hf_put_wide(j);
	paleo_json_close(j->w);
	return paleo_hf_wide_product(j, what[2], x, outputs, 0);
}

/* Streams as large as the first one: nothing is learned. */
static const char *as_large(struct paleo_hf_job *j, const char *what, const char *x, int heads)
{
	const char *name = paleo_hf_begin(j, what, "RMSNorm", x, NULL);

	paleo_json_put_int(j->w, "heads", heads);
	paleo_json_put_bool(j->w, "scale", 0);
	paleo_json_close(j->w);
	return name;
}

const char *paleo_hf_altup_begin(struct paleo_hf_job *j, const char *x)
{
	int others = j->m->altup - 1;
	const char *made = paleo_hf_wide_product(j, "streams_product", x, others * j->m->hidden, 0);
	const char *const parts[] = {x, as_large(j, "streams_norm", made, others)};
	const char *name = paleo_hf_begin_of(j, "streams", "Concatenate", parts, 2);

	paleo_json_put_int(j->w, "dim", 2);
	paleo_json_close(j->w);
	return name;
}

const char *paleo_hf_altup_end(struct paleo_hf_job *j, const char *streams)
{
	int n = j->m->altup, hidden = j->m->hidden;
	const char *parts[PALEO_HF_STREAMS_MAX];
	const char *rest = paleo_hf_slice(j, "rest", streams, hidden, (n - 1) * hidden);
	const char *x = paleo_hf_begin(j, "rest_product", "BatchedProduct", rest, NULL);

	paleo_json_put_int(j->w, "heads", n - 1);
	paleo_json_put_int(j->w, "inputs", hidden);
	paleo_json_put_int(j->w, "num_outputs", hidden);
	paleo_json_close(j->w);
	x = as_large(j, "rest_norm", x, n - 1);
	for (int i = 0; i < n; i++) {
		char what[32];
		snprintf(what, sizeof(what), "stream%d", i + 1);
		parts[i] =
			paleo_hf_slice(j, what, i ? x : streams, i ? (i - 1) * hidden : 0, hidden);
	}
	x = paleo_hf_begin_of(j, "mean", "Elementwise", parts, n);
	paleo_json_close(j->w);
	return x;
}

/* A product of few numbers beside attention, with what it is made of (LAuReL, Menghani et al. 2024,
 * arXiv 2411.07501). */
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
	const char *mix = factors(j, "foresee", first, n * n, 0);
	const char *of_each = paleo_hf_slice(j, "foresee_each", mix, 0, n);
	const char *foreseen = paleo_hf_of_two(j, "foreseen", "mul", streams, of_each);
	const char *active = paleo_hf_slice(j, "active", foreseen, 0, m->hidden);
	const char *x = paleo_hf_norm(j, "norm1", active, 0);
	const char *laurel = beside(j, x);

	x = paleo_hf_norm(j, "norm_attention", paleo_hf_attention(j, x), 0);
	const char *const parts[] = {active, x, laurel};
	const char *sum = paleo_hf_begin_of(j, "sum1", "Elementwise", parts, 3);
	paleo_json_close(j->w);
	x = paleo_hf_mlp(j, sum, paleo_hf_norm(j, "norm2", sum, 0));
	x = paleo_hf_sum(j, "sum2", sum, paleo_hf_norm(j, "norm_mlp", x, 0));
	factors(j, "correct", x, n, 1);
	streams = paleo_hf_sum(j, "corrected", foreseen, x);
	first = paleo_hf_slice(j, "corrected_first", streams, 0, m->hidden);
	paleo_hf_learned(j, "corrected_scales", first, m->hidden);
	return paleo_hf_with_words(j, streams, first);
}
