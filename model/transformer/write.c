/* write.c - a transformer as a net file: one worker's part of its layers, in one phase. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/transformer/write.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int paleo_hf_layer_of(const char *name)
{
	char *end = NULL;
	long layer = name[0] == 'l' ? strtol(name + 1, &end, 10) : 0;

	return layer > 0 && layer <= INT_MAX && *end == '_' ? (int)layer - 1 : -1;
}

int paleo_hf_like(const struct paleo_hf_model *m, int first, int i)
{
	/* without the padding at its end */
	const size_t bytes = offsetof(struct paleo_hf_layer, stored) + sizeof(m->layer[i].stored);
	int like = first + 1;

	if (i == first)
		return first;
	while (memcmp(&m->layer[like], &m->layer[i], bytes) != 0)
		like++;
	return like;
}

int paleo_hf_sums(const struct paleo_hf_model *m, int first)
{
	int sums = 0;

	for (int i = first; i < m->layers; i++)
		sums += m->place < PALEO_HF_PARALLEL
				? (m->layer[i].mixers != PALEO_HF_NO_MIXER) + !m->layer[i].no_mlp
				: 1;
	return sums;
}

double paleo_hf_cached(const struct paleo_hf_model *m, int i, double tokens)
{
	const struct paleo_hf_layer *l = &m->layer[i];
	const struct paleo_hf_heads *h = &l->heads;
	double window = paleo_hf_or(l->window, l->chunk);
	double own = window > 0 ? fmin(window, tokens) : tokens;

	if (!(l->mixers & PALEO_HF_ATTENTION) || l->reads)
		return 0;
	if (m->is.compressed)
		return h->qk * (own + (l->ratio ? tokens / l->ratio : 0));
	return own * (m->kv_rank ? m->kv_rank + m->rope : (double)h->kv * (h->qk + h->v));
}

/* Attention and MLP read the same stream, and are added to it together. */
static const char *parallel(struct paleo_hf_job *j, const char *stream)
{
	const char *x = paleo_hf_norm(j, "norm1", stream, 0);
	const char *second =
		j->m->place == PALEO_HF_PARALLEL_TWO ? paleo_hf_norm(j, "norm2", stream, 0) : x;
	const char *attention = paleo_hf_dropped(j, "dropout1", paleo_hf_attention(j, x));
	const char *mlp = paleo_hf_dropped(j, "dropout2", paleo_hf_mlp(j, stream, second));

	return paleo_hf_layer(j, "sum", "Elementwise", PARENTS(stream, attention, mlp), NULL);
}

/* Attention, or its replacement; or both in parallel. */
static const char *mixers(struct paleo_hf_job *j, const char *x)
{
	int which = j->m->layer[j->layer].mixers;
	const char *attention = which & PALEO_HF_ATTENTION ? paleo_hf_attention(j, x) : NULL;
	const char *scan = which & PALEO_HF_SCAN ? paleo_hf_scan(j, x) : NULL;

	if (attention && scan)
		return paleo_hf_sum(j, "mixers_sum", attention, scan);
	return attention ? attention : scan;
}

/* Input of a layer's part from one residual stream, or from several. */
static const char *one_of(struct paleo_hf_job *j, const char *what, const char *stream)
{
	return j->m->streams ? paleo_hf_collapse(j, what, stream, 0) : stream;
}

/* A factor for each channel, where the family has them (Touvron et al. 2021). */
static const char *scaled(struct paleo_hf_job *j, const char *what, const char *x)
{
	return j->m->is.scaled ? paleo_hf_layer(j, what, "Scale", PARENTS(x), NULL) : x;
}

/* Positions of a layer's norms. */
struct norms {
	int before, behind, sums; /* flags */
};

static struct norms norms_of(const struct paleo_hf_model *m, const struct paleo_hf_layer *l)
{
	static const struct norms known[] = {
		[PALEO_HF_NORMS_BEFORE] = {.before = 1},
		[PALEO_HF_NORMS_BEHIND] = {.behind = 1},
		[PALEO_HF_NORMS_BOTH] = {.before = 1, .behind = 1},
		[PALEO_HF_NORMS_BEHIND_SUMS] = {.sums = 1},
	};
	int behind = m->is.attention_behind && l->mixers == PALEO_HF_ATTENTION;

	return known[behind ? PALEO_HF_NORMS_BEHIND : m->place];
}

/* The part of a layer that reads other tokens. */
static const char *mix(struct paleo_hf_job *j, const char *stream, const struct norms *at,
		       int summed)
{
	int bare = j->m->is.bare_first && j->layer == 0;
	const char *x = one_of(j, "mix1", stream);

	x = at->before && !bare ? paleo_hf_norm(j, "norm1", x, summed) : x;
	x = scaled(j, "scale1", paleo_hf_dropped(j, "dropout1", mixers(j, x)));
	x = at->behind ? paleo_hf_norm(j, "norm_attention", x, 0) : x;
	return paleo_hf_sum(j, "sum1", stream, x);
}

