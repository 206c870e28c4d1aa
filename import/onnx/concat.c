/* concat.c - puts values together along an axis, and zeros around them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "import/onnx/ops.h"

/* Lists of known numbers become one list; else the sizes add up. */
static int join_aux(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int axis)
{
	struct paleo_onnx_value made = *paleo_onnx_in(job, n, 0);
	int known = made.rank == 1;
	size_t at = 0;

	made.learned = made.dims[axis] = 0;
	for (int i = 0; i < n->input_count; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		known = known && v->numbers;
		made.dims[axis] += v->dims[axis];
		made.learned += v->learned;
		made.source = v->learned > 0 ? v->source : made.source;
		if (v->state != ONNX_NUMBERS && made.state != ONNX_SIDE)
			made.state = v->state;
	}
	made.numbers = known ? paleo_onnx_new_numbers(job, made.dims[axis]) : NULL;
	for (int i = 0; i < n->input_count && made.numbers; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		memcpy(made.numbers + at, v->numbers, (size_t)v->dims[0] * sizeof(*v->numbers));
		at += (size_t)v->dims[0];
	}
	return paleo_onnx_put(job, n, 0, &made);
}

/* Learned tokens and a sequence; known numbers, as zeros, are a copy with more around. */
static int add_tokens(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int which,
		      int axis)
{
	struct paleo_onnx_value x;
	double learned = 0, size = 0;
	int shared = 1, others = 0;
	const int refused = paleo_onnx_tensor(job, n, which, &x);

	for (int i = 0; i < n->input_count && !refused; i++) {
		const struct paleo_onnx_value *w = paleo_onnx_in(job, n, i);
		size += w->dims[axis];
		others += i != which && !paleo_onnx_is_aux(w);
		learned += paleo_onnx_is_aux(w) ? w->learned : 0;
		if (paleo_onnx_is_aux(w) && w->learned > 0)
			shared &= !paleo_onnx_learn(job, w);
	}
	if (refused || (others && learned > 0))
		return paleo_onnx_refuse(job, n, "of several outputs and parameters");
	const double tokens = size - x.dims[axis];
	if (learned == 0) {
		x.dims[axis] = size;
		return paleo_onnx_choose(job, n, &x, x.dims, x.rank);
	}
	if (paleo_onnx_as_rows(job, n, &x))
		return paleo_onnx_refuse(job, n, "of rows in another order");
	const struct paleo_shape s = job->layers[x.view.layer].out;
	if (s.rank != 3 || learned != tokens * s.c || tokens > PALEO_DIM_MAX - s.h ||
	    !(s.h == 1 || paleo_onnx_axis_is(job, &x, axis, ONNX_H)))
		return paleo_onnx_refuse(job, n, "with weights that are not tokens");
	int layer = paleo_onnx_add_layer(job, n, "ClassToken", &x.view.layer, 1);
	if (tokens > 1)
		paleo_onnx_put_int(job, "tokens", (int)tokens);
	if (shared)
		paleo_onnx_put_flag(job, "shared", 1);
	job->layers[layer].out.h += (int)tokens;
	paleo_onnx_axis_set(&x, axis, ONNX_H, s.h + (int)tokens);
	return paleo_onnx_on_layer(job, n, &x, layer);
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

/* Lays all out alike: as pictures if one is, else with the axis as their width or channels. 1 if it
 * cannot be. */
static int arrange(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int axis,
		   struct joined *all)
{
	const struct paleo_onnx_value *first = &all->inputs[all->first];
	const int last = first->rank - 1;
	int is_none = 0, picture = 0;

	all->along = dimension_of(job, first, axis);
	if (all_alike(job, all, axis))
		return 0;
	for (int i = 0; i < all->count; i++) {
		const struct paleo_onnx_value *v = &all->inputs[i];
		picture |= v->rank == 4 && job->layers[v->view.layer].out.rank == 4 &&
			   dimension_of(job, v, 1) == ONNX_C;
	}
	for (int i = 0; i < all->count && picture && !is_none; i++)
		is_none = paleo_onnx_as_picture(job, n, &all->inputs[i]);
	all->along = picture ? dimension_of(job, first, axis) : ONNX_AXES;
	if (picture && !is_none && all_alike(job, all, axis))
		return 0;
	all->along = axis == last ? ONNX_C : ONNX_W;
	for (int i = 0; i < all->count; i++) {
		if (paleo_onnx_lay(job, n, &all->inputs[i], axis, axis == last ? last : axis + 1))
			return 1;
	}
	paleo_onnx_alike(job, n, all->inputs, all->count);
	return 0;
}

/* Takes the inputs up as layers' outputs, each another layer. 1 if one was refused. */
static int take_up(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int axis,
		   struct joined *all)
{
	for (int i = 0; i < all->count; i++) {
		if (paleo_onnx_tensor(job, n, i, &all->inputs[i]))
			return 1;
		if (all->inputs[all->first].dims[axis] == 1)
			all->first = i;
	}
	if (arrange(job, n, axis, all))
		return paleo_onnx_refuse(job, n,
					 "along an axis that is not a dimension of all inputs");
	for (int i = 0; i < all->count; i++) {
		int *layer = &all->inputs[i].view.layer;
		for (int k = 0; k < i; k++) {
			if (all->parents[k] == *layer)
				paleo_onnx_other(job, n, layer);
		}
		all->parents[i] = *layer;
	}
	return 0;
}

/* At least one value along this axis, none of which is empty. */
static int concat(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int axis)
{
	const size_t count = (size_t)n->input_count;
	int auxiliary = 0, which = 0, dims[4];
	double size = 0;

	for (int i = 0; i < n->input_count; i++) {
		const int is_aux = paleo_onnx_is_aux(paleo_onnx_in(job, n, i));
		auxiliary += is_aux;
		which = is_aux ? which : i;
	}
	if (n->input_count == 1)
		return paleo_onnx_put(job, n, 0, paleo_onnx_in(job, n, 0));
	if (auxiliary == n->input_count)
		return join_aux(job, n, axis);
	if (auxiliary)
		return add_tokens(job, n, which, axis);
	struct joined all = {.count = n->input_count,
			     .parents = paleo_onnx_new(job, count, sizeof(int)),
			     .inputs = paleo_onnx_new(job, count, sizeof(*all.inputs))};
	if (!all.parents || !all.inputs || take_up(job, n, axis, &all))
		return 1;
	const struct paleo_shape s = job->layers[all.parents[0]].out;
	const int dim = paleo_onnx_file_dim(&s, all.along);
	for (int i = 0; i < all.count; i++)
		size += all.inputs[i].dims[axis];
	if (size > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "to a side of more than 2^24");
	int layer = paleo_onnx_add_layer(job, n, "Concatenate", all.parents, n->input_count);
	paleo_onnx_put_int(job, "dim", dim);
	paleo_shape_dims(&s, dims);
	dims[dim] = (int)size;
	job->layers[layer].out = paleo_shape_of(s.rank, dims);
	struct paleo_onnx_value *first = &all.inputs[all.first];
	paleo_onnx_axis_set(first, axis, all.along, (int)size);
	return paleo_onnx_on_layer(job, n, first, layer);
}

int paleo_onnx_op_concat(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_node some = *n;
	const int axis = paleo_onnx_axis(n, job->graph->opset < 4, v ? v->rank : ONNX_RANK_MAX);

	if (!n->input_count)
		return paleo_onnx_refuse(job, n, "of nothing");
	some.inputs = paleo_onnx_new(job, (size_t)n->input_count, sizeof(*some.inputs));
	some.input_count = 0;
	for (int i = 0; i < n->input_count && some.inputs; i++) {
		const struct paleo_onnx_value *x = paleo_onnx_in(job, n, i);
		if (!x || axis < 0 || axis >= x->rank)
			return paleo_onnx_refuse(job, n, "along an invalid axis");
		if (x->dims[axis] > 0)
			some.inputs[some.input_count++] = n->inputs[i];
	}
	if (some.inputs && !some.input_count) /* nothing of nothing */
		some.inputs[some.input_count++] = n->inputs[0];
	return some.inputs ? concat(job, &some, axis) : 1;
}

/* Zeros around a picture, which the convolution or pooling that reads it takes as its own. */
int paleo_onnx_op_pad(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	double pads[2 * ONNX_RANK_MAX];
	const int count = paleo_onnx_list(job, n, 1, "pads", pads, 2 * ONNX_RANK_MAX);
	struct paleo_onnx_value x;
	int none = 1, inner = 1;

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing");
	if (count != 2 * v->rank)
		return paleo_onnx_refuse(job, n, "by unknown numbers");
	for (int i = 0; i < count; i++) {
		none = none && pads[i] == 0;
		inner = inner && (i % 4 < 2 ? pads[i] == 0 : pads[i] >= 0);
	}
	if (none)
		return paleo_onnx_put(job, n, 0, v);
	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	if (v->rank != 4 || !inner || !paleo_onnx_axis_is(job, &x, 1, ONNX_C)) {
		for (int i = 0; i < x.rank; i++)
			x.dims[i] += pads[i] + pads[x.rank + i];
		return paleo_onnx_choose(job, n, &x, x.dims, x.rank);
	}
	for (int i = 0; i < 2; i++) {
		x.dims[2 + i] += pads[2 + i] + pads[6 + i];
		if (!(x.dims[2 + i] <= PALEO_DIM_MAX))
			return paleo_onnx_refuse(job, n, "by a negative amount, or by too much");
		x.pads[i] += (int)pads[2 + i];
		x.pads[2 + i] += (int)pads[6 + i];
	}
	x.state = ONNX_PADDED;
	return paleo_onnx_put(job, n, 0, &x);
}
