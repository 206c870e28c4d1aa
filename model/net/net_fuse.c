/* net_fuse.c - the forward ops of a net as a library for inference runs them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "model/net/net.h"

/* Address of an op's fused activation, or NULL where it cannot have one. */
static int *act_of(struct paleo_op *w)
{
	if (w->pass != PALEO_FWD)
		return NULL;
	if (w->kind == PALEO_CONV)
		return &w->geom.conv.act;
	return w->kind == PALEO_GEMM && w->geom.gemm.batch == 1 ? &w->geom.gemm.act : NULL;
}

/* Functions of one input and nothing else; dropout leaves a mask. */
static int is_activation(const struct paleo_op *w)
{
	return w->kind == PALEO_ELTWISE && w->geom.eltwise.op < PALEO_DROPOUT;
}

/* The only reader of what layer `l` has after row i: the layer's next row, or the first of its only
 * child. -1: none, or several. */
static int only_reader_of(const struct paleo_op_list *list, int i, const struct paleo_layer *l)
{
	int next = i + 1;

	while (next < list->count && !list->items[next].layer)
		next++;
	if (next < list->count && list->items[next].pass != PALEO_FWD)
		return -1;
	if (next < list->count && list->items[next].layer == l)
		return next;
	if (l->child_count != 1 || l->children[0]->parent_count != 1)
		return -1;
	for (int k = next; k < list->count; k++)
		if (list->items[k].layer == l->children[0])
			return list->items[k].pass == PALEO_FWD ? k : -1;
	return -1;
}

static int only_reader(const struct paleo_op_list *list, int i)
{
	return only_reader_of(list, i, list->items[i].layer);
}

/* Fuses the activation into the op before it, whose result is that of layer `l`. The activation's
 * row has no layer then. */
static void take_activation(struct paleo_op_list *list, int i, const struct paleo_layer *l)
{
	struct paleo_net_op *item = &list->items[i];
	int *act = act_of(&item->op);
	int next = act ? only_reader_of(list, i, l) : -1;

	if (next < 0 || !is_activation(&list->items[next].op))
		return;
	*act = 1 + list->items[next].op.geom.eltwise.op;
	item->what = item->op.kind == PALEO_CONV ? "conv + act" : "inner_product + act";
	list->items[next].layer = NULL;
}

/* 1 if the row normalises each channel by the statistics of the batch or of training. */
static int is_batch_norm(const struct paleo_op *w)
{
	return w->kind == PALEO_NORM && (w->geom.norm.mode == PALEO_BATCH_NORM ||
					 w->geom.norm.mode == PALEO_BATCH_INFERENCE);
}

/* Folds a batch normalisation into the GEMM or convolution before it, whose filter is scaled
 * beforehand: only a bias is left. The layer whose result the row has then. */
static const struct paleo_layer *fold_norm(struct paleo_op_list *list, int i)
{
	struct paleo_op *w = &list->items[i].op;
	const struct paleo_layer *l = list->items[i].layer;
	int next = act_of(w) && !*act_of(w) ? only_reader(list, i) : -1;

	if (next < 0 || !is_batch_norm(&list->items[next].op))
		return l;
	if (w->kind == PALEO_CONV)
		w->geom.conv.bias = 1;
	else
		w->geom.gemm.bias = 1;
	l = list->items[next].layer;
	list->items[next].layer = NULL;
	return l;
}

/* The sum that is the only reader of row i's result, with other inputs; -1: none. */
static int only_sum(const struct paleo_op_list *list, int i)
{
	const struct paleo_layer *l = list->items[i].layer;

	if (l->child_count != 1)
		return -1;
	for (int k = i + 1; k < list->count; k++) {
		const struct paleo_net_op *item = &list->items[k];
		if (item->layer == l || item->pass != PALEO_FWD)
			return -1; /* the layer goes on */
		if (item->layer != l->children[0])
			continue;
		return item->op.kind == PALEO_ELTWISE && item->op.geom.eltwise.op == PALEO_ADD ? k
											       : -1;
	}
	return -1;
}

