/* layer.c - the table of layer kinds, made from kinds.def; a shape as files and tables write it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layer.h"

#include <stdio.h>
#include <string.h>

#include "model/net/layers/common.h"

static const struct paleo_layer_kind *const kinds[] = {
#define KIND(name) &paleo_kind_##name,
#include "model/net/layers/kinds.def"
#undef KIND
};

enum {
	KINDS = (int)(sizeof(kinds) / sizeof(kinds[0]))
};

const struct paleo_layer_kind *paleo_layer_kind_find(const char *type)
{
	for (int i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i]->type, type))
			return kinds[i];
	return NULL;
}

const struct paleo_layer_kind *const *paleo_layer_kinds(int *count)
{
	*count = KINDS;
	return kinds;
}

int paleo_layer_read(struct paleo_layer *l, const struct paleo_json *j, struct paleo_error *err)
{
	static const struct paleo_json_field no_more[] = {PALEO_KEYS_OF_ALL, {0}};
	const struct paleo_layer_kind *kind = l->kind;
	const struct paleo_json *shared = paleo_json_get(j, "shared");

	if (kind->initial)
		memcpy(l->param, kind->initial, kind->param_size);
	int rc = paleo_json_fields_read(j, kind->keys ? kind->keys : no_more, NULL, l->param, err);
	if (!rc && shared)
		rc = paleo_json_to_bool(shared, &l->shared, err);
	return rc || !kind->check ? rc : kind->check(j, l->param, err);
}

double paleo_layer_weights(const struct paleo_layer *l)
{
	return l->kind->weights && !l->shared ? l->kind->weights(l) : 0;
}

double paleo_layer_active(const struct paleo_layer *l)
{
	if (l->kind->active)
		return l->kind->active(l);
	return l->kind->weights ? l->kind->weights(l) : 0;
}

double paleo_layer_weight_bytes(const struct paleo_layer *l, enum paleo_dtype dtype)
{
	if (l->shared)
		return 0;
	if (l->kind->weight_bytes)
		return l->kind->weight_bytes(l, dtype);
	return paleo_layer_weights(l) * paleo_dtype_bytes(paleo_dtype_wide(dtype));
}

double paleo_layer_state_bytes(const struct paleo_layer *l, enum paleo_dtype dtype)
{
	return l->kind->state_bytes ? l->kind->state_bytes(l, dtype) : 0;
}

double paleo_layer_cached_bytes(const struct paleo_layer *l, enum paleo_dtype dtype,
				enum paleo_cached part)
{
	return l->kind->cached_bytes ? l->kind->cached_bytes(l, dtype, part) : 0;
}

/* Writes a shape as net files and tables do. */

struct paleo_shape paleo_shape_of(int rank, const int *dims)
{
	struct paleo_shape s = {.rank = rank, .n = dims[0], .h = 1, .w = 1, .c = dims[rank - 1]};

	if (rank > 2)
		s.h = dims[1];
	if (rank > 3)
		s.w = dims[2];
	return s;
}

struct paleo_shape paleo_shape_rows(const struct paleo_shape *s)
{
	struct paleo_shape rows = {.rank = 2, .n = s->n * s->h, .h = 1, .w = 1, .c = s->c};

	return s->rank == 3 ? rows : *s;
}

void paleo_shape_dims(const struct paleo_shape *s, int dims[4])
{
	dims[0] = s->n;
	dims[1] = s->h;
	dims[2] = s->w;
	dims[s->rank - 1] = s->c;
}

void paleo_shape_text(const struct paleo_shape *s, char *buf, size_t size)
{
	int dims[4], at = 0;

	paleo_shape_dims(s, dims);
	for (int i = 0; i < s->rank && at < (int)size; i++)
		at += snprintf(buf + at, size - (size_t)at, "%s%d", i ? "x" : "", dims[i]);
}
