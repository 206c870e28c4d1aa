/* deconvolution.c - the transpose of a convolution: its passes, swapped. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/params.h"

/*
 * The layer reverses a convolution T that reads this layer's output and gives this
 * layer's input. So its forward pass is T's BWD_DATA, the gradient of its input is
 * T's forward, and the gradient of the filter is T's BWD_FILTER (Dumoulin and
 * Visin, arXiv 1603.07285, section 4).
 */

static int read_filter(const struct paleo_json *v, void *param, struct paleo_error *err)
{
	struct paleo_deconvolution_param *p = param;
	int filter[4];

	PALEO_TRY(paleo_read_ints(v, 4, 1, filter, err));
	p->window.size[0] = filter[0];
	p->window.size[1] = filter[1];
	p->out = filter[2];
	p->in = filter[3];
	return PALEO_OK;
}

/* The first number is the batch; its value is ignored. */
static int read_output(const struct paleo_json *v, void *param, struct paleo_error *err)
{
	struct paleo_deconvolution_param *p = param;
	int output[4];

	PALEO_TRY(paleo_read_ints(v, 4, PALEO_INFERRED, output, err));
	if (output[1] < 1 || output[2] < 1 || output[3] < 1)
		return paleo_json_fail(v, err, "only the first number, the batch, may be -1");
	if (output[3] != p->out)
		return paleo_json_fail(v, err,
				       "%d channels do not fit the filter [height, width, channels "
				       "out, channels in] with %d channels out",
				       output[3], p->out);
	p->batch = output[0];
	p->height = output[1];
	p->width = output[2];
	return PALEO_OK;
}

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_SHARING,
	{"filter", PALEO_FIELD_OWN, .read = read_filter},
	{"output_shape", PALEO_FIELD_OWN, .read = read_output},
	PALEO_WINDOW_KEYS(struct paleo_deconvolution_param),
	PALEO_DILATION_KEY(struct paleo_deconvolution_param),
	PALEO_KEY_NUMBER(struct paleo_deconvolution_param, "groups", groups),
	PALEO_TAIL_KEYS(struct paleo_deconvolution_param),
	{0},
};

static int check(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	struct paleo_deconvolution_param *p = param;

	if (!p->groups || p->in % p->groups || p->out % p->groups)
		return paleo_json_fail(paleo_json_get(j, "groups"), err,
				       "%d groups do not divide the filter's channels in and out",
				       p->groups);
	return paleo_tail_check(j, p->out, &p->tail, err);
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	struct paleo_deconvolution_param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);

	PALEO_TRY(paleo_need_picture(l, err));
	if (p->in != in->c)
		return paleo_fail(err, PALEO_EINPUT,
				  "the filter has %d channels in, but its parent '%s' gives %d",
				  p->in, l->parents[0]->name, in->c);
	PALEO_TRY(paleo_window_fit(&p->window, p->height, p->width, &p->fit, err));
	if (p->fit.out[0] != in->h || p->fit.out[1] != in->w)
		return paleo_fail(err, PALEO_EINPUT,
				  "the window turns an output of %dx%d into %dx%d, but the parent "
				  "'%s' has %dx%d",
				  p->height, p->width, p->fit.out[0], p->fit.out[1],
				  l->parents[0]->name, in->h, in->w);
	l->out = (struct paleo_shape){
		.rank = 4, .n = in->n, .c = p->out, .h = p->height, .w = p->width};
	return PALEO_OK;
}

/* Adds the pass `transposed` of T as this layer's pass `pass`. */
static int conv_op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_pass transposed,
		   enum paleo_dtype dtype, struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_deconvolution_param *p = l->param;
	const struct paleo_window *w = &p->window;
	struct paleo_op op = {
		.kind = PALEO_CONV,
		.pass = transposed,
		.dtype = dtype,
		.geom.conv = {.n = l->out.n,
			      .c = l->out.c,
			      .h = l->out.h,
			      .w = l->out.w,
			      .k = paleo_layer_in(l)->c,
			      .r = w->size[0],
			      .s = w->size[1],
			      .stride_h = w->stride[0],
			      .stride_w = w->stride[1],
			      .pad_t = p->fit.before[0],
			      .pad_l = p->fit.before[1],
			      .pad_b = p->fit.after[0],
			      .pad_r = p->fit.after[1],
			      .dil_h = w->dilation[0],
			      .dil_w = w->dilation[1],
			      .groups = p->groups},
	};

	return paleo_op_list_add(out, "deconv", pass, &op, err);
}

/*
 * T's passes have no bias on this side, so it is a separate op. Forward it is listed as a sum of
 * two tensors: that reads the output once more than a kernel which broadcasts the bias. Its
 * gradient sums each channel's h x w pixels, image by image: a matrix [c, h*w] times a column of
 * ones.
 */
static int bias_op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		   struct paleo_op_list *out, struct paleo_error *err)
{
	struct paleo_op op = {.pass = pass, .dtype = dtype};

	if (pass == PALEO_FWD) {
		op.kind = PALEO_ELTWISE;
		op.geom.eltwise = (struct paleo_eltwise_geom){
			.op = PALEO_ADD, .inputs = 2, .count = paleo_shape_count(&l->out)};
		return paleo_op_list_add(out, "bias", pass, &op, err);
	}
	double pixels = (double)l->out.h * l->out.w;

	PALEO_TRY(paleo_check_dim(pixels, "pixels of an image", err));
	op.kind = PALEO_GEMM;
	op.geom.gemm = (struct paleo_gemm_geom){
		.m = l->out.c, .n = 1, .k = (int)pixels, .batch = l->out.n};
	return paleo_op_list_add(out, "bias gradient", pass, &op, err);
}

static int forward(const struct paleo_layer *l, enum paleo_dtype dtype, struct paleo_op_list *out,
		   struct paleo_error *err)
{
	const struct paleo_deconvolution_param *p = l->param;
	int rc = conv_op(l, PALEO_FWD, PALEO_BWD_DATA, dtype, out, err);

	if (!rc && p->tail.bias)
		rc = bias_op(l, PALEO_FWD, dtype, out, err);
	return rc ? rc : paleo_tail_forward(&p->tail, l, dtype, out, err);
}

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_deconvolution_param *p = l->param;

	if (pass == PALEO_FWD)
		return forward(l, dtype, out, err);
	if (pass == PALEO_BWD_DATA)
		return conv_op(l, pass, PALEO_FWD, dtype, out, err);
	int rc = paleo_tail_backward(&p->tail, l, dtype, out, err);
	if (!rc && p->tail.bias)
		rc = bias_op(l, pass, dtype, out, err);
	return rc ? rc : conv_op(l, pass, PALEO_BWD_FILTER, dtype, out, err);
}

static double weights(const struct paleo_layer *l)
{
	const struct paleo_deconvolution_param *p = l->param;

	return (double)p->window.size[0] * p->window.size[1] * p->in / p->groups * p->out +
	       paleo_tail_weights(&p->tail, p->out);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct paleo_deconvolution_param *p = l->param;
	char window[80];

	paleo_window_describe(&p->window, window, sizeof(window));
	snprintf(buf, size, "%s %d->%d", window, p->in, p->out);
}

const struct paleo_layer_kind paleo_kind_deconvolution = {
	.type = "Deconvolution",
	.param_size = sizeof(struct paleo_deconvolution_param),
	.parents = {1, 1},
	.keys = fields,
	.initial =
		&(const struct paleo_deconvolution_param){.groups = 1, .window.dilation = {1, 1}},
	.check = check,
	.shape = shape,
	.op = op,
	.weights = weights,
	.describe = describe,
};
