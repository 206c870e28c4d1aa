/* convolution.c - 2-d convolution with its epilogue: bias, normalisation, activation. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/params.h"

static int read_filter(const struct paleo_json *v, void *param, struct paleo_error *err)
{
	struct paleo_convolution_param *p = param;
	int filter[4];

	PALEO_TRY(paleo_read_ints(v, 4, PALEO_INFERRED, filter, err));
	if (filter[0] < 1 || filter[1] < 1 || filter[3] < 1)
		return paleo_json_fail(v, err,
				       "only the third number, channels in, may be -1 "
				       "('as the parent has')");
	p->window.size[0] = filter[0];
	p->window.size[1] = filter[1];
	p->in = filter[2];
	p->out = filter[3];
	return PALEO_OK;
}

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_SHARING,
	{"filter", PALEO_FIELD_OWN, .read = read_filter},
	PALEO_WINDOW_KEYS(struct paleo_convolution_param),
	PALEO_KEY_SIZE(struct paleo_convolution_param, "groups", groups),
	PALEO_DILATION_KEY(struct paleo_convolution_param),
	PALEO_TAIL_KEYS(struct paleo_convolution_param),
	{0},
};

static int check(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	struct paleo_convolution_param *p = param;

	if (p->out % p->groups || (p->in != PALEO_INFERRED && p->in % p->groups))
		return paleo_json_fail(paleo_json_get(j, "groups"), err,
				       "%d groups do not divide the filter's channels in and out",
				       p->groups);
	return paleo_tail_check(j, p->out, &p->tail, err);
}

static int check_channels(const struct paleo_layer *l, const struct paleo_convolution_param *p,
			  struct paleo_error *err)
{
	int c = paleo_layer_in(l)->c;

	if (p->in != PALEO_INFERRED && p->in != c)
		return paleo_fail(err, PALEO_EINPUT,
				  "the filter has %d channels in, but its parent '%s' gives %d",
				  p->in, l->parents[0]->name, c);
	if (p->out < l->splits)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d channels out cannot be divided over %d splits", p->out,
				  l->splits);
	if (c % p->groups || p->out / l->splits % p->groups)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d groups do not divide %d channels in and %d out", p->groups, c,
				  p->out / l->splits);
	return PALEO_OK;
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	struct paleo_convolution_param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);

	PALEO_TRY(paleo_need_picture(l, err));
	PALEO_TRY(check_channels(l, p, err));
	PALEO_TRY(paleo_window_fit(&p->window, in->h, in->w, &p->fit, err));
	p->in = in->c;
	l->out = (struct paleo_shape){.rank = 4,
				      .n = in->n,
				      .c = p->out / l->splits,
				      .h = p->fit.out[0],
				      .w = p->fit.out[1]};
	return PALEO_OK;
}

static int conv_op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		   struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_convolution_param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	const struct paleo_window *w = &p->window;
	struct paleo_op op = {
		.kind = PALEO_CONV,
		.pass = pass,
		.dtype = dtype,
		.geom.conv = {.n = in->n,
			      .c = in->c,
			      .h = in->h,
			      .w = in->w,
			      .k = l->out.c,
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
			      .groups = p->groups,
			      .bias = p->tail.bias && pass != PALEO_BWD_DATA},
	};

	return paleo_op_list_add(out, "conv", pass, &op, err);
}

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_convolution_param *p = l->param;

	if (pass == PALEO_BWD_FILTER)
		PALEO_TRY(paleo_tail_backward(&p->tail, l, dtype, out, err));
	PALEO_TRY(conv_op(l, pass, dtype, out, err));
	if (pass == PALEO_FWD)
		PALEO_TRY(paleo_tail_forward(&p->tail, l, dtype, out, err));
	return PALEO_OK;
}

static double weights(const struct paleo_layer *l)
{
	const struct paleo_convolution_param *p = l->param;
	int group_c = paleo_layer_in(l)->c / p->groups;
	double filter = (double)p->window.size[0] * p->window.size[1] * group_c * l->out.c;

	return filter + paleo_tail_weights(&p->tail, l->out.c);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct paleo_convolution_param *p = l->param;
	char window[80];

	paleo_window_describe(&p->window, window, sizeof(window));
	int n = snprintf(buf, size, "%s %d->%d", window, paleo_layer_in(l)->c, l->out.c);
	if (p->groups > 1 && n > 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, " g%d", p->groups);
}

const struct paleo_layer_kind paleo_kind_convolution = {
	.type = "Convolution",
	.param_size = sizeof(struct paleo_convolution_param),
	.parents = {1, 1},
	.keys = fields,
	.initial = &(const struct paleo_convolution_param){.groups = 1, .window.dilation = {1, 1}},
	.check = check,
	.shape = shape,
	.op = op,
	.weights = weights,
	.describe = describe,
};
