/* net_ops.c - lists the ops of a training step: the one place that walks a net. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/grow.h"
#include "model/net/net.h"

/* Takes the type of narrow weights out of a gradient op, which is wide. */
static struct paleo_weight_type take_narrow(struct paleo_op *w)
{
	struct paleo_weight_type type = {0};
	int *stored = w->kind == PALEO_GEMM  ? &w->geom.gemm.stored
		      : w->kind == PALEO_MOE ? &w->geom.moe.stored
					     : NULL;

	if (!stored || w->pass == PALEO_FWD || (w->kind == PALEO_GEMM && w->geom.gemm.batch > 1))
		return type;
	type.dtype = paleo_dtype_is_narrow(w->dtype) ? 1 + (int)w->dtype : 0;
	type.stored = *stored;
	*stored = 0;
	return type;
}

int paleo_op_list_add(struct paleo_op_list *list, const char *what, enum paleo_pass pass,
		      const struct paleo_op *w, struct paleo_error *err)
{
	struct paleo_net_op item = {.layer = list->layer, .what = what, .pass = pass, .op = *w};

	item.narrow = take_narrow(&item.op);
	item.op.layout = list->layout;
	if (!paleo_op_has_dtype(&item.op))
		item.op.dtype = paleo_dtype_wide(item.op.dtype);
	int rc = paleo_op_finish(&item.op, err);

	if (rc) {
		const int backward = rc == PALEO_EUNSUPPORTED && pass != PALEO_FWD;
		paleo_error_prefix(err, "layer '%s', %s%s", list->layer->name, what,
				   backward ? " (backward; '--pass fwd' is without)" : "");
		return rc;
	}
	struct paleo_net_op *items =
		paleo_grow(list->items, list->count, &list->capacity, sizeof(*items));
	if (!items)
		return paleo_fail(err, PALEO_ENOMEM,
				  "memory ran out while listing the ops of a net");
	list->items = items;
	items[list->count++] = item;
	return PALEO_OK;
}

enum paleo_layout paleo_op_list_layout(const struct paleo_op_list *list)
{
	return list->layout;
}

int paleo_op_list_separates(const struct paleo_op_list *list)
{
	return list->separate_attention;
}

void paleo_op_list_release(struct paleo_op_list *list)
{
	if (!list)
		return;
	free(list->items);
	*list = (struct paleo_op_list){0};
}

/* The gradients that arrive from children are added up; a sum of more than PALEO_ADDENDS_MAX in
 * steps. */
static int sum_gradients(const struct paleo_layer *l, enum paleo_dtype dtype,
			 struct paleo_op_list *list, struct paleo_error *err)
{
	int left = 0;

	for (int i = 0; i < l->child_count; i++)
		left += !l->children[i]->kind->no_gradient;
	while (left > 1) {
		int inputs = left < PALEO_ADDENDS_MAX ? left : PALEO_ADDENDS_MAX;
		struct paleo_op w = {
			.kind = PALEO_ELTWISE,
			.pass = PALEO_FWD,
			.dtype = dtype,
			.geom.eltwise = {.op = PALEO_ADD,
					 .inputs = inputs,
					 .count = paleo_shape_count(&l->out)},
		};

		PALEO_TRY(paleo_op_list_add(list, "sum of gradients", PALEO_BWD_DATA, &w, err));
		left -= inputs - 1;
	}
	return PALEO_OK;
}

static int parent_needs_grad(const struct paleo_layer *l)
{
	for (int i = 0; i < l->parent_count; i++)
		if (l->parents[i]->needs_grad)
			return 1;
	return 0;
}

static int list_forward(const struct paleo_layer *l, enum paleo_dtype dtype,
			struct paleo_op_list *list, struct paleo_error *err)
{
	return l->kind->op ? l->kind->op(l, PALEO_FWD, dtype, list, err) : PALEO_OK;
}

static int list_backward(const struct paleo_layer *l, enum paleo_dtype dtype,
			 struct paleo_op_list *list, struct paleo_error *err)
{
	if (!l->needs_grad || l->kind->no_gradient)
		return PALEO_OK;
	int rc = sum_gradients(l, dtype, list, err);
	if (rc || !l->kind->op)
		return rc;
	if (paleo_layer_weights(l) > 0 || paleo_layer_active(l) > 0)
		rc = l->kind->op(l, PALEO_BWD_FILTER, dtype, list, err);
	if (!rc && parent_needs_grad(l))
		rc = l->kind->op(l, PALEO_BWD_DATA, dtype, list, err);
	return rc;
}

static int list_update(const struct paleo_layer *l, enum paleo_dtype dtype,
		       struct paleo_op_list *list, struct paleo_error *err)
{
	struct paleo_op w = {
		.kind = PALEO_UPDATE,
		.pass = PALEO_PASS_UPDATE,
		.dtype = dtype,
		.geom.update = {.rule = PALEO_SGD, .count = paleo_layer_weights(l)},
	};

	if (w.geom.update.count == 0)
		return PALEO_OK;
	return paleo_op_list_add(list, "update", PALEO_PASS_UPDATE, &w, err);
}

static int list_all(const struct paleo_net *net, enum paleo_dtype dtype, unsigned passes,
		    struct paleo_op_list *list, struct paleo_error *err)
{
	for (int i = 0; passes & PALEO_PASSES_FWD && i < net->count; i++) {
		list->layer = net->layers[i];
		PALEO_TRY(list_forward(list->layer, dtype, list, err));
	}
	for (int i = net->count - 1; passes & PALEO_PASSES_BWD && i >= 0; i--) {
		list->layer = net->layers[i];
		PALEO_TRY(list_backward(list->layer, dtype, list, err));
	}
	for (int i = 0; passes & 1u << PALEO_PASS_UPDATE && i < net->count; i++) {
		list->layer = net->layers[i];
		PALEO_TRY(list_update(list->layer, dtype, list, err));
	}
	return PALEO_OK;
}

/* Drops the rows of passes not requested: a layer gives both backward passes at once. */
static void keep_passes(struct paleo_op_list *list, unsigned passes)
{
	int kept = 0;

	for (int i = 0; i < list->count; i++)
		if (passes & 1u << list->items[i].pass)
			list->items[kept++] = list->items[i];
	list->count = kept;
}

int paleo_net_ops_with(const struct paleo_net *net, const struct paleo_ops_options *o,
		       struct paleo_op_list *out, struct paleo_error *err)
{
	struct paleo_op_list list = {.layout = o->layout,
				     .separate_attention = o->separate_attention};
	unsigned passes = net->inference ? o->passes & PALEO_PASSES_FWD : o->passes;
	int whole = o->framework &&
		    passes != PALEO_PASSES_FWD; /* f32 tensors follow from the forward pass */
	int rc = list_all(net, o->dtype, whole ? PALEO_PASSES_ALL : passes, &list, err);

	if (!rc && o->framework)
		rc = paleo_op_list_as_framework(net, o, &list, err);

	if (rc) {
		paleo_op_list_release(&list);
		return rc;
	}
	keep_passes(&list, o->passes);
	list.layer = NULL;
	if (o->fuse)
		rc = paleo_op_list_fuse(&list, o->fuse, err);
	if (rc) {
		paleo_op_list_release(&list);
		return rc;
	}
	*out = list;
	return PALEO_OK;
}

int paleo_net_ops(const struct paleo_net *net, enum paleo_dtype dtype, unsigned passes,
		  struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_ops_options o = {.dtype = dtype, .passes = passes};

	return paleo_net_ops_with(net, &o, out, err);
}