/* The part that reads each token alone. */
static const char *compute(struct paleo_hf_job *j, const char *stream, const struct norms *at,
			   int summed)
{
	const char *x = one_of(j, "mix2", stream);

	x = at->before || at->sums ? paleo_hf_norm(j, "norm2", x, summed) : x;
	stream = at->sums ? x : stream;
	x = scaled(j, "scale2", paleo_hf_dropped(j, "dropout2", paleo_hf_mlp(j, stream, x)));
	x = at->behind ? paleo_hf_norm(j, "norm_mlp", x, 0) : x;
	stream = paleo_hf_sum(j, "sum2", stream, x);
	if (j->m->per_layer)
		stream = paleo_hf_with_words(j, stream, stream);
	return at->sums ? paleo_hf_norm(j, "norm3", stream, 1) : stream;
}

/* One layer, from the stream of sums to the next; parts that it has not are left out. */
static const char *block(struct paleo_hf_job *j, const char *stream, int *summed)
{
	const struct paleo_hf_model *m = j->m;
	const struct paleo_hf_layer *l = &m->layer[j->layer];

	if (m->altup)
		return paleo_hf_altup_block(j, stream);
	if (m->place >= PALEO_HF_PARALLEL)
		return parallel(j, stream);
	const struct norms at = norms_of(m, l);
	if (l->mixers) {
		stream = mix(j, stream, &at, *summed);
		*summed = !m->streams;
	}
	if (m->encoder_layers && j->layer < m->layers) {
		const char *x = paleo_hf_norm(j, "norm_cross", stream, *summed);
		const char *cross = paleo_hf_dropped(j, "dropout_cross", paleo_hf_cross(j, x));
		stream = paleo_hf_sum(j, "sum_cross", at.sums ? x : stream, cross);
	}
	if (l->no_mlp)
		return stream;
	stream = compute(j, stream, &at, *summed);
	*summed = !m->streams;
	return stream;
}

static const char *last_norm(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_model *m = j->m;

	return m->place == PALEO_HF_NORMS_BEHIND_SUMS
		       ? x
		       : paleo_hf_norm(j, "norm", x,
				       m->place < PALEO_HF_PARALLEL && !m->streams && !m->altup);
}

/* From the streams to the final norm after all layers, and pooling. */
static const char *end_layers(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_model *m = j->m;
	int last = m->is.pooler == 2;

	if (m->altup)
		x = paleo_hf_altup_end(j, x);
	if (m->streams)
		x = paleo_hf_collapse(j, "mix", x, 1);
	if (m->is.mean_normed)
		x = paleo_hf_layer(j, "mean", "Reduce", PARENTS(x),
				   KEYS(WORD("op", "mean"), LIST("dims", 1, 1)));
	if (!m->is.first_normed)
		x = last_norm(j, x);
	if (m->is.pooler || m->is.first_normed)
		x = paleo_hf_layer(j, last ? "last" : "first", last ? "LastToken" : "FirstToken",
				   PARENTS(x), NULL);
	if (m->is.first_normed)
		x = last_norm(j, x);
	if (m->is.pooler)
		paleo_hf_layer(j, "pooler", "InnerProduct", PARENTS(x),
			       KEYS(INT("num_outputs", paleo_hf_or(m->pooled, m->hidden)),
				    WHERE(!last, WORD("activation_fn", "tanh"))));
	if (m->is.attends)
		paleo_hf_pool(j, x);
	return x;
}

/* The head; in prefill only the last token is needed. */
static void put_head(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_model *m = j->m;

	if (j->o.phase == PALEO_HF_PREFILL && j->o.seq > 1)
		x = paleo_hf_layer(j, "last", "LastToken", PARENTS(x), NULL);
	if (m->embed && m->embed != m->hidden)
		x = paleo_hf_product(j, "embedding_out", x, m->embed, 0);
	if (m->is.head_dense) {
		x = paleo_hf_layer(j, "head_dense", "InnerProduct", PARENTS(x),
				   KEYS(INT("num_outputs", m->hidden), FLAG("bias", 0),
					WORD("activation_fn", "gelu")));
		x = paleo_hf_norm(j, "head_norm", x, 0);
	}
	x = paleo_hf_layer(j, "head", "InnerProduct", PARENTS(x),
			   KEYS(INT("num_outputs", paleo_hf_divided(m->words, j->o.tp)),
				FLAG("bias", m->bias & PALEO_HF_BIAS_HEAD),
				WHERE(m->is.tied && j->o.pp == 1, FLAG("tied", 1)),
				paleo_hf_stored(j, &m->weights[m->head_stored])));
	if (j->o.phase == PALEO_HF_TRAIN)
		paleo_hf_layer(j, "loss", "CrossEntropy", PARENTS(x), NULL);
}

