/* step.c - the time of one step: tokens of answers and of prompts go through the model together. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "model/serving/beside.h"
#include "model/work/work_fields.h"

/* The work of one sequence becomes that of so many. One in chunks is as many sequences by itself.
 */
static void times_sequences(struct paleo_work *w, int count)
{
	const struct paleo_field *batch = paleo_field_of(w->kind, PALEO_OF_BATCH);

	paleo_field_put(w, batch, paleo_field_get(w, batch) * count);
}

/* Attention and scans of the answers: each request has a cache or a state of its own. */
static struct paleo_step_work answers(const struct paleo_served_row *r,
				      const struct paleo_serving_step *step)
{
	struct paleo_step_work w = {r->decode, r->times, r->layer, r->beside};

	times_sequences(&w.work, step->decoding);
	if (w.work.kind != PALEO_ATTENTION)
		return w;
	w.work.geom.attention.keys =
		(r->chunk ? step->past % r->chunk : step->past) + w.work.geom.attention.q;
	if (r->ratio)
		paleo_attention_compress(&w.work.geom.attention, r->window, r->ratio, r->top);
	return w;
}

/* Attention and scans of prompts: whole ones together, or a part of one, which takes its share of
 * the whole.
 */
static struct paleo_step_work prompts(const struct paleo_served *s,
				      const struct paleo_served_row *r,
				      const struct paleo_serving_step *step)
{
	struct paleo_step_work w = {r->prompt, r->times, r->layer, r->beside};
	int whole = step->prompt / s->fresh;

	times_sequences(&w.work, whole ? whole : 1);
	w.times *= (double)step->prompt / s->fresh / (whole ? whole : 1);
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

static int finish(struct paleo_step_work *w, struct paleo_step_work *out, int *count,
		  struct paleo_error *err)
{
	int rc = paleo_work_finish(&w->work, err);

	if (!rc)
		out[(*count)++] = *w;
	return rc;
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

int paleo_step_works(const struct paleo_served *s, const struct paleo_serving_step *step,
		     struct paleo_step_work *out, int *count, struct paleo_error *err)
{
	int end = step->past + 1 + s->serving->drafts;
	int rc = PALEO_OK;

	*count = 0;
	for (int i = 0; !rc && i < s->count; i++) {
		const struct paleo_served_row *r = &s->rows[i];
		int keys = end / (r->ratio ? r->ratio : 1);
		int is_asked = !r->index || keys > s->serving->model->index_top;
		int decode = r->in_decode && step->decoding > 0 && is_asked;
		int prompt = r->in_prompt && step->prompt > 0;
		const struct paleo_work *w = r->in_decode ? &r->decode : &r->prompt;
		struct paleo_step_work one = {*w, r->times, r->layer, r->beside};
		if (!paleo_has_tokens(w)) {
			if (decode)
				one = answers(r, step);
			else if (prompt)
				one = prompts(s, r, step);
		} else {
			double rows = decode ? paleo_token_rows(&r->decode) * step->decoding : 0;
			if (decode && r->index && w->kind == PALEO_SOFTMAX)
				one.work.geom.softmax.cols = scored(s, r, step);
			paleo_set_token_rows(&one.work,
					     rows + (prompt ? prompt_rows(s, r, step) : 0));
		}
		if (decode || prompt)
			rc = finish(&one, out, count, err);
	}
	return rc;
}

static int price(const struct paleo_served *s, const struct paleo_step_work *works, int count,
		 struct paleo_prediction_sum *sum, struct paleo_error *err)
{
	struct paleo_prediction *p = malloc(((size_t)count + 1) * sizeof(*p));
	double *times = malloc(((size_t)count + 1) * sizeof(*times));
	int rc = p && times ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	for (int i = 0; !rc && i < count; i++) {
		rc = paleo_predict_work(s->serving->calibration, &works[i].work, &p[i], err);
		if (!rc)
			times[i] = works[i].times;
	}
	if (!rc) {
		paleo_beside_hide(works, p, count);
		rc = paleo_prediction_add_up_times(p, times, count, sum, err);
	}
	free(p);
	free(times);
	return rc;
}

int paleo_served_step(const struct paleo_served *s, const struct paleo_serving_step *step,
		      struct paleo_serving_time *out, double *comm_s, struct paleo_error *err)
{
	struct paleo_step_work *works = malloc(((size_t)s->count + 1) * sizeof(*works));
	struct paleo_prediction_sum sum;
	int count = 0;
	int rc = works ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	if (!rc)
		rc = paleo_step_works(s, step, works, &count, err);
	if (!rc)
		rc = price(s, works, count, &sum, err);
	free(works);
	if (rc)
		return rc;
	double comm = paleo_served_comm_s(s, paleo_step_tokens(s, step));
	double more = comm + s->serving->host_s * s->serving->split.pp;
	*comm_s = comm;
	*out = (struct paleo_serving_time){
		.s = sum.parts.total_s + more,
		.interval = {sum.interval.low + more, sum.interval.high + more,
			     sum.interval.low50 + more, sum.interval.high50 + more}};
	return PALEO_OK;
}
