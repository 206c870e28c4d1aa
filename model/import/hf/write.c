/* write.c - a transformer as a net file: one worker's part of its layers, in one phase. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/hf/write.h"

#include <limits.h>
#include <math.h>
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
	int like = first + 1;

	if (i == first)
		return first;
	while (memcmp(&m->layer[like], &m->layer[i], sizeof(m->layer[i])) != 0)
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
	double window = l->window ? l->window : l->chunk;
	double own = window > 0 ? fmin(window, tokens) : tokens;

	if (!(l->mixers & PALEO_HF_ATTENTION) || l->reads)
		return 0;
	if (m->family->compressed)
		return h->qk * (own + (l->ratio ? tokens / l->ratio : 0));
	return own * (m->kv_rank ? m->kv_rank + m->rope : (double)h->kv * (h->qk + h->v));
}

/* Attention and MLP read the same stream, and are added to it together. */
static const char *parallel(struct paleo_hf_job *j, const char *stream)
{
	const char *x = paleo_hf_norm(j, "norm1", stream, 0);
	const char *second =
		j->m->place == PALEO_HF_PARALLEL_TWO ? paleo_hf_norm(j, "norm2", stream, 0) : x;
	const char *const parts[] = {stream, paleo_hf_attention(j, x),
				     paleo_hf_mlp(j, stream, second)};

	const char *name = paleo_hf_begin_of(j, "sum", "Elementwise", parts, 3);
	paleo_json_close(j->w);
	return name;
}

/* Attention, or what takes its place; or both side by side. */
static const char *mixers(struct paleo_hf_job *j, const char *x)
{
	int which = j->m->layer[j->layer].mixers;
	const char *attention = which & PALEO_HF_ATTENTION ? paleo_hf_attention(j, x) : NULL;
	const char *scan = which & PALEO_HF_SCAN ? paleo_hf_scan(j, x) : NULL;

	if (attention && scan)
		return paleo_hf_sum(j, "mixers_sum", attention, scan);
	return attention ? attention : scan;
}

/* What a part of a layer reads of one residual stream, or of several. */
static const char *one_of(struct paleo_hf_job *j, const char *what, const char *stream)
{
	return j->m->streams ? paleo_hf_collapse(j, what, stream, 0) : stream;
}

/* A factor for each channel, where the family has them (Touvron et al. 2021). */
static const char *scaled(struct paleo_hf_job *j, const char *what, const char *x)
{
	if (!j->m->family->scaled)
		return x;
	const char *name = paleo_hf_begin(j, what, "Scale", x, NULL);
	paleo_json_close(j->w);
	return name;
}

/* One layer, from the stream of sums to the next; parts that it has not are left out. */
static const char *block(struct paleo_hf_job *j, const char *stream, int *summed)
{
	const struct paleo_hf_model *m = j->m;
	const struct paleo_hf_layer *l = &m->layer[j->layer];
	const enum paleo_hf_place place =
		m->family->attention_behind && l->mixers == PALEO_HF_ATTENTION
			? PALEO_HF_NORMS_BEHIND
			: m->place;
	int sums = place == PALEO_HF_NORMS_BEHIND_SUMS;
	int before = place == PALEO_HF_NORMS_BEFORE || place == PALEO_HF_NORMS_BOTH;
	int behind = place == PALEO_HF_NORMS_BEHIND || place == PALEO_HF_NORMS_BOTH;

	if (j->m->altup)
		return paleo_hf_altup_block(j, stream);
	if (place == PALEO_HF_PARALLEL || place == PALEO_HF_PARALLEL_TWO)
		return parallel(j, stream);
	if (l->mixers) {
		int bare = m->family->bare_first && j->layer == 0;
		const char *x = one_of(j, "mix1", stream);
		x = before && !bare ? paleo_hf_norm(j, "norm1", x, *summed) : x;
		x = scaled(j, "scale1", mixers(j, x));
		if (behind)
			x = paleo_hf_norm(j, "norm_attention", x, 0);
		stream = paleo_hf_sum(j, "sum1", stream, x);
		*summed = !j->m->streams;
	}
	if (m->encoder_layers && j->layer < m->layers) {
		const char *x = paleo_hf_norm(j, "norm_cross", stream, *summed);
		if (sums)
			stream = x;
		stream = paleo_hf_sum(j, "sum_cross", stream, paleo_hf_cross(j, x));
	}
	if (l->no_mlp)
		return stream;
	const char *x = one_of(j, "mix2", stream);
	x = before || sums ? paleo_hf_norm(j, "norm2", x, *summed) : x;
	if (sums)
		stream = x;
	x = scaled(j, "scale2", paleo_hf_mlp(j, stream, x));
	if (behind)
		x = paleo_hf_norm(j, "norm_mlp", x, 0);
	stream = paleo_hf_sum(j, "sum2", stream, x);
	*summed = !j->m->streams;
	if (j->m->per_layer)
		stream = paleo_hf_with_words(j, stream, stream);
	return sums ? paleo_hf_norm(j, "norm3", stream, 1) : stream;
}