/* The encoder: its layers and the final norm, from its inputs to the decoder's memory. */
static void encode(struct paleo_hf_job *j)
{
	const struct paleo_hf_model *m = j->m;
	char stream[PALEO_HF_NAME_BYTES];
	int summed = 0;

	snprintf(stream, sizeof(stream), "%s", paleo_hf_begin_source(j));
	for (int i = 0; i < m->encoder_layers; i++) {
		j->layer = m->layers + i;
		snprintf(stream, sizeof(stream), "%s", block(j, stream, &summed));
	}
	j->layer = -1;
	snprintf(j->memory, sizeof(j->memory), "%s",
		 m->place == PALEO_HF_NORMS_BEHIND_SUMS
			 ? stream
			 : paleo_hf_norm(j, "source_norm", stream, 1));
}

enum {
	NOTE_MAX = 700
};

static void say(char note[NOTE_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(char note[NOTE_MAX], const char *format, ...)
{
	size_t at = strlen(note);
	va_list list;

	va_start(list, format);
	vsnprintf(note + at, NOTE_MAX - at, format, list); /* NOLINT: va_start() */
	va_end(list);
}

/* The parts that one worker's times leave out. */
static void say_left_out(const struct paleo_hf_job *j, int layers, char note[NOTE_MAX])
{
	const struct paleo_hf_options *o = &j->o;
	double bytes = (double)o->batch * o->seq * j->m->hidden * paleo_dtype_bytes(j->m->dtype);

	say(note, " one worker of tp %d, pp %d, ep %d; not in its times:", o->tp, o->pp, o->ep);
	if (o->tp > 1)
		say(note, " %d all-reduces of %.0f bytes,",
		    paleo_hf_sums(j->m, j->m->layers - layers), bytes);
	if (o->ep > 1 && j->m->experts)
		say(note, " 2 all-to-alls of %.0f bytes in each layer of experts,",
		    bytes * paleo_hf_busy_experts(j->m));
	if (o->pp > 1)
		say(note, " %.0f bytes to the next of the stages, of which this is the last,",
		    bytes * paleo_hf_or(j->m->streams, 1));
}

/* Notes about the times; each part begins with a blank and ends with its separator. */
static void put_note(struct paleo_hf_job *j, int layers)
{
	const struct paleo_hf_options *o = &j->o;
	char note[NOTE_MAX] = "";

	if (j->m->note[0])
		say(note, "%s", j->m->note);
	if (j->m->places && o->seq + o->past > j->m->places)
		say(note, " %d tokens are more than the model's %d positions;", o->seq + o->past,
		    j->m->places);
	if (j->m->encoder_layers && o->phase == PALEO_HF_DECODE)
		say(note, " a decoder step: the encoder and the GEMMs of its output are left out, "
			  "including their weights;");
	if (o->tp * o->pp * o->ep > 1)
		say_left_out(j, layers, note);
	if (!note[0])
		return;
	note[strlen(note) - 1] = '\0';
	paleo_json_put_string(j->w, "note", note + 1);
}

int paleo_hf_write(const struct paleo_hf_model *m, const char *title,
		   const struct paleo_hf_options *options, char **out, struct paleo_error *err)
{
	struct paleo_hf_job j = {.m = m, .o = *options, .layer = -1};

	PALEO_TRY(paleo_hf_options_complete(m, &j.o, err));
	int layers = paleo_hf_divided(m->layers, j.o.pp);
	j.w = paleo_json_writer_new();
	if (!j.w)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_json_open_object(j.w, NULL);
	paleo_json_put_string(j.w, "name", title);
	paleo_json_put_string(j.w, "dtype",
			      paleo_dtype_name(m->weights[0].dtype
						       ? (enum paleo_dtype)(m->weights[0].dtype - 1)
						       : m->dtype));
	if (j.o.phase != PALEO_HF_TRAIN)
		paleo_json_put_bool(j.w, "inference", 1);
	put_note(&j, layers);
	paleo_json_open_object(j.w, "layers");
	char stream[PALEO_HF_NAME_BYTES];
	int summed = 0; /* 1: the stream is a sum, which a norm behind it may take in */
	snprintf(stream, sizeof(stream), "%s", paleo_hf_begin_net(&j));
	if (m->encoder_layers && j.o.phase != PALEO_HF_DECODE)
		encode(&j);
	for (int first = m->layers - layers, i = first; i < m->layers; i++) {
		j.layer = i;
		if (!j.o.alike || paleo_hf_like(m, first, i) == i)
			snprintf(stream, sizeof(stream), "%s", block(&j, stream, &summed));
	}
	j.layer = -1;
	const char *x = end_layers(&j, stream);
	if (!m->is.encoder)
		put_head(&j, x);
	paleo_json_close(j.w);
	paleo_json_close(j.w);
	int rc = paleo_json_writer_text(j.w, 1, out, err);
	paleo_json_writer_free(j.w);
	return rc;
}
