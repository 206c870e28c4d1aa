/* net_framework.c - the ops of a net as a framework of Python's runs them, kernel by kernel. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "model/net/layers/params.h"
#include "model/net/net.h"

/*
 * PyTorch's autocast (mixed precision): GEMMs and convolutions run in the short type, from f32
 * weights that are cast in every step; row normalisations and softmax in f32; elementwise ops in
 * the widest type of their inputs. A fused attention kernel runs in the short type. A cast is
 * listed as the sum of two tensors of the short type, which moves as many bytes: 4 + 2 an element.
 * torch.compile selects channels_last for convolutions by itself.
 */
struct rewriter {
	const struct paleo_net *net;
	const struct paleo_ops_options *o;
	struct paleo_op_list out;
	unsigned char *wide; /* of each layer: its result is f32 */
	unsigned char *cast; /* of each layer: its result was cast already */
	int is_wide;         /* the layer's result so far is f32 */
	int training;
};

static int eager(const struct rewriter *r)
{
	return r->o->framework == PALEO_FRAMEWORK_EAGER;
}

static int autocast(const struct rewriter *r)
{
	return paleo_dtype_bytes(paleo_dtype_wide(r->o->dtype)) == 2;
}

static int add(struct rewriter *r, const struct paleo_net_op *item, const struct paleo_op *w,
	       const char *what, struct paleo_error *err)
{
	r->out.layer = item->layer;
	int rc = paleo_op_list_add(&r->out, what, item->pass, w, err);
	if (!rc && w->kind == item->op.kind)
		r->out.items[r->out.count - 1].narrow = item->narrow;
	return rc;
}

static int add_cast(struct rewriter *r, const struct paleo_net_op *item, double count,
		    struct paleo_error *err)
{
	const struct paleo_op w = {
		.kind = PALEO_ELTWISE,
		.pass = PALEO_FWD,
		.dtype = paleo_dtype_wide(r->o->dtype),
		.geom.eltwise = {.op = PALEO_ADD, .inputs = 2, .count = count},
	};

	return count > 0 ? add(r, item, &w, "cast", err) : PALEO_OK;
}

static int is_product(const struct paleo_op *w)
{
	return w->kind == PALEO_CONV || w->kind == PALEO_GEMM || w->kind == PALEO_MOE;
}

static int is_of_attention(const struct paleo_net_op *item)
{
	return paleo_layer_attends(item->layer);
}

/* Softmax and normalisations of rows. */
static int wants_f32(const struct paleo_op *w)
{
	return w->kind == PALEO_SOFTMAX ||
	       (w->kind == PALEO_NORM &&
		(w->geom.norm.mode == PALEO_LAYER_NORM || w->geom.norm.mode == PALEO_RMS_NORM));
}

/* Filters and biases are f32 and are cast in every step; so is their gradient, back. Adds casts of
 * a GEMM's inputs, which a compiler fuses into the ops before it. */
static int cast_for_product(struct rewriter *r, const struct paleo_net_op *item,
			    struct paleo_error *err)
{
	const struct paleo_layer *l = item->layer;

	if (item->pass == PALEO_FWD || item->pass == PALEO_BWD_FILTER)
		PALEO_TRY(add_cast(r, item, paleo_layer_weights(l), err));
	for (int i = 0; eager(r) && item->pass != PALEO_BWD_FILTER && i < l->parent_count; i++) {
		int at = l->parents[i]->index, bit = item->pass == PALEO_FWD ? 1 : 2;
		if (!r->wide[at] || r->cast[at] & bit)
			continue;
		r->cast[at] |= (unsigned char)bit;
		PALEO_TRY(add_cast(r, item, paleo_shape_count(&l->parents[i]->out), err));
	}
	return PALEO_OK;
}

/* 1 if the row combines learned f32 numbers with its input. */
static int mixes_learned(const struct paleo_net_op *item)
{
	const struct paleo_op *w = &item->op;
	int joins =
		w->kind == PALEO_COPY || (w->kind == PALEO_ELTWISE && w->geom.eltwise.small > 0);

	return joins && paleo_layer_weights(item->layer) > 0;
}

