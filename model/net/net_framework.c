/* net_framework.c - the works of a net as a framework of Python's runs them, kernel by kernel. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "model/net/layers/kinds.h"
#include "model/net/layers/params.h"
#include "model/net/net.h"

/*
 * PyTorch's autocast: products are done in the short type, from f32 weights that are cast in every
 * step; normalisations of rows and softmax in f32; what goes element by element in the widest type
 * of its inputs. Attention is taken for a fused kernel in the short type, unless it is asked for as
 * the separate kernels that models had before PyTorch 2. A cast stands as the sum
 * of two tensors of the short type, which moves as many bytes: 4 + 2 an element. torch.compile lays
 * the images of convolutions out with channels innermost by itself.
 */
struct rewriter {
	const struct paleo_net *net;
	const struct paleo_works_options *o;
	struct paleo_work_list out;
	unsigned char *wide; /* of each layer: its result is f32 */
	unsigned char *cast; /* of each layer: its result was cast already */
	int is_wide;         /* what the layer has made so far is f32 */
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

static int add(struct rewriter *r, const struct paleo_net_work *item, const struct paleo_work *w,
	       const char *what, struct paleo_error *err)
{
	r->out.layer = item->layer;
	return paleo_work_list_add(&r->out, what, item->pass, w, err);
}

static int add_cast(struct rewriter *r, const struct paleo_net_work *item, double count,
		    struct paleo_error *err)
{
	const struct paleo_work w = {
		.kind = PALEO_ELTWISE,
		.pass = PALEO_FWD,
		.dtype = paleo_dtype_wide(r->o->dtype),
		.geom.eltwise = {.op = PALEO_ADD, .inputs = 2, .count = count},
	};

	return count > 0 ? add(r, item, &w, "cast", err) : PALEO_OK;
}

static int is_product(const struct paleo_work *w)
{
	return w->kind == PALEO_CONV || w->kind == PALEO_GEMM;
}

static int is_of_attention(const struct paleo_net_work *item)
{
	return item->layer->kind == &paleo_kind_attention;
}

/* Softmax and normalisations of rows. */
static int wants_f32(const struct paleo_work *w)
{
	return w->kind == PALEO_SOFTMAX ||
	       (w->kind == PALEO_NORM &&
		(w->geom.norm.mode == PALEO_LAYER_NORM || w->geom.norm.mode == PALEO_RMS_NORM));
}

/* Filters and biases are f32 and are cast in every step; so is their gradient, back. Casts of what
 * a product reads, which a compiler merges into the works before it. */
static int cast_for_product(struct rewriter *r, const struct paleo_net_work *item,
			    struct paleo_error *err)
{
	const struct paleo_layer *l = item->layer;
	int rc = PALEO_OK;

	if (item->pass == PALEO_FWD || item->pass == PALEO_BWD_FILTER)
		rc = add_cast(r, item, paleo_layer_weights(l), err);
	for (int i = 0; !rc && eager(r) && item->pass != PALEO_BWD_FILTER && i < l->parent_count;
	     i++) {
		int at = l->parents[i]->index, bit = item->pass == PALEO_FWD ? 1 : 2;
		if (!r->wide[at] || r->cast[at] & bit)
			continue;
		r->cast[at] |= (unsigned char)bit;
		rc = add_cast(r, item, paleo_shape_count(&l->parents[i]->out), err);
	}
	return rc;
}

/* 1 if the row puts f32 numbers that the layer learns beside what it reads. */
static int mixes_learned(const struct paleo_net_work *item)
{
	const struct paleo_work *w = &item->work;
	int joins =
		w->kind == PALEO_COPY || (w->kind == PALEO_ELTWISE && w->geom.eltwise.small > 0);

	return joins && paleo_layer_weights(item->layer) > 0;
}

/* The number type of a row under autocast, and what the layer's result is then. */
static enum paleo_dtype type_of(struct rewriter *r, const struct paleo_net_work *item)
{
	const struct paleo_work *w = &item->work;
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
static int add_bias(struct rewriter *r, const struct paleo_net_work *item, struct paleo_work *w,
		    struct paleo_error *err)
{
	struct paleo_work bias = {.pass = PALEO_FWD, .dtype = w->dtype};
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
	int rc = add(r, item, w, item->what, err);
	return rc ? rc
		  : add(r, item, &bias, item->pass == PALEO_FWD ? "bias" : "bias gradient", err);
}

static int has_bias(const struct paleo_work *w)
{
	return w->kind == PALEO_CONV ? w->geom.conv.bias
				     : w->kind == PALEO_GEMM && w->geom.gemm.bias;
}

/* In training some of the weights behind the softmax are dropped, which leaves a mask. A fused
 * kernel draws its mask again backward, and stores none: it has no such work. */
static int add_dropout(struct rewriter *r, const struct paleo_net_work *item, double count,
		       struct paleo_error *err)
{
	const struct paleo_attention_param *p = item->layer->param;
	const struct paleo_work w = {
		.kind = PALEO_ELTWISE,
		.pass = item->pass,
		.dtype = paleo_dtype_wide(r->o->dtype),
		.geom.eltwise = {.op = PALEO_DROPOUT, .inputs = 1, .count = count},
	};

