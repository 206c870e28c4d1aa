/* norms.c - normalisations, softmax, means and up-sampling. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/ops.h"
#include "model/import/onnx/stat.h"
#include "model/import/onnx/turn.h"
#include "model/net/layers/common.h"

/* A layer of this type that keeps the shape. */
static int plain(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *type,
		 const struct paleo_onnx_value *x, struct paleo_error *err)
{
	int layer = paleo_onnx_add_layer(job, n, type, &x->view.layer, 1);

	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_on_layer(x, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

int paleo_onnx_op_batch_norm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value x;

	if (v && v->state == ONNX_WEIGHT) /* filters that are normalised before they are used */
		return paleo_onnx_copy(v, paleo_onnx_out(job, n, 0), err);
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	const int rank = x.rank;
	if (rank > 2)
		rc = paleo_onnx_as_picture(job, n, &x, err);
	if (rc < 0)
		return rc;
	if (rc || x.rank < 2 || !paleo_onnx_axis_is(job, &x, 1, ONNX_C))
		return paleo_onnx_refuse(job, n, "of another axis than the channels", err);
	x.rank = rank; /* of a line, too */
	rc = plain(job, n, "BatchNorm", &x, err);
	if (!rc && !paleo_onnx_learn(job, paleo_onnx_in(job, n, 1)))
		paleo_onnx_put_flag(job, "shared", 1);
	return rc;
}

static int is_learned(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);

	return v && v->state == ONNX_WEIGHT;
}

int paleo_onnx_op_layer_norm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     struct paleo_error *err)
{
	const char *type =
		paleo_onnx_span_is(n->type, "LayerNormalization") ? "LayerNorm" : "RMSNorm";
	struct paleo_onnx_value x;
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	int axis = (int)paleo_onnx_int(n, "axis", -1);
	axis += axis < 0 ? x.rank : 0;
	if (axis < 0 || axis >= x.rank)
		return paleo_onnx_refuse(job, n, "along an axis that is none", err);
	if (axis < x.rank - 1) /* of several axes together */
		rc = paleo_onnx_lay(job, n, &x, axis, axis, err);
	if (rc)
		return rc < 0 ? rc : paleo_onnx_refuse(job, n, "of rows in another order", err);
	const int before = job->layer_count;
	rc = paleo_onnx_normalise(job, n, type, &x, paleo_onnx_out(job, n, 0), err);
	if (rc || job->layer_count == before)
		return rc;
	job->layers[job->layer_count - 1].open = /* the node may have its weights */
		(is_learned(job, n, 1) ? 0 : ONNX_OPEN_SCALE) |
		(is_learned(job, n, 2) ? 0 : ONNX_OPEN_SHIFT);
	if (is_learned(job, n, 1) && !paleo_onnx_learn(job, paleo_onnx_in(job, n, 1)))
		paleo_onnx_put_flag(job, "shared", 1);
	return PALEO_OK;
}

/* Of groups, or of each picture alone: as much is read, written and learned as by LayerNorm.
 * Factors for each group are those of an exporter, who multiplies by the learned ones behind it. */
int paleo_onnx_op_group_norm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     struct paleo_error *err)
{
	const struct paleo_onnx_value *w = paleo_onnx_in(job, n, 1);
	struct paleo_onnx_value x;
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	rc = x.rank == 4 ? paleo_onnx_as_picture(job, n, &x, err) : PALEO_OK;
	if (rc >= 0)
		rc = plain(job, n, "LayerNorm", &x, err);
	if (rc)
		return rc;
	if (!w || w->learned != job->layers[x.view.layer].out.c)
		job->layers[job->layer_count - 1].open = ONNX_OPEN_SCALE | ONNX_OPEN_SHIFT;
	else if (!paleo_onnx_learn(job, w))
		paleo_onnx_put_flag(job, "shared", 1);
	return PALEO_OK;
}

/* Factors of what is negative: one, or one for each channel. */
int paleo_onnx_op_prelu(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_error *err)
{
	const struct paleo_onnx_value *w = paleo_onnx_in(job, n, 1);
	struct paleo_onnx_value x;
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	if (w && w->learned == job->layers[x.view.layer].out.c)
		return plain(job, n, "Scale", &x, err);
	rc = plain(job, n, "Activation", &x, err);
	if (!rc)
		paleo_onnx_put_word(job, "fn", "leaky_relu");
	return rc;
}

