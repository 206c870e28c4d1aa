/* shape.c - the original's rules for each kind of layer: shapes, params, prices. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "model/net/layers/common.h"
#include "model/net/layers/params.h"
#include "model/paleo2017/net.h"

/* A layer while it gets its shape. */
struct shaping {
	struct paleo_2017_net *net;
	struct paleo_2017_layer *l;
	struct paleo_2017_price *price;
	const void *param;
	struct paleo_error *err;
};

#define stop(s, ...) paleo_fail((s)->err, PALEO_EUNSUPPORTED, __VA_ARGS__)

static const struct paleo_2017_shape *parent_out(const struct shaping *s, int i)
{
	return &s->net->layers[s->l->parents[i]].out;
}

static int same_shape(const struct paleo_2017_shape *a, const struct paleo_2017_shape *b)
{
	return a->rank == b->rank && !memcmp(a->dims, b->dims, (size_t)a->rank * sizeof(int));
}

static int need_picture(const struct shaping *s)
{
	if (s->l->in.rank == 4)
		return PALEO_OK;
	return stop(s, "the original expects [N, H, W, C] here and gets [N, C]");
}

static int check_size(const struct shaping *s)
{
	for (int i = 0; i < s->l->out.rank; i++)
		if (s->l->out.dims[i] < 1)
			return stop(s, "the original gives it the size %d", s->l->out.dims[i]);
	return PALEO_OK;
}

/* A kernel and a bias for each of the last number, whatever the file says about bias. */
static void count_params(struct paleo_2017_layer *l, const int filter[4])
{
	memcpy(l->filter, filter, sizeof(l->filter));
	l->params = (double)filter[0] * filter[1] * filter[2] * filter[3] + filter[3];
}

/* Parents named literally 'data' need no gradient (quirk 20). */
static int reads_data(const struct paleo_2017_layer *l)
{
	for (int i = 0; i < l->layer->parent_count; i++)
		if (!strcmp(l->layer->parents[i]->name, "data"))
			return 1;
	return 0;
}

static int shape_input(struct shaping *s)
{
	const struct paleo_shape *out = &s->l->layer->out;

	s->l->out = (struct paleo_2017_shape){
		.rank = 4, .dims = {s->net->source->file_batch, out->h, out->w, out->c}};
	if (out->rank == 2)
		s->l->out = (struct paleo_2017_shape){.rank = 2,
						      .dims = {s->net->source->file_batch, out->c}};
	s->l->in = s->l->out;
	return PALEO_OK;
}

/* Lists of four paddings are not known to the original. */
static int check_padding(const struct shaping *s, const struct paleo_window *w)
{
	if (w->padding != PALEO_PADDING_LIST ||
	    (w->before[0] == w->after[0] && w->before[1] == w->after[1]))
		return PALEO_OK;
	return stop(s, "the original only supports equal padding on both sides");
}

static int shape_convolution(struct shaping *s)
{
	const struct paleo_convolution_param *p = s->param;
	struct paleo_2017_layer *l = s->l;
	const int *in = l->in.dims, *size = p->window.size;
	int cout = p->out / l->layer->splits;

	PALEO_TRY(need_picture(s));
	PALEO_TRY(check_padding(s, &p->window));
	if (p->in != in[3])
		return stop(
			s, "its filter has %d channels in, but its parent gives %d in the original",
			p->in, in[3]);
	s->price->form = PALEO_2017_CONV;
	s->price->fwd = paleo_2017_conv_of(&p->window, in, cout);
	paleo_2017_gradients(&s->price->fwd, p->window.stride,
			     p->window.padding == PALEO_PADDING_VALID, &s->price->bwd_data,
			     &s->price->bwd_filter);
	count_params(l, (const int[4]){size[0], size[1], in[3], cout});
	l->pad[0] = (int)s->price->fwd.pad_h;
	l->pad[1] = (int)s->price->fwd.pad_w;
	l->backprop = !reads_data(l);
	l->out = (struct paleo_2017_shape){
		.rank = 4, .dims = {in[0], (int)s->price->fwd.oh, (int)s->price->fwd.ow, cout}};
	return PALEO_OK;
}

/*
 * A deconvolution is priced as the convolution T that it reverses: forward as the
 * gradient of T's inputs, its own gradients as T forward and as the gradient of
 * that gradient's filter, whose holes are then taken for those of the filter. All
 * at the batch of "output_shape" (quirk 19).
 */
