/* batched.c - products of two layers' outputs that are no attention, and of heads with weights. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/products.h"
#include "model/net/layers/common.h"

void paleo_onnx_swap(struct paleo_onnx_value *v)
{
	int perm[ONNX_RANK_MAX];

	for (int i = 0; i < v->rank; i++)
		perm[i] = i;
	if (v->rank < 2)
		return;
	perm[v->rank - 2] = v->rank - 1;
	perm[v->rank - 1] = v->rank - 2;
	if (v->state != ONNX_WEIGHT)
		paleo_onnx_view_transpose(&v->view, v->dims, v->rank, perm);
	const double last = v->dims[v->rank - 1];
	v->dims[v->rank - 1] = v->dims[v->rank - 2];
	v->dims[v->rank - 2] = last;
}

/* Makes both of one rank, and repeats what has 1 where the other has more, of the axes in front. 0,
 * or -1. */
static int align(struct paleo_onnx_value *a, struct paleo_onnx_value *b)
{
	const int rank = a->rank > b->rank ? a->rank : b->rank;

	for (int side = 0; side < 2; side++) {
		struct paleo_onnx_value *v = side ? b : a;
		const int more = rank - v->rank;
		memmove(v->dims + more, v->dims, (size_t)v->rank * sizeof(v->dims[0]));
		for (int i = 0; i < more; i++)
			v->dims[i] = 1;
		v->rank = rank;
	}
	for (int side = 0; side < 2; side++) {
		struct paleo_onnx_value *v = side ? b : a;
		const struct paleo_onnx_value *other = side ? a : b;
		double dims[ONNX_RANK_MAX];
		memcpy(dims, v->dims, sizeof(dims));
		for (int i = 0; i + 2 < rank; i++)
			dims[i] = v->dims[i] == 1 ? other->dims[i] : v->dims[i];
		if (paleo_onnx_repeat(v, dims))
			return -1;
	}
	return 0;
}

/* 1 if the axis holds steps of the batch. */
static int holds_batch(const struct paleo_onnx_value *v, int axis)
{
	int first, count, found = 0;

	paleo_onnx_view_axis(v, axis, &first, &count);
	for (int i = first; i < first + count; i++)
		found |= v->view.atoms[i].axis == ONNX_N;
	return found;
}

/* 1 if the channels lie along the axis before the last. */
static int is_turned(const struct paleo_onnx_value *v)
{
	int first, count;

	paleo_onnx_view_axis(v, v->rank - 2, &first, &count);
	return count && v->view.atoms[first + count - 1].axis == ONNX_C &&
	       v->view.atoms[first + count - 1].stride == 1;
}

int paleo_onnx_product(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       const struct paleo_onnx_value *left, const struct paleo_onnx_value *right,
		       struct paleo_onnx_value *out, struct paleo_error *err)
{
	struct paleo_onnx_value a = *left, b = *right;
	const int rank = a.rank > b.rank ? a.rank : b.rank;
	double heads = 1;

	if (a.rank < 2 || b.rank < 2 || align(&a, &b) || a.dims[rank - 1] != b.dims[rank - 2])
		return paleo_onnx_refuse(job, n, "of shapes that do not fit", err);
	const double outputs = b.dims[rank - 1];
	for (int i = 0; i + 2 < rank; i++)
		heads *= a.dims[i];
	for (int i = rank - 2; i < rank; i++) {
		if (holds_batch(&a, i) || holds_batch(&b, i))
			return paleo_onnx_refuse(job, n, "across the images of a batch", err);
	}
	const int turned = is_turned(&b);
	if (turned)
		paleo_onnx_swap(&b);
	int rc = paleo_onnx_lay(job, n, &a, rank - 1, rank - 1, err);
	if (!rc)
		rc = paleo_onnx_lay(job, n, &b, rank - 1, rank - 1, err);
	if (!rc && a.view.layer == b.view.layer)
		rc = paleo_onnx_other(job, n, &b.view.layer, err);
	if (rc)
		return rc < 0 ? rc
			      : paleo_onnx_refuse(job, n, "of outputs that lie otherwise", err);
	const int parents[2] = {a.view.layer, b.view.layer};
	int layer = paleo_onnx_add_layer(job, n, "BatchedProduct", parents, 2);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	heads /= job->layers[layer].out.n;
	if (heads > 1)
		paleo_onnx_put_int(job, "heads", (int)heads);
	if (turned)
		paleo_onnx_put_flag(job, "transposed", 1);
	job->layers[layer].out.c = (int)outputs;
	paleo_onnx_last_axis(&a, (int)outputs);
	paleo_onnx_on_layer(&a, layer, out);
	return PALEO_OK;
}

