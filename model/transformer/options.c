/* options.c - options of a model: "decode,past=4096,tp=2", completed and checked. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/transformer/write.h"

enum {
	WORD_MAX = 32,
	SIZE_MAX_READ = 1 << 24
};

static const char *const phases[PALEO_HF_PHASES] = {"prefill", "decode", "train"};

#define AT(member) offsetof(struct paleo_hf_options, member)
static const struct {
	const char *name;
	size_t offset;
	int is_type; /* a dtype's name, kept as 1 + its number */
} fields[] = {
	{"batch", AT(batch), 0},    {"seq", AT(seq), 0}, {"source", AT(source), 0},
	{"past", AT(past), 0},      {"tp", AT(tp), 0},   {"pp", AT(pp), 0},
	{"ep", AT(ep), 0},          {"kv", AT(kv), 1},   {"weights", AT(has_weights), 1},
	{"etp", AT(experts_tp), 0},
};

static int take_phase(const char *word, struct paleo_hf_options *o)
{
	for (int i = 0; i < PALEO_HF_PHASES; i++) {
		if (!strcmp(word, phases[i])) {
			o->phase = (enum paleo_hf_phase)i;
			return 1;
		}
	}
	return 0;
}

static int take_value(size_t i, const char *value, struct paleo_hf_options *o,
		      struct paleo_error *err)
{
	int *to = (int *)(void *)((char *)o + fields[i].offset);
	enum paleo_dtype dtype;
	char *end;

	if (to == &o->has_weights) {
		int rc = paleo_weight_type_parse(value, &o->weights, err);
		*to = rc ? *to : 1;
		return rc;
	}
	if (fields[i].is_type) {
		int rc = paleo_dtype_parse(value, &dtype, err);
		*to = rc ? *to : 1 + (int)dtype;
		return rc;
	}
	long number = strtol(value, &end, 10);
	if (end == value || *end || number < 1 || number > SIZE_MAX_READ)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' is '%s', expected an integer from 1 to %d", fields[i].name,
				  value, SIZE_MAX_READ);
	*to = (int)number;
	return PALEO_OK;
}

static int take(const char *word, struct paleo_hf_options *o, struct paleo_error *err)
{
	const char *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : 0;

	if (!strcmp(word, "ignore-keys")) {
		o->ignore_keys = 1;
		return PALEO_OK;
	}
	if (take_phase(word, o) || (!strncmp(word, "phase=", 6) && take_phase(word + 6, o)))
		return PALEO_OK;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (equals && strlen(fields[i].name) == length &&
		    !strncmp(word, fields[i].name, length))
			return take_value(i, equals + 1, o, err);
	return paleo_fail(err, PALEO_EINPUT,
			  "unknown word '%s', expected prefill, decode, train or ignore-keys, or "
			  "batch=, seq=, source=, past=, tp=, pp=, ep=, etp=, weights=, kv= with a "
			  "value",
			  word);
}

int paleo_hf_options_read(const char *text, struct paleo_hf_options *o, struct paleo_error *err)
{
	while (*text) {
		char word[WORD_MAX];
		size_t length = strcspn(text, ",");
		if (length >= sizeof(word))
			return paleo_fail(err, PALEO_EINPUT, "'%.*s' is too long a word", WORD_MAX,
					  text);
		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		PALEO_TRY(length ? take(word, o, err) : PALEO_OK);
		text += length + (text[length] == ',');
	}
	return PALEO_OK;
}

/* An encoder with a decoder. */
static int check_pair(const struct paleo_hf_model *m, const struct paleo_hf_options *o,
		      struct paleo_error *err)
{
	if (o->tp * o->pp > 1)
		return paleo_fail(err, PALEO_EINPUT,
				  "an encoder-decoder cannot be divided: tp=1 and pp=1");
	if (o->past && o->phase != PALEO_HF_DECODE)
		return paleo_fail(err, PALEO_EINPUT,
				  "past requires phase=decode, where the encoder has run");
	if (m->source ? o->source != m->source
		      : m->is.positions == PALEO_HF_LEARNED && o->source > m->places)
		return paleo_fail(err, PALEO_EINPUT, "a source of %d tokens exceeds the model's %d",
				  o->source, m->source ? m->source : m->places);
	return PALEO_OK;
}

