/* groups.c - the rows of a net put together: by kind, by layer, by pass. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const step_part_names[STEP_PARTS] = {"forward", "backward", "update"};

enum step_part step_part_of(enum paleo_pass pass)
{
	if (PALEO_PASSES_FWD & 1u << pass)
		return STEP_FORWARD;
	return PALEO_PASSES_BWD & 1u << pass ? STEP_BACKWARD : STEP_UPDATE;
}

static double sum(const double parts[STEP_PARTS])
{
	return parts[STEP_FORWARD] + parts[STEP_BACKWARD] + parts[STEP_UPDATE];
}

double group_time(const struct group *g)
{
	return sum(g->time_s);
}

double group_predicted(const struct group *g)
{
	return sum(g->predicted_s);
}

static void add_row(const struct view_net *n, const struct view_row *r, struct group *g)
{
	enum step_part part = step_part_of(r->pass);
	double time = view_time(n, r), predicted = view_predicted(r);

	g->rows++;
	if (isnan(time))
		return;
	g->time_s[part] += time;
	if (!isnan(predicted))
		g->predicted_s[part] += predicted;
}

/* A name on its way to a number. */
struct named {
	const char *name;
	int row;
};

static int compare_names(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->row - y->row;
}

/* Numbers the different names, in the order in which each comes first. */
static int number_names(struct named *names, int count, struct groups *g)
{
	int *first = malloc(((size_t)count + 1) * sizeof(*first)), groups = 0;

	if (!first)
		return 0;
	qsort(names, (size_t)count, sizeof(*names), compare_names);
	for (int i = 0; i < count; i++) {
		int same = i && !strcmp(names[i].name, names[i - 1].name);
		first[names[i].row] = same ? first[names[i - 1].row] : names[i].row;
	}
	for (int i = 0; i < count; i++) {
		if (first[i] == i)
			g->of[i] = groups++;
		else
			g->of[i] = g->of[first[i]];
	}
	g->count = groups;
	free(first);
	return 1;
}

static int group(const struct view_net *n, int by_kind, struct groups *g, struct paleo_error *err)
{
	struct named *names = malloc(((size_t)n->count + 1) * sizeof(*names));

	*g = (struct groups){
		.items = calloc((size_t)n->count + 1, sizeof(*g->items)),
		.of = calloc((size_t)n->count + 1, sizeof(*g->of)),
	};
	for (int i = 0; names && i < n->count; i++)
		names[i] = (struct named){by_kind ? n->rows[i].kind : n->rows[i].layer, i};
	if (!names || !g->items || !g->of || !number_names(names, n->count, g)) {
		free(names);
		groups_release(g);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", n->count);
	}
	free(names);
	for (int i = 0; i < n->count; i++) {
		g->items[g->of[i]].name = by_kind ? n->rows[i].kind : n->rows[i].layer;
		add_row(n, &n->rows[i], &g->items[g->of[i]]);
	}
	return PALEO_OK;
}

int groups_by_layer(const struct view_net *n, struct groups *out, struct paleo_error *err)
{
	return group(n, 0, out, err);
}

static int compare_times(const void *a, const void *b)
{
	double x = group_time(a), y = group_time(b);

	return x != y ? (x < y) - (x > y)
		      : strcmp(((const struct group *)a)->name, ((const struct group *)b)->name);
}

void groups_sort(struct groups *g)
{
	qsort(g->items, (size_t)g->count, sizeof(*g->items), compare_times);
}

static void merge(struct group *into, const struct group *from)
{
	into->rows += from->rows;
	for (int p = 0; p < STEP_PARTS; p++) {
		into->time_s[p] += from->time_s[p];
		into->predicted_s[p] += from->predicted_s[p];
	}
}

int groups_by_kind(const struct view_net *n, int most, struct groups *out, struct paleo_error *err)
{
	int rc = group(n, 1, out, err);

	if (rc)
		return rc;
	groups_sort(out);
	if (out->count > most) {
		for (int i = most; i < out->count; i++)
			merge(&out->items[most - 1], &out->items[i]);
		out->items[most - 1].name = "other";
		out->count = most;
	}
	for (int i = 0; i < n->count; i++) {
		int k = 0;
		while (k < out->count - 1 && strcmp(out->items[k].name, n->rows[i].kind) != 0)
			k++;
		out->of[i] = k;
	}
	return PALEO_OK;
}

void groups_release(struct groups *g)
{
	free(g->items);
	free(g->of);
	*g = (struct groups){0};
}
