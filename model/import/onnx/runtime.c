/* runtime.c - how ONNX Runtime writes operators: with more at their end, and channels last. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/onnx/ops.h"

/* The value with its channels first or last, as pictures and lines have them, into `out`. */
static int turn(const struct paleo_onnx_value *v, int first, struct paleo_onnx_value *out,
		struct paleo_error *err)
{
	const struct paleo_onnx_value old = *v;
	const int last = v->rank - 1;
	int order[ONNX_RANK_MAX] = {0}, rc = paleo_onnx_copy(v, out, err);

	if (rc)
		return rc;
	for (int i = 1; i <= last; i++)
		order[i] = first ? (i == 1 ? last : i - 1) : (i == last ? 1 : i + 1);
	for (int i = 0; i <= last; i++)
		out->dims[i] = old.dims[order[i]];
	paleo_onnx_view_transpose(&out->view, old.dims, old.rank, order);
	return PALEO_OK;
}

static int is_turnable(const struct paleo_onnx_value *v)
{
	return v && (v->rank == 3 || v->rank == 4) &&
	       (v->state == ONNX_TENSOR || v->state == ONNX_POINT);
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
	rc = turn(v, 1, &job->values[inputs[0]], err);
	if (!rc)
		rc = convert(job, &as, err);
	return rc || !is_turnable(out) ? rc : turn(out, 0, out, err);
}

/* Blocks of channels are no other order than the net has. */
int paleo_onnx_op_reorder(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_error *err)
{
	const int from = paleo_onnx_span_is(n->type, "ReorderInput");
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *out = paleo_onnx_out(job, n, 0);

	const double all = is_turnable(v) ? v->dims[1] : 0;
	const double channels = from ? all : paleo_onnx_int(n, "channels", all);
	if (!(channels >= 1 && channels <= all))
		return paleo_onnx_refuse(job, n, "of what has other channels", err);
	if (channels < all) { /* the last block is filled up */
		int rc = paleo_onnx_part(job, n, v, 1, 0, channels, err);
		if (rc || out->state != ONNX_TENSOR)
			return rc;
		v = out;
	}
	return paleo_onnx_int(n, "channels_last", 0) == 0
		       ? (v == out ? PALEO_OK : paleo_onnx_copy(v, out, err))
		       : turn(v, from, out, err);
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
