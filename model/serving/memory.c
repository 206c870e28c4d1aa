/* memory.c - the memory that a GPU needs to serve a load, and the largest load that fits. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "model/op/operand.h"
#include "model/serving/rows.h"

enum {
	LARGEST = 1 << 20 /* requests that are thought of */
};

/* 1: allocated permanently, like weights and caches. */
static int is_kept(enum paleo_role role)
{
	return role == PALEO_W || role == PALEO_W2 || role == PALEO_BIAS || role == PALEO_SCALE ||
	       role == PALEO_SHIFT || role == PALEO_K || role == PALEO_V ||
	       role == PALEO_APPENDED || role == PALEO_STATE1;
}

static double passing_bytes(const struct paleo_op *w)
{
	struct paleo_operand o[PALEO_OPERANDS_MAX];
	int count = paleo_op_operands(w, o);
	double sum = 0;

	for (int i = 0; i < count; i++)
		if (!is_kept(o[i].role))
			sum += paleo_operand_count(&o[i]) * o[i].copies * o[i].elem_bytes;
	return sum;
}

/* Activations of a GPU's largest step, besides weights and cache. */
static int activations(const struct paleo_served *s, const struct paleo_serving_load *load,
		       int requests, double *out, struct paleo_error *err)
{
	double prompts = (double)requests * s->fresh;
	struct paleo_serving_step step = {.decoding = requests, .past = load->isl};
	struct paleo_step_op *ops = malloc((2 * (size_t)s->count + 1) * sizeof(*ops));
	double largest = 0;
	int count = 0;
	int rc = ops ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	step.prompt = prompts < s->serving->chunk ? (int)prompts : s->serving->chunk;
	if (!rc)
		rc = paleo_step_ops(s, &step, ops, &count, err);
	for (int i = 0; !rc && i < count; i++)
		largest = fmax(largest, passing_bytes(&ops[i].op));
	free(ops);
	*out = largest + paleo_step_tokens(s, &step) * fmax(1, s->serving->model->streams) *
				 paleo_stream_bytes(s);
	return rc;
}

double paleo_served_cache(const struct paleo_served *s, const struct paleo_serving_load *load)
{
	const struct paleo_hf_model *m = s->serving->model;
	double tokens = (double)load->isl + load->osl, kept = 0, all = 0;
	int layers = (m->layers + s->serving->split.pp - 1) / s->serving->split.pp;

	for (int i = m->layers - layers; i < m->layers; i++) {
		kept += paleo_hf_cached(m, i, tokens);
		all += paleo_hf_cached(m, i, 1);
	}
	return s->a_state + s->a_token_index * tokens + (all > 0 ? s->a_token * kept / all : 0);
}

/* Requests whose cache fits next to the activations of `requests`. */
static int room_for(const struct paleo_served *s, const struct paleo_serving_load *load,
		    double room, int requests, int *out, struct paleo_error *err)
{
	double in_hand;
	int rc = activations(s, load, requests, &in_hand, err);

	*out = 0;
	if (rc == PALEO_EINPUT && requests > 1) /* out of the range of an op: not thought of */
		return PALEO_OK;
	PALEO_TRY(rc);
	*out = (int)fmin(LARGEST, fmax(0, floor((room - s->weights - in_hand) /
						paleo_served_cache(s, load))));
	return PALEO_OK;
}

/* The largest number of requests whose cache fits next to their own activations. */
static int find_largest(const struct paleo_served *s, const struct paleo_serving_load *load,
			double room, int *out, struct paleo_error *err)
{
	int high = 0, low = 0, at = 0;
	int rc = room_for(s, load, room, 1, &high, err);

	if (!rc)
		rc = room_for(s, load, room, high > 1 ? high : 1, &low, err);
	low = low < high ? low : high;
	while (!rc && low < high) {
		int middle = low + (high - low + 1) / 2;
		rc = room_for(s, load, room, middle, &at, err);
		if (at >= middle)
			low = middle;
		else
			high = middle - 1;
	}
	*out = low;
	return rc;
}

int paleo_served_memory(const struct paleo_served *s, const struct paleo_serving_load *load,
			struct paleo_serving_memory *out, struct paleo_error *err)
{
	const struct paleo_serving *p = s->serving;
	int requests = (load->concurrency + p->split.dp - 1) / p->split.dp, largest = -1;
	struct paleo_serving_memory m = {
		.weights = s->weights,
		.cache = requests * paleo_served_cache(s, load),
		.room = p->memory_share * p->calibration->device.mem_bytes,
	};

	PALEO_TRY(activations(s, load, requests, &m.activations, err));
	if (m.room > 0)
		PALEO_TRY(find_largest(s, load, m.room, &largest, err));
	m.largest = largest > 0 ? largest * p->split.dp : largest;
	*out = m;
	return PALEO_OK;
}
