/* served.c - the ops of a served model, and which overlap with the experts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/serving/rows.h"

/* Layers that servers run concurrently with the experts: the shared experts. */

static int is_before(const struct paleo_layer *a, const struct paleo_layer *b)
{
	if (a == b)
		return 1;
	for (int i = 0; a->index < b->index && i < b->parent_count; i++)
		if (is_before(a, b->parents[i]))
			return 1;
	return 0;
}

/* 1 if it begins where the experts begin, and neither waits for the other. */
static int is_apart(const struct paleo_layer *l, const struct paleo_layer *experts)
{
	return is_before(experts->parents[0], l) && l != experts->parents[0] &&
	       !is_before(l, experts) && !is_before(experts, l);
}

/* The first layer with such ops in a layer of the model, as far as it is apart from `experts`
 * where these are given; NULL: none. */
static const struct paleo_layer *find(const struct paleo_op_list *list, int layer,
				      enum paleo_op_kind kind, const struct paleo_layer *experts)
{
	for (int i = 0; i < list->count; i++) {
		const struct paleo_layer *l = list->items[i].layer;
		if (list->items[i].op.kind == kind && paleo_hf_layer_of(l->name) == layer &&
		    (!experts || is_apart(l, experts)))
			return l;
	}
	return NULL;
}

/* Classifies one of a net's ops: the experts themselves, or an op of the same model layer
 * independent of them. */
static enum paleo_overlap overlap_of(const struct paleo_op_list *list, const struct paleo_net_op *w)
{
	const struct paleo_layer *l = w->layer;
	int layer = paleo_hf_layer_of(l->name);
	const struct paleo_layer *experts = layer < 0 ? NULL : find(list, layer, PALEO_MOE, NULL);

	/* where attention is apart, as in parallel blocks, the rest that is apart belongs to it */
	if (!experts || find(list, layer, PALEO_ATTENTION, experts))
		return PALEO_OVERLAP_NONE;
	if (w->op.kind == PALEO_MOE)
		return PALEO_OVERLAP_EXPERTS;
	return is_apart(l, experts) ? PALEO_OVERLAP_WITH_EXPERTS : PALEO_OVERLAP_NONE;
}

static void add(struct paleo_parts *sum, const struct paleo_parts *t)
{
	sum->total_s += t->total_s;
	sum->memory_s += t->memory_s;
	sum->compute_s += t->compute_s;
}

static void scale(struct paleo_prediction *p, double by)
{
	p->parts.total_s *= by;
	p->parts.compute_s *= by;
	p->parts.memory_s *= by;
	p->parts.overhead_s *= by;
	p->interval.low *= by;
	p->interval.high *= by;
	p->interval.low50 *= by;
	p->interval.high50 *= by;
}

void paleo_overlap_hide(const struct paleo_step_op *ops, struct paleo_prediction *p, int count)
{
	for (int i = 0; i < count; i++) {
		struct paleo_parts both = {0};
		const struct paleo_parts *experts = &p[i].parts;
		if (ops[i].overlap != PALEO_OVERLAP_EXPERTS)
			continue;
		for (int k = 0; k < count; k++)
			if (ops[k].layer == ops[i].layer &&
			    ops[k].overlap == PALEO_OVERLAP_WITH_EXPERTS)
				add(&both, &p[k].parts);
		if (!(both.total_s > 0))
			continue;
		double overlapped_s = both.total_s;
		add(&both, experts);
		double together_s = fmax(fmax(both.memory_s, both.compute_s),
					 fmax(experts->total_s, overlapped_s));
		double left = fmin(1, (together_s - experts->total_s) / overlapped_s);
		for (int k = 0; k < count; k++)
			if (ops[k].layer == ops[i].layer &&
			    ops[k].overlap == PALEO_OVERLAP_WITH_EXPERTS)
				scale(&p[k], left);
	}
}

/* The ops of a model that is served. */

/* A net of the model with its ops. */
struct listed {
	struct paleo_net *net;
	struct paleo_op_list list;
	int first; /* layer of the model that the net begins with */
};

static void release(struct listed *l)
{
	paleo_op_list_release(&l->list);
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
		rc = paleo_net_ops(out->net, (enum paleo_dtype)(out->net->dtype - 1),
				   PALEO_PASSES_FWD, &out->list, err);
	free(text);
	if (rc)
		release(out);
	return rc;
}