static int shape_deconvolution(struct shaping *s)
{
	const struct paleo_deconvolution_param *p = s->param;
	struct paleo_2017_layer *l = s->l;
	int n = p->batch == PALEO_INFERRED ? s->net->source->file_batch : p->batch;
	const int out[4] = {n, p->height, p->width, p->out}, *size = p->window.size;
	struct paleo_2017_conv t, unused, *fwd = &s->price->fwd, *filter = &s->price->bwd_filter;

	PALEO_TRY(need_picture(s));
	PALEO_TRY(check_padding(s, &p->window));
	t = paleo_2017_conv_of(&p->window, out, p->in);
	paleo_2017_gradients(&t, p->window.stride, p->window.padding == PALEO_PADDING_VALID, fwd,
			     &unused);
	paleo_2017_gradients(fwd, (const int[2]){1, 1}, 0, &unused, filter);
	filter->holes_filter = fwd->holes_input;
	fwd->batch_is_cin = filter->batch_is_cin = 0;
	s->price->form = PALEO_2017_DECONV;
	s->price->bwd_data = t;
	const int in[4] = {(int)t.n, (int)t.oh, (int)t.ow, (int)t.cout};
	if (!fwd->fits || !filter->fits || memcmp(in, l->in.dims, sizeof(in)) != 0)
		return stop(s,
			    "the shapes of this deconvolution and its gradients do not fit in the "
			    "original");
	count_params(l, (const int[4]){size[0], size[1], p->out, p->in});
	l->pad[0] = (int)t.pad_h;
	l->pad[1] = (int)t.pad_w;
	l->backprop = !reads_data(l);
	l->out = (struct paleo_2017_shape){.rank = 4, .dims = {out[0], out[1], out[2], out[3]}};
	return PALEO_OK;
}

static int shape_pool(struct shaping *s)
{
	const struct paleo_pool_param *p = s->param;
	const int *in = s->l->in.dims;

	PALEO_TRY(need_picture(s));
	if (p->global || p->window.padding == PALEO_PADDING_LIST)
		return stop(s, "the original pools with a 'ksize', and with SAME or VALID alone");
	s->price->form = PALEO_2017_POOL;
	s->price->fwd = paleo_2017_conv_of(&p->window, in, in[3]);
	s->l->out = (struct paleo_2017_shape){
		.rank = 4, .dims = {in[0], (int)s->price->fwd.oh, (int)s->price->fwd.ow, in[3]}};
	return PALEO_OK;
}

/* It is not split within a ModelParallel (quirk 22). */
static int shape_inner_product(struct shaping *s)
{
	const struct paleo_inner_product_param *p = s->param;
	struct paleo_2017_shape *in = &s->l->in;

	for (; in->rank > 2; in->rank--)
		in->dims[1] *= in->dims[in->rank - 1];
	s->price->form = PALEO_2017_PRODUCT;
	count_params(s->l, (const int[4]){1, 1, in->dims[1], p->outputs});
	s->l->out = (struct paleo_2017_shape){.rank = 2, .dims = {in->dims[0], p->outputs}};
	return PALEO_OK;
}

static int shape_as_parent(struct shaping *s)
{
	s->l->out = s->l->in;
	return PALEO_OK;
}

static int shape_dropout(struct shaping *s)
{
	s->price->form = PALEO_2017_DROPOUT;
	return shape_as_parent(s);
}

static int shape_upsampling(struct shaping *s)
{
	const struct paleo_upsampling_param *p = s->param;

	PALEO_TRY(need_picture(s));
	s->l->out = s->l->in;
	s->l->out.dims[1] *= p->scale[0];
	s->l->out.dims[2] *= p->scale[1];
	return PALEO_OK;
}

static int shape_concatenate(struct shaping *s)
{
	const struct paleo_concatenate_param *p = s->param;
	struct paleo_2017_shape *out = &s->l->out;

	if (s->l->parent_count < 2)
		return stop(s, "the original cannot concatenate a single layer");
	*out = s->l->in;
	if (p->dim >= out->rank)
		return stop(s, "there is no dimension %d in the original's shape", p->dim);
	out->dims[p->dim] = 0;
	for (int i = 0; i < s->l->parent_count; i++) {
		struct paleo_2017_shape other = *parent_out(s, i);
		out->dims[p->dim] += other.dims[p->dim];
		other.dims[p->dim] = out->dims[p->dim];
		if (!same_shape(&other, out))
			return stop(s, "its parents' shapes do not fit in the original");
	}
	return PALEO_OK;
}

