/* concat.c - puts values together along an axis, and zeros around them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/ops.h"
#include "model/net/layers/common.h"

/* Lists of known numbers become one list; else the sizes add up. */
static int join_beside(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int axis,
		       struct paleo_error *err)
{
	struct paleo_onnx_value made = *paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	int known = made.rank == 1;
	double size = 0;

	made.learned = 0;
	for (int i = 0; i < n->input_count; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		known = known && v->numbers;
		size += v->dims[axis];
		made.learned += v->learned;
		if (v->state != ONNX_NUMBERS && made.state != ONNX_SIDE)
			made.state = v->state;
	}
	made.numbers = NULL;
	made.dims[axis] = size;
	if (known && size <= ONNX_NUMBERS_MAX) {
		double *to = made.numbers = malloc(((size_t)size + 1) * sizeof(double));
		if (!to)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		for (int i = 0; i < n->input_count; i++) {
			const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
			memcpy(to, v->numbers, (size_t)v->dims[0] * sizeof(*to));
			to += (size_t)v->dims[0];
		}
	}
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}

/* A learned token and a sequence. */
static int add_token(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int which,
		     int axis, struct paleo_error *err)
{
	const struct paleo_onnx_value *w = paleo_onnx_in(job, n, !which);
	struct paleo_onnx_value x;
	int rc = paleo_onnx_tensor(job, n, which, &x, err);

	if (!rc)
		rc = paleo_onnx_as_rows(job, n, &x, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	const struct paleo_shape s = job->layers[x.view.layer].out;
	if (s.rank != 3 || !paleo_onnx_axis_is(job, &x, axis, ONNX_H) || w->learned != s.c)
		return paleo_onnx_refuse(job, n, "with weights that are not one token", err);
	int layer = paleo_onnx_add_layer(job, n, "ClassToken", &x.view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	job->layers[layer].out.h++;
	paleo_onnx_axis_set(&x, axis, ONNX_H, s.h + 1);
	paleo_onnx_on_layer(&x, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

/* The dimension of the layers that the axis is: of all of them alike. ONNX_AXES if it is none. */
static enum paleo_onnx_axis axis_of(const struct paleo_onnx_job *job,
				    const struct paleo_onnx_value *v, int axis)
{
	for (enum paleo_onnx_axis a = ONNX_H; a < ONNX_AXES; a++) {
		if (paleo_onnx_axis_size(&job->layers[v->view.layer].out, a) > 1 &&
		    paleo_onnx_axis_is(job, v, axis, a))
			return a;
	}
	return ONNX_AXES;
}

struct joined {
	int *parents;
	enum paleo_onnx_axis axis;
	double size;
	struct paleo_onnx_value first;
};

/* Takes one input up. 0; 1 if it does not fit and was refused. */
static int take_up(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i, int axis,
		   struct joined *all, struct paleo_error *err)
{
	struct paleo_onnx_value x;
	int rc = paleo_onnx_tensor(job, n, i, &x, err);

	if (rc)
		return rc;
	rc = x.rank == 4 ? paleo_onnx_as_picture(job, n, &x, err)
			 : paleo_onnx_as_rows(job, n, &x, err);
	if (rc < 0)
		return rc;
	const enum paleo_onnx_axis a = rc ? ONNX_AXES : axis_of(job, &x, axis);
	for (int k = 0; k < i; k++)
		rc |= all->parents[k] == x.view.layer;
	if (rc || a == ONNX_AXES || (i && a != all->axis)) {
		rc = paleo_onnx_refuse(job, n, "along what is no dimension of all", err);
		return rc ? rc : 1;
	}
	if (!i)
		all->first = x;
	all->axis = a;
	all->parents[i] = x.view.layer;
	all->size += x.dims[axis];
	return PALEO_OK;
}

static int join_layers(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int axis,
		       struct joined *all, struct paleo_error *err)
{
	int rc = PALEO_OK, dims[4];

	for (int i = 0; i < n->input_count && !rc; i++)
		rc = take_up(job, n, i, axis, all, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	const struct paleo_shape s = job->layers[all->parents[0]].out;
	const int dim = all->axis == ONNX_C ? s.rank - 1 : all->axis == ONNX_W ? 2 : 1;
	int layer = paleo_onnx_add_layer(job, n, "Concatenate", all->parents, n->input_count);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_int(job, "dim", dim);
	paleo_shape_dims(&s, dims);
	dims[dim] = (int)all->size;
	job->layers[layer].out = paleo_shape_of(s.rank, dims);
	paleo_onnx_axis_set(&all->first, axis, all->axis, (int)all->size);
	paleo_onnx_on_layer(&all->first, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

int paleo_onnx_op_concat(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	int beside = 0, which = 0;

	int axis = (int)paleo_onnx_int(n, "axis", 0);
	axis += v && axis < 0 ? v->rank : 0;
	for (int i = 0; i < n->input_count; i++) {
		const struct paleo_onnx_value *x = paleo_onnx_in(job, n, i);
		if (!x || axis < 0 || axis >= x->rank)
			return paleo_onnx_refuse(job, n, "along an axis that is none", err);
		if (x->state == ONNX_NUMBERS || x->state == ONNX_WEIGHT || x->state == ONNX_SIDE)
			beside++;
		else
			which = i;
	}
	if (!n->input_count)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	if (n->input_count == 1)
		return paleo_onnx_copy(v, paleo_onnx_out(job, n, 0), err);
	if (beside == n->input_count)
		return join_beside(job, n, axis, err);
	if (beside == 1 && n->input_count == 2 &&
	    paleo_onnx_in(job, n, !which)->state == ONNX_WEIGHT)
		return add_token(job, n, which, axis, err);
	struct joined all = {.parents = calloc((size_t)n->input_count + 1, sizeof(int))};
	if (!all.parents)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	int rc = join_layers(job, n, axis, &all, err);
	free(all.parents);
	return rc;
}

/* Zeros around a picture, which the convolution or pooling that reads it takes as its own. */
int paleo_onnx_op_pad(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	double pads[2 * ONNX_RANK_MAX];
	int count;
	const double *given = paleo_onnx_numbers(job, n, 1, &count);

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	if (given && count <= 2 * ONNX_RANK_MAX)
		memcpy(pads, given, (size_t)count * sizeof(*pads));
	else
		count = paleo_onnx_ints(n, "pads", pads, 2 * ONNX_RANK_MAX);
	if (count != 2 * v->rank)
		return paleo_onnx_refuse(job, n, "by numbers that are not known", err);
	int none = 1;
	for (int i = 0; i < count; i++)
		none = none && pads[i] == 0;
	if (none)
		return paleo_onnx_copy(v, paleo_onnx_out(job, n, 0), err);
	struct paleo_onnx_value x;
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	if (v->rank != 4 || pads[0] != 0 || pads[1] != 0 || pads[4] != 0 || pads[5] != 0)
		return paleo_onnx_refuse(job, n, "along other axes than height and width", err);
	for (int i = 0; i < 2; i++) {
		const double size = x.dims[2 + i] + pads[2 + i] + pads[6 + i];
		if (!(pads[2 + i] >= 0 && pads[6 + i] >= 0 && size <= PALEO_DIM_MAX))
			return paleo_onnx_refuse(job, n, "by less than nothing, or by too much",
						 err);
		x.pads[i] += (int)pads[2 + i];
		x.pads[2 + i] += (int)pads[6 + i];
		x.dims[2 + i] = size;
	}
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	paleo_onnx_on_layer(&x, x.view.layer, out);
	out->state = ONNX_PADDED;
	return PALEO_OK;
}
