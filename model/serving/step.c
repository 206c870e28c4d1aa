/* step.c - the time of one step: sizes of its ops, and communication between GPUs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "model/op/op_fields.h"
#include "model/predict/smooth.h"
#include "model/serving/rows.h"

/* The op of one sequence becomes that of so many. One in chunks is as many sequences by itself.
 */
static void times_sequences(struct paleo_op *w, int count)
{
	const struct paleo_field *batch = paleo_field_of(w->kind, PALEO_OF_BATCH);

	paleo_field_put(w, batch, paleo_field_get(w, batch) * count);
}

/* Attention and scans of the decoding requests: each has its own cache or state. */
static struct paleo_step_op answers(const struct paleo_served_row *r,
				    const struct paleo_serving_step *step)
{
	struct paleo_step_op w = {r->decode, r->times, r->layer, r->overlap, r->name};

	times_sequences(&w.op, step->decoding);
	if (w.op.kind != PALEO_ATTENTION)
		return w;
	w.op.geom.attention.keys =
		(r->chunk ? step->past % r->chunk : step->past) + w.op.geom.attention.q;
	if (r->ratio)
		paleo_attention_compress(&w.op.geom.attention, r->window, r->ratio, r->top);
	return w;
}

/* Rows of a prompt's work in a step. Of the head there is one for each prompt, not for each of its
 * tokens. */
static double prompt_rows(const struct paleo_served *s, const struct paleo_served_row *r,
			  const struct paleo_serving_step *step)
{
	double rows = paleo_token_rows(&r->prompt), part = (double)step->prompt / s->fresh;

	return fmod(rows, s->fresh) > 0 ? rows * ceil(part) : rows / s->fresh * step->prompt;
}

static int finish(struct paleo_step_op *w, struct paleo_step_op *out, int *count,
		  struct paleo_error *err)
{
	PALEO_TRY(paleo_op_finish(&w->op, err));

	out[(*count)++] = *w;
	return PALEO_OK;
}

/* Attention and scans of prompts: whole ones together, or a part of one, which takes its share of
 * the whole. So many and a part are, in the mean, in some steps one more than in the others. */
static int add_prompts(const struct paleo_served *s, const struct paleo_served_row *r,
		       const struct paleo_serving_step *step, struct paleo_step_op *out, int *count,
		       struct paleo_error *err)
{
	double all = (double)step->prompt / s->fresh;
	int whole = step->prompt / s->fresh;
	const double shares[] = {1 - (all - whole), all - whole};

	for (int more = 0; more < 2; more++) {
		struct paleo_step_op w = {r->prompt, r->times * shares[more], r->layer, r->overlap,
					  r->name};
		if (!(shares[more] > 0) || !(whole + more))
			continue;
		times_sequences(&w.op, whole + more);
		PALEO_TRY(finish(&w, out, count, err));
	}
	return PALEO_OK;
}

/* Keys that a query of an index scores, in the mean of an answer's tokens. */
static int scored(const struct paleo_served *s, const struct paleo_served_row *r,
		  const struct paleo_serving_step *step)
{
	int tokens = 1 + s->serving->drafts;
	long sum = 0;

	for (int i = 1; i <= tokens; i++)
		sum += (step->past + i) / (r->ratio ? r->ratio : 1);
	return (int)(sum / tokens);
}

double paleo_step_tokens(const struct paleo_served *s, const struct paleo_serving_step *step)
{
	return step->decoding * (1.0 + s->serving->drafts) + step->prompt;
}

int paleo_step_ops(const struct paleo_served *s, const struct paleo_serving_step *step,
		   struct paleo_step_op *out, int *count, struct paleo_error *err)
{
	int end = step->past + 1 + s->serving->drafts;

