/* places.c - operators that change where elements stand, and not what they are. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/ops.h"

static int has_view(const struct paleo_onnx_value *v)
{
	return v->state == ONNX_TENSOR || v->state == ONNX_POINT;
}

int paleo_onnx_op_same(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	int rc = paleo_onnx_copy(v, out, err);
	const int to = (int)paleo_onnx_int(n, "to", v->type);
	if (!rc && out->numbers && !paleo_onnx_is_float(to) && paleo_onnx_is_float(v->type)) {
		for (size_t i = 0; i < (size_t)paleo_onnx_count(out); i++)
			out->numbers[i] = trunc(out->numbers[i]);
	}
	out->type = to;
	return rc;
}

/* In training it is a layer; else, and between attention's softmax and its values, it does nothing.
 */
int paleo_onnx_op_dropout(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_error *err)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	int count, ratios;
	const double *training = paleo_onnx_numbers(job, n, 2, &count),
		     *ratio = paleo_onnx_numbers(job, n, 1, &ratios);

	if (!v || !training || count != 1 || *training == 0 || (ratio && *ratio == 0) ||
	    !has_view(v))
		return paleo_onnx_op_same(job, n, err);
	struct paleo_onnx_value x;
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	int layer = paleo_onnx_add_layer(job, n, "Dropout", &x.view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_double(job, "dropout_keep_prob", 1 - (ratio ? *ratio : 0.5));
	paleo_onnx_on_layer(&x, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

/* Where a value is divided into rows and features, so that these sizes do not cut across: before
 * its last axis, else in front of all. */
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
		      const double *dims, int rank, struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value shape = {.rank = rank};

	memcpy(shape.dims, dims, (size_t)rank * sizeof(*dims));
	if (paleo_onnx_count(&shape) != paleo_onnx_count(v))
		return paleo_onnx_refuse(job, n, "to another number of elements", err);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0), scores = *v;
	if (v->state == ONNX_SCORES && resize_scores(&scores, dims, rank)) {
		int rc = paleo_onnx_unfold(job, n, paleo_onnx_in(job, n, 0), err);
		if (rc)
			return rc;
	}
	int rc = paleo_onnx_copy(v->state == ONNX_SCORES ? &scores : v, out, err);
	if (rc || v->state == ONNX_SCORES)
		return rc;
	out->rank = rank;
	memcpy(out->dims, shape.dims, sizeof(shape.dims));
	if (!has_view(out) || !paleo_onnx_view_reshape(&out->view, dims, rank))
		return rc;
	/* across the sides of the layer's output: in the order of its axes, by a copy, if need be
	 */
	out->state = ONNX_UNKNOWN;
	struct paleo_onnx_value x;
	rc = paleo_onnx_tensor(job, n, 0, &x, err);
	if (!rc)
		rc = paleo_onnx_lay(job, n, &x, lies_along(job, &x, dims, rank),
				    lies_along(job, &x, dims, rank), err);
	if (!rc && !paleo_onnx_view_reshape(&x.view, dims, rank)) {
		x.rank = rank;
		memcpy(x.dims, shape.dims, sizeof(shape.dims));
		paleo_onnx_on_layer(&x, x.view.layer, out);
		return PALEO_OK;
	}
	if (rc < 0)
		return rc;
	rc = paleo_onnx_refuse(job, n, "across the sides of a layer's output", err);
	return rc;
}

int paleo_onnx_op_reshape(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	double dims[ONNX_RANK_MAX], given[ONNX_RANK_MAX], product = 1;
	int rank, open = -1;
	const double *to = paleo_onnx_numbers(job, n, 1, &rank);

	if (n->input_count == 1) { /* an attribute before opset 5 */
		rank = paleo_onnx_ints(n, "shape", given, ONNX_RANK_MAX);
		to = given;
	}
	if (!v || !to || rank < 0 || rank > ONNX_RANK_MAX)
		return paleo_onnx_refuse(job, n, "to a shape that is not known", err);
	for (int i = 0; i < rank; i++) {
		dims[i] = to[i] == 0 && paleo_onnx_int(n, "allowzero", 0) == 0 && i < v->rank
				  ? v->dims[i]
				  : to[i];
		if (dims[i] == -1)
			open = i;
		else
			product *= dims[i];
	}
	if (open >= 0)
		dims[open] = product > 0 ? paleo_onnx_count(v) / product : 0;
	return paleo_onnx_resize(job, n, dims, rank, err);
}

