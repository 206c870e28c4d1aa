/* graph.c - what is known of a program: its uses, lifetimes, memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/graph.h"

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

unsigned paleo_graph_passes(enum paleo_extent e)
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

const struct paleo_graph_use *paleo_graph_find(const struct paleo_graph *p, int step,
					       enum paleo_role role, int copy)
{
	const struct paleo_graph_step *s = &p->steps[step];

	for (int i = s->first_use; i < s->first_use + s->use_count; i++)
		if (p->uses[i].role == role && p->uses[i].copy == copy)
			return &p->uses[i];
	return NULL;
}

int paleo_graph_is_stacked(const struct paleo_graph *p, int step)
{
	const struct paleo_work *w = &p->steps[step].work;
	enum paleo_role parts = w->pass == PALEO_FWD ? PALEO_X : PALEO_DX;

	return w->kind == PALEO_COPY && w->geom.copy.parts > 1 &&
	       !paleo_graph_find(p, step, parts, 1);
}

void paleo_graph_release(struct paleo_graph *p)
{
	if (!p)
		return;
	free(p->steps);
	free(p->uses);
	free(p->buffers);
	*p = (struct paleo_graph){.step_count = 0};
}

int paleo_graph_check_dtype(enum paleo_dtype dtype, struct paleo_error *err)
{
	if (!paleo_dtype_is_narrow(dtype))
		return PALEO_OK;
	return paleo_fail(err, PALEO_EUNSUPPORTED, "whole passes are not run in %s: use %s",
			  paleo_dtype_name(dtype), paleo_dtype_name(paleo_dtype_wide(dtype)));
}

int paleo_graph_check_row(const struct paleo_net_work *r, struct paleo_error *err)
{
	int repeats = r->work.kind == PALEO_ELTWISE && r->work.geom.eltwise.small > 0;

	if (r->layer->kind->no_graph || repeats)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"layer '%s': whole passes are not run yet with a '%s' that repeats "
			"a smaller tensor or takes tokens apart; paleo profile times its "
			"works one by one",
			r->layer->name, r->layer->kind->type);
	return paleo_graph_check_dtype(r->work.dtype, err);
}

enum paleo_dtype paleo_graph_dtype(const struct paleo_graph *p, int buffer)
{
	int is_own = p->buffers[buffer].elem_bytes == paleo_dtype_bytes(p->dtype);

	return is_own ? p->dtype : PALEO_F32;
}

static int by_size(const void *a, const void *b)
{
	const struct paleo_span *x = *(const struct paleo_span *const *)a;
	const struct paleo_span *y = *(const struct paleo_span *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x > y) - (x < y); /* the same answer from every sort */
}

static int live_together(const struct paleo_span *a, const struct paleo_span *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* The lowest place for `s` beside those of `placed`, sorted by their places, that live when it
 * does. */
static double lowest(const struct paleo_span *s, struct paleo_span *const *placed, int count,
		     double align)
{
	double at = 0;

	for (int i = 0; i < count && placed[i]->offset < at + s->bytes; i++)
		if (live_together(s, placed[i]))
			at = fmax(at, ceil((placed[i]->offset + placed[i]->bytes) / align) * align);
	return at;
}

/* Sorts a span in by its place. */
static void insert(struct paleo_span *s, struct paleo_span **placed, int count)
{
	int low = 0, high = count;

	while (low < high) {
		int middle = low + (high - low) / 2;
		if (placed[middle]->offset <= s->offset)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(placed + low + 1, placed + low, (size_t)(count - low) * sizeof(*placed));
	placed[low] = s;
}

double paleo_spans_place(struct paleo_span *spans, int count, double align)
{
	struct paleo_span **order = malloc(2 * ((size_t)count + 1) * sizeof(struct paleo_span *));
	double total = 0;

	if (!order)
		return -1;
	struct paleo_span **placed = order + count;
	for (int i = 0; i < count; i++)
		order[i] = &spans[i];
	qsort(order, (size_t)count, sizeof(struct paleo_span *), by_size);
	for (int i = 0; i < count; i++) {
		order[i]->offset = lowest(order[i], placed, i, align);
		total = fmax(total, order[i]->offset + order[i]->bytes);
		insert(order[i], placed, i);
	}
	free(order);
	return total;
}

struct paleo_graph_memory paleo_graph_memory_of(const struct paleo_graph *p)
{
	double sum[PALEO_USES] = {0};

	for (int i = 0; i < p->buffer_count; i++)
		sum[p->buffers[i].use] += p->buffers[i].bytes;
	return (struct paleo_graph_memory){
		.data = sum[PALEO_USE_DATA],
		.weights = sum[PALEO_USE_WEIGHTS] + sum[PALEO_USE_STATISTICS],
		.gradients = sum[PALEO_USE_GRADIENTS],
		.optimizer = sum[PALEO_USE_STATE],
		.activations = p->peak_bytes,
	};
}

double paleo_graph_memory_sum(const struct paleo_graph_memory *m)
{
	return m->data + m->weights + m->gradients + m->optimizer + m->activations + m->workspace;
}
