/* net_blocks.c - expands Block and ModelParallel into plain layers with full names. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "model/net/layers/common.h"
#include "model/net/net.h"
#include "model/net/net_build.h"

enum {
	SPLITS_MAX = 1024,
	TYPES_MAX = 64 /* candidates for a misspelt type */
};

void paleo_layer_free(struct paleo_layer *l)
{
	if (!l)
		return;
	free(l->name);
	free(l->param);
	free(l->parents);
	free(l->children);
	free(l);
}

void paleo_build_release(struct paleo_build *b)
{
	struct paleo_name *name, *next_name;

	for (int i = 0; i < b->count; i++) {
		paleo_layer_free(b->drafts[i].layer);
		free(b->drafts[i].parents);
	}
	free(b->drafts);
	name = b->names;
	HASH_CLEAR(hh, b->names); /* the names stay linked to one another */
	for (; name; name = next_name) {
		next_name = name->hh.next;
		free(name);
	}
	while (b->scopes) {
		struct paleo_scope *next = b->scopes->next;
		free(b->scopes);
		b->scopes = next;
	}
}

static int out_of_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "memory ran out while loading a net");
}

/* A scope whose prefix is that of `up` and the key of its JSON. */
static struct paleo_scope *add_scope(struct paleo_build *b, struct paleo_scope *up,
				     const struct paleo_json *json)
{
	const char *key = json ? paleo_json_key(json) : "";
	size_t size = json ? up->prefix_size + strlen(key) + 1 : 0;
	struct paleo_scope *s = malloc(sizeof(*s) + size + 1);

	if (!s)
		return NULL;
	*s = (struct paleo_scope){.up = up, .next = b->scopes, .json = json, .prefix_size = size};
	snprintf(s->prefix, size + 1, "%s%s/", json ? up->prefix : "", key);
	b->scopes = s;
	return s;
}

/* Registers the full name of the member `json` of a scope. */
static int add_name(struct paleo_build *b, const struct paleo_scope *scope,
		    const struct paleo_json *json, struct paleo_name **out, struct paleo_error *err)
{
	const char *key = paleo_json_key(json);
	size_t size = scope->prefix_size + strlen(key) + 1;
	struct paleo_name *name = malloc(sizeof(*name) + size);
	struct paleo_name *old;

	if (!name)
		return out_of_memory(err);
	memset(name, 0, sizeof(*name));
	snprintf(name->text, size, "%s%s", scope->prefix, key);
	HASH_FIND_STR(b->names, name->text, old);
	if (old) {
		int rc = paleo_json_fail(json, err, "there are two layers with the full name '%s'",
					 name->text);
		free(name);
		return rc;
	}
	HASH_ADD_KEYPTR(hh, b->names, name->text, size - 1, name);
	if (!name->hh.tbl) {
		free(name);
		return out_of_memory(err);
	}
	*out = name;
	return PALEO_OK;
}

static int unknown_type(const struct paleo_json *v, const char *type, struct paleo_error *err)
{
	const char *types[TYPES_MAX] = {"Block", "ModelParallel"};
	int count;
	const struct paleo_layer_kind *const *kinds = paleo_layer_kinds(&count);

	for (int i = 0; i < count && i + 3 < TYPES_MAX; i++)
		types[i + 2] = kinds[i]->type;
	const char *near = paleo_nearest(type, types);
	if (near)
		return paleo_json_fail(v, err, "unknown layer type '%s' (did you mean '%s'?)", type,
				       near);
	return paleo_json_fail(v, err, "unknown layer type '%s'; nets/README.md lists the types",
			       type);
}

/* Every member of "layers": an object with a type and a list of parents, and a usable name. */
static int check_member(const struct paleo_json *j, const char **type, struct paleo_error *err)
{
	const char *key = paleo_json_key(j);
	const struct paleo_json *v;

	if (!*key || strchr(key, '@'))
		return paleo_json_fail(
			j, err,
			"'%s' cannot be a layer's name: expected a non-empty text without '@'",
			key);
	PALEO_TRY(paleo_json_need(j, "type", &v, err));
	PALEO_TRY(paleo_json_to_string(v, type, err));
	PALEO_TRY(paleo_json_need(j, "parents", &v, err));
	if (paleo_json_type(v) != PALEO_JSON_ARRAY)
		return paleo_json_fail(v, err, "expected an array of layers' names");
	return PALEO_OK;
}

static struct paleo_draft *add_draft(struct paleo_build *b)
{
	struct paleo_draft *drafts = paleo_grow(b->drafts, b->count, &b->capacity, sizeof(*drafts));
	if (!drafts)
		return NULL;
	b->drafts = drafts;
	struct paleo_layer *l = calloc(1, sizeof(*l));
	if (!l)
		return NULL;
	struct paleo_draft *d = &b->drafts[b->count++];
	*d = (struct paleo_draft){.layer = l};
	return d;
}

/* The full name; behind it "@split" if split >= 0. */
static char *full_name(const struct paleo_scope *scope, const char *key, int split)
{
	size_t size = scope->prefix_size + strlen(key) + 16;
	char *name = malloc(size);

	if (name && split < 0)
		snprintf(name, size, "%s%s", scope->prefix, key);
	else if (name)
		snprintf(name, size, "%s%s@%d", scope->prefix, key, split);
	return name;
}

/* Adds the layer that the member `j` of a scope describes; `split` is -1 outside of a
 * ModelParallel. */