/* 1 if places join words that were made as wide as the model, instead of narrow ones (OPT). */
static int places_behind(const struct paleo_hf_model *m)
{
	return !m->encoder && m->positions == PALEO_HF_LEARNED && m->embed && m->embed != m->hidden;
}

static const char *begin_net(struct paleo_hf_job *j)
{
	const struct paleo_hf_model *m = j->m;

	if (m->family->pictures && j->o.pp == 1)
		return paleo_hf_begin_pictures(j);
	paleo_hf_begin(j, "tokens", "Input", NULL, NULL);
	paleo_json_open_array(j->w, "tensor");
	paleo_json_put_int(j->w, NULL, j->o.batch);
	paleo_json_put_int(j->w, NULL, j->o.seq);
	if (j->o.pp > 1) /* the stage before has looked them up */
		paleo_json_put_int(j->w, NULL, m->hidden * (m->streams ? m->streams : 1));
	paleo_json_close(j->w);
	paleo_json_close(j->w);
	if (j->o.pp > 1)
		return "tokens";
	const char *x = paleo_hf_begin(j, "embedding", "Embedding", "tokens", NULL);
	paleo_json_put_int(j->w, "num_words", paleo_hf_divided(m->words, j->o.tp));
	paleo_json_put_int(j->w, "num_outputs", m->embed ? m->embed : m->hidden);
	if (m->positions == PALEO_HF_LEARNED && !places_behind(m))
		paleo_json_put_int(j->w, "num_places", m->places + m->family->more_places);
	if (m->types)
		paleo_json_put_int(j->w, "num_types", m->types);
	paleo_json_close(j->w);
	paleo_hf_begin_places(j, x);
	if (m->per_layer)
		paleo_hf_look_up(j, x);
	if (m->altup)
		return paleo_hf_altup_begin(j, x);
	if (m->streams)
		return paleo_hf_spread(j, x);
	if (m->family->embedding_norm)
		x = paleo_hf_norm(j, "norm0", x, 0);
	if (m->embed && (m->embed != m->hidden || m->family->maps_words))
		x = paleo_hf_product(j, "embedding_in", x, m->hidden, m->encoder);
	if (places_behind(m)) {
		x = paleo_hf_begin(j, "places", "Position", x, NULL);
		paleo_json_put_int(j->w, "numbers",
				   (m->places + m->family->more_places) * m->hidden);
		paleo_json_close(j->w);
	}
	return x;
}

static const char *last_norm(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_model *m = j->m;

	return m->place == PALEO_HF_NORMS_BEHIND_SUMS
		       ? x
		       : paleo_hf_norm(j, "norm", x,
				       m->place < PALEO_HF_PARALLEL && !m->streams && !m->altup);
}

/* Of the head, in prefill the last token alone has to do with what comes next. */
static void end_net(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_model *m = j->m;

	if (m->altup)
		x = paleo_hf_altup_end(j, x);
	if (m->streams)
		x = paleo_hf_collapse(j, "mix", x, 1);
	if (m->family->mean_normed) {
		const int tokens[] = {1};
		x = paleo_hf_begin(j, "mean", "Reduce", x, NULL);
		paleo_json_put_string(j->w, "op", "mean");
		paleo_hf_put_list(j, "dims", tokens, 1);
		paleo_json_close(j->w);
	}
	if (!m->family->first_normed)
		x = last_norm(j, x);
	if (m->family->pooler || m->family->first_normed) {
		int last = m->family->pooler == 2;
		x = paleo_hf_begin(j, last ? "last" : "first", last ? "LastToken" : "FirstToken", x,
				   NULL);
		paleo_json_close(j->w);
	}
	if (m->family->first_normed)
		x = last_norm(j, x);
	if (m->family->pooler) {
		paleo_hf_begin(j, "pooler", "InnerProduct", x, NULL);
		paleo_json_put_int(j->w, "num_outputs", m->pooled ? m->pooled : m->hidden);
		if (m->family->pooler == 1)
			paleo_json_put_string(j->w, "activation_fn", "tanh");
		paleo_json_close(j->w);
	}
	if (m->attends)
		paleo_hf_pool(j, x);
	if (m->encoder)
		return;
	if (j->o.phase == PALEO_HF_PREFILL && j->o.seq > 1) {
		x = paleo_hf_begin(j, "last", "LastToken", x, NULL);
		paleo_json_close(j->w);
	}
	if (m->embed && m->embed != m->hidden)
		x = paleo_hf_product(j, "embedding_out", x, m->embed, 0);
	if (m->family->head_dense) {
		x = paleo_hf_begin(j, "head_dense", "InnerProduct", x, NULL);
		paleo_json_put_int(j->w, "num_outputs", m->hidden);
		paleo_json_put_bool(j->w, "bias", 0);
		paleo_json_put_string(j->w, "activation_fn", "gelu");
		paleo_json_close(j->w);
		x = paleo_hf_norm(j, "head_norm", x, 0);
	}
	x = paleo_hf_begin(j, "head", "InnerProduct", x, NULL);
	paleo_json_put_int(j->w, "num_outputs", paleo_hf_divided(m->words, j->o.tp));
	paleo_json_put_bool(j->w, "bias", (m->bias & PALEO_HF_BIAS_HEAD) != 0);
	if (m->tied && j->o.pp == 1)
		paleo_json_put_bool(j->w, "tied", 1);
	paleo_hf_put_wide(j); /* as checkpoints keep the head */
	paleo_json_close(j->w);
	if (j->o.phase == PALEO_HF_TRAIN) {
		paleo_hf_begin(j, "loss", "CrossEntropy", x, NULL);
		paleo_json_close(j->w);
	}
}