static int shape_elementwise(struct shaping *s)
{
	s->l->out = s->l->in;
	for (int i = 1; i < s->l->parent_count; i++)
		if (!same_shape(parent_out(s, i), &s->l->in))
			return stop(s, "its parents' shapes differ in the original");
	return PALEO_OK;
}

static int shape_softmax(struct shaping *s)
{
	const struct paleo_softmax_param *p = s->param;
	const struct paleo_2017_shape *in = &s->l->in;
	int classes = p->classes ? p->classes : in->dims[in->rank - 1];

	s->l->out = (struct paleo_2017_shape){.rank = 2, .dims = {in->dims[0], classes}};
	return PALEO_OK;
}

static int shape_sigmoid(struct shaping *s)
{
	s->l->out = (struct paleo_2017_shape){.rank = 2, .dims = {s->l->in.dims[0], 1}};
	return PALEO_OK;
}

/* A -1 is the batch as the first number; only as the last one it is inferred. */
static int shape_reshape(struct shaping *s)
{
	const struct paleo_reshape_param *p = s->param;
	const struct paleo_2017_shape *in = &s->l->in;
	struct paleo_2017_shape *out = &s->l->out;
	double count = 1;

	out->rank = p->rank;
	memcpy(out->dims, p->dims, sizeof(out->dims));
	for (int i = 0; i < in->rank; i++)
		count *= in->dims[i];
	if (out->dims[0] == PALEO_INFERRED)
		out->dims[0] = in->dims[0];
	else if (out->dims[out->rank - 1] == PALEO_INFERRED)
		out->dims[out->rank - 1] = (int)(count / out->dims[0]);
	return PALEO_OK;
}

/* Everything else is 'Generic' to the original: shaped as its parent, and free. */
static const struct {
	const struct paleo_layer_kind *kind;
	const char *type;
	int (*shape)(struct shaping *s);
} kinds[] = {
	{&paleo_kind_input, "input", shape_input},
	{&paleo_kind_convolution, "conv2d", shape_convolution},
	{&paleo_kind_deconvolution, "deconv2d", shape_deconvolution},
	{&paleo_kind_pooling, "pool2d", shape_pool},
	{&paleo_kind_avg_pool, "pool2d", shape_pool},
	{&paleo_kind_upsampling, "upsampling2d", shape_upsampling},
	{&paleo_kind_inner_product, "innerproduct", shape_inner_product},
	{&paleo_kind_dropout, "dropout", shape_dropout},
	{&paleo_kind_concatenate, "concat", shape_concatenate},
	{&paleo_kind_elementwise, "elementwise", shape_elementwise},
	{&paleo_kind_softmax, "softmax", shape_softmax},
	{&paleo_kind_sigmoid, "sigmoid", shape_sigmoid},
	{&paleo_kind_reshape, "reshape", shape_reshape},
};

static int shape_kind(struct shaping *s)
{
	const struct paleo_layer_kind *kind = s->l->layer->kind;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].kind != kind)
			continue;
		snprintf(s->l->type, sizeof(s->l->type), "%s", kinds[i].type);
		return kinds[i].shape(s);
	}
	snprintf(s->l->type, sizeof(s->l->type), "generic_%s", kind->type);
	return shape_as_parent(s);
}

int paleo_2017_shape(struct paleo_2017_net *net, int i, struct paleo_error *err)
{
	struct paleo_2017_layer *l = &net->layers[i];
	struct shaping s = {
		.net = net, .l = l, .price = &net->prices[i], .param = l->layer->param, .err = err};

	l->backprop = 1;
	l->split = l->layer->split >= 0;
	l->device = l->split ? l->layer->split : 0;
	if (l->parent_count)
		l->in = *parent_out(&s, 0);
	int rc = l->layer->out.rank == 3 ? stop(&s, "the original does not support [N, T, C]")
					 : shape_kind(&s);
	if (!rc)
		rc = check_size(&s);
	if (rc) {
		paleo_error_prefix(err, "layer '%s'", l->layer->name);
		return rc;
	}
	l->weights_bytes = 4 * l->params;
	l->activations = 1;
	for (int d = 0; d < l->out.rank; d++)
		l->activations *= l->out.dims[d];
	return PALEO_OK;
}
