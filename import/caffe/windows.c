/* windows.c - Convolution, Deconvolution and Pooling: layers with a window over a picture. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "import/caffe/job.h"

/* [0] vertical, [1] horizontal. */
struct window {
	int kernel[2], stride[2], pad[2], dilation[2];
	int behind[2]; /* the padding at the bottom and the right; `pad` is that before them */
};

/* One of the numbers of a window and the ways to say it. */
struct part {
	const char *both;        /* once for both directions, or once for each */
	const char *separate[2]; /* or these; NULL: cannot be said so */
	int low, high;
};

static const struct part kernel = {"kernel_size", {"kernel_h", "kernel_w"}, 1, PALEO_CAFFE_DIM_MAX};
static const struct part stride = {"stride", {"stride_h", "stride_w"}, 1, PALEO_CAFFE_DIM_MAX};
static const struct part pad = {"pad", {"pad_h", "pad_w"}, 0, PALEO_CAFFE_PAD_MAX};
static const struct part dilation = {"dilation", {NULL, NULL}, 1, PALEO_CAFFE_DIM_MAX};

static const char *const sides[] = {"the output's height", "the output's width"};

static void to_int(struct paleo_caffe_job *job, const struct paleo_caffe_field *f,
		   const struct part *part, int *out)
{
	if (!job->rc)
		job->rc = paleo_caffe_to_int(f, part->low, part->high, out, job->err);
}

/* stride: 2, or stride: 2 stride: 1 */
static void read_both(struct paleo_caffe_job *job, const struct paleo_caffe_field *f,
		      const struct part *part, int out[2])
{
	const struct paleo_caffe_field *second = paleo_caffe_again(f),
				       *third = second ? paleo_caffe_again(second) : NULL;

	to_int(job, f, part, &out[0]);
	out[1] = out[0];
	if (third)
		paleo_caffe_refuse(job, third, "given a third time, but images have 2 directions");
	if (second)
		to_int(job, second, part, &out[1]);
}

static void read_part(struct paleo_caffe_job *job, const struct paleo_caffe_field *param,
		      const struct part *part, int out[2])
{
	const struct paleo_caffe_field *both = paleo_caffe_first(param, part->both);
	const struct paleo_caffe_field *one[2] = {NULL, NULL};

	for (int i = 0; i < 2 && part->separate[i]; i++)
		one[i] = paleo_caffe_field(job, param, part->separate[i]);
	const struct paleo_caffe_field *first = one[0] ? one[0] : one[1];
	if (both && first)
		paleo_caffe_refuse(job, first, "expected either this or '%s'", part->both);
	/* Only a padding may be said of one direction alone; the other then has none. */
	if (!both && part->low > 0 && !one[0] != !one[1])
		paleo_caffe_refuse(job, first, "'%s' is missing", part->separate[one[0] ? 1 : 0]);
	if (both)
		read_both(job, both, part, out);
	for (int i = 0; i < 2 && !both; i++)
		if (one[i])
			to_int(job, one[i], part, &out[i]);
}

/* kernel_size, kernel_h or kernel_w, whichever comes first; NULL if none does. */
static const struct paleo_caffe_field *find_kernel(const struct paleo_caffe_layer *l)
{
	const struct paleo_caffe_field *f = l->param ? l->param->first : NULL;

	while (f && strncmp(f->name, "kernel_", 7) != 0)
		f = f->next;
	return f;
}

/* Forks have a padding for each side. */
static void read_sides(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
		       struct window *w)
{
	static const char *const before[2][2] = {{"pad_t", "pad_top"}, {"pad_l", "pad_left"}};
	static const char *const behind[2][2] = {{"pad_b", "pad_bottom"}, {"pad_r", "pad_right"}};

	for (int i = 0; i < 2; i++) {
		w->behind[i] = w->pad[i];
		for (int k = 0; k < 2; k++) {
			paleo_caffe_get_int(job, l->param, before[i][k], 0, PALEO_CAFFE_PAD_MAX,
					    &w->pad[i]);
			paleo_caffe_get_int(job, l->param, behind[i][k], 0, PALEO_CAFFE_PAD_MAX,
					    &w->behind[i]);
		}
	}
}

/* Each is said once for both directions, once for each, or as _h and _w. The kernel must be said;
 * stride and dilation are 1, the padding 0 otherwise. */
static void read_window(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			struct window *w)
{
	*w = (struct window){.kernel = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}};
	if (!find_kernel(l)) {
		paleo_caffe_refuse(job, l->param ? l->param : l->field, "'kernel_size' is missing");
		return;
	}
	read_part(job, l->param, &kernel, w->kernel);
	read_part(job, l->param, &stride, w->stride);
	read_part(job, l->param, &pad, w->pad);
	read_part(job, l->param, &dilation, w->dilation);
	read_sides(job, l, w);
}

