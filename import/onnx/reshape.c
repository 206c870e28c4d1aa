/* reshape.c - operators that rearrange elements without changing them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "import/onnx/ops.h"

int paleo_onnx_op_same(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing");
	struct paleo_onnx_value made = *v;
	made.type = (int)paleo_onnx_int(n, "to", v->type);
	if (v->numbers && !paleo_onnx_is_float(made.type) && paleo_onnx_is_float(v->type)) {
		const double count = paleo_onnx_count(v);
		made.numbers = paleo_onnx_new_numbers(job, count);
		for (size_t i = 0; made.numbers && i < (size_t)count; i++)
			made.numbers[i] = trunc(v->numbers[i]);
	}
	return paleo_onnx_put(job, n, 0, &made);
}

/* In training it is a layer; else, and between attention's softmax and its values, it does nothing.
 */
int paleo_onnx_op_dropout(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	int count, ratios;
	const double *training = paleo_onnx_numbers(job, n, 2, &count),
		     *ratio = paleo_onnx_numbers(job, n, 1, &ratios);
	struct paleo_onnx_value x;

	if (!v || !training || count != 1 || *training == 0 || (ratios == 1 && *ratio == 0) ||
	    !paleo_onnx_is_output(v))
		return paleo_onnx_op_same(job, n);
	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	int layer = paleo_onnx_add_layer(job, n, "Dropout", &x.view.layer, 1);
	paleo_onnx_put_double(job, "dropout_keep_prob", 1 - (ratios == 1 ? *ratio : 0.5));
	return paleo_onnx_on_layer(job, n, &x, layer);
}

/* Splits a value into rows and features, so that these sizes align: before its last axis, else
 * before all. */
static int lies_along(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v,
		      const double *dims, int rank)
{
	const double batch = job->layers[v->view.layer].out.n;
	const double last = v->rank ? v->dims[v->rank - 1] : 1;
	struct paleo_onnx_view rows = {.count = 0};
	const double sizes[3] = {batch, paleo_onnx_count(v) / last / batch, last};

	for (int i = 0; i < 3; i++) {
		const enum paleo_onnx_axis axes[3] = {ONNX_N, ONNX_H, ONNX_C};
		if (sizes[i] > 1)
			rows.atoms[rows.count++] =
				(struct paleo_onnx_atom){axes[i], paleo_onnx_fit_int(sizes[i]), 1};
	}
	return v->rank && !paleo_onnx_view_reshape(&rows, dims, rank) ? v->rank - 1 : 0;
}

/* Scores in another shape, if queries and keys go on as they are. 0, or -1. */
static int resize_scores(struct paleo_onnx_value *v, const double *dims, int rank)
{
	double queries[ONNX_RANK_MAX], keys[ONNX_RANK_MAX];
	const double depth = v->key_dims[v->key_rank - 2];

	if (rank < 3 || dims[rank - 1] != v->dims[v->rank - 1] ||
	    dims[rank - 2] != v->dims[v->rank - 2])
		return -1;
	memcpy(queries, dims, (size_t)rank * sizeof(*dims));
	memcpy(keys, dims, (size_t)rank * sizeof(*dims));
	queries[rank - 1] = keys[rank - 2] = depth;
	if (paleo_onnx_view_reshape(&v->view, queries, rank) ||
	    paleo_onnx_view_reshape(&v->key_view, keys, rank))
		return -1;
	v->key_rank = v->rank = rank;
	memcpy(v->key_dims, keys, (size_t)rank * sizeof(*keys));
	memcpy(v->dims, dims, (size_t)rank * sizeof(*dims));
	return 0;
}

