/* inputs.c - writes a transformer's inputs: token embedding, patches, audio; and pooling. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/transformer/write.h"

/* He et al. 2021 (arXiv 2006.03654), section 3.1: a row for each distance in either direction. */
static void begin_places(struct paleo_hf_job *j, const char *tokens)
{
	const struct paleo_hf_model *m = j->m;
	int all = m->places_rows, most = 2 * j->o.seq;

	if (!all)
		return;
	const char *x = paleo_hf_layer(j, "rows", "Parameter", PARENTS(tokens),
				       KEYS(LIST("output_shape", 3, 1, all, m->hidden)));
	if (m->is.relative == 2 && most < all) /* positions in the middle */
		x = paleo_hf_layer(j, "near_rows", "Slice", PARENTS(x),
				   KEYS(INT("dim", 1), INT("from", (all - most) / 2),
					INT("size", most), FLAG("view", 1)));
	if (m->places_normed)
		x = paleo_hf_norm(j, "norm_rows", x, 0);
	snprintf(j->places, sizeof(j->places), "%s", x);
}

static const char *in_front(struct paleo_hf_job *j, const char *what, const char *x, int tokens)
{
	return tokens ? paleo_hf_layer(j, what, "ClassToken", PARENTS(x),
				       KEYS(INT("tokens", tokens)))
		      : x;
}

int paleo_hf_tokens_of_picture(const struct paleo_hf_model *m)
{
	int side = m->image / m->patch;

	return side * side + m->is.front + m->registers;
}

/* Each patch becomes a token; registers (Darcet et al. 2023) have no position. */
static const char *pictures(struct paleo_hf_job *j)
{
	const struct paleo_hf_model *m = j->m;
	int side = m->image / m->patch;

	paleo_hf_layer(j, "pictures", "Input", PARENTS(NULL),
		       KEYS(LIST("tensor", 4, j->o.batch, m->image, m->image, m->channels)));
	const char *x =
		paleo_hf_layer(j, "patches", "Convolution", PARENTS("pictures"),
			       KEYS(LIST("filter", 4, m->patch, m->patch, m->channels, m->hidden),
				    LIST("strides", 4, 1, m->patch, m->patch, 1),
				    WORD("padding", "VALID"), FLAG("bias", !m->is.bare_patches)));
	x = paleo_hf_layer(j, "tokens", "Reshape", PARENTS(x),
			   KEYS(LIST("output_shape", 3, -1, side * side, m->hidden)));
	x = in_front(j, "class_token", x, m->is.front);
	if (m->is.positions != PALEO_HF_ROTARY && !m->is.by_distance)
		x = paleo_hf_layer(j, "places", "Position", PARENTS(x), NULL);
	x = in_front(j, "registers", x, m->registers);
	return m->is.embedding_norm ? paleo_hf_norm(j, "norm0", x, 0) : x;
}

/* The start of the residual stream, after the embedding. */
static const char *begin_stream(struct paleo_hf_job *j, const char *x, int places_behind)
{
	const struct paleo_hf_model *m = j->m;

	if (m->altup)
		return paleo_hf_altup_begin(j, x);
	if (m->streams)
		return paleo_hf_spread(j, x);
	if (m->is.embedding_norm)
		x = paleo_hf_norm(j, "norm0", x, 0);
	if (m->embed && (m->embed != m->hidden || m->is.maps_words))
		x = paleo_hf_product(j, "embedding_in", x, m->hidden, m->is.encoder);
	if (places_behind)
		x = paleo_hf_layer(
			j, "places", "Position", PARENTS(x),
			KEYS(INT("numbers", (m->places + m->is.more_places) * m->hidden)));
	return paleo_hf_dropped(j, "dropout0", x);
}