/* Number of the model's layers that a layer of the net represents. */
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
	snprintf(r->name, sizeof(r->name), "%s", layer < 0 ? l->name : strchr(l->name, '_') + 1);
	r->index = l->kind->index;
	r->layer = layer;
	r->overlap = overlap_of(&n->list, &n->list.items[i]);
	*(is_prompt ? &r->prompt : &r->decode) = n->list.items[i].op;
	*(is_prompt ? &r->in_prompt : &r->in_decode) = 1;
	if (layer < 0)
		return;
	r->chunk = of[layer].chunk;
	r->ratio = of[layer].ratio;
	r->window = r->index ? 0 : of[layer].window;
	r->top = of[layer].chooses && !r->index ? s->serving->model->index_top : 0;
}

/* 1 if two ops of one layer do the same for other tokens: all but the number of rows is equal. */
static int same_but_rows(const struct paleo_net_op *a, const struct paleo_net_op *b)
{
	struct paleo_op x = a->op, y = b->op;
	struct paleo_error none;

	if (strcmp(a->layer->name, b->layer->name) != 0 || x.kind != y.kind ||
	    !paleo_has_tokens(&x))
		return 0;
	paleo_set_token_rows(&x, paleo_token_rows(&y));
	return !paleo_op_finish(&x, &none) && paleo_op_equal(&x, &y);
}

/* Merges the ops of prefill and decode. An op in both runs once for all tokens of a step. */
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
			s->rows[at].prompt = prompt->list.items[i].op;
			s->rows[at].in_prompt = 1;
			next = at + 1;
			continue;
		}
		add_row(s, prompt, i, 1);
	}
}

/* Weights, and cache bytes per token, of the last stage: the one with the head. */
static void count_memory(struct paleo_served *s, const struct listed *stage)
{
	const struct paleo_hf_model *m = s->serving->model;
	enum paleo_dtype dtype = (enum paleo_dtype)(stage->net->dtype - 1);

	for (int i = 0; i < stage->net->count; i++) {
		const struct paleo_layer *l = stage->net->layers[i];
		double times = times_of(m, stage, l);
		s->weights += times * paleo_layer_weight_bytes(l, dtype);
		*(l->kind->index ? &s->a_token_index : &s->a_token) +=
			times * paleo_layer_cached_bytes(l, dtype, PALEO_CACHED_TOKEN);
		s->a_state += times * paleo_layer_state_bytes(l, dtype);
	}
}

/* Checks a split: EINPUT where its numbers do not go together, or with the model. */
static int check(const struct paleo_serving *s, struct paleo_error *err)
{
	const struct paleo_serving_split *p = &s->split;
	int all = p->tp * p->dp;

	if (p->dp > 1 && !s->model->experts)
		return paleo_fail(err, PALEO_EINPUT,
				  "dp %d is for models with experts: for others, several copies "
				  "are separate servers",
				  p->dp);
	if (p->ep > 1 && !s->model->experts)
		return paleo_fail(err, PALEO_EINPUT, "ep %d needs a model with experts", p->ep);
	if (all % p->ep)
		return paleo_fail(err, PALEO_EINPUT, "ep %d does not divide the %d GPUs of tp x dp",
				  p->ep, all);
	if (s->cached && s->model->kv_rank)
		return paleo_fail(err, PALEO_EINPUT,
				  "prefix caching does not support latent keys: no token of a '%s' "
				  "can be cached",
				  s->model->is.type);
	if (s->model->is.encoder || s->model->encoder_layers)
		return paleo_fail(err, PALEO_EINPUT,
				  "a '%s' is not served: only decoder-only models are",
				  s->model->is.type);
	return PALEO_OK;
}

/* With fewer keys than an indexer selects its ops would be missing, and contexts grow. Speculative
 * tokens are in one chunk. */
static int past_of_answers(const struct paleo_hf_model *m, int isl)
{
	const double most = 1 << 24; /* no model has such a context */
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

	PALEO_TRY(check(s, err));
	if (isl <= s->cached)
		return paleo_fail(
			err, PALEO_EINPUT,
			"of a prompt of %d tokens, %d cannot be cached: at least one is new", isl,
			s->cached);

	for (int i = 0; i < 2 + (s->split.pp > 1); i++)
		PALEO_TRY(list_net(s, &options[i], &n[i], err));
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