/* DepthToSpace and SpaceToDepth: a copy in another order. */
int paleo_onnx_op_pixels(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	const int by = (int)paleo_onnx_int(n, "blocksize", 0),
		  wider = paleo_onnx_span_is(n->type, "DepthToSpace");
	struct paleo_onnx_value x;
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);

	if (!rc)
		rc = paleo_onnx_as_picture(job, n, &x, err);
	if (rc)
		return rc < 0 ? rc : paleo_onnx_refuse(job, n, "of what is no picture", err);
	struct paleo_shape s = job->layers[x.view.layer].out;
	if (by < 1 || by > 64 || (wider ? s.c % (by * by) : s.h % by || s.w % by))
		return paleo_onnx_refuse(job, n, "by a size that does not fit", err);
	s.c = wider ? s.c / (by * by) : s.c * by * by;
	s.h = wider ? s.h * by : s.h / by;
	s.w = wider ? s.w * by : s.w / by;
	int layer = paleo_onnx_add_layer(job, n, "Permute", &x.view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_ints(job, "output_shape", 4, PALEO_INFERRED, s.h, s.w, s.c);
	job->layers[layer].out = s;
	paleo_onnx_is_layer(job, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

/* Lays the value out with this axis as its features; the value stays as it was. */
static int lay_last(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    struct paleo_onnx_value *v, int axis, struct paleo_error *err)
{
	struct paleo_onnx_value turned = *v;
	int perm[ONNX_RANK_MAX], back[ONNX_RANK_MAX];

	for (int i = 0; i < v->rank; i++) {
		perm[i] = i < axis ? i : i + 1 < v->rank ? i + 1 : axis;
		turned.dims[i] = v->dims[perm[i]];
		back[perm[i]] = i;
	}
	paleo_onnx_view_transpose(&turned.view, v->dims, v->rank, perm);
	int rc = paleo_onnx_lay(job, n, &turned, v->rank - 1, v->rank - 1, err);
	if (rc)
		return rc;
	paleo_onnx_view_transpose(&turned.view, turned.dims, v->rank, back);
	v->view = turned.view;
	return PALEO_OK;
}

int paleo_onnx_op_softmax(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_error *err)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	struct paleo_onnx_value x;

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	int axis = (int)paleo_onnx_int(n, "axis", job->graph->opset < 13 ? 1 : -1);
	axis += axis < 0 ? v->rank : 0;
	if (v->state == ONNX_SCORES && axis == v->rank - 1 && !v->weighted) {
		int rc = paleo_onnx_copy(v, out, err);
		out->weighted = 1;
		return rc;
	}
	int rc = v->state == ONNX_SCORES ? paleo_onnx_unfold(job, n, v, err) : PALEO_OK;
	if (rc || v->state == ONNX_UNKNOWN)
		return rc;
	rc = paleo_onnx_tensor(job, n, 0, &x, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	if (axis < 0 || axis >= x.rank)
		return paleo_onnx_refuse(job, n, "along an axis that is none", err);
	if (!paleo_onnx_axis_is(job, &x, axis, ONNX_C)) {
		rc = lay_last(job, n, &x, axis, err);
		if (rc)
			return rc < 0 ? rc
				      : paleo_onnx_refuse(job, n, "of rows in another order", err);
	}
	return plain(job, n, "Softmax", &x, err);
}

int paleo_onnx_op_lrn(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_error *err)
{
	const int size = (int)paleo_onnx_int(n, "size", 0);
	struct paleo_onnx_value x;
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	rc = paleo_onnx_as_picture(job, n, &x, err);
	if (rc || size < 1 || size % 2 == 0)
		return rc < 0 ? rc : paleo_onnx_refuse(job, n, "of another form", err);
	rc = plain(job, n, "LRN", &x, err);
	if (!rc)
		paleo_onnx_put_int(job, "size", size);
	return rc;
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
	if (given) /* an initializer of floating point, so taken for weights */
		return given->state == ONNX_WEIGHT && given->learned == 4
			       ? paleo_onnx_tensor_numbers(
					 &job->graph->names[n->inputs[input]].tensor, out, 4)
			       : -1;
	if (paleo_onnx_floats(n, "scales", out, 4) == 4)
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
			    struct paleo_onnx_value *x, struct paleo_error *err)
{
	int count, side[2];
	const double *sizes = paleo_onnx_numbers(job, n, 3, &count);
	double scales[4] = {0};

	if (!sizes || count != 4) {
		if (read_scales(job, n, scales))
			return paleo_onnx_refuse(job, n, "by factors that are not known", err);
		sizes = NULL;
	}
	for (int i = 0; i < 2; i++) {
		const double size = sizes ? sizes[2 + i] : floor(x->dims[2 + i] * scales[2 + i]);
		if (!(size >= 1 && size <= PALEO_DIM_MAX) ||
		    (sizes ? sizes[i] != x->dims[i] : scales[i] != 1))
			return paleo_onnx_refuse(job, n, "of other sides than height and width",
						 err);
		side[i] = (int)size;
	}
	int layer = paleo_onnx_add_layer(job, n, "Gather", &x->view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	struct paleo_shape *s = &job->layers[layer].out;
	s->h = side[0];
	s->w = side[1];
	paleo_onnx_put_ints(job, "output_shape", 4, PALEO_INFERRED, s->h, s->w, s->c);
	paleo_onnx_is_layer(job, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

/* Of weights, as positions of another size: they stay weights. */
static int resize_beside(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	struct paleo_onnx_value made = *paleo_onnx_in(job, n, 0), *out = paleo_onnx_out(job, n, 0);
	int count;
	const double *sizes = paleo_onnx_numbers(job, n, 3, &count);

	if (!sizes || count != made.rank)
		return paleo_onnx_refuse(job, n, "of weights to a size that is not known", err);
	memcpy(made.dims, sizes, (size_t)count * sizeof(*sizes));
	made.numbers = NULL;
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}

int paleo_onnx_op_resize(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value x;

	if (v && paleo_onnx_is_beside(v))
		return resize_beside(job, n, err);
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	if (x.rank != 4 || (rc = paleo_onnx_as_picture(job, n, &x, err)) != 0)
		return rc < 0 ? rc : paleo_onnx_refuse(job, n, "of what is no picture", err);
	const int down = factor(job, n, 2, x.dims[2]), right = factor(job, n, 3, x.dims[3]);
	if (!down || !right || factor(job, n, 0, x.dims[0]) != 1 ||
	    factor(job, n, 1, x.dims[1]) != 1)
		return resize_otherwise(job, n, &x, err);
	int layer = paleo_onnx_add_layer(job, n, "UpSampling2D", &x.view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_ints(job, "ksize", 4, 1, down, right, 1);
	job->layers[layer].out.h *= down;
	job->layers[layer].out.w *= right;
	paleo_onnx_is_layer(job, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}