/* Writes strides and padding. */
static void put_window(struct paleo_caffe_job *job, const struct window *w)
{
	const int strides[] = {1, w->stride[0], w->stride[1], 1};
	const int four[] = {w->pad[0], w->behind[0], w->pad[1], w->behind[1]};

	paleo_caffe_put_ints(job, "strides", strides, 4);
	if (w->pad[0] != w->behind[0] || w->pad[1] != w->behind[1])
		paleo_caffe_put_ints(job, "padding", four, 4);
	else if (w->pad[0] || w->pad[1])
		paleo_caffe_put_ints(job, "padding", w->pad, 2);
	else
		paleo_json_put_string(job->writer, "padding", "VALID");
}

struct filters {
	struct window window;
	int outputs, groups, bias;
};

static void read_filters(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			 struct filters *p)
{
	*p = (struct filters){.groups = 1, .bias = 1};
	p->outputs = paleo_caffe_need_outputs(job, l);
	read_window(job, l, &p->window);
	paleo_caffe_get_int(job, l->param, "group", 1, PALEO_CAFFE_DIM_MAX, &p->groups);
	paleo_caffe_get_bool(job, l->param, "bias_term", &p->bias);
	paleo_caffe_need_channels(job, l, "this is a net's channel axis");
}

static void check_groups(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			 const struct filters *p, int inputs)
{
	if (inputs % p->groups || p->outputs % p->groups)
		paleo_caffe_refuse(job, paleo_caffe_first(l->param, "group"),
				   "%d groups do not divide %d channels in and %d out", p->groups,
				   inputs, p->outputs);
}

static void put_filters(struct paleo_caffe_job *job, const struct filters *p)
{
	const struct window *w = &p->window;

	put_window(job, w);
	if (p->groups > 1)
		paleo_json_put_int(job->writer, "groups", p->groups);
	if (w->dilation[0] != 1 || w->dilation[1] != 1)
		paleo_caffe_put_ints(job, "dilation", w->dilation, 2);
	if (!p->bias)
		paleo_json_put_bool(job->writer, "bias", 0);
}

/* Extent of the dilated kernel. */
static double reach(const struct window *w, int i)
{
	return (w->kernel[i] - 1.0) * w->dilation[i] + 1;
}

/* floor((h + 2 pad - reach) / stride) + 1, as Caffe's ConvolutionLayer::compute_output_shape. */
static int convolve(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
		    const struct window *w, int i, int size)
{
	const double all = (double)size + w->pad[i] + w->behind[i], room = all - reach(w, i);

	if (room < 0)
		paleo_caffe_refuse(
			job, find_kernel(l),
			"a kernel of extent %.0f does not fit into %.0f, padding included",
			reach(w, i), all);
	return paleo_caffe_dim(job, l, floor(room / w->stride[i]) + 1, sides[i]);
}

void paleo_caffe_convert_convolution(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	struct filters p;

	read_filters(job, l, &p);
	const struct window *w = &p.window;
	check_groups(job, l, &p, in->c);
	const int h = convolve(job, l, w, 0, in->h), width = convolve(job, l, w, 1, in->w);
	const struct paleo_shape out = {.rank = 4, .n = in->n, .c = p.outputs, .h = h, .w = width};
	const int filter[] = {w->kernel[0], w->kernel[1], in->c, p.outputs};
	if (!paleo_caffe_begin_layer(job, l, "Convolution"))
		return;
	paleo_caffe_put_ints(job, "filter", filter, 4);
	put_filters(job, &p);
	paleo_caffe_end_layer(job, l, 0, &out);
}

/* stride (h - 1) + reach - 2 pad, as Caffe's DeconvolutionLayer::compute_output_shape. */
static int deconvolve(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
		      const struct window *w, int i, int size)
{
	const double all = w->stride[i] * (size - 1.0) + reach(w, i);

	return paleo_caffe_dim(job, l, all - w->pad[i] - w->behind[i], sides[i]);
}

void paleo_caffe_convert_deconvolution(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	struct filters p;

	read_filters(job, l, &p);
	const struct window *w = &p.window;
	check_groups(job, l, &p, in->c);
	const int h = deconvolve(job, l, w, 0, in->h), width = deconvolve(job, l, w, 1, in->w);
	const struct paleo_shape out = {.rank = 4, .n = in->n, .c = p.outputs, .h = h, .w = width};
	const int filter[] = {w->kernel[0], w->kernel[1], p.outputs, in->c};
	const int shape[] = {-1, h, width, p.outputs};
	if (!paleo_caffe_begin_layer(job, l, "Deconvolution"))
		return;
	paleo_caffe_put_ints(job, "filter", filter, 4);
	paleo_caffe_put_ints(job, "output_shape", shape, 4);
	put_filters(job, &p);
	paleo_caffe_end_layer(job, l, 0, &out);
}

enum {
	POOL_MAX,
	POOL_AVE,
	POOL_STOCHASTIC
};

