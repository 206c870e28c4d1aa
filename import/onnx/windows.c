/* windows.c - convolutions, pooling and resizing: operators on pictures. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "import/onnx/ops.h"

/* Vertical, then horizontal. */
struct window {
	int kernel[2], strides[2], dilations[2];
	int pads[4]; /* top, left, bottom, right */
	int ceil;
};

/* Reads `count` whole numbers of an attribute, one for each side; lines have one side. 0, or -1. */
static int read_sides(const struct paleo_onnx_node *n, const char *name, int sides, int low,
		      int *out)
{
	double given[2];
	int count = paleo_onnx_ints(n, name, given, 2);

	if (count < 0)
		return 0;
	if (count != sides)
		return -1;
	for (int i = 0; i < sides; i++) {
		if (given[i] < low || given[i] > PALEO_DIM_MAX)
			return -1;
		out[i] = (int)given[i];
	}
	return 0;
}

static int read_pads(const struct paleo_onnx_node *n, int sides, int *pads)
{
	double given[4];
	int count = paleo_onnx_ints(n, "pads", given, 4);

	if (count < 0)
		return 0;
	if (count != 2 * sides)
		return -1;
	for (int i = 0; i < count; i++) {
		if (given[i] < 0 || given[i] > PALEO_DIM_MAX)
			return -1;
		pads[sides == 2 ? i : 2 * i] += (int)given[i];
	}
	return 0;
}

/* auto_pad: the output is as large as the input over the stride, rounded up. -1: too far. */
static int pad_same(const struct paleo_onnx_node *n, const struct paleo_shape *in, struct window *w)
{
	const int lower = paleo_onnx_word(n, "auto_pad", "SAME_LOWER");
	const int sizes[2] = {in->h, in->w};

	if (!lower && !paleo_onnx_word(n, "auto_pad", "SAME_UPPER"))
		return 0;
	for (int i = 0; i < 2; i++) {
		const int outputs = (sizes[i] + w->strides[i] - 1) / w->strides[i];
		const double reach = (w->kernel[i] - 1.0) * w->dilations[i] + 1;
		if (reach > PALEO_DIM_MAX)
			return -1;
		const int all = (outputs - 1) * w->strides[i] + (int)reach - sizes[i];
		const int half = all > 0 ? all / 2 : 0, rest = all > 0 ? all - half : 0;
		w->pads[i] = lower ? rest : half;
		w->pads[2 + i] = lower ? half : rest;
	}
	return 0;
}

static int read_window(const struct paleo_onnx_node *n, int sides, const struct paleo_shape *in,
		       struct window *w)
{
	if (read_sides(n, "kernel_shape", sides, 1, w->kernel) ||
	    read_sides(n, "strides", sides, 1, w->strides) ||
	    read_sides(n, "dilations", sides, 1, w->dilations) || read_pads(n, sides, w->pads))
		return -1;
	w->ceil = paleo_onnx_int(n, "ceil_mode", 0) != 0;
	return pad_same(n, in, w);
}

/* "output_shape" of a transposed convolution: its sides, or all dimensions. 0, or -1. */
static int read_output(const struct paleo_onnx_node *n, int sides, int *out)
{
	double given[4];
	const int count = paleo_onnx_ints(n, "output_shape", given, 4), first = count - sides;

	if (count < 1)
		return 0;
	if (first != 0 && first != 2)
		return -1;
	for (int i = 0; i < sides; i++) {
		if (!(given[first + i] >= 1 && given[first + i] <= PALEO_DIM_MAX))
			return -1;
		out[i] = (int)given[first + i];
	}
	return 0;
}

/* Number of window positions along a side; 0 if none. Same rounding as the net's reader. */
static int places(const struct window *w, int side, int size)
{
	const int reach = (w->kernel[side] - 1) * w->dilations[side] + 1;
	const int room = size + w->pads[side] + w->pads[2 + side] - reach;
	int count = room < 0 ? 0 : room / w->strides[side] + 1;

	if (room >= 0 && w->ceil && room % w->strides[side] &&
	    count * w->strides[side] < size + w->pads[side])
		count++;
	return count;
}

