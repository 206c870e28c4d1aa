/* side.c - operators that go with masks, positions and shapes: what is beside the layers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/ops.h"

static int is_beside(const struct paleo_onnx_value *v)
{
	return v && (v->state == ONNX_NUMBERS || v->state == ONNX_SIDE || v->state == ONNX_WEIGHT);
}

/* Makes `out` something beside the layers with the sizes of `like`, of which no number is known. */
static int put_side(const struct paleo_onnx_value *like, struct paleo_onnx_value *out)
{
	struct paleo_onnx_value made = {
		.state = ONNX_SIDE, .type = like->type, .rank = like->rank, .tokens = 0};

	memcpy(made.dims, like->dims, sizeof(made.dims));
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}

/* CumSum, Trilu, ScatterND and the like: as large as the first input. */
int paleo_onnx_op_as_first(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	for (int i = 0; i < n->input_count; i++) {
		const struct paleo_onnx_value *x = paleo_onnx_in(job, n, i);
		if (!v || (x && !is_beside(x)))
			return paleo_onnx_refuse(job, n, "of a layer's output", err);
	}
	return v ? put_side(v, paleo_onnx_out(job, n, 0))
		 : paleo_onnx_refuse(job, n, "of nothing", err);
}

/* GatherElements: as large as the second. */
int paleo_onnx_op_as_second(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *at = paleo_onnx_in(job, n, 1);

	if (!is_beside(v) || !is_beside(at))
		return paleo_onnx_refuse(job, n, "of a layer's output", err);
	return put_side(at, paleo_onnx_out(job, n, 0));
}

/* Quantised: what is computed stays as it is; whole numbers that were stored are weights. */
int paleo_onnx_op_quantised(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	int rc = paleo_onnx_copy(v, out, err);
	if (rc || out->state != ONNX_NUMBERS || !out->rank)
		return rc;
	free(out->numbers);
	out->numbers = NULL;
	out->state = ONNX_WEIGHT;
	out->type = ONNX_FLOAT;
	out->learned = paleo_onnx_count(out);
	return PALEO_OK;
}

/* Which scores are no numbers: exporters write that behind a softmax, for rows that are all
 * masked. */
int paleo_onnx_op_is_nan(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	if (v && v->state == ONNX_SCORES)
		return put_side(v, paleo_onnx_out(job, n, 0));
	return paleo_onnx_op_as_first(job, n, err);
}