/* Its layers, and the norm behind them, from what it reads to what the decoder reads. */
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

/* What one worker's times leave out. */
static void put_note(struct paleo_hf_job *j, int layers)
{
	const struct paleo_hf_options *o = &j->o;
	double bytes = (double)o->batch * o->seq * j->m->hidden * paleo_dtype_bytes(j->m->dtype);
	char text[320];
	int used = 0;

	if (j->m->encoder_layers && o->phase == PALEO_HF_DECODE)
		paleo_json_put_string(
			j->w, "note",
			"a step of the decoder: the encoder, and the products of what "
			"it gives, are left out, of the weights too");
	if (o->tp * o->pp * o->ep == 1)
		return;
	used = snprintf(text, sizeof(text),
			"one worker of tp %d, pp %d, ep %d; not in its times:", o->tp, o->pp,
			o->ep);
	if (o->tp > 1)
		used += snprintf(text + used, sizeof(text) - (size_t)used,
				 " %d all-reduces of %.0f bytes,",
				 paleo_hf_sums(j->m, j->m->layers - layers), bytes);
	if (o->ep > 1 && j->m->experts)
		used += snprintf(text + used, sizeof(text) - (size_t)used,
				 " 2 all-to-alls of %.0f bytes in each layer of experts,",
				 bytes * paleo_hf_busy_experts(j->m));
	if (o->pp > 1)
		used += snprintf(
			text + used, sizeof(text) - (size_t)used,
			" %.0f bytes to the next of the stages, of which this is the last,",
			bytes * (j->m->streams ? j->m->streams : 1));
	text[used - 1] = '\0';
	paleo_json_put_string(j->w, "note", text);
}

int paleo_hf_absorbs(const struct paleo_hf_model *m, const struct paleo_hf_options *o)
{
	return o->phase == PALEO_HF_DECODE || (m->index_top && o->seq + o->past > m->index_top);
}

/* An encoder with a decoder. */
static int check_pair(const struct paleo_hf_model *m, const struct paleo_hf_options *o,
		      struct paleo_error *err)
{
	if (o->tp * o->pp > 1)
		return paleo_fail(err, PALEO_EINPUT,
				  "a worker's part of an encoder with a decoder is not known: tp=1 "
				  "and pp=1");
	if (o->unfused)
		return paleo_fail(err, PALEO_EINPUT,
				  "unfused attention of an encoder with a decoder is not known");
	if (o->past && o->phase != PALEO_HF_DECODE)
		return paleo_fail(err, PALEO_EINPUT,
				  "past goes with phase=decode, where the encoder is done");
	if (m->source ? o->source != m->source
		      : m->positions == PALEO_HF_LEARNED && o->source > m->places)
		return paleo_fail(err, PALEO_EINPUT,
				  "a source of %d tokens, of which the model has %d", o->source,
				  m->source ? m->source : m->places);
	return PALEO_OK;
}