/* The output's height and width. 0, or -1 if the window does not fit. */
static int slide(const struct window *w, struct paleo_shape *s)
{
	s->h = places(w, 0, s->h);
	s->w = places(w, 1, s->w);
	return s->h && s->w ? 0 : -1;
}

/* The picture that the node reads, how many sides it has, and the zeros around it. */
static int picture(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   struct paleo_onnx_value *x, int *sides, struct window *w)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	*w = (struct window){.strides = {1, 1}, .dilations = {1, 1}, .kernel = {1, 1}};
	if (v && v->rank == 5)
		return paleo_onnx_refuse(job, n,
					 "of three spatial dimensions: nets have at most two");
	if (paleo_onnx_padded(job, n, x, w->pads))
		return 1;
	*sides = x->rank - 2;
	if (*sides < 1 || *sides > 2 || paleo_onnx_as_picture(job, n, x))
		return paleo_onnx_refuse(job, n, "of a value that is not an image or a sequence");
	return 0;
}

static void put_window(struct paleo_onnx_job *job, const struct window *w)
{
	paleo_onnx_put_ints(job, "strides", 4, 1, w->strides[0], w->strides[1], 1);
	paleo_onnx_put_ints(job, "padding", 4, w->pads[0], w->pads[2], w->pads[1], w->pads[3]);
}

/* Known numbers are zeros of an exporter, and nothing learned; but a bias of one channel is stored.
 */
static int has_bias(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *b = paleo_onnx_in(job, n, 2);

	return b && (b->state != ONNX_NUMBERS || job->graph->names[n->inputs[2]].is_initializer);
}

/* The keys of a layer that has filters, and its output; of a line a line again. */
static int put_filters(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int layer,
		       int sides, const struct window *w, const struct paleo_shape *s)
{
	const struct paleo_onnx_value *f = paleo_onnx_in(job, n, 1);
	const int groups = (int)paleo_onnx_int(n, "group", 1);

	put_window(job, w);
	paleo_onnx_put_flag(job, "bias", has_bias(job, n));
	if (groups > 1)
		paleo_onnx_put_int(job, "groups", groups);
	if (f->state == ONNX_NUMBERS || !paleo_onnx_learn(job, f)) /* whole numbers are known */
		paleo_onnx_put_flag(job, "shared", 1);
	if (w->dilations[0] > 1 || w->dilations[1] > 1)
		paleo_onnx_put_ints(job, "dilation", 2, w->dilations[0], w->dilations[1], 0, 0);
	job->layers[layer].out = *s;
	job->layers[layer].shift = "bias";
	job->layers[layer].open = paleo_onnx_in(job, n, 2) ? 0 : ONNX_OPEN_SHIFT;
	return paleo_onnx_put_layer(job, n, layer, sides + 2);
}

int paleo_onnx_op_conv(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *f = paleo_onnx_in(job, n, 1);
	struct paleo_onnx_value x = {0};
	struct window w;
	int sides = 2;

	paleo_onnx_multiplied(job, n, f);
	if (picture(job, n, &x, &sides, &w))
		return 1;
	struct paleo_shape s = job->layers[x.view.layer].out;
	const int groups = (int)paleo_onnx_int(n, "group", 1);
	if (!f || f->rank != sides + 2 || !paleo_onnx_is_aux(f) || groups < 1 ||
	    f->dims[1] * groups != s.c || !paleo_onnx_is_small(f))
		return paleo_onnx_refuse(job, n, "with a filter of another form");
	for (int i = 0; i < sides; i++)
		w.kernel[i] = (int)f->dims[2 + i];
	if (read_window(n, sides, &s, &w) || slide(&w, &s))
		return paleo_onnx_refuse(job, n, "with a window that does not fit");
	int layer = paleo_onnx_add_layer(job, n, "Convolution", &x.view.layer, 1);
	paleo_onnx_put_ints(job, "filter", 4, w.kernel[0], w.kernel[1], s.c, (int)f->dims[0]);
	s.c = (int)f->dims[0];
	return put_filters(job, n, layer, sides, &w, &s);
}

