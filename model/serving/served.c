/* served.c - the works of a model that is served: of one request at its answer, and of a prompt. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/serving/beside.h"

/* A net of the model with its works. */
struct listed {
	struct paleo_net *net;
	struct paleo_work_list list;
	int first; /* layer of the model that the net begins with */
};

static void release(struct listed *l)
{
	paleo_work_list_release(&l->list);
	paleo_net_free(l->net);
}

static int list_net(const struct paleo_serving *s, const struct paleo_hf_options *o,
		    struct listed *out, struct paleo_error *err)
{
	char *text = NULL;

	*out = (struct listed){.first = s->model->layers - (s->model->layers + o->pp - 1) / o->pp};
	int rc = paleo_hf_write(s->model, "served", o, &text, err);
	if (!rc)
		rc = paleo_net_parse("served", text, strlen(text), 0, &out->net, err);
	if (!rc)
		rc = paleo_net_works(out->net, (enum paleo_dtype)(out->net->number_type - 1),
				     PALEO_PASSES_FWD, &out->list, err);
	free(text);
	if (rc)
		release(out);
	return rc;
}

/* How many layers of the model a layer of the net stands for. */
static double times_of(const struct paleo_hf_model *m, const struct listed *n,
		       const struct paleo_layer *l)
{
	int layer = paleo_hf_layer_of(l->name), times = 0;

	if (layer < 0)
		return 1;
	for (int i = n->first; i < m->layers; i++)
		times += paleo_hf_like(m, n->first, i) == layer;
	return times;
}

static void add_row(struct paleo_served *s, const struct listed *n, int i, int is_prompt)
{
	const struct paleo_layer *l = n->list.items[i].layer;
	struct paleo_served_row *r = &s->rows[s->count++];
	const struct paleo_hf_layer *of = s->serving->model->layer;
	int layer = paleo_hf_layer_of(l->name);

	*r = (struct paleo_served_row){.times = times_of(s->serving->model, n, l)};
	r->index = l->kind->index;
	r->layer = layer;
	r->beside = paleo_beside_of(&n->list, &n->list.items[i]);
	*(is_prompt ? &r->prompt : &r->decode) = n->list.items[i].work;
	*(is_prompt ? &r->in_prompt : &r->in_decode) = 1;
	if (layer < 0)
		return;
	r->chunk = of[layer].chunk;
	r->ratio = of[layer].ratio;
	r->window = r->index ? 0 : of[layer].window;
	r->top = of[layer].chooses && !r->index ? s->serving->model->index_top : 0;
}

/* 1 if two works of one layer do the same for other tokens: all but the number of rows is equal. */
static int same_but_rows(const struct paleo_net_work *a, const struct paleo_net_work *b)
{
	struct paleo_work x = a->work, y = b->work;
	struct paleo_error none;

	if (strcmp(a->layer->name, b->layer->name) != 0 || x.kind != y.kind ||
	    !paleo_has_tokens(&x))
		return 0;
	paleo_set_token_rows(&x, paleo_token_rows(&y));
	return !paleo_work_finish(&x, &none) && paleo_work_equal(&x, &y);
}

/* Puts the works of a prompt beside those of an answer. Where one is in both, it is done once for
 * all tokens of a step. */
static void join(struct paleo_served *s, const struct listed *decode, const struct listed *prompt)
{
	int decoding = decode->list.count, next = 0;

	for (int i = 0; i < decoding; i++)
		add_row(s, decode, i, 0);
	for (int i = 0; i < prompt->list.count; i++) {
		int at = next;
		while (at < decoding &&
		       !same_but_rows(&decode->list.items[at], &prompt->list.items[i]))
			at++;
		if (at < decoding) {
			s->rows[at].prompt = prompt->list.items[i].work;
			s->rows[at].in_prompt = 1;
			next = at + 1;
			continue;
		}
		add_row(s, prompt, i, 1);
	}
}

/* Weights, and what a token leaves in the cache, of the last stage: the one with the head. */
static void count_memory(struct paleo_served *s, const struct listed *stage)
{
	const struct paleo_hf_model *m = s->serving->model;
	enum paleo_dtype dtype = (enum paleo_dtype)(stage->net->number_type - 1);

	for (int i = 0; i < stage->net->count; i++) {
		const struct paleo_layer *l = stage->net->layers[i];
		double times = times_of(m, stage, l);
		s->weights += times * paleo_layer_weight_bytes(l, dtype);
		*(l->kind->index ? &s->a_token_index : &s->a_token) +=
			times * paleo_layer_cached_bytes(l, dtype, 0);
		s->a_state += times * paleo_layer_state_bytes(l, dtype);
	}
}

