/* net_order.c - puts layers in topological order, the file's order where that is one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "model/net/net_build.h"

enum {
	NAMED_MAX = 8 /* layers of a cycle that a message names */
};

/* Children as lists of drafts: those of i are list[first[i]] .. list[first[i + 1] - 1]. */
struct children {
	int *first, *list;
};

/* The drafts whose parents are all placed, the smallest index on top. */
struct heap {
	int *items;
	int count;
};

static void heap_push(struct heap *h, int item)
{
	int at = h->count++;

	for (; at > 0 && h->items[(at - 1) / 2] > item; at = (at - 1) / 2)
		h->items[at] = h->items[(at - 1) / 2];
	h->items[at] = item;
}

static int heap_pop(struct heap *h)
{
	int top = h->items[0];
	int last = h->items[--h->count];
	int at = 0;

	for (int child = 1; child < h->count; child = 2 * at + 1) {
		if (child + 1 < h->count && h->items[child + 1] < h->items[child])
			child++;
		if (h->items[child] >= last)
			break;
		h->items[at] = h->items[child];
		at = child;
	}
	h->items[at] = last;
	return top;
}

/* Counts children, turns counts into places, fills the places. */
static int list_children(const struct paleo_build *b, struct children *c)
{
	size_t n = (size_t)b->count;

	c->first = calloc(n + 2, sizeof(int));
	c->list = malloc(((size_t)b->edges + 1) * sizeof(int));
	if (!c->first || !c->list)
		return 0;
	for (int i = 0; i < b->count; i++)
		for (int p = 0; p < b->drafts[i].layer->parent_count; p++)
			c->first[b->drafts[i].parents[p] + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		c->first[i] += c->first[i - 1];
	for (int i = 0; i < b->count; i++)
		for (int p = 0; p < b->drafts[i].layer->parent_count; p++)
			c->list[c->first[b->drafts[i].parents[p] + 1]++] = i;
	return 1;
}

/* Kahn's algorithm (1962). `waiting` has each draft's number of parents; it returns how many were
 * placed; those that were not still wait. */
static int place(const struct paleo_build *b, const struct children *c, struct heap *ready,
		 int *waiting, int *order)
{
	int placed = 0;

	for (int i = 0; i < b->count; i++)
		if (!waiting[i])
			heap_push(ready, i);
	while (ready->count) {
		int i = heap_pop(ready);
		order[placed++] = i;
		for (int k = c->first[i]; k < c->first[i + 1]; k++)
			if (--waiting[c->list[k]] == 0)
				heap_push(ready, c->list[k]);
	}
	return placed;
}

/* A parent not placed yet; waiting layers have at least one. */
static int waiting_parent(const struct paleo_build *b, const int *waiting, int i)
{
	const struct paleo_draft *d = &b->drafts[i];
	int p = 0;

	while (!waiting[d->parents[p]])
		p++;
	return d->parents[p];
}

/* Following parents among the waiting layers must reach a cycle; it is reported from its first
 * layer in the file. */
static int report_cycle(const struct paleo_build *b, int *waiting, struct paleo_error *err)
{
	char names[PALEO_ERROR_MAX / 2] = "";
	size_t at = 0;
	int start = 0, first, count = 0;

	while (!waiting[start])
		start++;
	for (int step = 0; step < b->count; step++)
		start = waiting_parent(b, waiting, start);
	first = start;
	for (int i = waiting_parent(b, waiting, start); i != start;
	     i = waiting_parent(b, waiting, i))
		first = i < first ? i : first;
	int i = first;
	do {
		if (count < NAMED_MAX && at < sizeof(names))
			at += (size_t)snprintf(names + at, sizeof(names) - at, "%s'%s'",
					       count ? ", " : "", b->drafts[i].layer->name);
		count++;
		i = waiting_parent(b, waiting, i);
	} while (i != first);
	return paleo_json_fail(b->drafts[first].json, err,
			       "layers form a cycle of %d parents: %s%s", count, names,
			       count > NAMED_MAX ? " ..." : "");
}

int paleo_build_order(const struct paleo_build *b, int *order, struct paleo_error *err)
{
	size_t size = ((size_t)b->count + 1) * sizeof(int);
	struct children c = {0};
	struct heap ready = {.items = malloc(size)};
	int *waiting = malloc(size);
	int rc = PALEO_OK;

	if (!ready.items || !waiting || !list_children(b, &c)) {
		rc = paleo_fail(err, PALEO_ENOMEM, "memory ran out while loading a net");
		goto out;
	}
	for (int i = 0; i < b->count; i++)
		waiting[i] = b->drafts[i].layer->parent_count;
	if (place(b, &c, &ready, waiting, order) < b->count)
		rc = report_cycle(b, waiting, err);
out:
	free(c.first);
	free(c.list);
	free(ready.items);
	free(waiting);
	return rc;
}