const char *paleo_hf_begin_net(struct paleo_hf_job *j)
{
	const struct paleo_hf_model *m = j->m;
	int learned = m->is.positions == PALEO_HF_LEARNED, width = paleo_hf_or(m->embed, m->hidden);
	/* positions may be added to embeddings as wide as the model, not to narrow ones (OPT) */
	int behind = !m->is.encoder && learned && width != m->hidden;
	int later = j->o.pp > 1; /* the stage before has done the embedding */

	if (m->is.pictures && !later)
		return pictures(j);
	paleo_hf_layer(j, "tokens", "Input", PARENTS(NULL),
		       KEYS(LIST("tensor", 2 + later, j->o.batch, j->o.seq,
				 m->hidden * paleo_hf_or(m->streams, 1))));
	if (later)
		return "tokens";
	const char *x = paleo_hf_layer(
		j, "embedding", "Embedding", PARENTS("tokens"),
		KEYS(INT("num_words", paleo_hf_divided(m->words, j->o.tp)),
		     INT("num_outputs", width),
		     WHERE(learned && !behind, INT("num_places", m->places + m->is.more_places)),
		     WHERE(m->types, INT("num_types", m->types))));
	begin_places(j, x);
	if (m->per_layer)
		paleo_hf_look_up(j, x);
	return begin_stream(j, x, behind);
}

static const char *words(struct paleo_hf_job *j)
{
	const struct paleo_hf_model *m = j->m;
	int learned = m->is.positions == PALEO_HF_LEARNED;

	paleo_hf_layer(j, "source", "Input", PARENTS(NULL),
		       KEYS(LIST("tensor", 2, j->o.batch, j->o.source)));
	return paleo_hf_layer(j, "source_embedding", "Embedding", PARENTS("source"),
			      KEYS(INT("num_words", m->words), INT("num_outputs", m->hidden),
				   WHERE(learned, INT("num_places", m->places + m->is.more_places)),
				   FLAG("tied", 1)));
}

/* A convolution with three taps in time; the second has stride 2. */
static const char *convolution(struct paleo_hf_job *j, const char *what, const char *x, int in,
			       int stride)
{
	return paleo_hf_layer(j, what, "Convolution", PARENTS(x),
			      KEYS(LIST("filter", 4, 1, 3, in, j->m->hidden),
				   LIST("strides", 4, 1, 1, stride, 1), LIST("padding", 2, 0, 1),
				   WORD("activation_fn", "gelu")));
}

/* 30 seconds of it. */
static const char *sound(struct paleo_hf_job *j)
{
	const struct paleo_hf_model *m = j->m;

	paleo_hf_layer(j, "sound", "Input", PARENTS(NULL),
		       KEYS(LIST("tensor", 4, j->o.batch, 1, 2 * j->o.source, m->mels)));
	const char *x = convolution(j, "conv1", "sound", m->mels, 1);
	x = convolution(j, "conv2", x, m->hidden, 2);
	x = paleo_hf_layer(j, "moments", "Reshape", PARENTS(x),
			   KEYS(LIST("output_shape", 3, -1, j->o.source, m->hidden)));
	return paleo_hf_layer(j, "source_places", "Position", PARENTS(x), NULL);
}

const char *paleo_hf_begin_source(struct paleo_hf_job *j)
{
	const char *x = j->m->mels ? sound(j) : words(j);

	return j->m->is.embedding_norm ? paleo_hf_norm(j, "source_norm0", x, 0) : x;
}

/* One learned query attends to all tokens, followed by an MLP. */
const char *paleo_hf_pool(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_model *m = j->m;
	const char *probe = paleo_hf_layer(j, "probe", "Parameter", PARENTS(x),
					   KEYS(LIST("output_shape", 3, -1, 1, m->hidden)));
	const char *q = paleo_hf_product(j, "pool_q", probe, m->hidden, 1);
	const char *k = paleo_hf_product(j, "pool_k", x, m->hidden, 1);
	const char *v = paleo_hf_product(j, "pool_v", x, m->hidden, 1);

	x = paleo_hf_layer(j, "pool", "FusedAttention", PARENTS(q, k, v),
			   KEYS(INT("heads", m->heads)));
	const char *sum = paleo_hf_product(j, "pool_project", x, m->hidden, 1);
	x = paleo_hf_norm(j, "pool_norm", sum, 0);
	x = paleo_hf_dense(j, x, m->inner, "pool_");
	return paleo_hf_sum(j, "pool_sum", sum, x);
}