struct pooling {
	struct window window;
	int pool, global;
	int ceil_mode; /* 1: the number of windows is rounded up */
};

/* A window over the whole picture has the picture's size and neither stride nor padding. */
static void check_global(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l)
{
	static const char *const ones[] = {"stride", "stride_h", "stride_w"};
	static const char *const noughts[] = {"pad", "pad_h", "pad_w"};
	const struct paleo_caffe_field *said = find_kernel(l);
	int value;

	if (said)
		paleo_caffe_refuse(job, said,
				   "a pooling with global_pooling covers the whole image");
	for (int i = 0; i < 3; i++) {
		paleo_caffe_get_int(job, l->param, ones[i], 1, 1, &value);
		paleo_caffe_get_int(job, l->param, noughts[i], 0, 0, &value);
	}
}

static void read_pooling(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			 struct pooling *p)
{
	static const char *const pools[] = {"MAX", "AVE", "STOCHASTIC", NULL};
	static const char *const rounds[] = {"CEIL", "FLOOR", NULL};
	int round = 0;

	paleo_caffe_get_enum(job, l->param, "pool", pools, &p->pool);
	if (p->pool == POOL_STOCHASTIC)
		paleo_caffe_refuse(job, paleo_caffe_first(l->param, "pool"),
				   "a net has only maximum and average pooling");
	paleo_caffe_get_bool(job, l->param, "global_pooling", &p->global);
	paleo_caffe_get_enum(job, l->param, "round_mode", rounds, &round);
	p->ceil_mode = !round;
	paleo_caffe_get_bool(job, l->param, "ceil_mode", &p->ceil_mode);
	if (p->global)
		check_global(job, l);
	else
		read_window(job, l, &p->window);
}

/*
 * Windows along one direction, as in Caffe's PoolingLayer::Reshape: (h + 2 pad - k) / s rounded up,
 * and 1; with padding a last window that would begin beyond the image and its leading padding is
 * dropped. Without padding Caffe keeps such a window, which is entirely outside the image; a net
 * cannot have it.
 */
static int count_windows(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			 struct pooling *p, int i, int size)
{
	struct window *w = &p->window;
	const struct paleo_caffe_field *place = find_kernel(l);

	if (w->pad[i] >= w->kernel[i])
		paleo_caffe_refuse(job, place, "a padding of %d is not less than the window's %d",
				   w->pad[i], w->kernel[i]);
	/* Caffe cuts windows at the picture's end; a net's window must fit from the start. */
	if (!w->pad[i] && w->kernel[i] > size && w->kernel[i] - size < w->stride[i] && p->ceil_mode)
		w->kernel[i] = size;
	const double steps =
		((double)size + w->pad[i] + w->behind[i] - w->kernel[i]) / w->stride[i];
	if (steps < 0)
		paleo_caffe_refuse(job, place,
				   "a window of %d does not fit into %.0f, padding included",
				   w->kernel[i], (double)size + w->pad[i] + w->behind[i]);
	double count = (p->ceil_mode ? ceil(steps) : floor(steps)) + 1;
	if ((count - 1) * w->stride[i] >= (double)size + w->pad[i]) {
		if (!w->pad[0] && !w->pad[1] && !w->behind[0] && !w->behind[1])
			paleo_caffe_refuse(job, place,
					   "a stride of %d leaves the last window, of %d, outside "
					   "of the image's %d",
					   w->stride[i], w->kernel[i], size);
		count--;
	}
	return paleo_caffe_dim(job, l, count, sides[i]);
}

static void put_pooling(struct paleo_caffe_job *job, const struct pooling *p)
{
	const struct window *w = &p->window;
	const int ksize[] = {1, w->kernel[0], w->kernel[1], 1};

	paleo_caffe_put_ints(job, "ksize", ksize, 4);
	put_window(job, w);
	if (p->ceil_mode)
		paleo_json_put_bool(job->writer, "ceil_mode", 1);
	/* Caffe's average counts the padding. */
	if (p->pool == POOL_AVE && (w->pad[0] || w->pad[1] || w->behind[0] || w->behind[1]))
		paleo_json_put_bool(job->writer, "count_include_pad", 1);
}

void paleo_caffe_convert_pooling(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	struct paleo_shape out = *paleo_caffe_in(job, l, 0);
	struct pooling p = {0};

	read_pooling(job, l, &p);
	if (job->rc)
		return;
	out.h = p.global ? 1 : count_windows(job, l, &p, 0, out.h);
	out.w = p.global ? 1 : count_windows(job, l, &p, 1, out.w);
	if (!paleo_caffe_begin_layer(job, l, p.pool == POOL_AVE ? "AvgPool" : "Pooling"))
		return;
	if (p.global)
		paleo_json_put_bool(job->writer, "global", 1);
	else
		put_pooling(job, &p);
	paleo_caffe_end_layer(job, l, 0, &out);
}