	*count = 0;
	for (int i = 0; i < s->count; i++) {
		const struct paleo_served_row *r = &s->rows[i];
		int keys = end / (r->ratio ? r->ratio : 1);
		int is_asked = !r->index || keys > s->serving->model->index_top;
		int decode = r->in_decode && step->decoding > 0 && is_asked;
		int prompt = r->in_prompt && step->prompt > 0;
		const struct paleo_op *w = r->in_decode ? &r->decode : &r->prompt;
		struct paleo_step_op one = {*w, r->times, r->layer, r->overlap, r->name};
		if (!paleo_has_tokens(w)) {
			if (!decode && prompt)
				PALEO_TRY(add_prompts(s, r, step, out, count, err));
			if (!decode)
				continue;
			one = answers(r, step);
		} else {
			double rows = decode ? paleo_token_rows(&r->decode) * step->decoding : 0;
			if (decode && r->index && w->kind == PALEO_SOFTMAX)
				one.op.geom.softmax.cols = scored(s, r, step);
			paleo_set_token_rows(&one.op,
					     rows + (prompt ? prompt_rows(s, r, step) : 0));
		}
		if (decode || prompt)
			PALEO_TRY(finish(&one, out, count, err));
	}
	return PALEO_OK;
}

/* Weights alone of few bits may also be unpacked in a kernel for plain experts: that kernel's
 * factor, on the bytes of this op. */
static int predict_unpacked(const struct paleo_calibration *c, const struct paleo_op *w,
			    struct paleo_prediction *out, struct paleo_error *err)
{
	struct paleo_op plain = *w;

	plain.geom.moe.stored = 0;
	PALEO_TRY(paleo_op_finish(&plain, err));
	PALEO_TRY(paleo_predict_op(c, &plain, out, err));
	return paleo_class_model_price(&c->device, out->factor, w, &out->parts, &out->interval,
				       err);
}

static int is_packed(const struct paleo_op *w)
{
	return w->kind == PALEO_MOE && w->geom.moe.stored &&
	       !paleo_stored_blocks(w->geom.moe.stored)->narrow_x;
}

/* Keeps the faster one of *out and of the kernels of one stack for an op. */
static int keep_faster(const struct paleo_calibration *c, const struct paleo_op *w,
		       struct paleo_prediction *out, struct paleo_error *err)
{
	for (int unpacked = 0; unpacked <= is_packed(w); unpacked++) {
		struct paleo_prediction p;
		PALEO_TRY((unpacked ? predict_unpacked : paleo_predict_op)(c, w, &p, err));
		if (p.parts.total_s < out->parts.total_s)
			*out = p;
	}
	return PALEO_OK;
}

/* By the fastest kernel of all stacks, of GEMMs and experts, for which servers have several. */
static int predict(const struct paleo_serving *s, const struct paleo_op *w,
		   struct paleo_prediction *out, struct paleo_error *err)
{
	int has_rivals = w->kind == PALEO_GEMM || w->kind == PALEO_MOE;

	out->parts.total_s = INFINITY;
	int rc = keep_faster(s->calibration, w, out, err);
	for (int i = 0; !rc && has_rivals && i < s->other_count; i++)
		rc = keep_faster(s->others[i], w, out, err);
	return rc;
}

static void spend(struct paleo_joules *to, double seconds, double mean_w, double low_w,
		  double high_w)
{
	to->mean += seconds * mean_w;
	to->low += seconds * low_w;
	to->high += seconds * high_w;
}

/* Adds that of a GPU which waits for links or the host: the power model's constant. */
static void spend_idle(const struct paleo_serving *s, double seconds, struct paleo_joules *to)
{
	const double idle_w =
		s->power ? s->power->power.idle * s->calibration->device.tdp_w : (double)NAN;

	spend(to, seconds, idle_w, idle_w, idle_w);
}

/* Adds the energy of an op that takes time_s alone. Of what is hidden behind another op, idle power
 * is in that one's. */
static void spend_op(const struct paleo_serving *s, const struct paleo_step_op *w, double time_s,
		     double hidden_s, struct paleo_joules *to)
{
	const struct paleo_device *d = &s->calibration->device;
	struct paleo_watts watts = {NAN, NAN, NAN, NULL};
	struct paleo_error ignored;

	if (s->power)
		(void)paleo_power_predict(&s->power->power, &s->power->device, d, &w->op, time_s,
					  &watts, &ignored);
	spend(to, w->times * time_s, watts.mean_w, watts.low_w, watts.high_w);
	spend_idle(s, -w->times * hidden_s, to);
}