int paleo_onnx_unfold(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_onnx_value *v, struct paleo_error *err)
{
	struct paleo_onnx_value q = *v, k = *v, made = {0};

	q.state = k.state = ONNX_TENSOR;
	k.view = v->key_view;
	k.rank = v->key_rank;
	memcpy(k.dims, v->key_dims, sizeof(k.dims));
	q.dims[q.rank - 1] = k.dims[k.rank - 2];
	int rc = paleo_onnx_product(job, n, &q, &k, &made, err);
	if (rc || made.state != ONNX_TENSOR) {
		v->state = ONNX_UNKNOWN;
		return rc;
	}
	if (v->score_table) {
		int layer =
			paleo_onnx_add_before(job, n, "/table", "Position", &made.view.layer, 1);
		if (layer < 0)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		paleo_onnx_put_int(job, "numbers", v->score_table);
		made.view.layer = layer;
	}
	if (v->weighted) {
		int layer =
			paleo_onnx_add_before(job, n, "/softmax", "Softmax", &made.view.layer, 1);
		if (layer < 0)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		made.view.layer = layer;
	}
	*v = made;
	return PALEO_OK;
}

int paleo_onnx_product_by_weights(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
				  const struct paleo_onnx_value *left,
				  const struct paleo_onnx_value *w, struct paleo_error *err)
{
	struct paleo_onnx_value x = *left;
	const int last = x.rank - 1;
	int perm[ONNX_RANK_MAX];

	if (w->rank != 3 || x.rank < 3 || !paleo_onnx_is_small(w) ||
	    x.dims[last - 2] != w->dims[0] || x.dims[last] != w->dims[1] ||
	    holds_batch(&x, last - 2) || w->dims[0] * w->dims[2] > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "of shapes that do not fit", err);
	const int heads = (int)w->dims[0], inputs = (int)w->dims[1], outputs = (int)w->dims[2];
	for (int i = 0; i < x.rank; i++)
		perm[i] = i;
	perm[last - 2] = last - 1;
	perm[last - 1] = last - 2;
	paleo_onnx_view_transpose(&x.view, x.dims, x.rank, perm);
	x.dims[last - 2] = x.dims[last - 1];
	x.dims[last - 1] = heads;
	int rc = paleo_onnx_lay(job, n, &x, last - 1, last - 1, err);
	if (rc)
		return rc < 0 ? rc : paleo_onnx_refuse(job, n, "of rows in another order", err);
	int layer = paleo_onnx_add_layer(job, n, "BatchedProduct", &x.view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_int(job, "heads", heads);
	paleo_onnx_put_int(job, "inputs", inputs);
	paleo_onnx_put_int(job, "num_outputs", outputs);
	if (!paleo_onnx_learn(job, w))
		paleo_onnx_put_flag(job, "shared", 1);
	job->layers[layer].out.c = heads * outputs;
	/* the two last axes are [heads, outputs] now, of the channels */
	x.rank--;
	x.dims[last - 1] = (double)heads * inputs;
	paleo_onnx_last_axis(&x, heads * outputs);
	x.rank++;
	x.dims[last - 1] = heads;
	x.dims[last] = outputs;
	if (paleo_onnx_view_reshape(&x.view, x.dims, x.rank))
		return paleo_onnx_refuse(job, n, "of shapes that do not fit", err);
	paleo_onnx_view_transpose(&x.view, x.dims, x.rank, perm);
	x.dims[last - 1] = x.dims[last - 2];
	x.dims[last - 2] = heads;
	paleo_onnx_on_layer(&x, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}
