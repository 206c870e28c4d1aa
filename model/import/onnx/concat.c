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
		made.source = v->learned > 0 ? v->source : made.source;
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

/* Learned tokens and a sequence; known numbers, as zeros, are a copy with more around. */
static int add_tokens(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int which,
		      int axis, struct paleo_error *err)
{
	struct paleo_onnx_value x;
	double learned = 0, size = 0, dims[ONNX_RANK_MAX];
	int shared = 1, others = 0;
	int rc = paleo_onnx_tensor(job, n, which, &x, err);

	for (int i = 0; i < n->input_count && !rc; i++) {
		const struct paleo_onnx_value *w = paleo_onnx_in(job, n, i);
		size += w->dims[axis];
		others += i != which && !paleo_onnx_is_beside(w);
		learned += paleo_onnx_is_beside(w) ? w->learned : 0;
		if (paleo_onnx_is_beside(w) && w->learned > 0)
			shared &= !paleo_onnx_learn(job, w);
	}
	memcpy(dims, x.dims, sizeof(dims));
	dims[axis] = size;
	if (rc || (others && learned > 0))
		return rc < 0 ? rc
			      : paleo_onnx_refuse(job, n, "of several outputs and learned numbers",
						  err);
	if (learned == 0)
		return paleo_onnx_choose(job, n, &x, dims, x.rank, err);
	rc = paleo_onnx_as_rows(job, n, &x, err);
	if (rc)
		return rc < 0 ? rc : paleo_onnx_refuse(job, n, "of rows in another order", err);
	const struct paleo_shape s = job->layers[x.view.layer].out;
	const double tokens = size - x.dims[axis];
	if (s.rank != 3 || learned != tokens * s.c ||
	    !(s.h == 1 || paleo_onnx_axis_is(job, &x, axis, ONNX_H)))
		return paleo_onnx_refuse(job, n, "with weights that are no tokens", err);
	int layer = paleo_onnx_add_layer(job, n, "ClassToken", &x.view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	if (tokens > 1)
		paleo_onnx_put_int(job, "tokens", (int)tokens);
	if (shared)
		paleo_onnx_put_flag(job, "shared", 1);
	job->layers[layer].out.h += (int)tokens;
	paleo_onnx_axis_set(&x, axis, ONNX_H, s.h + (int)tokens);
	paleo_onnx_on_layer(&x, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

/* The dimension of its layer that the axis is; ONNX_AXES if it is none, or of size 1. */
static enum paleo_onnx_axis dimension_of(const struct paleo_onnx_job *job,
					 const struct paleo_onnx_value *v, int axis)
{
	enum paleo_onnx_axis a = ONNX_N;

	while (a < ONNX_AXES && (v->dims[axis] == 1 || !paleo_onnx_axis_is(job, v, axis, a)))
		a++;
	return a;
}

/* 1 if the axes are the layer's dimensions, the same as of `like`. */
static int lies_as(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v,
		   const struct paleo_onnx_value *like, int axis)
{
	const struct paleo_shape *s = &job->layers[v->view.layer].out;
	const enum paleo_onnx_axis along = dimension_of(job, like, axis);

	if (v->rank != like->rank || s->rank != job->layers[like->view.layer].out.rank ||
	    along == ONNX_AXES || along == ONNX_N ||
	    paleo_onnx_axis_size(s, along) != v->dims[axis])
		return 0;
	for (int i = 0; i < v->rank; i++) {
		const enum paleo_onnx_axis a = dimension_of(job, v, i);
		if (v->dims[i] != 1 && (a == ONNX_AXES || a != dimension_of(job, like, i)))
			return 0;
	}
	return 1;
}

struct joined {
	struct paleo_onnx_value *inputs;
	int *parents;
	int count, first; /* the first that is longer than 1 */
	enum paleo_onnx_axis along;
};

/* 1 if all lie as the first one. */
static int all_alike(const struct paleo_onnx_job *job, const struct joined *all, int axis)
{
	for (int i = 0; i < all->count; i++) {
		if (!lies_as(job, &all->inputs[i], &all->inputs[all->first], axis))
			return 0;
	}
	return 1;
}

/* Lays all out alike: as pictures if one is, else with the axis as their width or channels. 0; 1 if
 * it cannot be; ENOMEM. */
static int arrange(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int axis,
		   struct joined *all, struct paleo_error *err)
{
	const struct paleo_onnx_value *first = &all->inputs[all->first];
	const int last = first->rank - 1;
	int rc = PALEO_OK, picture = 0;

	all->along = dimension_of(job, first, axis);
	if (all_alike(job, all, axis))
		return PALEO_OK;
	for (int i = 0; i < all->count; i++) {
		const struct paleo_onnx_value *v = &all->inputs[i];
		picture |= v->rank == 4 && job->layers[v->view.layer].out.rank == 4 &&
			   dimension_of(job, v, 1) == ONNX_C;
	}
	for (int i = 0; i < all->count && picture && !rc; i++)
		rc = paleo_onnx_as_picture(job, n, &all->inputs[i], err);
	all->along = picture ? dimension_of(job, first, axis) : ONNX_AXES;
	if (rc < 0 || (picture && !rc && all_alike(job, all, axis)))
		return rc;
	all->along = axis == last ? ONNX_C : ONNX_W;
	rc = PALEO_OK;
	for (int i = 0; i < all->count && !rc; i++)
		rc = paleo_onnx_lay(job, n, &all->inputs[i], axis, axis == last ? last : axis + 1,
				    err);
	return rc ? rc : paleo_onnx_alike(job, n, all->inputs, all->count, err);
}

/* Takes the inputs up as layers' outputs, each another layer. 0; 1 if one was refused; ENOMEM. */
static int take_up(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int axis,
		   struct joined *all, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < all->count && !rc; i++) {
		rc = paleo_onnx_tensor(job, n, i, &all->inputs[i], err);
		if (!rc && all->inputs[all->first].dims[axis] == 1)
			all->first = i;
	}
	if (rc)
		return rc;
	rc = arrange(job, n, axis, all, err);
	if (rc == 1) {
		rc = paleo_onnx_refuse(job, n, "along what is no dimension of all", err);
		return rc ? rc : 1;
	}
	for (int i = 0; i < all->count && !rc; i++) {
		int *layer = &all->inputs[i].view.layer;
		for (int k = 0; k < i && !rc; k++) {
			if (all->parents[k] == *layer)
				rc = paleo_onnx_other(job, n, layer, err);
		}
		all->parents[i] = *layer;
	}
	return rc;
}

static int join_layers(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int axis,
		       struct joined *all, struct paleo_error *err)
{
	int dims[4], size = 0;
	int rc = take_up(job, n, axis, all, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	const struct paleo_shape s = job->layers[all->parents[0]].out;
	const int dim = all->along == ONNX_C ? s.rank - 1 : all->along == ONNX_W ? 2 : 1;
	int layer = paleo_onnx_add_layer(job, n, "Concatenate", all->parents, n->input_count);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_int(job, "dim", dim);
	for (int i = 0; i < all->count; i++)
		size += (int)all->inputs[i].dims[axis];
	paleo_shape_dims(&s, dims);
	dims[dim] = size;
	job->layers[layer].out = paleo_shape_of(s.rank, dims);
	struct paleo_onnx_value *first = &all->inputs[all->first];
	paleo_onnx_axis_set(first, axis, all->along, size);
	paleo_onnx_on_layer(first, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

/* Of at least one value along this axis, none of which is empty. */
static int concat(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int axis,
		  struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	int beside = 0, which = 0;

	for (int i = 0; i < n->input_count; i++) {
		const struct paleo_onnx_value *x = paleo_onnx_in(job, n, i);
		if (x->state == ONNX_NUMBERS || x->state == ONNX_WEIGHT || x->state == ONNX_SIDE)
			beside++;
		else
			which = i;
	}
	if (n->input_count == 1)
		return paleo_onnx_copy(v, paleo_onnx_out(job, n, 0), err);
	if (beside == n->input_count)
		return join_beside(job, n, axis, err);
	if (beside)
		return add_tokens(job, n, which, axis, err);
	const size_t count = n->input_count > 0 ? (size_t)n->input_count : 1;
	struct joined all = {.count = n->input_count,
			     .parents = calloc(count, sizeof(int)),
			     .inputs = calloc(count, sizeof(*all.inputs))};
	int rc = all.parents && all.inputs ? join_layers(job, n, axis, &all, err)
					   : paleo_fail(err, PALEO_ENOMEM, "out of memory");
	free(all.parents);
	free(all.inputs);
	return rc;
}

int paleo_onnx_op_concat(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_node some = *n;
	int axis = (int)paleo_onnx_int(n, "axis", job->graph->opset < 4);

	axis += v && axis < 0 ? v->rank : 0;
	if (!n->input_count)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	some.inputs = calloc((size_t)n->input_count, sizeof(*some.inputs));
	if (!some.inputs)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	some.input_count = 0;
	int fits = 1;
	for (int i = 0; i < n->input_count && fits; i++) {
		const struct paleo_onnx_value *x = paleo_onnx_in(job, n, i);
		fits = x && axis >= 0 && axis < x->rank;
		if (fits && x->dims[axis] > 0)
			some.inputs[some.input_count++] = n->inputs[i];
	}
	if (fits && !some.input_count) /* nothing of nothing */
		some.inputs[some.input_count++] = n->inputs[0];
	int rc = fits ? concat(job, &some, axis, err)
		      : paleo_onnx_refuse(job, n, "along an axis that is none", err);
	free(some.inputs);
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
	if (v->rank != 4 || pads[0] != 0 || pads[1] != 0 || pads[4] != 0 || pads[5] != 0 ||
	    !paleo_onnx_axis_is(job, &x, 1, ONNX_C) || pads[2] < 0 || pads[3] < 0 || pads[6] < 0 ||
	    pads[7] < 0) {
		double dims[ONNX_RANK_MAX];
		for (int i = 0; i < x.rank; i++)
			dims[i] = x.dims[i] + pads[i] + pads[x.rank + i];
		return paleo_onnx_choose(job, n, &x, dims, x.rank, err);
	}
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
