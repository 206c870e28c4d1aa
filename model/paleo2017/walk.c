/* walk.c - the original's walk of the graph: order, nesting and dropped layers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "model/paleo2017/net.h"

/* Forks within forks; the original ends at about a thousand of Python's calls. */
enum {
	DEPTH_MAX = 1000
};

/* Layers that the walk has reached. */
struct front {
	const struct paleo_layer *const *items;
	int count;
	const struct paleo_layer **owned; /* the same list, if it is to be freed */
};

struct walk {
	struct paleo_2017_net *net;
	int *waiting; /* for each layer of the source: parents that were not yet met */
	char *joint;  /* 1: several parents, not yet merged */
	char *merged; /* 1: already among those that the present fork merges */
	char *passed; /* 1: noted */
	int depth;
	struct paleo_error *err;
};

static int out_of_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "memory ran out while walking a net");
}

static void front_release(struct front *f)
{
	free(f->owned);
	*f = (struct front){0};
}

static void mark(struct walk *w, enum paleo_2017_mark kind, int layer)
{
	w->net->nest[w->net->nest_count++] = (struct paleo_2017_nest){kind, layer};
}

static int all_joints(const struct walk *w, const struct front *f)
{
	for (int i = 0; i < f->count; i++)
		if (!w->joint[f->items[i]->index])
			return 0;
	return 1;
}

/*
 * Notes a layer and goes on to its children. A joint that a branch has merged and passed may also
 * be in the enclosing front, and is then passed again: with no waiting children left the original
 * ends, else it counts the layer twice (quirk 15).
 */
static int step(struct walk *w, struct front *f)
{
	const struct paleo_layer *l = f->items[0];
	struct paleo_2017_layer *noted = &w->net->layers[w->net->count];

	mark(w, PALEO_2017_LAYER, w->net->count++);
	*noted = (struct paleo_2017_layer){.layer = l, .again = w->passed[l->index]};
	w->passed[l->index] = 1;
	for (int i = 0; i < l->child_count; i++)
		if (--w->waiting[l->children[i]->index] < 0)
			return paleo_fail(w->err, PALEO_EUNSUPPORTED,
					  "the original passes layer '%s' twice and ends", l->name);
	front_release(f);
	f->items = (const struct paleo_layer *const *)l->children;
	f->count = l->child_count;
	return PALEO_OK;
}

static int follow(struct walk *w, struct front *f, struct front *end);

/* Adds the joints of `end` all of whose parents were met, each once. */
static int merge(struct walk *w, const struct front *end, struct front *next)
{
	for (int i = 0; i < end->count; i++) {
		const struct paleo_layer *l = end->items[i];
		if (w->waiting[l->index] || w->merged[l->index])
			continue;
		const struct paleo_layer **grown =
			realloc(next->owned, (size_t)(next->count + 1) * sizeof(*grown));
		if (!grown)
			return out_of_memory(w->err);
		grown[next->count++] = l;
		next->items = next->owned = grown;
		w->merged[l->index] = 1;
	}
	return PALEO_OK;
}

/* Follows each of several layers to the joints it ends at; those that are complete are where the
 * walk goes on. Joints that are not are forgotten: so layers are dropped (quirk 15). */
static int fork(struct walk *w, struct front *f)
{
	struct paleo_2017_net *net = w->net;
	struct front next = {0};
	int start = net->nest_count, branches = 0, rc = PALEO_OK;

	mark(w, PALEO_2017_FORK, 0);
	for (int i = 0; !rc && i < f->count; i++) {
		struct front one = {.items = f->items + i, .count = 1};
		struct front end = {0};
		int before = net->nest_count;
		mark(w, PALEO_2017_BRANCH, 0);
		rc = follow(w, &one, &end);
		if (!rc)
			rc = merge(w, &end, &next);
		front_release(&end);
		int empty = net->nest_count == before + 1;
		branches += !empty;
		if (empty)
			net->nest_count = before;
		else
			mark(w, PALEO_2017_BRANCH_END, 0);
	}
	if (branches)
		mark(w, PALEO_2017_FORK_END, 0);
	else
		net->nest_count = start;
	for (int i = 0; i < next.count; i++) {
		w->joint[next.items[i]->index] = 0;
		w->merged[next.items[i]->index] = 0;
	}
	front_release(f);
	*f = next;
	return rc;
}

/* Walks until nothing is left, or only joints: then these are *end, which the caller releases.
 * Takes over *f. */
static int follow(struct walk *w, struct front *f, struct front *end)
{
	int rc = PALEO_OK;

	if (++w->depth > DEPTH_MAX)
		rc = paleo_fail(w->err, PALEO_EUNSUPPORTED,
				"more than %d nested forks, where the original ends", DEPTH_MAX);
	while (!rc && f->count && !all_joints(w, f)) {
		if (f->count == 1)
			rc = step(w, f);
		else
			rc = fork(w, f);
	}
	w->depth--;
	*end = *f;
	return rc;
}

static const struct paleo_layer *find_data(const struct paleo_net *net)
{
	for (int i = 0; i < net->count; i++)
		if (!strcmp(net->layers[i]->name, "data"))
			return net->layers[i];
	return NULL;
}

static int allocate(struct walk *w)
{
	struct paleo_2017_net *net = w->net;
	const struct paleo_net *source = net->source;
	size_t n = (size_t)source->count, most = n + 1;

	/* No layer is passed more often than along each edge that leads to it. It is one mark, and
	 * each branch that is kept has two and holds one layer at least. So has each fork. Four
	 * more may be noted and taken back. */
	for (int i = 0; i < source->count; i++)
		most += (size_t)source->layers[i]->parent_count;
	net->nest = malloc((5 * most + 4) * sizeof(*net->nest));
	net->layers = malloc(most * sizeof(*net->layers));
	net->dropped = malloc(n * sizeof(*net->dropped));
	w->waiting = malloc(n * sizeof(*w->waiting));
	w->joint = calloc(n, 1);
	w->merged = calloc(n, 1);
	w->passed = calloc(n, 1);
	if (!net->nest || !net->layers || !net->dropped || !w->waiting || !w->joint || !w->merged ||
	    !w->passed)
		return out_of_memory(w->err);
	for (int i = 0; i < source->count; i++) {
		w->waiting[i] = source->layers[i]->parent_count;
		w->joint[i] = w->waiting[i] > 1 ? 1 : 0;
	}
	return PALEO_OK;
}

static void list_dropped(const struct walk *w)
{
	struct paleo_2017_net *net = w->net;

	for (int i = 0; i < net->source->count; i++)
		if (!w->passed[i])
			net->dropped[net->dropped_count++] = net->source->layers[i];
}

int paleo_2017_walk(struct paleo_2017_net *net, struct paleo_error *err)
{
	struct walk w = {.net = net, .err = err};
	const struct paleo_layer *data = find_data(net->source);
	struct front start = {.items = &data, .count = 1};
	struct front end = {0};

	if (!data)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"the original begins at a layer named 'data' and ends where there "
			"is none");
	int rc = allocate(&w);
	if (!rc)
		rc = follow(&w, &start, &end);
	front_release(&end);
	if (!rc)
		list_dropped(&w);
	free(w.waiting);
	free(w.joint);
	free(w.merged);
	free(w.passed);
	return rc;
}