static int add_layer(struct paleo_build *b, struct paleo_scope *scope, const struct paleo_json *j,
		     const char *type, int split, struct paleo_error *err)
{
	const struct paleo_layer_kind *kind = paleo_layer_kind_find(type);

	if (!kind)
		return unknown_type(paleo_json_get(j, "type"), type, err);
	if (b->count == PALEO_NET_LAYERS_MAX)
		return paleo_json_fail(j, err, "the net has more than %d layers",
				       PALEO_NET_LAYERS_MAX);
	struct paleo_draft *d = add_draft(b);
	if (!d)
		return out_of_memory(err);
	d->json = j;
	d->scope = scope;

	struct paleo_layer *l = d->layer;
	l->kind = kind;
	l->split = split;
	l->splits = split < 0 ? 1 : scope->splits;
	l->name = full_name(scope, paleo_json_key(j), split);
	l->param = kind->param_size ? calloc(1, kind->param_size) : NULL;
	if (!l->name || (kind->param_size && !l->param))
		return out_of_memory(err);
	return paleo_layer_read(l, j, err);
}

static int need_layers(const struct paleo_json *block, const struct paleo_json **out,
		       struct paleo_error *err)
{
	const struct paleo_json *v;

	PALEO_TRY(paleo_json_need(block, "layers", &v, err));
	if (paleo_json_type(v) != PALEO_JSON_OBJECT || paleo_json_size(v) == 0)
		return paleo_json_fail(v, err, "expected an object with at least one layer");
	*out = v;
	return PALEO_OK;
}

/* One split of a ModelParallel: all its layers once. The first one registers the names. */
static int expand_split(struct paleo_build *b, struct paleo_scope *scope,
			const struct paleo_json *layers, int split, struct paleo_error *err)
{
	for (const struct paleo_json *j = paleo_json_first(layers); j; j = paleo_json_next(j)) {
		struct paleo_name *name = NULL;
		const char *type;
		int rc = check_member(j, &type, err);
		if (rc)
			return rc;
		if (!strcmp(type, "Block") || !strcmp(type, "ModelParallel") ||
		    !strcmp(type, paleo_kind_input.type))
			return paleo_json_fail(
				j, err, "a ModelParallel holds only plain layers, not '%s'", type);
		if (split == 0)
			rc = add_name(b, scope, j, &name, err);
		if (name) {
			name->index = b->count;
			name->stride = paleo_json_size(layers);
			name->splits = scope->splits;
		}
		if (!rc)
			rc = add_layer(b, scope, j, type, split, err);
		if (rc)
			return rc;
	}
	return PALEO_OK;
}

static int expand_parallel(struct paleo_build *b, struct paleo_scope *scope,
			   struct paleo_error *err)
{
	static const char *const keys[] = {"type", "parents", "splits", "layers", NULL};
	const struct paleo_json *layers, *v;

	PALEO_TRY(paleo_json_only(scope->json, keys, err));
	PALEO_TRY(paleo_json_need(scope->json, "splits", &v, err));
	PALEO_TRY(paleo_json_to_int(v, 1, SPLITS_MAX, &scope->splits, err));
	PALEO_TRY(need_layers(scope->json, &layers, err));
	for (int split = 0; split < scope->splits; split++)
		PALEO_TRY(expand_split(b, scope, layers, split, err));
	return PALEO_OK;
}

static int expand_layers(struct paleo_build *b, struct paleo_scope *scope,
			 const struct paleo_json *layers, struct paleo_error *err);

/* Recursion ends where the reader of JSON limits nesting. */
static int expand_block(struct paleo_build *b, struct paleo_scope *scope, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "parents", "endpoint", "layers", NULL};
	const struct paleo_json *layers, *v;
	const char *endpoint;

	PALEO_TRY(paleo_json_only(scope->json, keys, err));
	PALEO_TRY(paleo_json_need(scope->json, "endpoint", &v, err));
	PALEO_TRY(paleo_json_to_string(v, &endpoint, err));
	PALEO_TRY(need_layers(scope->json, &layers, err));
	return expand_layers(b, scope, layers, err);
}

static int expand_layers(struct paleo_build *b, struct paleo_scope *scope,
			 const struct paleo_json *layers, struct paleo_error *err)
{
	for (const struct paleo_json *j = paleo_json_first(layers); j; j = paleo_json_next(j)) {
		struct paleo_name *name;
		const char *type;

		PALEO_TRY(check_member(j, &type, err));
		PALEO_TRY(add_name(b, scope, j, &name, err));

		int block = !strcmp(type, "Block"), parallel = !strcmp(type, "ModelParallel");
		name->index = b->count;
		if (block || parallel) {
			name->block = add_scope(b, scope, j);
			if (!name->block)
				return out_of_memory(err);
		}
		if (block)
			PALEO_TRY(expand_block(b, name->block, err));
		else if (parallel)
			PALEO_TRY(expand_parallel(b, name->block, err));
		else
			PALEO_TRY(add_layer(b, scope, j, type, -1, err));
	}
	return PALEO_OK;
}

int paleo_build_expand(struct paleo_build *b, const struct paleo_json *root,
		       struct paleo_error *err)
{
	const struct paleo_json *layers;

	PALEO_TRY(need_layers(root, &layers, err));
	struct paleo_scope *top = add_scope(b, NULL, NULL);
	return top ? expand_layers(b, top, layers, err) : out_of_memory(err);
}