/* The dtype of a row under autocast, and of the layer's result. */
static enum paleo_dtype type_of(struct rewriter *r, const struct paleo_net_op *item)
{
	const struct paleo_op *w = &item->op;
	int forward = item->pass == PALEO_FWD;

	if (w->kind == PALEO_UPDATE)
		return PALEO_F32;
	if (is_product(w) || is_of_attention(item)) {
		r->is_wide &= !forward;
		return w->dtype;
	}
	if (wants_f32(w)) {
		r->is_wide = forward ? eager(r) : r->is_wide;
		return eager(r) ? PALEO_F32 : paleo_dtype_wide(w->dtype);
	}
	if (forward && mixes_learned(item))
		r->is_wide = 1;
	int is_wide = forward ? r->is_wide : r->wide[item->layer->index];
	return is_wide ? PALEO_F32 : paleo_dtype_wide(w->dtype);
}

/* A bias of a convolution, and the gradient of every bias (image by image), are kernels apart. */
static int add_bias(struct rewriter *r, const struct paleo_net_op *item, struct paleo_op *w,
		    struct paleo_error *err)
{
	struct paleo_op bias = {.pass = PALEO_FWD, .dtype = w->dtype};
	const struct paleo_conv_geom *c = &w->geom.conv;
	int conv = w->kind == PALEO_CONV;

	if (item->pass == PALEO_FWD && conv) {
		bias.kind = PALEO_ELTWISE;
		bias.geom.eltwise.op = PALEO_ADD;
		bias.geom.eltwise.inputs = 2;
		bias.geom.eltwise.count = paleo_shape_count(&item->layer->out);
		bias.geom.eltwise.small = c->k;
	} else if (item->pass == PALEO_BWD_FILTER) {
		bias.kind = PALEO_REDUCE;
		bias.geom.reduce.rows = conv ? c->n * c->k : w->geom.gemm.m;
		bias.geom.reduce.cols = conv ? c->p * c->q : w->geom.gemm.k;
	} else {
		return add(r, item, w, item->what, err);
	}
	if (conv)
		w->geom.conv.bias = 0;
	else
		w->geom.gemm.bias = 0;
	PALEO_TRY(add(r, item, w, item->what, err));
	return add(r, item, &bias, item->pass == PALEO_FWD ? "bias" : "bias gradient", err);
}

static int has_bias(const struct paleo_op *w)
{
	return w->kind == PALEO_CONV ? w->geom.conv.bias
				     : w->kind == PALEO_GEMM && w->geom.gemm.bias;
}

/* In training, dropout after the softmax stores a mask. A fused kernel regenerates its mask in the
 * backward pass and has no such op. */
static int add_dropout(struct rewriter *r, const struct paleo_net_op *item, double count,
		       struct paleo_error *err)
{
	const struct paleo_attention_param *p = item->layer->param;
	const struct paleo_op w = {
		.kind = PALEO_ELTWISE,
		.pass = item->pass,
		.dtype = paleo_dtype_wide(r->o->dtype),
		.geom.eltwise = {.op = PALEO_DROPOUT, .inputs = 1, .count = count},
	};

	return r->training && p->keep < 1 ? add(r, item, &w, "dropout", err) : PALEO_OK;
}

/* Softmax where attention is not fused: scores are scaled by a separate kernel, which moves as much
 * as a ReLU, and cast to f32 and back; likewise their gradients. */
static int add_softmax(struct rewriter *r, const struct paleo_net_op *item, struct paleo_op *w,
		       struct paleo_error *err)
{
	const double count = (double)w->geom.softmax.rows * w->geom.softmax.cols;
	const struct paleo_op scale = {
		.kind = PALEO_ELTWISE,
		.pass = PALEO_FWD,
		.dtype = paleo_dtype_wide(w->dtype),
		.geom.eltwise = {.op = PALEO_RELU, .inputs = 1, .count = count},
	};
	const double casts = autocast(r) ? count : 0;
	const int forward = item->pass == PALEO_FWD;
	int rc = forward ? add(r, item, &scale, "scale", err) : add_dropout(r, item, count, err);