int paleo_onnx_resize(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      const double *dims, int rank)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), shape = {.rank = rank}, made = *v, x;

	memcpy(shape.dims, dims, (size_t)rank * sizeof(*dims));
	if (paleo_onnx_count(&shape) != paleo_onnx_count(v))
		return paleo_onnx_refuse(job, n, "to another number of elements");
	if (v->state == ONNX_SCORES) {
		if (!resize_scores(&made, shape.dims, rank))
			return paleo_onnx_put(job, n, 0, &made);
		if (paleo_onnx_unfold(job, n, v))
			return 1;
		made = *v;
	}
	made.rank = rank;
	memcpy(made.dims, shape.dims, sizeof(shape.dims));
	if (!paleo_onnx_is_output(v) || !paleo_onnx_view_reshape(&made.view, shape.dims, rank))
		return paleo_onnx_put(job, n, 0, &made);
	/* across the sides of the layer's output: in the order of its axes, by a copy, if need be
	 */
	if (!paleo_onnx_tensor(job, n, 0, &x)) {
		const int from = lies_along(job, &x, shape.dims, rank);
		if (!paleo_onnx_lay(job, n, &x, from, from) &&
		    !paleo_onnx_view_reshape(&x.view, shape.dims, rank)) {
			x.rank = rank;
			memcpy(x.dims, shape.dims, sizeof(shape.dims));
			return paleo_onnx_put(job, n, 0, &x);
		}
	}
	return paleo_onnx_refuse(job, n, "across the sides of a layer's output");
}

int paleo_onnx_op_reshape(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	double dims[ONNX_RANK_MAX], product = 1;
	/* an attribute before opset 5 */
	const int rank = paleo_onnx_list(job, n, 1, "shape", dims, ONNX_RANK_MAX);
	int open = -1;

	if (!v || rank < 0)
		return paleo_onnx_refuse(job, n, "to an unknown shape");
	for (int i = 0; i < rank; i++) {
		if (dims[i] == 0 && i < v->rank && paleo_onnx_int(n, "allowzero", 0) == 0)
			dims[i] = v->dims[i];
		if (dims[i] == -1)
			open = i;
		else
			product *= dims[i];
	}
	if (open >= 0)
		dims[open] = product > 0 ? paleo_onnx_count(v) / product : 0;
	return paleo_onnx_resize(job, n, dims, rank);
}

int paleo_onnx_op_flatten(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	double dims[2] = {1, 1};

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing");
	int axis = (int)paleo_onnx_int(n, "axis", 1);
	axis += axis < 0 ? v->rank : 0;
	for (int i = 0; i < v->rank; i++)
		dims[i >= axis] *= v->dims[i];
	return paleo_onnx_resize(job, n, dims, 2);
}

/* The axes of Squeeze and Unsqueeze: an input since opset 13, an attribute before. How many; less
 * than 0 if they are not known. */
static int axes_of(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int rank,
		   double *out)
{
	const int count = paleo_onnx_list(job, n, 1, "axes", out, ONNX_RANK_MAX);

	for (int i = 0; i < count; i++)
		out[i] += out[i] < 0 ? rank : 0;
	return count;
}

static int holds(const double *axes, int count, int axis)
{
	for (int i = 0; i < count; i++) {
		if (axes[i] == axis)
			return 1;
	}
	return 0;
}

int paleo_onnx_op_squeeze(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	double axes[ONNX_RANK_MAX], dims[ONNX_RANK_MAX];
	int rank = 0;
	int count = v ? axes_of(job, n, v->rank, axes) : -1;

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing");
	for (int i = 0; i < v->rank; i++) {
		if (count < 0 ? v->dims[i] != 1 : !holds(axes, count, i))
			dims[rank++] = v->dims[i];
	}
	return paleo_onnx_resize(job, n, dims, rank);
}

int paleo_onnx_op_unsqueeze(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	double axes[ONNX_RANK_MAX], dims[ONNX_RANK_MAX];
	int count = -1, k = 0;

	for (int tried = 0; v && tried < 2; tried++) /* negative axes count from the new rank */
		count = axes_of(job, n, v->rank + (count < 0 ? 0 : count), axes);
	if (count < 0 || v->rank + count > ONNX_RANK_MAX)
		return paleo_onnx_refuse(job, n, "along unknown axes");
	for (int i = 0; i < v->rank + count; i++)
		dims[i] = holds(axes, count, i) || k == v->rank ? 1 : v->dims[k++];
	return paleo_onnx_resize(job, n, dims, v->rank + count);
}