/* Checks the split among workers. */
static int check_split(const struct paleo_hf_model *m, const struct paleo_hf_options *o,
		       struct paleo_error *err)
{
	for (int i = 0; i < m->layers; i++) {
		if (m->layer[i].heads.q % o->tp)
			return paleo_fail(err, PALEO_EINPUT, "tp %d does not divide %d heads",
					  o->tp, m->layer[i].heads.q);
		if (m->out_groups && m->out_groups % o->tp)
			return paleo_fail(err, PALEO_EINPUT, "tp %d does not divide %d groups",
					  o->tp, m->out_groups);
	}
	if (o->pp > 1 && (m->per_layer || m->sharing_layers))
		return paleo_fail(err, PALEO_EINPUT,
				  "layers that share keys cannot be divided into stages: pp=1");
	if (o->pp > m->layers)
		return paleo_fail(err, PALEO_EINPUT, "pp %d is more than %d layers", o->pp,
				  m->layers);
	if (o->ep > 1 && (!m->experts || m->experts % o->ep))
		return paleo_fail(err, PALEO_EINPUT, "ep %d does not divide %d experts", o->ep,
				  m->experts);
	return PALEO_OK;
}

static int check(const struct paleo_hf_model *m, const struct paleo_hf_options *o,
		 struct paleo_error *err)
{
	PALEO_TRY(check_split(m, o, err));
	if (m->is.encoder && (o->phase == PALEO_HF_DECODE || o->past))
		return paleo_fail(err, PALEO_EINPUT, "a '%s' has no cache: use phase=prefill",
				  m->is.type);
	if (m->encoder_layers && check_pair(m, o, err))
		return PALEO_EINPUT;
	if (m->index_top && o->phase == PALEO_HF_TRAIN)
		return paleo_fail(err, PALEO_EINPUT,
				  "training of attention with selected keys is not supported");
	if (m->kv_rank && o->past && o->seq > 1 && !paleo_hf_absorbs(m, o))
		return paleo_fail(
			err, PALEO_EINPUT,
			"prefill of latent attention after a past is not supported: past=0");
	if (m->is.positions == PALEO_HF_LEARNED && o->seq + o->past > m->places)
		return paleo_fail(err, PALEO_EINPUT, "%d tokens exceed the model's %d positions",
				  o->seq + o->past, m->places);
	return PALEO_OK;
}

/* `n`, limited to `room`; 0 or less: no limit. */
static int at_most(int n, int room)
{
	return room > 0 && room < n ? room : n;
}

int paleo_hf_options_complete(const struct paleo_hf_model *m, struct paleo_hf_options *o,
			      struct paleo_error *err)
{
	int decode = o->phase == PALEO_HF_DECODE;
	int one = decode || (m->encoder_layers && o->phase != PALEO_HF_TRAIN);
	int places = m->is.positions == PALEO_HF_LEARNED ? m->places : 0;

	if (m->is.pictures && o->seq)
		return paleo_fail(
			err, PALEO_EINPUT,
			"a '%s' takes images with a fixed number of tokens: leave seq out",
			m->is.type);
	o->batch = paleo_hf_or(o->batch, 1);
	o->seq = paleo_hf_or(o->seq, one ? 1 : at_most(1024, places));
	o->past = paleo_hf_or(o->past, decode ? at_most(1024, places - o->seq) : 0);
	o->source = paleo_hf_or(o->source, paleo_hf_or(m->source, at_most(1024, places)));
	o->tp = paleo_hf_or(o->tp, 1);
	o->pp = paleo_hf_or(o->pp, 1);
	o->ep = paleo_hf_or(o->ep, 1);
	o->groups = paleo_hf_or(o->groups, o->ep);
	o->experts_tp = paleo_hf_or(o->experts_tp, o->tp);
	if (m->is.pictures)
		o->seq = paleo_hf_tokens_of_picture(m);
	return check(m, o, err);
}