	if (!rc)
		rc = add_cast(r, item, casts, err);
	if (autocast(r))
		w->dtype = PALEO_F32;
	if (!rc)
		rc = add(r, item, w, item->what, err);
	if (!rc)
		rc = add_cast(r, item, casts, err);
	if (rc)
		return rc;
	return forward ? add_dropout(r, item, count, err) : add(r, item, &scale, "scale", err);
}

static int rewrite(struct rewriter *r, const struct paleo_net_op *item, struct paleo_error *err)
{
	struct paleo_op w = item->op;
	int was_wide = r->is_wide;

	if (!r->training && w.kind == PALEO_ELTWISE && w.geom.eltwise.op == PALEO_DROPOUT)
		return PALEO_OK; /* inference drops nothing */
	if (w.kind == PALEO_UPDATE)
		w.geom.update.rule = (int)r->o->optimizer;
	if (is_of_attention(item) && w.kind == PALEO_SOFTMAX)
		return add_softmax(r, item, &w, err);
	if (autocast(r)) {
		w.dtype = type_of(r, item);
		if (is_product(&w) && !is_of_attention(item))
			PALEO_TRY(cast_for_product(r, item, err));
		else if (wants_f32(&w) && eager(r) && !was_wide && !is_of_attention(item))
			PALEO_TRY(add_cast(r, item, paleo_shape_count(&item->layer->out), err));
	}
	if (has_bias(&w) && eager(r))
		return add_bias(r, item, &w, err);
	return add(r, item, &w, item->what, err);
}

/* Returns 1 if any of a layer's parents gives f32; data does. */
static int reads_wide(const struct rewriter *r, const struct paleo_layer *l)
{
	int wide = l->parent_count == 0;

	for (int i = 0; i < l->parent_count; i++)
		wide |= r->wide[l->parents[i]->index];
	return wide;
}

static int rewrite_forward(struct rewriter *r, const struct paleo_op_list *list, int *at,
			   struct paleo_error *err)
{
	for (int i = 0; i < r->net->count; i++) {
		const struct paleo_layer *l = r->net->layers[i];
		r->is_wide = reads_wide(r, l);
		for (; *at < list->count && list->items[*at].layer == l &&
		       list->items[*at].pass == PALEO_FWD;
		     ++*at)
			PALEO_TRY(rewrite(r, &list->items[*at], err));
		r->wide[i] = (unsigned char)r->is_wide;
	}
	return PALEO_OK;
}

/* At inference a normalisation takes the statistics it has. */
static void infer(struct paleo_op *w)
{
	if (w->kind == PALEO_NORM && w->geom.norm.mode == PALEO_BATCH_NORM)
		w->geom.norm.mode = PALEO_BATCH_INFERENCE;
}

int paleo_op_list_as_framework(const struct paleo_net *net, const struct paleo_ops_options *o,
			       struct paleo_op_list *list, struct paleo_error *err)
{
	struct rewriter r = {.net = net,
			     .o = o,
			     .out.layout = o->framework == PALEO_FRAMEWORK_COMPILED ? PALEO_NHWC
										    : o->layout,
			     .training = o->passes != PALEO_PASSES_FWD};
	int at = 0, rc = PALEO_OK;

	r.wide = calloc((size_t)net->count + 1, 1);
	r.cast = calloc((size_t)net->count + 1, 1);
	if (!r.wide || !r.cast)
		rc = paleo_fail(err, PALEO_ENOMEM, "memory ran out while listing the ops of a net");
	for (int i = 0; !r.training && i < list->count; i++)
		infer(&list->items[i].op);
	if (!rc && !eager(&r))
		rc = paleo_op_list_merge(list, err);
	if (!rc)
		rc = rewrite_forward(&r, list, &at, err);
	for (; !rc && at < list->count; at++) {
		r.is_wide = r.wide[list->items[at].layer->index];
		rc = rewrite(&r, &list->items[at], err);
	}
	free(r.wide);
	free(r.cast);
	if (rc) {
		paleo_op_list_release(&r.out);
		return rc;
	}
	paleo_op_list_release(list);
	*list = r.out;
	list->layer = NULL;
	return PALEO_OK;
}
