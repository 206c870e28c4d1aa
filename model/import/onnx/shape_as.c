/* shape_as.c - makes a value the output of a layer that is a picture, or rows of features. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/onnx/job.h"
#include "model/net/layers/common.h"

/* Adds a Reshape or a Permute behind the value's layer, of this shape; *v is its output then. */
static int add(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *type,
	       const struct paleo_shape *s, struct paleo_onnx_value *v, struct paleo_error *err)
{
	int layer = paleo_onnx_add_before(job, n, "/order", type, &v->view.layer, 1);
	int dims[4];

	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_shape_dims(s, dims);
	paleo_onnx_put_ints(job, "output_shape", s->rank, PALEO_INFERRED, dims[1], dims[2],
			    dims[3]);
	job->layers[layer].out = *s;
	v->numbers = NULL; /* *v is a copy, which owns nothing */
	paleo_onnx_is_layer(job, layer, v);
	return PALEO_OK;
}

/* Whether the axes are N, C, H, W of a layer that has them. */
static int is_picture(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v)
{
	return job->layers[v->view.layer].out.rank == 4 && paleo_onnx_axis_is(job, v, 0, ONNX_N) &&
	       paleo_onnx_axis_is(job, v, 1, ONNX_C) && paleo_onnx_axis_is(job, v, 2, ONNX_H) &&
	       paleo_onnx_axis_is(job, v, 3, ONNX_W);
}

/* Whether the axes in this order lead through the layer's dimensions as they lie. */
static int lies_so(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v,
		   const int order[4])
{
	const struct paleo_shape *s = &job->layers[v->view.layer].out;
	struct paleo_onnx_view sorted = {.layer = v->view.layer};

	for (int i = 0; i < 4; i++) {
		int first, count;
		paleo_onnx_view_axis(v, order[i], &first, &count);
		memcpy(sorted.atoms + sorted.count, v->view.atoms + first,
		       (size_t)count * sizeof(sorted.atoms[0]));
		sorted.count += count;
	}
	paleo_onnx_view_merge(&sorted);
	for (int i = 0; i < sorted.count; i++) {
		const struct paleo_onnx_atom *a = &sorted.atoms[i];
		if (a->size != paleo_onnx_axis_size(s, a->axis) || (i && a[-1].axis >= a->axis))
			return 0;
	}
	return 1;
}

/* Tokens that become pixels, or features that become channels of a few pixels. */
static int is_free(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v)
{
	static const int pixels[4] = {0, 2, 3, 1}, channels[4] = {0, 1, 2, 3};

	return lies_so(job, v, pixels) ||
	       (job->layers[v->view.layer].out.rank == 2 && lies_so(job, v, channels));
}

int paleo_onnx_as_picture(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_onnx_value *v, struct paleo_error *err)
{
	if (v->rank == 3) /* a line, as of sound */
		v->dims[v->rank++] = 1;
	if (v->rank != 4 || v->dims[0] != job->layers[v->view.layer].out.n)
		return 1;
	if (is_picture(job, v))
		return PALEO_OK;
	const struct paleo_shape s = {.rank = 4,
				      .n = (int)v->dims[0],
				      .c = (int)v->dims[1],
				      .h = (int)v->dims[2],
				      .w = (int)v->dims[3]};
	return add(job, n, is_free(job, v) ? "Reshape" : "Permute", &s, v, err);
}

/* Pixels of a picture as tokens of a sequence: each step down is as many tokens as a line has. */
static void pixels_to_tokens(struct paleo_onnx_view *v, int width)
{
	for (int i = 0; i < v->count; i++) {
		struct paleo_onnx_atom *a = &v->atoms[i];
		if (a->axis == ONNX_H)
			a->stride *= width;
		if (a->axis == ONNX_W)
			a->axis = ONNX_H;
	}
}

/* Rows of another order than the layer has: a copy to [N, rows of each image, features]. */
static int copy_rows(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		     struct paleo_onnx_value *v, struct paleo_error *err)
{
	const int batch = job->layers[v->view.layer].out.n;
	const double features = v->dims[v->rank - 1];
	const double rows = paleo_onnx_count(v) / features / batch;
	struct paleo_onnx_value made = *v;

	if (rows != (int)rows || rows > PALEO_DIM_MAX || features > PALEO_DIM_MAX)
		return 1;
	const struct paleo_shape s = {
		.rank = 3, .n = batch, .h = (int)rows, .w = 1, .c = (int)features};
	int rc = add(job, n, "Permute", &s, &made, err);
	if (rc)
		return rc;
	if (paleo_onnx_view_reshape(&made.view, v->dims, v->rank))
		return 1;
	v->view = made.view;
	return PALEO_OK;
}

int paleo_onnx_as_rows(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       struct paleo_onnx_value *v, struct paleo_error *err)
{
	const struct paleo_shape s = job->layers[v->view.layer].out;
	const double image = (double)s.h * s.w * s.c;
	const int last = v->rank - 1;
	struct paleo_onnx_value made = *v;
	int rc;

	if (v->rank < 2)
		return 1;
	if (paleo_onnx_axis_is(job, v, last, ONNX_C)) {
		if (s.rank < 4 || s.h * s.w == 1)
			return PALEO_OK;
		const struct paleo_shape tokens = {
			.rank = 3, .n = s.n, .h = s.h * s.w, .w = 1, .c = s.c};
		rc = add(job, n, "Reshape", &tokens, &made, err);
		if (rc)
			return rc;
		pixels_to_tokens(&v->view, s.w);
		v->view.layer = made.view.layer;
		return PALEO_OK;
	}
	if (v->dims[last] != image || image > PALEO_DIM_MAX)
		return copy_rows(job, n, v, err);
	const struct paleo_shape flat = {
		.rank = v->rank > 2 ? 3 : 2, .n = s.n, .h = 1, .w = 1, .c = (int)image};
	rc = add(job, n, "Reshape", &flat, &made, err);
	if (!rc)
		v->view = made.view;
	return rc;
}
