/* convolution.c - Convolution and Deconvolution. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/import/caffe/kinds.h"
#include "model/import/caffe/values.h"
#include "model/import/caffe/window.h"
#include "model/import/caffe/write.h"

static const char *const fields[] = {"num_output",
				     PALEO_CAFFE_WINDOW_FIELDS,
				     "dilation",
				     "group",
				     "bias_term",
				     "weight_filler",
				     "bias_filler",
				     "engine",
				     "force_nd_im2col",
				     "axis",
				     NULL};

struct param {
	struct paleo_caffe_window window;
	int outputs, groups, bias;
};

static int read_param(const struct paleo_caffe_layer *l, struct param *p, struct paleo_error *err)
{
	int axis = 1;
	int rc = paleo_caffe_need_outputs(l, &p->outputs, err);

	p->groups = p->bias = 1;
	if (!rc)
		rc = paleo_caffe_read_window(l, &p->window, err);
	if (!rc)
		rc = paleo_caffe_get_int(l->param, "group", 1, PALEO_CAFFE_DIM_MAX, &p->groups,
					 err);
	if (!rc)
		rc = paleo_caffe_get_bool(l->param, "bias_term", &p->bias, err);
	if (!rc)
		rc = paleo_caffe_get_axis(l, "axis", 4, &axis, err);
	if (!rc && axis != 1)
		rc = paleo_caffe_fail(paleo_caffe_first(l->param, "axis"), err,
				      "expected 1: a net has its channels there");
	return rc;
}

/* How far the kernel reaches. */
static double reach(const struct paleo_caffe_window *w, int i)
{
	return (w->kernel[i] - 1.0) * w->dilation[i] + 1;
}

/* floor((h + 2 pad - reach) / stride) + 1, as Caffe's ConvolutionLayer::compute_output_shape. */
static int convolve_shape(const struct paleo_caffe_layer *l, const struct paleo_shape *in,
			  const struct param *p, struct paleo_shape *out, struct paleo_error *err)
{
	const int sizes[2] = {in->h, in->w};
	int results[2];

	for (int i = 0; i < 2; i++) {
		double room = sizes[i] + 2.0 * p->window.pad[i] - reach(&p->window, i);
		if (room < 0)
			return paleo_caffe_fail(paleo_caffe_find_kernel(l), err,
						"a kernel that reaches over %.0f does not fit into "
						"%.0f, padding included",
						reach(&p->window, i),
						sizes[i] + 2.0 * p->window.pad[i]);
		double size = floor(room / p->window.stride[i]) + 1;
		int rc = paleo_caffe_check_dim(
			l, size, i ? "the output's width" : "the output's height", err);
		if (rc)
			return rc;
		results[i] = (int)size;
	}
	*out = (struct paleo_shape){
		.rank = 4, .n = in->n, .c = p->outputs, .h = results[0], .w = results[1]};
	return PALEO_OK;
}

static int check_groups(const struct paleo_caffe_layer *l, const struct paleo_shape *in,
			const struct param *p, struct paleo_error *err)
{
	if (in->c % p->groups || p->outputs % p->groups)
		return paleo_caffe_fail(paleo_caffe_first(l->param, "group"), err,
					"%d groups do not divide %d channels in and %d out",
					p->groups, in->c, p->outputs);
	return PALEO_OK;
}

static void put_bias(struct paleo_caffe_job *job, const struct param *p)
{
	if (!p->bias)
		paleo_json_put_bool(job->writer, "bias", 0);
}

static int convert_convolution(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			       struct paleo_error *err)
{
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	struct paleo_shape out;
	const char *source;
	struct param p;
	int rc = read_param(l, &p, err);

	if (!rc)
		rc = check_groups(l, in, &p, err);
	if (!rc)
		rc = convolve_shape(l, in, &p, &out, err);
	if (!rc)
		rc = paleo_caffe_begin_layer(job, l, "Convolution", &source, err);
	if (rc)
		return rc;
	const struct paleo_caffe_window *w = &p.window;
	const int filter[] = {w->kernel[0], w->kernel[1], in->c, p.outputs};
	paleo_caffe_put_ints(job, "filter", filter, 4);
	paleo_caffe_put_window(job, w);
	if (p.groups > 1)
		paleo_json_put_int(job->writer, "groups", p.groups);
	if (w->dilation[0] != 1 || w->dilation[1] != 1)
		paleo_caffe_put_ints(job, "dilation", w->dilation, 2);
	put_bias(job, &p);
	paleo_caffe_end_layer(job, l, source, &out);
	return PALEO_OK;
}

const struct paleo_caffe_kind paleo_caffe_kind_convolution = {
	.type = "Convolution",
	.old = "CONVOLUTION",
	.param = "convolution_param",
	.fields = fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.picture = 1,
	.learns = 1,
	.convert = convert_convolution,
};

/* stride (h - 1) + reach - 2 pad, as Caffe's DeconvolutionLayer::compute_output_shape. */
static int deconvolve_shape(const struct paleo_caffe_layer *l, const struct paleo_shape *in,
			    const struct param *p, struct paleo_shape *out, struct paleo_error *err)
{
	const int sizes[2] = {in->h, in->w};
	int results[2];

	for (int i = 0; i < 2; i++) {
		double size = p->window.stride[i] * (sizes[i] - 1.0) + reach(&p->window, i) -
			      2.0 * p->window.pad[i];
		int rc = paleo_caffe_check_dim(
			l, size, i ? "the output's width" : "the output's height", err);
		if (rc)
			return rc;
		results[i] = (int)size;
	}
	*out = (struct paleo_shape){
		.rank = 4, .n = in->n, .c = p->outputs, .h = results[0], .w = results[1]};
	return PALEO_OK;
}

static int convert_deconvolution(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
				 struct paleo_error *err)
{
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	struct paleo_shape out;
	const char *source;
	struct param p;
	int rc = read_param(l, &p, err);

	if (!rc && p.groups > 1)
		rc = paleo_caffe_fail(paleo_caffe_first(l->param, "group"), err,
				      "a net's Deconvolution has no groups");
	if (!rc && (p.window.dilation[0] != 1 || p.window.dilation[1] != 1))
		rc = paleo_caffe_fail(paleo_caffe_first(l->param, "dilation"), err,
				      "a net's Deconvolution has no dilation");
	if (!rc)
		rc = deconvolve_shape(l, in, &p, &out, err);
	if (!rc)
		rc = paleo_caffe_begin_layer(job, l, "Deconvolution", &source, err);
	if (rc)
		return rc;
	const int filter[] = {p.window.kernel[0], p.window.kernel[1], p.outputs, in->c};
	const int shape[] = {-1, out.h, out.w, out.c};
	paleo_caffe_put_ints(job, "filter", filter, 4);
	paleo_caffe_put_ints(job, "output_shape", shape, 4);
	paleo_caffe_put_window(job, &p.window);
	put_bias(job, &p);
	paleo_caffe_end_layer(job, l, source, &out);
	return PALEO_OK;
}

const struct paleo_caffe_kind paleo_caffe_kind_deconvolution = {
	.type = "Deconvolution",
	.old = "DECONVOLUTION",
	.param = "convolution_param",
	.fields = fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.picture = 1,
	.learns = 1,
	.convert = convert_deconvolution,
};
