/* view.c - which rows of a long table a reader wants to see, and in which order. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/cli/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/options.h"

/* The larger first; what is not known last; what is equal as it was. */
static int larger_first(double a, double b, int a_at, int b_at)
{
	if (isnan(a) != isnan(b))
		return isnan(a) ? 1 : -1;
	if (!isnan(a) && a != b)
		return a < b ? 1 : -1;
	return (a_at > b_at) - (a_at < b_at);
}

static int by_time(const void *a, const void *b)
{
	const struct view_row *x = a, *y = b;

	return larger_first(x->time_s, y->time_s, x->at, y->at);
}

static int by_error(const void *a, const void *b)
{
	const struct view_row *x = a, *y = b;

	return larger_first(fabs(x->error), fabs(y->error), x->at, y->at);
}

static int by_name(const void *a, const void *b)
{
	const struct view_row *x = a, *y = b;
	int by = strcmp(x->name, y->name);

	return by ? by : (x->at > y->at) - (x->at < y->at);
}

int view_is_cut(const struct view *v, int is_data, int count)
{
	return v->top ? v->top < count : !v->all && !is_data && count > VIEW_MANY;
}

int view_choose(const struct view *v, int is_data, struct view_row *rows, int count)
{
	static int (*const orders[])(const void *, const void *) = {by_time, by_error, by_name};
	int shown = count, sort = v->sort;

	if (view_is_cut(v, is_data, count))
		shown = v->top ? v->top : VIEW_TOP;
	if (sort == VIEW_NET && shown < count)
		sort = VIEW_TIME;
	if (sort != VIEW_NET && count)
		qsort(rows, (size_t)count, sizeof(*rows), orders[sort]);
	return shown;
}
