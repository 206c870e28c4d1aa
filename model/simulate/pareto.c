/* pareto.c - the best of many points where several goals count: those that none beats. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/simulate/pareto.h"

#include <stdlib.h>

#include "base/grow.h"

/* 1: p beats q. */
static int beats(const struct paleo_pareto_point *p, const struct paleo_pareto_point *q)
{
	int less = 0;

	for (int k = 0; k < PALEO_GOALS; k++) {
		if (p->goals[k] > q->goals[k])
			return 0;
		less |= p->goals[k] < q->goals[k];
	}
	return less || p->id < q->id;
}

int paleo_pareto_add(struct paleo_pareto *front, const struct paleo_pareto_point *p,
		     struct paleo_error *err)
{
	int kept = 0;

	for (int i = 0; i < front->count; i++)
		if (beats(&front->points[i], p)) {
			/* the next point is probably beaten by the same one: look there first */
			struct paleo_pareto_point winner = front->points[i];
			front->points[i] = front->points[0];
			front->points[0] = winner;
			return PALEO_OK;
		}
	struct paleo_pareto_point *points =
		paleo_grow(front->points, front->count, &front->capacity, sizeof(*points));
	if (!points)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d points", front->count);
	front->points = points;
	for (int i = 0; i < front->count; i++)
		if (!beats(p, &points[i]))
			points[kept++] = points[i];
	points[kept++] = *p;
	front->count = kept;
	return PALEO_OK;
}

static int compare(const void *a, const void *b)
{
	const struct paleo_pareto_point *p = a, *q = b;

	for (int k = 0; k < PALEO_GOALS; k++)
		if (p->goals[k] != q->goals[k])
			return p->goals[k] < q->goals[k] ? -1 : 1;
	return p->id < q->id ? -1 : p->id > q->id;
}

void paleo_pareto_sort(struct paleo_pareto *front)
{
	if (front->count > 1)
		qsort(front->points, (size_t)front->count, sizeof(*front->points), compare);
}

void paleo_pareto_release(struct paleo_pareto *front)
{
	if (!front)
		return;
	free(front->points);
	*front = (struct paleo_pareto){0};
}