int paleo_onnx_op_flatten(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	double dims[2] = {1, 1};

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	int axis = (int)paleo_onnx_int(n, "axis", 1);
	axis += axis < 0 ? v->rank : 0;
	for (int i = 0; i < v->rank; i++)
		dims[i >= axis] *= v->dims[i];
	return paleo_onnx_resize(job, n, dims, 2, err);
}

/* The axes of Squeeze and Unsqueeze: an input since opset 13, an attribute before. How many, -1 if
 * they are not known. */
static int axes_of(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int rank,
		   double *out)
{
	int count;
	const double *given = paleo_onnx_numbers(job, n, 1, &count);

	if (given && count <= ONNX_RANK_MAX)
		memcpy(out, given, (size_t)count * sizeof(*out));
	else if (!given && !paleo_onnx_in(job, n, 1))
		count = paleo_onnx_ints(n, "axes", out, ONNX_RANK_MAX);
	else
		return -1;
	for (int i = 0; i < count && i < ONNX_RANK_MAX; i++)
		out[i] += out[i] < 0 ? rank : 0;
	return count > ONNX_RANK_MAX ? -1 : count;
}

static int holds(const double *axes, int count, int axis)
{
	for (int i = 0; i < count; i++) {
		if (axes[i] == axis)
			return 1;
	}
	return 0;
}

int paleo_onnx_op_squeeze(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	double axes[ONNX_RANK_MAX], dims[ONNX_RANK_MAX];
	int rank = 0;
	int count = v ? axes_of(job, n, v->rank, axes) : -1;

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	for (int i = 0; i < v->rank; i++) {
		if (count < 0 ? v->dims[i] != 1 : !holds(axes, count, i))
			dims[rank++] = v->dims[i];
	}
	return paleo_onnx_resize(job, n, dims, rank, err);
}

int paleo_onnx_op_unsqueeze(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	double axes[ONNX_RANK_MAX], dims[ONNX_RANK_MAX];
	int count = -1, k = 0;

	for (int tried = 0; v && tried < 2; tried++) /* negative axes count from the new rank */
		count = axes_of(job, n, v->rank + (count < 0 ? 0 : count), axes);
	if (count < 0 || v->rank + count > ONNX_RANK_MAX)
		return paleo_onnx_refuse(job, n, "along axes that are not known", err);
	for (int i = 0; i < v->rank + count; i++)
		dims[i] = holds(axes, count, i) || k == v->rank ? 1 : v->dims[k++];
	return paleo_onnx_resize(job, n, dims, v->rank + count, err);
}

