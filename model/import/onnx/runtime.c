/* runtime.c - how ONNX Runtime writes operators: with more at their end, and channels last. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/onnx/ops.h"

static const int to_first[4] = {0, 3, 1, 2}, to_last[4] = {0, 2, 3, 1};

/* The value with its axes in another order, into `out`. */
static int turn(const struct paleo_onnx_value *v, const int order[4], struct paleo_onnx_value *out,
		struct paleo_error *err)
{
	const struct paleo_onnx_value old = *v;
	int rc = paleo_onnx_copy(v, out, err);

	if (rc)
		return rc;
	paleo_onnx_view_transpose(&out->view, old.dims, 4, order);
	for (int i = 0; i < 4; i++)
		out->dims[i] = old.dims[order[i]];
	return PALEO_OK;
}

static int is_turnable(const struct paleo_onnx_value *v)
{
	return v && v->rank == 4 && (v->state == ONNX_TENSOR || v->state == ONNX_POINT);
}

int paleo_onnx_channels_last(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     paleo_onnx_convert_node *convert, struct paleo_error *err)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *out = paleo_onnx_out(job, n, 0);
	int inputs[ONNX_SIZES_MAX];
	struct paleo_onnx_node as = *n;

	if (!is_turnable(v) || n->input_count > ONNX_SIZES_MAX)
		return paleo_onnx_refuse(job, n, "of what is no picture or line", err);
	int rc = v->state == ONNX_POINT ? paleo_onnx_settle(job, v, err) : PALEO_OK;
	if (rc < 0)
		return rc;
	memcpy(inputs, n->inputs, (size_t)n->input_count * sizeof(*inputs));
	inputs[0] = job->graph->name_count + 1;
	as.inputs = inputs;
	rc = turn(v, to_first, &job->values[inputs[0]], err);
	if (!rc)
		rc = convert(job, &as, err);
	return rc || !is_turnable(out) ? rc : turn(out, to_last, out, err);
}

/* Blocks of channels are no other order than the net has. */
int paleo_onnx_op_reorder(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_error *err)
{
	const int from = paleo_onnx_span_is(n->type, "ReorderInput");
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *out = paleo_onnx_out(job, n, 0);

	if (!is_turnable(v) || (!from && paleo_onnx_int(n, "channels", v->dims[1]) != v->dims[1]))
		return paleo_onnx_refuse(job, n, "of what has other channels", err);
	return paleo_onnx_int(n, "channels_last", 0) == 0
		       ? paleo_onnx_copy(v, out, err)
		       : turn(v, from ? to_first : to_last, out, err);
}

/* The node's first output and another value, by an operator of this type, are its first output. */
static int go_on(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *type,
		 int other, paleo_onnx_convert_node *convert, struct paleo_error *err)
{
	int inputs[2] = {n->outputs[0], other};
	struct paleo_onnx_node as = {.name = n->name,
				     .type = paleo_onnx_span_of(type),
				     .inputs = inputs,
				     .outputs = n->outputs,
				     .input_count = other < 0 ? 1 : 2,
				     .output_count = 1,
				     .number = n->number};

	return job->values[inputs[0]].state == ONNX_UNKNOWN ? PALEO_OK : convert(job, &as, err);
}

int paleo_onnx_plus(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int input,
		    struct paleo_error *err)
{
	return n->output_count < 1 || n->outputs[0] < 0 || !paleo_onnx_in(job, n, input)
		       ? PALEO_OK
		       : go_on(job, n, "Add", n->inputs[input], paleo_onnx_op_binary, err);
}

/* A convolution or a product, a sum with another output, and an activation. What is cut off on
 * both sides costs as what is cut off on one. */
int paleo_onnx_op_fused(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_error *err)
{
	const int gemm = paleo_onnx_span_is(n->type, "FusedGemm");
	paleo_onnx_convert_node *const convert = gemm ? paleo_onnx_op_gemm : paleo_onnx_op_conv;
	const int last = paleo_onnx_span_is(n->type, "NhwcConv") ||
			 paleo_onnx_span_is(n->type, "NhwcFusedConv");
	struct paleo_onnx_node as = *n;
	char type[32];

	as.input_count = n->input_count < 3 ? n->input_count : 3;
	int rc = last ? paleo_onnx_channels_last(job, &as, convert, err) : convert(job, &as, err);
	if (!rc && !gemm)
		rc = paleo_onnx_plus(job, n, 3, err);
	if (rc || n->output_count < 1 || n->outputs[0] < 0 ||
	    paleo_onnx_text(n, "activation", type, sizeof(type)) || !type[0])
		return rc;
	return go_on(job, n, strcmp(type, "Clip") == 0 ? "Relu" : type, -1, paleo_onnx_op_unary,
		     err);
}
