/* net_parents.c - finds the layers that a layer's "parents" name. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "model/net/net_build.h"

/* More edges than this are refused: the lists of parents alone would fill the memory. */
#define EDGES_MAX 10e6

/* The parents of one draft while they are found. */
struct finding {
	struct paleo_build *build;
	const struct paleo_draft *draft; /* NULL when an endpoint is looked up */
	int *found;
	int count, capacity;
	int *seen; /* for each draft, 1 + the last draft that named it as a parent */
	int index; /* of the draft */
};

static int out_of_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "memory ran out while loading a net");
}

/* The full name of the first `size` bytes of `word` in a scope; owned by the caller. */
static char *full_name(const struct paleo_scope *scope, const char *word, size_t size)
{
	char *name = malloc(scope->prefix_size + size + 1);

	if (name)
		snprintf(name, scope->prefix_size + size + 1, "%s%.*s", scope->prefix, (int)size,
			 word);
	return name;
}

/* The nearest name of the scope, or NULL. Looked for only when an error is certain. */
static const char *nearest_name(const struct paleo_build *b, const struct paleo_scope *scope,
				const char *word)
{
	const char **list = malloc((HASH_COUNT(b->names) + 1) * sizeof(*list));
	size_t n = 0;

	if (!list)
		return NULL;
	for (const struct paleo_name *name = b->names; name; name = name->hh.next)
		if (!strncmp(name->text, scope->prefix, scope->prefix_size))
			list[n++] = name->text + scope->prefix_size;
	list[n] = NULL;
	const char *near = paleo_nearest(word, list);
	free(list);
	return near;
}

static void complain_of_name(const struct paleo_build *b, const struct paleo_scope *scope,
			     const struct paleo_json *v, const char *word, struct paleo_error *err)
{
	const char *near = nearest_name(b, scope, word);
	const struct paleo_name *outside;

	HASH_FIND_STR(b->names, word, outside);
	if (near)
		paleo_json_complain(v, err, "there is no layer '%s' (did you mean '%s'?)", word,
				    near);
	else if (outside && scope->json)
		paleo_json_complain(v, err,
				    "there is no layer '%s' in the block '%s'; outside layers are "
				    "reached by the block's own 'parents' and empty ones here",
				    word, paleo_json_key(scope->json));
	else
		paleo_json_complain(v, err, "there is no layer '%s'", word);
}

static int add_parent(struct finding *f, const struct paleo_json *v, int parent,
		      struct paleo_error *err)
{
	if (f->seen[parent] == f->index + 1)
		return paleo_json_fail(v, err, "'%s' is named twice as a parent: name it once",
				       f->build->drafts[parent].layer->name);
	f->seen[parent] = f->index + 1;
	int *found = paleo_grow(f->found, f->count, &f->capacity, sizeof(*found));
	if (!found)
		return out_of_memory(err);
	f->found = found;
	found[f->count++] = parent;
	if (++f->build->edges > EDGES_MAX)
		return paleo_json_fail(v, err, "the net has more than %.0f connections", EDGES_MAX);
	return PALEO_OK;
}

/* 1 if the draft is a layer of the same ModelParallel as the split layer `name`. */
static int is_sibling(const struct finding *f, const struct paleo_name *name)
{
	return f->draft && f->draft->layer->split >= 0 &&
	       f->build->drafts[name->index].scope == f->draft->scope;
}

/* The number behind '@'; -1 if it is none. */
static long split_number(const char *suffix)
{
	char *end;

	if (!*suffix || strspn(suffix, "0123456789") != strlen(suffix) || strlen(suffix) > 6)
		return -1;
	return strtol(suffix, &end, 10);
}

/* Adds the layers of "x@suffix", x being a split layer. */
static int add_split(struct finding *f, const struct paleo_json *v, const struct paleo_name *name,
		     const char *suffix, struct paleo_error *err)
{
	if (!strcmp(suffix, "all")) {
		for (int s = 0; s < name->splits; s++)
			PALEO_TRY(add_parent(f, v, name->index + s * name->stride, err));
		return PALEO_OK;
	}
	if (!strcmp(suffix, "self")) {
		if (!is_sibling(f, name))
			return paleo_json_fail(
				v, err, "'@self' is only valid inside the ModelParallel of '%s'",
				name->text);
		int split = f->draft->layer->split;
		return add_parent(f, v, name->index + split * name->stride, err);
	}
	long split = split_number(suffix);
	if (split < 0)
		return paleo_json_fail(v, err,
				       "unknown '@%s', expected '@self', '@all' or a split's "
				       "number",
				       suffix);
	if (split >= name->splits)
		return paleo_json_fail(v, err, "there is no '%s@%ld': the splits are 0 to %d",
				       name->text, split, name->splits - 1);
	return add_parent(f, v, name->index + (int)split * name->stride, err);
}

/* Adds the layers of a found name; `suffix` is the text after '@', or NULL. */
static int add_named(struct finding *f, const struct paleo_json *v, const struct paleo_name *name,
		     const char *suffix, struct paleo_error *err)
{
	if (name->block && name->block->splits)
		return paleo_json_fail(v, err,
				       "'%s' is a ModelParallel, which cannot be a parent; name "
				       "one of its layers, as '%s/...@all'",
				       name->text, name->text);
	if (name->splits && suffix)
		return add_split(f, v, name, suffix, err);
	if (name->splits)
		return paleo_json_fail(v, err,
				       "'%s' is split: append '@self', '@all' or '@0' to its name",
				       name->text);
	if (suffix)
		return paleo_json_fail(v, err,
				       "'@%s' is for layers of a ModelParallel; '%s' is not one",
				       suffix, name->text);
	return add_parent(f, v, name->index, err);
}

