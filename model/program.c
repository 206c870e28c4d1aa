/* program.c - what is known of a program: its uses, lifetimes, memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/program.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const extent_names[PALEO_EXTENTS] = {
	[PALEO_EXTENT_FWD] = "fwd",
	[PALEO_EXTENT_BOTH] = "fwd+bwd",
	[PALEO_EXTENT_STEP] = "step",
};

const char *paleo_extent_name(enum paleo_extent e)
{
	assert(e < PALEO_EXTENTS);
	return extent_names[e];
}

int paleo_extent_parse(const char *word, enum paleo_extent *out, struct paleo_error *err)
{
	for (int i = 0; i < PALEO_EXTENTS; i++) {
		if (!strcmp(word, extent_names[i])) {
			*out = (enum paleo_extent)i;
			return PALEO_OK;
		}
	}
	return paleo_fail(err, PALEO_EINPUT, "unknown pass '%.40s', expected fwd, fwd+bwd or step",
			  word);
}

unsigned paleo_program_passes(enum paleo_extent e)
{
	switch (e) {
	case PALEO_EXTENT_FWD:
		return PALEO_PASSES_FWD;
	case PALEO_EXTENT_BOTH:
		return PALEO_PASSES_FWD | PALEO_PASSES_BWD;
	case PALEO_EXTENT_STEP:
	case PALEO_EXTENTS:
		break;
	}
	return PALEO_PASSES_ALL;
}

const struct paleo_program_use *paleo_program_find(const struct paleo_program *p, int step,
						   enum paleo_role role, int copy)
{
	const struct paleo_program_step *s = &p->steps[step];

	for (int i = s->first_use; i < s->first_use + s->use_count; i++)
		if (p->uses[i].role == role && p->uses[i].copy == copy)
			return &p->uses[i];
	return NULL;
}

void paleo_program_release(struct paleo_program *p)
{
	if (!p)
		return;
	free(p->steps);
	free(p->uses);
	free(p->buffers);
	*p = (struct paleo_program){.step_count = 0};
}

static int by_size(const void *a, const void *b)
{
	const struct paleo_span *x = *(const struct paleo_span *const *)a;
	const struct paleo_span *y = *(const struct paleo_span *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x > y) - (x < y); /* the same answer from every sort */
}

static int by_offset(const void *a, const void *b)
{
	const struct paleo_span *x = *(const struct paleo_span *const *)a;
	const struct paleo_span *y = *(const struct paleo_span *const *)b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x > y) - (x < y);
}

/* The lowest place for `s` beside the spans that live when it does, which are `live`, sorted by
 * their places. */
static double lowest(const struct paleo_span *s, struct paleo_span *const *live, int count,
		     double align)
{
	double at = 0;

	for (int i = 0; i < count; i++) {
		double end = live[i]->offset + live[i]->bytes;
		if (live[i]->offset >= at + s->bytes)
			break;
		at = fmax(at, ceil(end / align) * align);
	}
	return at;
}

double paleo_spans_place(struct paleo_span *spans, int count, double align)
{
	struct paleo_span **order = malloc(2 * ((size_t)count + 1) * sizeof(struct paleo_span *));
	double total = 0;

	if (!order)
		return -1;
	struct paleo_span **live = order + count;
	for (int i = 0; i < count; i++)
		order[i] = &spans[i];
	qsort(order, (size_t)count, sizeof(struct paleo_span *), by_size);
	for (int i = 0; i < count; i++) {
		struct paleo_span *s = order[i];
		int n = 0;
		for (int k = 0; k < i; k++)
			if (order[k]->first <= s->last && s->first <= order[k]->last)
				live[n++] = order[k];
		qsort(live, (size_t)n, sizeof(struct paleo_span *), by_offset);
		s->offset = lowest(s, live, n, align);
		total = fmax(total, s->offset + s->bytes);
	}
	free(order);
	return total;
}

/* The most bytes of activations and deltas that live at one step. */
static double peak_bytes(const struct paleo_program *p)
{
	double peak = 0;

	for (int step = 0; step < p->step_count; step++) {
		double live = 0;
		for (int i = 0; i < p->buffer_count; i++) {
			const struct paleo_buffer *b = &p->buffers[i];
			if (b->use >= PALEO_USE_ACTIVATION && b->first <= step && step <= b->last)
				live += b->bytes;
		}
		peak = fmax(peak, live);
	}
	return peak;
}

struct paleo_program_memory paleo_program_memory_of(const struct paleo_program *p)
{
	double sum[PALEO_USES] = {0};

	for (int i = 0; i < p->buffer_count; i++)
		sum[p->buffers[i].use] += p->buffers[i].bytes;
	return (struct paleo_program_memory){
		.data = sum[PALEO_USE_DATA],
		.weights = sum[PALEO_USE_WEIGHTS] + sum[PALEO_USE_STATISTICS],
		.gradients = sum[PALEO_USE_GRADIENTS],
		.optimizer = sum[PALEO_USE_STATE],
		.activations = peak_bytes(p),
	};
}

double paleo_program_memory_sum(const struct paleo_program_memory *m)
{
	return m->data + m->weights + m->gradients + m->optimizer + m->activations + m->workspace;
}
