/* convolution.c - 2-d convolution, with what follows it: bias, normalisation, activation. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/params.h"

static int parse_filter(const struct paleo_json *j, struct paleo_convolution_param *p,
			struct paleo_error *err)
{
	const struct paleo_json *v;
	int filter[4];
	int rc = paleo_json_need(j, "filter", &v, err);

	if (!rc)
		rc = paleo_read_ints(v, 4, PALEO_INFERRED, filter, err);
	if (rc)
		return rc;
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

static int parse_groups(const struct paleo_json *j, struct paleo_convolution_param *p,
			struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_get(j, "groups");

	p->groups = 1;
	if (!v)
		return PALEO_OK;
	int rc = paleo_json_to_int(v, 1, PALEO_DIM_MAX, &p->groups, err);
	if (rc)
		return rc;
	if (p->out % p->groups || (p->in != PALEO_INFERRED && p->in % p->groups))
		return paleo_json_fail(v, err,
				       "%d groups do not divide the filter's channels in and out",
				       p->groups);
	return PALEO_OK;
}

static int parse_dilation(const struct paleo_json *j, struct paleo_convolution_param *p,
			  struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_get(j, "dilation");
	int *dilation = p->window.dilation;

	dilation[0] = dilation[1] = 1;
	if (!v)
		return PALEO_OK;
	if (paleo_json_type(v) == PALEO_JSON_ARRAY)
		return paleo_read_ints(v, 2, 1, dilation, err);
	int rc = paleo_json_to_int(v, 1, PALEO_DIM_MAX, &dilation[0], err);
	dilation[1] = dilation[0];
	return rc;
}

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type",          "shared",  "parents", "filter",
					   "strides",       "padding", "groups",  "dilation",
					   PALEO_TAIL_KEYS, NULL};
	struct paleo_convolution_param *p = param;
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = parse_filter(j, p, err);
	if (!rc)
		rc = paleo_window_parse(j, &p->window, err);
	if (!rc)
		rc = parse_groups(j, p, err);
	if (!rc)
		rc = parse_dilation(j, p, err);
	return rc ? rc : paleo_tail_parse(j, p->out, &p->tail, err);
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
	int rc = paleo_need_picture(l, err);

	if (!rc)
		rc = check_channels(l, p, err);
	if (!rc)
		rc = paleo_window_fit(&p->window, in->h, in->w, &p->fit, err);
	if (rc)
		return rc;
	p->in = in->c;
	l->out = (struct paleo_shape){.rank = 4,
				      .n = in->n,
				      .c = p->out / l->splits,
				      .h = p->fit.out[0],
				      .w = p->fit.out[1]};
	return PALEO_OK;
}

static int conv_work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		     struct paleo_work_list *out, struct paleo_error *err)
{
	const struct paleo_convolution_param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	const struct paleo_window *w = &p->window;
	struct paleo_work work = {
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

	return paleo_work_list_add(out, "conv", pass, &work, err);
}

static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct paleo_convolution_param *p = l->param;
	int rc = PALEO_OK;

	if (pass == PALEO_BWD_FILTER)
		rc = paleo_tail_backward(&p->tail, l, dtype, out, err);
	if (!rc)
		rc = conv_work(l, pass, dtype, out, err);
	if (!rc && pass == PALEO_FWD)
		rc = paleo_tail_forward(&p->tail, l, dtype, out, err);
	return rc;
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
	.min_parents = 1,
	.max_parents = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.weights = weights,
	.describe = describe,
};