/* Finds a name in a scope, following the endpoints of Blocks. A block's endpoint lies within it, so
 * this ends. *word is the text that was looked up last. */
static int find_name(const struct paleo_build *b, const struct paleo_scope *scope,
		     const struct paleo_json **v, const char **word, const struct paleo_name **out,
		     struct paleo_error *err)
{
	for (;;) {
		struct paleo_name *name;

		PALEO_TRY(paleo_json_to_string(*v, word, err));
		size_t size = strcspn(*word, "@");
		char *full = full_name(scope, *word, size);
		if (!full)
			return out_of_memory(err);
		HASH_FIND_STR(b->names, full, name);
		free(full);
		if (!name) {
			complain_of_name(b, scope, *v, *word, err);
			return PALEO_EINPUT;
		}
		if (!name->block || name->block->splits || (*word)[size]) {
			*out = name;
			return PALEO_OK;
		}
		scope = name->block;
		*v = paleo_json_get(scope->json, "endpoint");
	}
}

static int add_word(struct finding *f, const struct paleo_scope *scope, const struct paleo_json *v,
		    struct paleo_error *err)
{
	const struct paleo_name *name = NULL;
	const char *word = NULL;

	PALEO_TRY(find_name(f->build, scope, &v, &word, &name, err));
	const char *at = strchr(word, '@');
	return add_named(f, v, name, at ? at + 1 : NULL, err);
}

/* The effective list of parents, and the scope of its names: empty ones become the block's. */
static const struct paleo_json *effective_parents(const struct paleo_draft *d,
						  const struct paleo_scope **scope)
{
	const struct paleo_json *list = paleo_json_get(d->json, "parents");
	int takes_none = d->layer->kind->parents.max == 0;

	*scope = d->scope;
	while (!paleo_json_size(list) && (*scope)->json && !takes_none) {
		list = paleo_json_get((*scope)->json, "parents");
		*scope = (*scope)->up;
	}
	return list;
}

static int check_count(const struct paleo_draft *d, int count, struct paleo_error *err)
{
	const struct paleo_layer_kind *kind = d->layer->kind;

	if (count >= kind->parents.min && count <= kind->parents.max)
		return PALEO_OK;
	if (count == 0)
		return paleo_json_fail(d->json, err, "no Input reaches '%s': it has no parents",
				       d->layer->name);
	if (kind->parents.max == 0)
		return paleo_json_fail(d->json, err, "an '%s' has no parents, found %d", kind->type,
				       count);
	if (kind->parents.min == kind->parents.max)
		return paleo_json_fail(d->json, err, "'%s' takes %d parent%s, found %d", kind->type,
				       kind->parents.min, kind->parents.min == 1 ? "" : "s", count);
	return paleo_json_fail(d->json, err, "'%s' takes %d to %d parents, found %d", kind->type,
			       kind->parents.min, kind->parents.max, count);
}

static int find_parents(struct finding *f, struct paleo_draft *d, struct paleo_error *err)
{
	const struct paleo_scope *scope;
	const struct paleo_json *v = effective_parents(d, &scope);

	f->draft = d;
	f->index = (int)(d - f->build->drafts);
	f->count = 0;
	for (v = paleo_json_first(v); v; v = paleo_json_next(v))
		PALEO_TRY(add_word(f, scope, v, err));
	PALEO_TRY(check_count(d, f->count, err));
	if (!f->count)
		return PALEO_OK;
	d->parents = malloc((size_t)f->count * sizeof(*d->parents));
	if (!d->parents)
		return out_of_memory(err);
	memcpy(d->parents, f->found, (size_t)f->count * sizeof(*d->parents));
	d->layer->parent_count = f->count;
	return PALEO_OK;
}

/* Checks names that no layer uses: endpoints, parents of blocks. */
static int check_scope(struct finding *f, const struct paleo_scope *scope, struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_first(paleo_json_get(scope->json, "parents"));
	const struct paleo_name *name;
	const char *word;

	for (; v; v = paleo_json_next(v)) {
		const struct paleo_json *at = v;

		PALEO_TRY(find_name(f->build, scope->up, &at, &word, &name, err));
	}
	if (scope->splits)
		return PALEO_OK;
	v = paleo_json_get(scope->json, "endpoint");
	f->draft = NULL;
	f->count = 0;
	f->index++; /* no draft's number, so that nothing counts as seen */
	PALEO_TRY(add_word(f, scope, v, err));
	if (f->count > 1)
		return paleo_json_fail(v, err, "an endpoint is one layer, this names %d", f->count);
	return PALEO_OK;
}

int paleo_build_connect(struct paleo_build *b, struct paleo_error *err)
{
	struct finding f = {.build = b, .seen = calloc((size_t)b->count, sizeof(int))};
	int rc = f.seen ? PALEO_OK : out_of_memory(err);

	for (int i = 0; !rc && i < b->count; i++)
		rc = find_parents(&f, &b->drafts[i], err);
	f.index = b->count;
	for (const struct paleo_scope *s = b->scopes; !rc && s; s = s->next)
		if (s->json)
			rc = check_scope(&f, s, err);
	free(f.found);
	free(f.seen);
	return rc;
}