/* Each op alone. */
static int predict_ops(const struct paleo_serving *s, const struct paleo_step_op *ops, int count,
		       struct paleo_prediction *p, struct paleo_error *err)
{
	for (int i = 0; i < count; i++)
		PALEO_TRY(predict(s, &ops[i].op, &p[i], err));
	return PALEO_OK;
}

static int price(const struct paleo_served *s, const struct paleo_step_op *ops, int count,
		 struct paleo_prediction_sum *sum, struct paleo_joules *joules,
		 struct paleo_error *err)
{
	struct paleo_prediction *p = malloc(((size_t)count + 1) * sizeof(*p));
	double *times = malloc((2 * (size_t)count + 1) * sizeof(*times)), *alone_s = times + count;
	int rc = p && times ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	if (!rc)
		rc = predict_ops(s->serving, ops, count, p, err);
	if (!rc) {
		for (int i = 0; i < count; i++) {
			times[i] = ops[i].times;
			alone_s[i] = p[i].parts.total_s;
		}
		paleo_overlap_hide(ops, p, count);
		for (int i = 0; i < count; i++)
			spend_op(s->serving, &ops[i], alone_s[i], alone_s[i] - p[i].parts.total_s,
				 joules);
		rc = paleo_prediction_add_up_times(p, times, count, sum, err);
	}
	free(p);
	free(times);
	return rc;
}

int paleo_served_step(const struct paleo_served *s, const struct paleo_serving_step *step,
		      struct paleo_serving_time *out, double *comm_s, struct paleo_error *err)
{
	struct paleo_step_op *ops = malloc((2 * (size_t)s->count + 1) * sizeof(*ops));
	struct paleo_prediction_sum sum;
	struct paleo_joules joules = {0, 0, 0};
	int count = 0;
	int rc = ops ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	if (!rc)
		rc = paleo_step_ops(s, step, ops, &count, err);
	if (!rc)
		rc = price(s, ops, count, &sum, &joules, err);
	free(ops);
	if (rc)
		return rc;
	double comm = paleo_served_comm_s(s, paleo_step_tokens(s, step));
	double more = comm + s->serving->host_s * s->serving->split.pp;
	*comm_s = comm;
	spend_idle(s->serving, more, &joules);
	*out = (struct paleo_serving_time){
		.s = sum.parts.total_s + more,
		.interval = {sum.interval.low + more, sum.interval.high + more,
			     sum.interval.low50 + more, sum.interval.high50 + more},
		.joules = joules};
	return PALEO_OK;
}

int paleo_served_parts(const struct paleo_served *s, const struct paleo_serving_step *step,
		       struct paleo_served_part **out, int *count, struct paleo_error *err)
{
	size_t room = 2 * (size_t)s->count + 1;
	struct paleo_step_op *ops = malloc(room * sizeof(*ops));
	struct paleo_prediction *p = malloc(room * sizeof(*p));
	struct paleo_served_part *parts = malloc(room * sizeof(*parts));
	int rc = ops && p && parts ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	if (!rc)
		rc = paleo_step_ops(s, step, ops, count, err);
	if (!rc)
		rc = predict_ops(s->serving, ops, *count, p, err);
	if (!rc)
		paleo_overlap_hide(ops, p, *count);
	for (int i = 0; !rc && i < *count; i++)
		parts[i] =
			(struct paleo_served_part){ops[i].name, ops[i].times, p[i].parts.total_s};
	free(ops);
	free(p);
	if (rc)
		free(parts);
	else
		*out = parts;
	return rc;
}

/* Sizes of the ops of a step: most have a row for each token. */

