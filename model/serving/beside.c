/* beside.c - layers that servers run beside the experts: those of experts that all tokens share. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/serving/beside.h"

#include <math.h>

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

/* The first layer with such works in a layer of the model, as far as it is apart from `experts`
 * where these are given; NULL: none. */
static const struct paleo_layer *find(const struct paleo_work_list *list, int layer,
				      enum paleo_work_kind kind, const struct paleo_layer *experts)
{
	for (int i = 0; i < list->count; i++) {
		const struct paleo_layer *l = list->items[i].layer;
		if (list->items[i].work.kind == kind && paleo_hf_layer_of(l->name) == layer &&
		    (!experts || is_apart(l, experts)))
			return l;
	}
	return NULL;
}

enum paleo_beside paleo_beside_of(const struct paleo_work_list *list,
				  const struct paleo_net_work *w)
{
	const struct paleo_layer *l = w->layer;
	int layer = paleo_hf_layer_of(l->name);
	const struct paleo_layer *experts = layer < 0 ? NULL : find(list, layer, PALEO_MOE, NULL);

	/* where attention is apart, as in parallel blocks, the rest that is apart belongs to it */
	if (!experts || find(list, layer, PALEO_ATTENTION, experts))
		return PALEO_BESIDE_NOTHING;
	if (w->work.kind == PALEO_MOE)
		return PALEO_BESIDE_MAIN;
	return is_apart(l, experts) ? PALEO_BESIDE_EXPERTS : PALEO_BESIDE_NOTHING;
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

void paleo_beside_hide(const struct paleo_step_work *works, struct paleo_prediction *p, int count)
{
	for (int i = 0; i < count; i++) {
		struct paleo_parts both = {0};
		const struct paleo_parts *experts = &p[i].parts;
		if (works[i].beside != PALEO_BESIDE_MAIN)
			continue;
		for (int k = 0; k < count; k++)
			if (works[k].layer == works[i].layer &&
			    works[k].beside == PALEO_BESIDE_EXPERTS)
				add(&both, &p[k].parts);
		if (!(both.total_s > 0))
			continue;
		double beside_s = both.total_s;
		add(&both, experts);
		double together_s =
			fmax(fmax(both.memory_s, both.compute_s), fmax(experts->total_s, beside_s));
		double left = fmin(1, (together_s - experts->total_s) / beside_s);
		for (int k = 0; k < count; k++)
			if (works[k].layer == works[i].layer &&
			    works[k].beside == PALEO_BESIDE_EXPERTS)
				scale(&p[k], left);
	}
}
