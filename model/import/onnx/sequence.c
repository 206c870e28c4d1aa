/* sequence.c - parts of a value in a list, as exporters write a split, and one of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "model/import/onnx/ops.h"

/* The list itself is beside the layers; its parts are taken where one is asked for. */
int paleo_onnx_op_split_to_sequence(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
				    struct paleo_error *err)
{
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);

	if (!paleo_onnx_in(job, n, 0))
		return paleo_onnx_refuse(job, n, "of nothing", err);
	free(out->numbers);
	*out = (struct paleo_onnx_value){.state = ONNX_SIDE, .by = n->number};
	return PALEO_OK;
}

/* Where part `k` of the whole begins, and its size: parts are as large as the numbers say, or all
 * as large as one number, or 1. 0, or -1. */
static int place(const double *sizes, int count, double whole, int k, double *from, double *size)
{
	const double each = count ? sizes[0] : 1;
	double at = 0;

	for (int i = 0; count > 1 && i < k && i < count; i++)
		at += sizes[i];
	*from = count > 1 ? at : each * k;
	*size = count > 1 ? (k < count ? sizes[k] : 0) : fmin(each, whole - *from);
	return *from >= 0 && *size >= 1 && *from + *size <= whole ? 0 : -1;
}

int paleo_onnx_op_sequence_at(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			      struct paleo_error *err)
{
	const struct paleo_onnx_value *list = paleo_onnx_in(job, n, 0);
	const struct paleo_onnx_node *split = list ? &job->graph->nodes[list->by] : NULL;
	int count, sizes;
	const double *index = paleo_onnx_numbers(job, n, 1, &count);

	if (!split || !paleo_onnx_span_is(split->type, "SplitToSequence") || !index || count != 1)
		return paleo_onnx_refuse(job, n, "of a list that is no split", err);
	struct paleo_onnx_value *v = paleo_onnx_in(job, split, 0);
	const double *given = paleo_onnx_numbers(job, split, 1, &sizes);
	int axis = (int)paleo_onnx_int(split, "axis", 0);
	axis += axis < 0 ? v->rank : 0;
	double from, size;
	if (axis < 0 || axis >= v->rank || !(*index >= 0 && *index <= v->dims[axis]) ||
	    (!given && paleo_onnx_in(job, split, 1)) ||
	    place(given, sizes, v->dims[axis], (int)*index, &from, &size))
		return paleo_onnx_refuse(job, n, "of a part that is not known", err);
	int rc = paleo_onnx_part(job, n, v, axis, from, size, err);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	if (rc || out->state == ONNX_UNKNOWN || given || paleo_onnx_int(split, "keepdims", 1) != 0)
		return rc;
	double dims[ONNX_RANK_MAX]; /* parts of one number may lose their axis */
	int rank = 0;
	for (int i = 0; i < out->rank; i++) {
		if (i != axis)
			dims[rank++] = out->dims[i];
	}
	for (int i = 0; i < rank; i++)
		out->dims[i] = dims[i];
	out->rank = rank;
	return PALEO_OK;
}
