/* layer.c - the table of layer kinds, made from kinds.def. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layer.h"

#include <string.h>

#include "model/net/layers/kinds.h"

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

double paleo_layer_cached_bytes(const struct paleo_layer *l, enum paleo_dtype dtype, int whole)
{
	return l->kind->cached_bytes ? l->kind->cached_bytes(l, dtype, whole) : 0;
}