/* The known numbers in their new order, owned by the caller; NULL: no memory. */
static double *transposed(const struct paleo_onnx_value *v, const int *perm)
{
	const size_t count = (size_t)paleo_onnx_count(v);
	double *numbers = malloc((count + 1) * sizeof(*numbers));

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

int paleo_onnx_op_transpose(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	double given[ONNX_RANK_MAX];
	int perm[ONNX_RANK_MAX] = {0}, seen = 0;

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	int count = paleo_onnx_ints(n, "perm", given, ONNX_RANK_MAX);
	for (int i = 0; i < v->rank; i++) {
		perm[i] = count == v->rank ? paleo_onnx_fit_int(given[i]) : v->rank - 1 - i;
		if (perm[i] < 0 || perm[i] >= v->rank || seen & 1 << perm[i])
			return paleo_onnx_refuse(job, n, "in an order that is none", err);
		seen |= 1 << perm[i];
	}
	if (v->state == ONNX_SCORES || v->state == ONNX_STAT)
		return paleo_onnx_refuse(job, n, "of a step of a normalisation", err);
	struct paleo_onnx_value made = *v;
	made.numbers = NULL;
	for (int i = 0; i < v->rank; i++)
		made.dims[i] = v->dims[perm[i]];
	if (has_view(v))
		paleo_onnx_view_transpose(&made.view, v->dims, v->rank, perm);
	if (v->numbers && !(made.numbers = transposed(v, perm)))
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}

int paleo_onnx_repeat(struct paleo_onnx_value *v, const double *dims)
{
	struct paleo_onnx_value made = *v;
	struct paleo_onnx_view *w = &made.view;

	memcpy(made.dims, dims, (size_t)v->rank * sizeof(*dims));
	for (int i = 0; i < made.rank; i++) {
		int first, count;
		if ((made.dims[i] != v->dims[i] && v->dims[i] != 1) || made.dims[i] > INT_MAX)
			return -1;
		if (made.dims[i] == v->dims[i])
			continue;
		made.dims[i] = v->dims[i];
		paleo_onnx_view_axis(&made, i, &first, &count);
		if (w->count == ONNX_ATOMS_MAX)
			return -1;
		memmove(w->atoms + first + 1, w->atoms + first,
			(size_t)(w->count - first) * sizeof(w->atoms[0]));
		made.dims[i] = dims[i];
		w->atoms[first] = (struct paleo_onnx_atom){ONNX_AXES, (int)dims[i], 0};
		w->count++;
	}
	*v = made;
	return 0;
}

/* Expand to the shape of its second input, or Tile by it. Learned numbers are repeated, and count
 * once. */
int paleo_onnx_op_expand(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	const int tile = paleo_onnx_span_is(n->type, "Tile");
	struct paleo_onnx_value made = {0};
	int rank;
	const double *to = paleo_onnx_numbers(job, n, 1, &rank);

	if (!v || !to || rank > ONNX_RANK_MAX || rank < v->rank)
		return paleo_onnx_refuse(job, n, "to a shape that is not known", err);
	made = *v;
	made.numbers = NULL;
	made.rank = rank;
	for (int i = 0; i < rank; i++) {
		const int k = i - rank + v->rank;
		const double size = k < 0 ? 1 : v->dims[k];
		made.dims[i] = tile ? size * to[i] : size == 1 ? to[i] : size;
	}
	if (paleo_onnx_count(&made) == paleo_onnx_count(v)) {
		double dims[ONNX_RANK_MAX];
		memcpy(dims, made.dims, sizeof(dims));
		return paleo_onnx_resize(job, n, dims, rank, err);
	}
	struct paleo_onnx_value whole = *v;
	if (has_view(v)) {
		memset(whole.dims, 0, sizeof(whole.dims));
		for (int i = 0; i < rank; i++)
			whole.dims[i] = i < rank - v->rank ? 1 : v->dims[i - rank + v->rank];
		whole.rank = rank;
	}
	if (has_view(v) && !tile && !paleo_onnx_repeat(&whole, made.dims)) {
		free(out->numbers);
		*out = whole;
		return PALEO_OK;
	}
	if (v->state == ONNX_TENSOR) { /* laid out again and again */
		int rc = paleo_onnx_choose(job, n, v, made.dims, rank, err);
		return rc;
	}
	if (has_view(v) || v->state > ONNX_TENSOR)
		return paleo_onnx_refuse(job, n, "of a layer's output", err);
	if (v->numbers && paleo_onnx_count(v) == 1 && paleo_onnx_count(&made) <= ONNX_NUMBERS_MAX) {
		const double count = paleo_onnx_count(&made);
		made.numbers = malloc(((size_t)count + 1) * sizeof(double));
		if (!made.numbers)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		for (size_t i = 0; i < (size_t)count; i++)
			made.numbers[i] = v->numbers[0];
	}
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}