	return r->training && p->keep < 1 ? add(r, item, &w, "dropout", err) : PALEO_OK;
}

/* Softmax where attention is no fused kernel: scores are scaled by a kernel of their own, which
 * moves what a ReLU does, and cast to f32 and back. Gradients go the same way backward. */
static int add_softmax(struct rewriter *r, const struct paleo_net_work *item, struct paleo_work *w,
		       struct paleo_error *err)
{
	const double count = (double)w->geom.softmax.rows * w->geom.softmax.cols;
	const struct paleo_work scale = {
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

static int rewrite(struct rewriter *r, const struct paleo_net_work *item, struct paleo_error *err)
{
	struct paleo_work w = item->work;
	int was_wide = r->is_wide, rc = PALEO_OK;

	if (!r->training && w.kind == PALEO_ELTWISE && w.geom.eltwise.op == PALEO_DROPOUT)
		return PALEO_OK; /* inference drops nothing */
	if (w.kind == PALEO_UPDATE)
		w.geom.update.rule = (int)r->o->optimizer;
	if (is_of_attention(item) && r->o->separate_attention && w.kind == PALEO_SOFTMAX)
		return add_softmax(r, item, &w, err);
	if (is_of_attention(item) && !r->o->separate_attention) {
		if (w.kind == PALEO_COPY)
			return PALEO_OK; /* products read heads where they are */
		if (w.kind == PALEO_SOFTMAX && autocast(r))
			return PALEO_OK; /* within the fused kernel */
	}
	if (autocast(r)) {
		w.dtype = type_of(r, item);
		if (is_product(&w) && !is_of_attention(item))
			rc = cast_for_product(r, item, err);
		else if (wants_f32(&w) && eager(r) && !was_wide && !is_of_attention(item))
			rc = add_cast(r, item, paleo_shape_count(&item->layer->out), err);
	}
	if (rc)
		return rc;
	if (has_bias(&w) && eager(r))
		return add_bias(r, item, &w, err);
	return add(r, item, &w, item->what, err);
}

/* Whether any of a layer's parents gives f32; data does. */
static int reads_wide(const struct rewriter *r, const struct paleo_layer *l)
{
	int wide = l->parent_count == 0;

	for (int i = 0; i < l->parent_count; i++)
		wide |= r->wide[l->parents[i]->index];
	return wide;
}

static int rewrite_forward(struct rewriter *r, const struct paleo_work_list *list, int *at,
			   struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < r->net->count; i++) {
		const struct paleo_layer *l = r->net->layers[i];
		r->is_wide = reads_wide(r, l);
		for (; !rc && *at < list->count && list->items[*at].layer == l &&
		       list->items[*at].pass == PALEO_FWD;
		     ++*at)
			rc = rewrite(r, &list->items[*at], err);
		r->wide[i] = (unsigned char)r->is_wide;
	}
	return rc;
}

/* At inference a normalisation takes the statistics it has. */
static void infer(struct paleo_work *w)
{
	if (w->kind == PALEO_NORM && w->geom.norm.mode == PALEO_BATCH_NORM)
		w->geom.norm.mode = PALEO_BATCH_INFERENCE;
}

int paleo_work_list_as_framework(const struct paleo_net *net, const struct paleo_works_options *o,
				 struct paleo_work_list *list, struct paleo_error *err)
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
		rc = paleo_fail(err, PALEO_ENOMEM,
				"memory ran out while listing the works of a net");
	for (int i = 0; !r.training && i < list->count; i++)
		infer(&list->items[i].work);
	if (!rc && !eager(&r))
		rc = paleo_work_list_merge(list, err);
	if (!rc)
		rc = rewrite_forward(&r, list, &at, err);
	for (; !rc && at < list->count; at++) {
		r.is_wide = r.wide[list->items[at].layer->index];
		rc = rewrite(&r, &list->items[at], err);
	}
	free(r.wide);
	free(r.cast);
	if (rc) {
		paleo_work_list_release(&r.out);
		return rc;
	}
	paleo_work_list_release(list);
	*list = r.out;
	list->layer = NULL;
	return PALEO_OK;
}