/* 1 if every element of the result needs one of each input alone, and nothing else is written. */
static int is_pointwise(const struct paleo_op *w)
{
	if (w->pass != PALEO_FWD)
		return 0;
	return (w->kind == PALEO_ELTWISE && w->geom.eltwise.op != PALEO_DROPOUT) ||
	       (w->kind == PALEO_NORM && w->geom.norm.mode == PALEO_BATCH_INFERENCE);
}

/* Number of full-size tensors it reads. */
static int wide_inputs(const struct paleo_op *w)
{
	return w->kind == PALEO_ELTWISE && !(w->geom.eltwise.small > 0) ? w->geom.eltwise.inputs
									: 1;
}

/*
 * Fuses row i with the next one where both are elementwise: an activation is fused into row i, row
 * i into a sum that reads it, which then reads row i's inputs. 1: row i is removed.
 */
static int merge_pointwise(struct paleo_op_list *list, int i)
{
	struct paleo_net_op *item = &list->items[i];
	int next;

	if (!is_pointwise(&item->op))
		return 0;
	while ((next = only_reader(list, i)) >= 0 && is_activation(&list->items[next].op)) {
		item->layer = list->items[next].layer; /* whose result it is now */
		list->items[next].layer = NULL;
	}
	next = only_sum(list, i);
	if (next < 0)
		return 0;
	struct paleo_eltwise_geom *sum = &list->items[next].op.geom.eltwise;
	if (sum->small > 0 || sum->inputs + wide_inputs(&item->op) - 1 > PALEO_ADDENDS_MAX)
		return 0;
	sum->inputs += wide_inputs(&item->op) - 1;
	item->layer = NULL;
	return 1;
}

/* 1 if the op is another one at inference. */
static int take_statistics(struct paleo_op *w)
{
	if (w->kind != PALEO_NORM || w->geom.norm.mode != PALEO_BATCH_NORM)
		return 0;
	w->geom.norm.mode = PALEO_BATCH_INFERENCE;
	return 1;
}

/* Drops the rows without a layer, and finishes the others. */
static int drop_rows(struct paleo_op_list *list, struct paleo_error *err)
{
	int kept = 0, rc = PALEO_OK;

	for (int i = 0; !rc && i < list->count; i++) {
		if (!list->items[i].layer)
			continue;
		list->items[kept] = list->items[i];
		rc = paleo_op_finish(&list->items[kept++].op, err);
	}
	list->count = kept;
	return rc;
}

/* Puts forward rows, some of which belong to a later layer now, in the order of layers again. */
static void sort_rows(struct paleo_op_list *list)
{
	for (int i = 1; i < list->count && list->items[i].pass == PALEO_FWD; i++) {
		const struct paleo_net_op item = list->items[i];
		int k = i;
		for (; k > 0 && list->items[k - 1].layer->index > item.layer->index; k--)
			list->items[k] = list->items[k - 1];
		list->items[k] = item;
	}
}

int paleo_op_list_merge(struct paleo_op_list *list, struct paleo_error *err)
{
	for (int i = 0; i < list->count; i++)
		if (list->items[i].layer && list->items[i].pass == PALEO_FWD)
			merge_pointwise(list, i);
	PALEO_TRY(drop_rows(list, err));
	sort_rows(list);
	return PALEO_OK;
}

int paleo_op_list_fuse(struct paleo_op_list *list, enum paleo_fuse fuse, struct paleo_error *err)
{
	for (int i = 0; i < list->count; i++) {
		assert(list->items[i].pass == PALEO_FWD);
		if (!list->items[i].layer)
			continue;
		take_activation(list, i, fold_norm(list, i));
		take_statistics(&list->items[i].op);
	}
	int rc = drop_rows(list, err);
	return rc || fuse != PALEO_FUSE_CHAINS ? rc : paleo_op_list_merge(list, err);
}