/* The output's size along a side: given, or as the pads say; pads that it implies are put into the
 * window, of an odd number one more behind unless the node is of SAME_LOWER. 0: impossible. */
static int transposed_size(const struct paleo_onnx_node *n, struct window *w, int side, int in,
			   int extra, int given)
{
	const int lower = paleo_onnx_word(n, "auto_pad", "SAME_LOWER");
	const int same = lower || paleo_onnx_word(n, "auto_pad", "SAME_UPPER");
	const double reach = (w->kernel[side] - 1.0) * w->dilations[side] + 1;
	const double whole = (in - 1.0) * w->strides[side] + reach + extra;
	double size = given ? given : (double)in * w->strides[side];

	if (!given && !same)
		size = whole - w->pads[side] - w->pads[2 + side];
	if (!(size >= 1 && size <= PALEO_DIM_MAX && whole <= PALEO_DIM_MAX))
		return 0;
	if (given || same) {
		const int all = whole > size ? (int)(whole - size) : 0, half = all / 2;
		w->pads[side] = lower || !same ? all - half : half;
		w->pads[2 + side] = all - w->pads[side];
	}
	return (int)size;
}

int paleo_onnx_op_conv_transpose(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *f = paleo_onnx_in(job, n, 1);
	struct paleo_onnx_value x = {0};
	struct window w;
	int sides = 2, extra[2] = {0, 0}, given[2] = {0, 0}, size[2];

	if (picture(job, n, &x, &sides, &w))
		return 1;
	struct paleo_shape s = job->layers[x.view.layer].out;
	const int groups = (int)paleo_onnx_int(n, "group", 1);
	if (!f || f->rank != sides + 2 || f->state != ONNX_WEIGHT || f->dims[0] != s.c ||
	    groups < 1 || s.c % groups || f->dims[1] * groups > PALEO_DIM_MAX ||
	    !paleo_onnx_is_small(f))
		return paleo_onnx_refuse(job, n, "with a filter of another form");
	const int channels = (int)f->dims[1] * groups;
	for (int i = 0; i < sides; i++)
		w.kernel[i] = (int)f->dims[2 + i];
	if (read_sides(n, "strides", sides, 1, w.strides) ||
	    read_sides(n, "dilations", sides, 1, w.dilations) || read_pads(n, sides, w.pads) ||
	    read_sides(n, "output_padding", sides, 0, extra) || read_output(n, sides, given))
		return paleo_onnx_refuse(job, n, "with a window of another form");
	for (int i = 0; i < 2; i++) {
		size[i] = transposed_size(n, &w, i, i ? s.w : s.h, extra[i], given[i]);
		if (!size[i])
			return paleo_onnx_refuse(job, n, "with a window that does not fit");
	}
	int layer = paleo_onnx_add_layer(job, n, "Deconvolution", &x.view.layer, 1);
	paleo_onnx_put_ints(job, "filter", 4, w.kernel[0], w.kernel[1], channels, s.c);
	s = (struct paleo_shape){.rank = 4, .n = s.n, .h = size[0], .w = size[1], .c = channels};
	paleo_onnx_put_ints(job, "output_shape", 4, PALEO_INFERRED, s.h, s.w, s.c);
	return put_filters(job, n, layer, sides, &w, &s);
}

