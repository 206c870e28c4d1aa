/* net_works.c - lists the works of a training step: the one place that walks a net. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/grow.h"
#include "model/net/net.h"

int paleo_work_list_add(struct paleo_work_list *list, const char *what, enum paleo_pass pass,
			const struct paleo_work *w, struct paleo_error *err)
{
	struct paleo_net_work item = {.layer = list->layer, .what = what, .pass = pass, .work = *w};

	item.work.layout = list->layout;
	if (!paleo_work_has_dtype(&item.work))
		item.work.dtype = paleo_dtype_wide(item.work.dtype);
	int rc = paleo_work_finish(&item.work, err);

	if (rc) {
		const int backward = rc == PALEO_EUNSUPPORTED && pass != PALEO_FWD;
		paleo_error_prefix(err, "layer '%s', %s%s", list->layer->name, what,
				   backward ? " (backward; '--pass fwd' is without)" : "");
		return rc;
	}
	struct paleo_net_work *items =
		paleo_grow(list->items, list->count, &list->capacity, sizeof(*items));
	if (!items)
		return paleo_fail(err, PALEO_ENOMEM,
				  "memory ran out while listing the works of a net");
	list->items = items;
	items[list->count++] = item;
	return PALEO_OK;
}

enum paleo_layout paleo_work_list_layout(const struct paleo_work_list *list)
{
	return list->layout;
}

void paleo_work_list_release(struct paleo_work_list *list)
{
	if (!list)
		return;
	free(list->items);
	*list = (struct paleo_work_list){0};
}

/* The gradients that arrive from children are added up; a sum of more than PALEO_ADDENDS_MAX in
 * steps. */
static int sum_gradients(const struct paleo_layer *l, enum paleo_dtype dtype,
			 struct paleo_work_list *list, struct paleo_error *err)
{
	int left = 0;

	for (int i = 0; i < l->child_count; i++)
		left += !l->children[i]->kind->no_gradient;
	while (left > 1) {
		int inputs = left < PALEO_ADDENDS_MAX ? left : PALEO_ADDENDS_MAX;
		struct paleo_work w = {
			.kind = PALEO_ELTWISE,
			.pass = PALEO_FWD,
			.dtype = dtype,
			.geom.eltwise = {.op = PALEO_ADD,
					 .inputs = inputs,
					 .count = paleo_shape_count(&l->out)},
		};
		int rc = paleo_work_list_add(list, "sum of gradients", PALEO_BWD_DATA, &w, err);
		if (rc)
			return rc;
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
			struct paleo_work_list *list, struct paleo_error *err)
{
	return l->kind->work ? l->kind->work(l, PALEO_FWD, dtype, list, err) : PALEO_OK;
}

static int list_backward(const struct paleo_layer *l, enum paleo_dtype dtype,
			 struct paleo_work_list *list, struct paleo_error *err)
{
	if (!l->needs_grad || l->kind->no_gradient)
		return PALEO_OK;
	int rc = sum_gradients(l, dtype, list, err);
	if (rc || !l->kind->work)
		return rc;
	if (paleo_layer_weights(l) > 0 || paleo_layer_active(l) > 0)
		rc = l->kind->work(l, PALEO_BWD_FILTER, dtype, list, err);
	if (!rc && parent_needs_grad(l))
		rc = l->kind->work(l, PALEO_BWD_DATA, dtype, list, err);
	return rc;
}

static int list_update(const struct paleo_layer *l, enum paleo_dtype dtype,
		       struct paleo_work_list *list, struct paleo_error *err)
{
	struct paleo_work w = {
		.kind = PALEO_UPDATE,
		.pass = PALEO_PASS_UPDATE,
		.dtype = dtype,
		.geom.update = {.rule = PALEO_SGD, .count = paleo_layer_weights(l)},
	};

	if (w.geom.update.count == 0)
		return PALEO_OK;
	return paleo_work_list_add(list, "update", PALEO_PASS_UPDATE, &w, err);
}

static int list_all(const struct paleo_net *net, enum paleo_dtype dtype, unsigned passes,
		    struct paleo_work_list *list, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && passes & PALEO_PASSES_FWD && i < net->count; i++) {
		list->layer = net->layers[i];
		rc = list_forward(list->layer, dtype, list, err);
	}
	for (int i = net->count - 1; !rc && passes & PALEO_PASSES_BWD && i >= 0; i--) {
		list->layer = net->layers[i];
		rc = list_backward(list->layer, dtype, list, err);
	}
	for (int i = 0; !rc && passes & 1u << PALEO_PASS_UPDATE && i < net->count; i++) {
		list->layer = net->layers[i];
		rc = list_update(list->layer, dtype, list, err);
	}
	return rc;
}

/* Drops the rows of a pass that was not asked for: a layer gives both backward passes at once. */
static void keep_passes(struct paleo_work_list *list, unsigned passes)
{
	int kept = 0;

	for (int i = 0; i < list->count; i++)
		if (passes & 1u << list->items[i].pass)
			list->items[kept++] = list->items[i];
	list->count = kept;
}

int paleo_net_works_with(const struct paleo_net *net, const struct paleo_works_options *o,
			 struct paleo_work_list *out, struct paleo_error *err)
{
	struct paleo_work_list list = {.layout = o->layout};
	unsigned passes = net->inference ? o->passes & PALEO_PASSES_FWD : o->passes;
	int whole = o->framework && passes != PALEO_PASSES_FWD; /* forward says what is f32 */
	int rc = list_all(net, o->dtype, whole ? PALEO_PASSES_ALL : passes, &list, err);

	if (!rc && o->framework)
		rc = paleo_work_list_as_framework(net, o, &list, err);

	if (rc) {
		paleo_work_list_release(&list);
		return rc;
	}
	keep_passes(&list, o->passes);
	list.layer = NULL;
	if (o->fuse)
		rc = paleo_work_list_fuse(&list, o->fuse, err);
	if (rc) {
		paleo_work_list_release(&list);
		return rc;
	}
	*out = list;
	return PALEO_OK;
}

int paleo_net_works(const struct paleo_net *net, enum paleo_dtype dtype, unsigned passes,
		    struct paleo_work_list *out, struct paleo_error *err)
{
	const struct paleo_works_options o = {.dtype = dtype, .passes = passes};

	return paleo_net_works_with(net, &o, out, err);
}
