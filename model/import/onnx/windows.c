/* windows.c - convolutions and pooling: operators with a window that moves over a picture. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/onnx/ops.h"
#include "model/net/layers/common.h"

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

/* How many places the window has along a side; 0 if none. As the net's reader counts. */
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
		   struct paleo_onnx_value *x, int *sides, struct window *w,
		   struct paleo_error *err)
{
	*w = (struct window){.strides = {1, 1}, .dilations = {1, 1}, .kernel = {1, 1}};
	int rc = paleo_onnx_padded(job, n, x, w->pads, err);

	if (rc)
		return rc;
	*sides = x->rank - 2;
	rc = *sides < 1 || *sides > 2 ? 1 : paleo_onnx_as_picture(job, n, x, err);
	if (rc <= 0)
		return rc;
	rc = paleo_onnx_refuse(job, n, "of what is no picture or line", err);
	return rc ? rc : 1;
}

/* The picture that comes out; of a line a line again. */
static void put_picture(struct paleo_onnx_job *job, int layer, int sides,
			struct paleo_onnx_value *out)
{
	paleo_onnx_is_layer(job, layer, out);
	out->rank = sides + 2;
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

int paleo_onnx_op_conv(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       struct paleo_error *err)
{
	const struct paleo_onnx_value *f = paleo_onnx_in(job, n, 1), *b = paleo_onnx_in(job, n, 2);
	struct paleo_onnx_value x;
	struct window w;
	int sides;

	if (f && f->rank == 5)
		return paleo_onnx_refuse(job, n, "of three sides: a net has pictures and lines",
					 err);
	int rc = paleo_onnx_multiplied(job, n, f, err);
	if (!rc)
		rc = picture(job, n, &x, &sides, &w, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	struct paleo_shape s = job->layers[x.view.layer].out;
	const int groups = (int)paleo_onnx_int(n, "group", 1);
	if (!f || f->rank != sides + 2 || !paleo_onnx_is_beside(f) || groups < 1 ||
	    f->dims[1] * groups != s.c || !paleo_onnx_is_small(f))
		return paleo_onnx_refuse(job, n, "with a filter of another form", err);
	for (int i = 0; i < sides; i++)
		w.kernel[i] = (int)f->dims[2 + i];
	if (read_window(n, sides, &s, &w) || slide(&w, &s))
		return paleo_onnx_refuse(job, n, "with a window that does not fit", err);
	int layer = paleo_onnx_add_layer(job, n, "Convolution", &x.view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_ints(job, "filter", 4, w.kernel[0], w.kernel[1], s.c, (int)f->dims[0]);
	put_window(job, &w);
	paleo_onnx_put_flag(job, "bias", has_bias(job, n));
	if (groups > 1)
		paleo_onnx_put_int(job, "groups", groups);
	if (f->state == ONNX_NUMBERS || !paleo_onnx_learn(job, f)) /* known ones are nobody's */
		paleo_onnx_put_flag(job, "shared", 1);
	if (w.dilations[0] > 1 || w.dilations[1] > 1)
		paleo_onnx_put_ints(job, "dilation", 2, w.dilations[0], w.dilations[1], 0, 0);
	s.c = (int)f->dims[0];
	job->layers[layer].out = s;
	job->layers[layer].shift = "bias";
	job->layers[layer].open = b ? 0 : ONNX_OPEN_SHIFT;
	put_picture(job, layer, sides, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

int paleo_onnx_op_conv_transpose(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
				 struct paleo_error *err)
{
	const struct paleo_onnx_value *f = paleo_onnx_in(job, n, 1), *b = paleo_onnx_in(job, n, 2);
	struct paleo_onnx_value x;
	struct window w;
	int sides, extra[2] = {0, 0}, size[2];
	int rc = picture(job, n, &x, &sides, &w, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	struct paleo_shape s = job->layers[x.view.layer].out;
	const int groups = (int)paleo_onnx_int(n, "group", 1);
	if (!f || f->rank != sides + 2 || f->state != ONNX_WEIGHT || f->dims[0] != s.c ||
	    groups < 1 || s.c % groups || f->dims[1] * groups > PALEO_DIM_MAX ||
	    !paleo_onnx_is_small(f))
		return paleo_onnx_refuse(job, n, "with a filter of another form", err);
	const int channels = (int)f->dims[1] * groups;
	for (int i = 0; i < sides; i++)
		w.kernel[i] = (int)f->dims[2 + i];
	if (paleo_onnx_word(n, "auto_pad", "SAME_UPPER") || read_window(n, sides, &s, &w) ||
	    read_sides(n, "output_padding", sides, 0, extra) || w.dilations[0] != 1 ||
	    w.dilations[1] != 1)
		return paleo_onnx_refuse(job, n, "with a window of another form", err);
	for (int i = 0; i < 2; i++) {
		const double places = ((i ? s.w : s.h) - 1.0) * w.strides[i] + w.kernel[i] +
				      extra[i] - w.pads[i] - w.pads[2 + i];
		if (!(places >= 1 && places <= PALEO_DIM_MAX))
			return paleo_onnx_refuse(job, n, "with a window that does not fit", err);
		size[i] = (int)places;
	}
	int layer = paleo_onnx_add_layer(job, n, "Deconvolution", &x.view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_ints(job, "filter", 4, w.kernel[0], w.kernel[1], channels, s.c);
	s = (struct paleo_shape){.rank = 4, .n = s.n, .h = size[0], .w = size[1], .c = channels};
	paleo_onnx_put_ints(job, "output_shape", 4, PALEO_INFERRED, s.h, s.w, s.c);
	put_window(job, &w);
	paleo_onnx_put_flag(job, "bias", has_bias(job, n));
	if (groups > 1)
		paleo_onnx_put_int(job, "groups", groups);
	if (!paleo_onnx_learn(job, f))
		paleo_onnx_put_flag(job, "shared", 1);
	job->layers[layer].out = s;
	job->layers[layer].shift = "bias";
	job->layers[layer].open = b ? 0 : ONNX_OPEN_SHIFT;
	put_picture(job, layer, sides, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

int paleo_onnx_op_pool(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       struct paleo_error *err)
{
	const int average = paleo_onnx_span_is(n->type, "AveragePool");
	struct paleo_onnx_value x;
	struct window w;
	int sides;
	int rc = picture(job, n, &x, &sides, &w, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	const int padded = w.pads[0] || w.pads[1] || w.pads[2] || w.pads[3];
	struct paleo_shape s = job->layers[x.view.layer].out;
	const int read = read_window(n, sides, &s, &w);
	for (int i = 0; i < 2; i++) { /* a window larger than the picture has one place */
		const int size = (i ? s.w : s.h) + w.pads[i] + w.pads[2 + i];
		w.kernel[i] = w.ceil && w.kernel[i] > size ? size : w.kernel[i];
	}
	if (read || w.dilations[0] != 1 || w.dilations[1] != 1 || slide(&w, &s))
		return paleo_onnx_refuse(job, n, "with a window that does not fit", err);
	int layer = paleo_onnx_add_layer(job, n, average ? "AvgPool" : "Pooling", &x.view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_ints(job, "ksize", 4, 1, w.kernel[0], w.kernel[1], 1);
	put_window(job, &w);
	if (w.ceil)
		paleo_onnx_put_flag(job, "ceil_mode", 1);
	if (average && (padded || paleo_onnx_int(n, "count_include_pad", 0) != 0))
		paleo_onnx_put_flag(job, "count_include_pad", 1);
	job->layers[layer].out = s;
	put_picture(job, layer, sides, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

/* One number for each channel of a picture. */
static int pool_all(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *type,
		    struct paleo_onnx_value *x, struct paleo_onnx_value *out,
		    struct paleo_error *err)
{
	int layer = paleo_onnx_add_layer(job, n, type, &x->view.layer, 1);

	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_flag(job, "global", 1);
	job->layers[layer].out.h = 1;
	job->layers[layer].out.w = 1;
	paleo_onnx_is_layer(job, layer, out);
	return PALEO_OK;
}

int paleo_onnx_op_global_pool(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			      struct paleo_error *err)
{
	const char *type = paleo_onnx_span_is(n->type, "GlobalMaxPool") ? "Pooling" : "AvgPool";
	struct paleo_onnx_value x;
	struct window ignored;
	int sides;
	int rc = picture(job, n, &x, &sides, &ignored, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	rc = pool_all(job, n, type, &x, out, err);
	if (!rc)
		out->rank = sides + 2;
	return rc;
}

int paleo_onnx_pool_pixels(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   struct paleo_onnx_value *x, int keep, struct paleo_error *err)
{
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	int rc = pool_all(job, n, "AvgPool", x, out, err);

	if (!rc && !keep)
		out->rank = 2;
	return rc;
}