int paleo_onnx_op_pool(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const int average = paleo_onnx_span_is(n->type, "AveragePool");
	struct paleo_onnx_value x = {0};
	struct window w;
	int sides = 2;

	if (picture(job, n, &x, &sides, &w))
		return 1;
	const int padded = w.pads[0] || w.pads[1] || w.pads[2] || w.pads[3];
	struct paleo_shape s = job->layers[x.view.layer].out;
	const int read = read_window(n, sides, &s, &w);
	for (int i = 0; i < 2; i++) { /* a window larger than the picture has one place */
		const int size = (i ? s.w : s.h) + w.pads[i] + w.pads[2 + i];
		w.kernel[i] = w.ceil && w.kernel[i] > size ? size : w.kernel[i];
	}
	if (w.dilations[0] != 1 || w.dilations[1] != 1)
		return paleo_onnx_refuse(job, n, "with a dilation: nets' pools have none");
	if (read || slide(&w, &s))
		return paleo_onnx_refuse(job, n, "with a window that does not fit");
	int layer = paleo_onnx_add_layer(job, n, average ? "AvgPool" : "Pooling", &x.view.layer, 1);
	paleo_onnx_put_ints(job, "ksize", 4, 1, w.kernel[0], w.kernel[1], 1);
	put_window(job, &w);
	if (w.ceil)
		paleo_onnx_put_flag(job, "ceil_mode", 1);
	if (average && (padded || paleo_onnx_int(n, "count_include_pad", 0) != 0))
		paleo_onnx_put_flag(job, "count_include_pad", 1);
	job->layers[layer].out = s;
	return paleo_onnx_put_layer(job, n, layer, sides + 2);
}

/* One number for each channel of a picture, in so many axes. */
static int pool_all(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *type,
		    const struct paleo_onnx_value *x, int rank)
{
	int layer = paleo_onnx_add_layer(job, n, type, &x->view.layer, 1);

	paleo_onnx_put_flag(job, "global", 1);
	job->layers[layer].out.h = job->layers[layer].out.w = 1;
	return paleo_onnx_put_layer(job, n, layer, rank);
}

int paleo_onnx_op_global_pool(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const char *type = paleo_onnx_span_is(n->type, "GlobalMaxPool") ? "Pooling" : "AvgPool";
	struct paleo_onnx_value x = {0};
	struct window ignored;
	int sides = 2;

	return picture(job, n, &x, &sides, &ignored) || pool_all(job, n, type, &x, sides + 2);
}

int paleo_onnx_pool_pixels(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   const struct paleo_onnx_value *x, int keep)
{
	return pool_all(job, n, "AvgPool", x, keep ? 4 : 2);
}

/* DepthToSpace and SpaceToDepth: a copy in another order. */
int paleo_onnx_op_pixels(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const int by = (int)paleo_onnx_int(n, "blocksize", 0),
		  wider = paleo_onnx_span_is(n->type, "DepthToSpace");
	struct paleo_onnx_value x;

	if (paleo_onnx_tensor(job, n, 0, &x) || paleo_onnx_as_picture(job, n, &x))
		return paleo_onnx_refuse(job, n, "of a value that is not an image");
	struct paleo_shape s = job->layers[x.view.layer].out;
	if (by < 1 || by > 64 || (wider ? s.c % (by * by) : s.h % by || s.w % by))
		return paleo_onnx_refuse(job, n, "by a size that does not fit");
	s.c = wider ? s.c / (by * by) : s.c * by * by;
	s.h = wider ? s.h * by : s.h / by;
	s.w = wider ? s.w * by : s.w / by;
	return paleo_onnx_put_layer(
		job, n, paleo_onnx_add_shaped(job, n, "", "Permute", x.view.layer, &s), 4);
}

