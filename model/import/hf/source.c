/* source.c - writes what an encoder beside a decoder reads: words, or 30 seconds of sound. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/hf/write.h"

static const char *words(struct paleo_hf_job *j)
{
	const struct paleo_hf_model *m = j->m;
	const int tensor[] = {j->o.batch, j->o.source};

	paleo_hf_begin(j, "source", "Input", NULL, NULL);
	paleo_hf_put_list(j, "tensor", tensor, 2);
	paleo_json_close(j->w);
	const char *x = paleo_hf_begin(j, "source_embedding", "Embedding", "source", NULL);
	paleo_json_put_int(j->w, "num_words", m->words);
	paleo_json_put_int(j->w, "num_outputs", m->hidden);
	if (m->positions == PALEO_HF_LEARNED)
		paleo_json_put_int(j->w, "num_places", m->places + m->family->more_places);
	paleo_json_put_bool(j->w, "tied", 1);
	paleo_json_close(j->w);
	return x;
}

/* A convolution over three moments; the second leaves every other out. */
static const char *convolution(struct paleo_hf_job *j, const char *what, const char *x, int in,
			       int stride)
{
	const int filter[] = {1, 3, in, j->m->hidden}, strides[] = {1, 1, stride, 1};
	const int padding[] = {0, 1};
	const char *name = paleo_hf_begin(j, what, "Convolution", x, NULL);

	paleo_hf_put_list(j, "filter", filter, 4);
	paleo_hf_put_list(j, "strides", strides, 4);
	paleo_hf_put_list(j, "padding", padding, 2);
	paleo_json_put_string(j->w, "activation_fn", "gelu");
	paleo_json_close(j->w);
	return name;
}

static const char *sound(struct paleo_hf_job *j)
{
	const struct paleo_hf_model *m = j->m;
	const int tensor[] = {j->o.batch, 1, 2 * j->o.source, m->mels};
	const int tokens[] = {-1, j->o.source, m->hidden};

	paleo_hf_begin(j, "sound", "Input", NULL, NULL);
	paleo_hf_put_list(j, "tensor", tensor, 4);
	paleo_json_close(j->w);
	const char *x = convolution(j, "conv1", "sound", m->mels, 1);
	x = convolution(j, "conv2", x, m->hidden, 2);
	x = paleo_hf_begin(j, "moments", "Reshape", x, NULL);
	paleo_hf_put_list(j, "output_shape", tokens, 3);
	paleo_json_close(j->w);
	x = paleo_hf_begin(j, "source_places", "Position", x, NULL);
	paleo_json_close(j->w);
	return x;
}

const char *paleo_hf_begin_source(struct paleo_hf_job *j)
{
	const char *x = j->m->mels ? sound(j) : words(j);

	return j->m->family->embedding_norm ? paleo_hf_norm(j, "source_norm0", x, 0) : x;
}
