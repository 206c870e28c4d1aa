/* net_fuse.c - the forward works of a net as a library for inference runs them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "model/net/net.h"

/* Where a work keeps the activation that it ends with, or NULL where it cannot have one. */
static int *act_of(struct paleo_work *w)
{
	if (w->pass != PALEO_FWD)
		return NULL;
	if (w->kind == PALEO_CONV)
		return &w->geom.conv.act;
	return w->kind == PALEO_GEMM && w->geom.gemm.batch == 1 ? &w->geom.gemm.act : NULL;
}

/* Functions of one input and nothing else; dropout leaves a mask. */
static int is_activation(const struct paleo_work *w)
{
	return w->kind == PALEO_ELTWISE && w->geom.eltwise.op < PALEO_DROPOUT;
}

/* The row that reads the result of row i and nothing else does: the layer's next, or the first of
 * its only child. -1: there is none, or several. */
static int only_reader(const struct paleo_work_list *list, int i)
{
	const struct paleo_layer *l = list->items[i].layer;
	int next = i + 1;

	while (next < list->count && !list->items[next].layer)
		next++;
	if (next < list->count && list->items[next].layer == l)
		return next;
	if (l->child_count != 1 || l->children[0]->parent_count != 1)
		return -1;
	for (int k = next; k < list->count; k++)
		if (list->items[k].layer == l->children[0])
			return k;
	return -1;
}

/* Takes the activation into the work in front of it; 1 if it did. The activation's row has no layer
 * then. */
static int take_activation(struct paleo_work_list *list, int i)
{
	struct paleo_net_work *item = &list->items[i];
	int *act = act_of(&item->work);
	int next = act ? only_reader(list, i) : -1;

	if (next < 0 || !is_activation(&list->items[next].work))
		return 0;
	*act = 1 + list->items[next].work.geom.eltwise.op;
	item->what = item->work.kind == PALEO_CONV ? "conv + act" : "inner_product + act";
	list->items[next].layer = NULL;
	return 1;
}

/* 1 if the work is another one at inference. */
static int take_statistics(struct paleo_work *w)
{
	if (w->kind != PALEO_NORM || w->geom.norm.mode != PALEO_BATCH_NORM)
		return 0;
	w->geom.norm.mode = PALEO_BATCH_INFERENCE;
	return 1;
}

int paleo_work_list_fuse(struct paleo_work_list *list, struct paleo_error *err)
{
	int kept = 0, rc = PALEO_OK;

	for (int i = 0; !rc && i < list->count; i++) {
		struct paleo_work *w = &list->items[i].work;
		assert(list->items[i].pass == PALEO_FWD);
		if (!list->items[i].layer)
			continue;
		if (take_activation(list, i) || take_statistics(w))
			rc = paleo_work_finish(w, err);
		list->items[kept++] = list->items[i]; /* rows behind it are looked at only */
	}
	if (!rc)
		list->count = kept;
	return rc;
}
