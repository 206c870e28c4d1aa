/* meet.c - two values of one shape, or of shapes repeated to one: how they lie together. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/onnx/ops.h"

int paleo_onnx_broadcast(const struct paleo_onnx_value *a, const struct paleo_onnx_value *b,
			 struct paleo_onnx_value *out)
{
	const int rank = a->rank > b->rank ? a->rank : b->rank;

	out->rank = rank;
	for (int i = 0; i < rank; i++) {
		const double x = i < rank - a->rank ? 1 : a->dims[i - rank + a->rank];
		const double y = i < rank - b->rank ? 1 : b->dims[i - rank + b->rank];
		if (x != y && x != 1 && y != 1)
			return -1;
		out->dims[i] = x == 1 ? y : x;
	}
	return 0;
}

int paleo_onnx_fits(const struct paleo_onnx_job *job, const struct paleo_onnx_value *a,
		    const struct paleo_onnx_value *b)
{
	const struct paleo_shape *s = &job->layers[a->view.layer].out,
				 *t = &job->layers[b->view.layer].out;

	if (s->n != t->n || (s->rank != t->rank && (s->rank != 4 || t->rank != 2)))
		return 0;
	if (paleo_onnx_count(a) == paleo_onnx_count(b))
		return s->rank == t->rank && paleo_onnx_view_same(&a->view, &b->view);
	if (a->rank != b->rank)
		return 0;
	for (int i = 0; i < a->rank; i++) {
		enum paleo_onnx_axis x = ONNX_N;
		if (a->dims[i] < b->dims[i]) /* each is repeated along another axis */
			return 0;
		if (a->dims[i] == 1)
			continue;
		while (x < ONNX_AXES && !paleo_onnx_axis_is(job, a, i, x))
			x++;
		if (x == ONNX_AXES ||
		    paleo_onnx_axis_size(t, x) != (b->dims[i] == 1 ? 1 : (int)a->dims[i]) ||
		    !paleo_onnx_axis_is(job, b, i, x))
			return 0;
	}
	return 1;
}

int paleo_onnx_meet(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    struct paleo_onnx_value *a, struct paleo_onnx_value *b, struct paleo_error *err)
{
	const int more = a->rank - b->rank;
	int from = -1, to = -1;

	if (more < 0)
		return 1;
	memmove(b->dims + more, b->dims, (size_t)b->rank * sizeof(b->dims[0]));
	for (int i = 0; i < more; i++)
		b->dims[i] = 1;
	b->rank = a->rank;
	for (int i = 0; i < a->rank; i++) {
		if (a->dims[i] == b->dims[i])
			continue;
		if (b->dims[i] != 1) { /* each is repeated: one of them in earnest */
			struct paleo_onnx_value shape;
			if (paleo_onnx_broadcast(a, b, &shape) || paleo_onnx_repeat(a, shape.dims))
				return 1;
			return paleo_onnx_meet(job, n, a, b, err);
		}
		from = from < 0 ? i : from;
		to = i + 1;
	}
	for (int i = from; i >= 0 && i < to; i++) {
		if (a->dims[i] > 1 && b->dims[i] > 1) { /* apart: repeat it in earnest */
			if (paleo_onnx_repeat(b, a->dims))
				return 1;
			from = to = -1;
		}
	}
	if (from < 0)
		from = to = a->rank - (a->rank > 1);
	else if (to == a->rank)
		to = from;
	int rc = paleo_onnx_lay(job, n, a, from, to, err);
	return rc ? rc : paleo_onnx_lay(job, n, b, from, to, err);
}

/* Of several operands: of two, then of that and the next one. */
int paleo_onnx_op_several(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_error *err)
{
	int rc = PALEO_OK;

	if (n->input_count <= 2)
		return paleo_onnx_op_binary(job, n, err);
	if (n->output_count < 1 || n->outputs[0] < 0)
		return PALEO_OK;
	for (int i = 1; i < n->input_count && !rc; i++) {
		int inputs[2] = {i == 1 ? n->inputs[0] : n->outputs[0], n->inputs[i]};
		struct paleo_onnx_node two = *n;
		two.inputs = inputs;
		two.input_count = 2;
		rc = paleo_onnx_op_binary(job, &two, err);
		if (paleo_onnx_out(job, n, 0)->state == ONNX_UNKNOWN)
			return rc;
	}
	return rc;
}