/* The field that counts rows; NULL: the kind has none, or it is a double. */
static int *rows_of(struct paleo_op *w)
{
	switch (w->kind) {
	case PALEO_GEMM:
		return &w->geom.gemm.m;
	case PALEO_NORM:
		return &w->geom.norm.n;
	case PALEO_SOFTMAX:
		return &w->geom.softmax.rows;
	case PALEO_COPY:
		return &w->geom.copy.rows;
	case PALEO_REDUCE:
		return &w->geom.reduce.rows;
	case PALEO_EMBEDDING:
		return &w->geom.embedding.tokens;
	case PALEO_ROPE:
		return &w->geom.rope.rows;
	case PALEO_MOE:
		return &w->geom.moe.tokens;
	case PALEO_CROSS_ENTROPY:
		return &w->geom.cross_entropy.rows;
	case PALEO_ELTWISE:
	case PALEO_ATTENTION:
	case PALEO_CAUSAL_CONV:
	case PALEO_SCAN:
	case PALEO_CONV:
	case PALEO_POOL:
	case PALEO_LRN:
	case PALEO_UPSAMPLE:
	case PALEO_UPDATE:
	case PALEO_OP_KINDS:
		break;
	}
	return NULL;
}

int paleo_has_tokens(const struct paleo_op *w)
{
	struct paleo_op copy = *w;

	return w->kind == PALEO_ELTWISE || rows_of(&copy);
}

double paleo_token_rows(const struct paleo_op *w)
{
	struct paleo_op copy = *w;
	const int *rows = rows_of(&copy);

	return rows ? *rows : w->geom.eltwise.count;
}

void paleo_set_token_rows(struct paleo_op *w, double rows)
{
	int *to = rows_of(w);

	if (to) {
		*to = (int)fmin(rows, INT_MAX); /* which is out of every range */
		return;
	}
	/* the repeated tensor scales with the tokens, as a gate of each does */
	w->geom.eltwise.small *= rows / w->geom.eltwise.count;
	w->geom.eltwise.count = rows;
}

/* Communication between the GPUs of one model in a step, and its time. */

/*
 * GPUs that all reach each other directly, by kernels of servers. One-shot: each reads the data of
 * all others; two-shot: each reduces its part, and then reads the other parts: fewer bytes, but
 * more messages. The faster one is used. The three numbers are fitted to all-reduces on three
 * generations of NVLink (docs/method/serving.md).
 */
static double all_reduce_s(const struct paleo_link *l, int gpus, double bytes)
{
	static const double once = 0.49, messages = 7.1, twice = 0.68;
	double others = gpus - 1;
	double one_go = l->latency_s + others * bytes / (once * l->bytes_per_s);
	double two_goes =
		messages * l->latency_s + 2 * others / gpus * bytes / (twice * l->bytes_per_s);

	return fmin(one_go, two_goes);
}

/* Tokens are sent to the GPUs that have their experts. GPUs with none of a token's top experts
 * receive nothing, and local tokens are not sent. */
static double all_to_all_s(const struct paleo_served *s, double bytes)
{
	const struct paleo_serving_split *p = &s->serving->split;
	const struct paleo_link *l = &s->serving->link;
	double gpus = (double)p->tp * p->dp;
	double parts = p->ep * (1 - pow(1 - 1.0 / p->ep, paleo_hf_busy_experts(s->serving->model)));
	double copies = gpus / p->ep * parts * (gpus - 1) / gpus;

	return l->latency_s + copies * bytes / l->bytes_per_s;
}

double paleo_served_comm_s(const struct paleo_served *s, double tokens)
{
	const struct paleo_serving_split *p = &s->serving->split;
	const struct paleo_link *l = &s->serving->link;
	double bytes = tokens * paleo_stream_bytes(s);
	double sums = paleo_hf_sums(s->serving->model, 0);
	double spread = p->dp > 1 ? s->expert_layers : 0; /* layers with all-to-alls */
	double sum_s = 0;

	if (p->tp > 1)
		sum_s += (sums - spread) * all_reduce_s(l, p->tp, bytes);
	if (spread > 0)
		sum_s += 2 * spread * all_to_all_s(s, bytes);
	if (p->pp > 1)
		sum_s += (p->pp - 1) * (l->latency_s + fmax(1, s->serving->model->streams) * bytes /
							       l->bytes_per_s);
	return sum_s;
}