/* The factors of all four sides: an input since opset 9, attributes before. 0, or -1. */
static int read_scales(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, double *out)
{
	const int input = paleo_onnx_span_is(n->type, "Resize") && job->graph->opset >= 11 ? 2 : 1;
	const struct paleo_onnx_value *given = paleo_onnx_in(job, n, input);
	int count;
	const double *known = paleo_onnx_numbers(job, n, input, &count);

	if (known && count == 4) {
		memcpy(out, known, 4 * sizeof(*out));
		return 0;
	}
	if (given && given->numbers && given->learned == 4) {
		memcpy(out, given->numbers, 4 * sizeof(*out));
		return 0;
	}
	if (given) /* an initializer of floating point, so taken for weights */
		return given->state == ONNX_WEIGHT && given->learned == 4
			       ? paleo_onnx_tensor_numbers(
					 &job->graph->names[n->inputs[input]].tensor, out, 4)
			       : -1;
	if (paleo_onnx_floats(n, "scales", out, 4) == 4 ||
	    paleo_onnx_ints(n, "scales", out, 4) == 4)
		return 0;
	out[0] = out[1] = 1;
	out[2] = paleo_onnx_float(n, "height_scale", 0);
	out[3] = paleo_onnx_float(n, "width_scale", 0);
	return out[2] > 0 && out[3] > 0 ? 0 : -1;
}

/* The factor of a side, from scales or from sizes; 0 if it is not known or not whole. */
static int factor(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int axis,
		  double size)
{
	double scales[4] = {0};
	int count;
	const double *sizes = paleo_onnx_numbers(job, n, 3, &count);

	if (read_scales(job, n, scales))
		scales[axis] = sizes && count == 4 ? sizes[axis] / size : 0;
	const double by = scales[axis];
	return by >= 1 && by <= size * 1024 && by == floor(by) ? (int)by : 0;
}

/* By factors that are not whole, or smaller: as many numbers as come out are read and written. */
static int resize_otherwise(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    const struct paleo_onnx_value *x)
{
	int count, side[2];
	const double *sizes = paleo_onnx_numbers(job, n, 3, &count);
	struct paleo_shape s = job->layers[x->view.layer].out;
	double scales[4] = {0};

	if (!sizes || count != 4) {
		if (read_scales(job, n, scales))
			return paleo_onnx_refuse(job, n, "by unknown factors");
		sizes = NULL;
	}
	for (int i = 0; i < 2; i++) {
		const double size = sizes ? sizes[2 + i] : floor(x->dims[2 + i] * scales[2 + i]);
		if (!(size >= 1 && size <= PALEO_DIM_MAX) ||
		    (sizes ? sizes[i] != x->dims[i] : scales[i] != 1))
			return paleo_onnx_refuse(job, n,
						 "of other dimensions than height and width");
		side[i] = (int)size;
	}
	s.h = side[0];
	s.w = side[1];
	return paleo_onnx_put_layer(
		job, n, paleo_onnx_add_shaped(job, n, "", "Gather", x->view.layer, &s), 4);
}

/* For weights, such as positions of another size: they stay weights. */
static int resize_aux(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_value made = *paleo_onnx_in(job, n, 0);
	int count;
	const double *sizes = paleo_onnx_numbers(job, n, 3, &count);

	if (!sizes || count != made.rank)
		return paleo_onnx_refuse(job, n, "of weights to an unknown size");
	memcpy(made.dims, sizes, (size_t)count * sizeof(*sizes));
	made.numbers = NULL;
	return paleo_onnx_put(job, n, 0, &made);
}

int paleo_onnx_op_resize(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value x;

	if (v && paleo_onnx_is_aux(v))
		return resize_aux(job, n);
	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	if (x.rank != 4 || paleo_onnx_as_picture(job, n, &x))
		return paleo_onnx_refuse(job, n, "of a value that is not an image");
	const int down = factor(job, n, 2, x.dims[2]), right = factor(job, n, 3, x.dims[3]);
	if (!down || !right || factor(job, n, 0, x.dims[0]) != 1 ||
	    factor(job, n, 1, x.dims[1]) != 1)
		return resize_otherwise(job, n, &x);
	int layer = paleo_onnx_add_layer(job, n, "UpSampling2D", &x.view.layer, 1);
	paleo_onnx_put_ints(job, "ksize", 4, 1, down, right, 1);
	job->layers[layer].out.h *= down;
	job->layers[layer].out.w *= right;
	return paleo_onnx_put_layer(job, n, layer, 4);
}