int paleo_serving_check(const struct paleo_serving *s, struct paleo_error *err)
{
	const struct paleo_serving_split *p = &s->split;
	int all = p->tp * p->dp;

	if (p->dp > 1 && !s->model->experts)
		return paleo_fail(err, PALEO_EINPUT,
				  "dp %d is for models with experts: of others, several copies are "
				  "as many servers",
				  p->dp);
	if (p->ep > 1 && !s->model->experts)
		return paleo_fail(err, PALEO_EINPUT, "ep %d wants a model with experts", p->ep);
	if (all % p->ep)
		return paleo_fail(err, PALEO_EINPUT, "ep %d does not divide the %d GPUs of tp x dp",
				  p->ep, all);
	if (s->cached && s->model->kv_rank)
		return paleo_fail(
			err, PALEO_EINPUT,
			"prompts behind a cache of latent keys are not known: no token of "
			"a '%s' can be in the cache already",
			s->model->family->type);
	if (s->model->encoder || s->model->encoder_layers)
		return paleo_fail(err, PALEO_EINPUT,
				  "a '%s' is not served: only models without an encoder are",
				  s->model->family->type);
	return PALEO_OK;
}

/* With fewer keys than an index chooses its works would be missing, and answers grow. Tokens that
 * are guessed ahead lie in one chunk. */
static int past_of_answers(const struct paleo_hf_model *m, int isl)
{
	const double most = 1 << 24; /* nobody has such a context */
	double past = isl;

	for (int i = 0; i < m->layers; i++) {
		double keys = (m->index_top + 1.0) * fmax(1, m->layer[i].ratio);
		if (m->layer[i].chooses && keys <= most)
			past = fmax(past, keys);
		if (m->layer[i].chunk)
			past = ceil(past / m->layer[i].chunk) * m->layer[i].chunk;
	}
	return (int)past;
}

static struct paleo_hf_options options_of(const struct paleo_serving *s, enum paleo_hf_phase phase,
					  int pp, int isl)
{
	struct paleo_hf_options o = s->options;

	o.phase = phase;
	o.batch = 1;
	o.seq = phase == PALEO_HF_DECODE ? 1 + s->drafts : isl - s->cached;
	o.past = phase == PALEO_HF_DECODE ? past_of_answers(s->model, isl) : s->cached;
	o.tp = s->split.tp;
	o.pp = pp;
	o.ep = s->split.ep;
	o.groups = s->split.dp;
	o.experts_tp = s->split.tp * s->split.dp / s->split.ep;
	o.skew = s->skew;
	o.alike = 1;
	return o;
}

static int make(const struct paleo_serving *s, int isl, struct listed n[3],
		struct paleo_served *out, struct paleo_error *err)
{
	const struct paleo_hf_options options[3] = {
		options_of(s, PALEO_HF_DECODE, 1, isl), options_of(s, PALEO_HF_PREFILL, 1, isl),
		options_of(s, PALEO_HF_DECODE, s->split.pp, isl)};
	int rc = paleo_serving_check(s, err);

	if (!rc && isl <= s->cached)
		rc = paleo_fail(err, PALEO_EINPUT,
				"of a prompt of %d tokens, %d cannot be in the cache already: at "
				"least one is new",
				isl, s->cached);

	for (int i = 0; !rc && i < 2 + (s->split.pp > 1); i++)
		rc = list_net(s, &options[i], &n[i], err);
	if (rc)
		return rc;
	*out = (struct paleo_served){.serving = s, .isl = isl, .fresh = isl - s->cached};
	out->rows = calloc((size_t)(n[0].list.count + n[1].list.count) + 1, sizeof(*out->rows));
	if (!out->rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; i < s->model->layers; i++)
		out->expert_layers += !s->model->layer[i].dense;
	join(out, &n[0], &n[1]);
	count_memory(out, &n[s->split.pp > 1 ? 2 : 0]);
	return PALEO_OK;
}

int paleo_served_make(const struct paleo_serving *s, int isl, struct paleo_served *out,
		      struct paleo_error *err)
{
	struct listed n[3] = {{0}, {0}, {0}};
	struct paleo_served made = {0};
	int rc = make(s, isl, n, &made, err);

	for (int i = 0; i < 3; i++)
		release(&n[i]);
	if (!rc)
		*out = made;
	return rc;
}

void paleo_served_release(struct paleo_served *s)
{
	if (s)
		free(s->rows);
}

double paleo_stream_bytes(const struct paleo_served *s)
{
	return (double)s->serving->model->hidden * paleo_dtype_bytes(s->serving->model->dtype);
}