static int check(const struct paleo_hf_model *m, const struct paleo_hf_options *o,
		 struct paleo_error *err)
{
	int windows = 0;
	for (int i = 0; i < m->layers; i++) {
		if (m->layer[i].heads.q % o->tp)
			return paleo_fail(err, PALEO_EINPUT, "tp %d does not divide %d heads",
					  o->tp, m->layer[i].heads.q);
		if (m->out_groups && m->out_groups % o->tp)
			return paleo_fail(err, PALEO_EINPUT, "tp %d does not divide %d groups",
					  o->tp, m->out_groups);
		windows |= m->layer[i].window || m->layer[i].chunk || m->layer[i].sinks;
	}
	if (o->unfused && (o->phase != PALEO_HF_TRAIN || m->kv_rank || windows))
		return paleo_fail(err, PALEO_EINPUT,
				  "unfused attention is for training, without latent keys, sinks "
				  "and windows");
	if (o->pp > 1 && (m->per_layer || m->sharing_layers))
		return paleo_fail(
			err, PALEO_EINPUT,
			"stages of layers that read what others have are not known: pp=1");
	if (o->pp > m->layers)
		return paleo_fail(err, PALEO_EINPUT, "pp %d is more than %d layers", o->pp,
				  m->layers);
	if (o->ep > 1 && (!m->experts || m->experts % o->ep))
		return paleo_fail(err, PALEO_EINPUT, "ep %d does not divide %d experts", o->ep,
				  m->experts);
	if (m->encoder && (o->phase == PALEO_HF_DECODE || o->past))
		return paleo_fail(err, PALEO_EINPUT, "a '%s' has no cache: use phase=prefill",
				  m->family->type);
	if (m->encoder_layers) {
		int rc = check_pair(m, o, err);
		if (rc)
			return rc;
	}
	if (m->index_top && o->phase == PALEO_HF_TRAIN)
		return paleo_fail(err, PALEO_EINPUT,
				  "training of attention that chooses its keys is not known");
	if (m->kv_rank && o->past && o->seq > 1 && !paleo_hf_absorbs(m, o))
		return paleo_fail(err, PALEO_EINPUT,
				  "prefill of latent attention behind a past is not known: past=0");
	if (m->positions == PALEO_HF_LEARNED && o->seq + o->past > m->places)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d tokens are more than the model's %d places", o->seq + o->past,
				  m->places);
	return PALEO_OK;
}

/* `n`, where there is room for it; 0 or less: there is no limit. */
static int at_most(int n, int room)
{
	return room > 0 && room < n ? room : n;
}

static void fill_defaults(const struct paleo_hf_model *m, struct paleo_hf_options *o)
{
	int decode = o->phase == PALEO_HF_DECODE;
	int one = decode || (m->encoder_layers && o->phase != PALEO_HF_TRAIN);
	int places = m->positions == PALEO_HF_LEARNED ? m->places : 0;

	o->batch = o->batch ? o->batch : 1;
	o->seq = o->seq ? o->seq : one ? 1 : at_most(1024, places);
	o->past = o->past ? o->past : decode ? at_most(1024, places - o->seq) : 0;
	if (!o->source)
		o->source = m->source ? m->source : at_most(1024, places);
	o->tp = o->tp ? o->tp : 1;
	o->pp = o->pp ? o->pp : 1;
	o->ep = o->ep ? o->ep : 1;
	o->groups = o->groups ? o->groups : o->ep;
	o->experts_tp = o->experts_tp ? o->experts_tp : o->tp;
}

int paleo_hf_write(const struct paleo_hf_model *m, const char *title,
		   const struct paleo_hf_options *options, char **out, struct paleo_error *err)
{
	struct paleo_hf_job j = {.m = m, .o = *options, .layer = -1};

	fill_defaults(m, &j.o);
	if (m->family->pictures && options->seq)
		return paleo_fail(
			err, PALEO_EINPUT,
			"a '%s' takes pictures, whose tokens its file says: leave seq out",
			m->family->type);
	if (m->family->pictures)
		j.o.seq = paleo_hf_tokens_of_picture(m);
	int rc = check(m, &j.o, err);
	if (rc)
		return rc;
	int layers = paleo_hf_divided(m->layers, j.o.pp);
	j.w = paleo_json_writer_new();
	if (!j.w)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_json_open_object(j.w, NULL);
	paleo_json_put_string(j.w, "name", title);
	paleo_json_put_string(j.w, "number_type",
			      paleo_dtype_name(m->weights.dtype
						       ? (enum paleo_dtype)(m->weights.dtype - 1)
						       : m->dtype));
	if (j.o.phase != PALEO_HF_TRAIN)
		paleo_json_put_bool(j.w, "inference", 1);
	put_note(&j, layers);
	paleo_json_open_object(j.w, "layers");
	char stream[PALEO_HF_NAME_BYTES];
	int summed = 0; /* 1: the stream is a sum, which a norm behind it may take in */
	snprintf(stream, sizeof(stream), "%s", begin_net(&j));
	if (m->encoder_layers && j.o.phase != PALEO_HF_DECODE)
		encode(&j);
	for (int first = m->layers - layers, i = first; i < m->layers; i++) {
		j.layer = i;
		if (!j.o.alike || paleo_hf_like(m, first, i) == i)
			snprintf(stream, sizeof(stream), "%s", block(&j, stream, &summed));
	}
	j.layer = -1;
	end_net(&j, stream);
	paleo_json_close(j.w);
	paleo_json_close(j.w);
	rc = paleo_json_writer_text(j.w, 1, out, err);
	paleo_json_writer_free(j.w);
	return rc;
}