/* The known numbers in their new order. */
static double *transposed(struct paleo_onnx_job *job, const struct paleo_onnx_value *v,
			  const int *perm)
{
	const size_t count = (size_t)paleo_onnx_count(v);
	double *numbers = paleo_onnx_new_numbers(job, (double)count);

	for (size_t i = 0; numbers && i < count; i++) {
		size_t left = i, at = 0;
		for (int k = v->rank - 1; k >= 0; k--) {
			const size_t size = (size_t)v->dims[perm[k]];
			size_t stride = 1;
			for (int d = perm[k] + 1; d < v->rank; d++)
				stride *= (size_t)v->dims[d];
			at += left % size * stride;
			left /= size;
		}
		numbers[i] = v->numbers[at];
	}
	return numbers;
}

int paleo_onnx_op_transpose(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	double given[ONNX_RANK_MAX];
	int perm[ONNX_RANK_MAX] = {0}, seen = 0;

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing");
	int count = paleo_onnx_ints(n, "perm", given, ONNX_RANK_MAX);
	for (int i = 0; i < v->rank; i++) {
		perm[i] = count == v->rank ? paleo_onnx_fit_int(given[i]) : v->rank - 1 - i;
		if (perm[i] < 0 || perm[i] >= v->rank || seen & 1 << perm[i])
			return paleo_onnx_refuse(job, n, "in an invalid order");
		seen |= 1 << perm[i];
	}
	if (v->state == ONNX_SCORES || v->state == ONNX_STAT)
		return paleo_onnx_refuse(job, n, "within a partial normalisation");
	struct paleo_onnx_value made = *v;
	paleo_onnx_transpose(&made, perm);
	made.view = paleo_onnx_is_output(v) ? made.view : v->view;
	made.numbers = v->numbers ? transposed(job, v, perm) : NULL;
	return paleo_onnx_put(job, n, 0, &made);
}

/* Expand to the shape of its second input, or Tile by it. Learned numbers are repeated, and count
 * once. */
int paleo_onnx_op_expand(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	const int tile = paleo_onnx_span_is(n->type, "Tile");
	int rank;
	const double *to = paleo_onnx_numbers(job, n, 1, &rank);

	if (!v || !to || rank > ONNX_RANK_MAX || rank < v->rank)
		return paleo_onnx_refuse(job, n, "to an unknown shape");
	struct paleo_onnx_value made = *v, whole = *v;
	made.numbers = NULL;
	made.rank = whole.rank = rank;
	for (int i = 0; i < rank; i++) {
		const int k = i - rank + v->rank;
		const double size = whole.dims[i] = k < 0 ? 1 : v->dims[k];
		made.dims[i] = tile ? size * to[i] : size == 1 ? to[i] : size;
	}
	const double count = paleo_onnx_count(&made);
	if (count == paleo_onnx_count(v))
		return paleo_onnx_resize(job, n, made.dims, rank);
	if (paleo_onnx_is_output(v) && !tile && !paleo_onnx_repeat(&whole, made.dims))
		return paleo_onnx_put(job, n, 0, &whole);
	if (v->state == ONNX_TENSOR) /* repeated */
		return paleo_onnx_choose(job, n, v, made.dims, rank);
	if (paleo_onnx_is_output(v) || v->state > ONNX_TENSOR)
		return paleo_onnx_refuse(job, n, "of a layer's output");
	if (v->numbers && paleo_onnx_count(v) == 1)
		made.numbers = paleo_onnx_new_numbers(job, count);
	for (size_t i = 0; made.numbers && i < (size_t)count; i++)
		made.numbers[i] = v->numbers[0];
	return paleo_onnx_put(job, n, 0, &made);
}
