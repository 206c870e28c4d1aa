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

/* Two values by an operator of this type, into `out`. */
static int two(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *type,
	       const int inputs[2], int out, struct paleo_error *err)
{
	int of[2] = {inputs[0], inputs[1]};
	struct paleo_onnx_node as = {.name = n->name,
				     .type = paleo_onnx_span_of(type),
				     .inputs = of,
				     .outputs = &out,
				     .input_count = 2,
				     .output_count = 1,
				     .number = n->number};

	for (int i = 0; i < 2; i++) {
		if (of[i] < 0 || job->values[of[i]].state == ONNX_UNKNOWN)
			return paleo_onnx_refuse(job, n, "of nothing", err);
	}
	return paleo_onnx_find(&as)(job, &as, err);
}

static int input(const struct paleo_onnx_node *n, int i)
{
	return i < n->input_count ? n->inputs[i] : -1;
}

/* GroupNorm of a picture, by default with its channels last, and behind it SiLU. SkipGroupNorm has
 * a sum in front, which is its second output. */
int paleo_onnx_op_picture_norm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			       struct paleo_error *err)
{
	const int skip = paleo_onnx_span_is(n->type, "SkipGroupNorm"),
		  sum = n->output_count > 1 && n->outputs[1] >= 0 ? n->outputs[1]
								  : job->graph->name_count + 2;
	int inputs[3] = {skip ? sum : input(n, 0), input(n, 1), input(n, 2)}, rc = PALEO_OK;
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	struct paleo_onnx_node as = *n;

	if (skip) {
		job->values[sum].state = ONNX_UNKNOWN;
		rc = two(job, n, "Add", (int[]){input(n, 0), input(n, 3)}, sum, err);
	}
	if (!rc && skip && input(n, 4) >= 0 && job->values[sum].state != ONNX_UNKNOWN)
		rc = two(job, n, "Add", (int[]){sum, input(n, 4)}, sum, err);
	as.inputs = inputs;
	as.input_count = 3;
	if (rc || (skip && job->values[sum].state == ONNX_UNKNOWN))
		return rc;
	rc = paleo_onnx_int(n, "channels_last", 1) != 0
		     ? paleo_onnx_channels_last(job, &as, paleo_onnx_op_group_norm, err)
		     : paleo_onnx_op_group_norm(job, &as, err);
	if (rc || out->state != ONNX_TENSOR || paleo_onnx_int(n, "activation", 0) == 0)
		return rc;
	int layer = paleo_onnx_add_layer(job, n, "Activation", &out->view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_word(job, "fn", "silu");
	paleo_onnx_on_layer(out, layer, out);
	return PALEO_OK;
}

/* A learned addend and another output. */
int paleo_onnx_op_bias_add(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   struct paleo_error *err)
{
	int rc =
		n->output_count < 1 || n->outputs[0] < 0
			? PALEO_OK
			: two(job, n, "Add", (int[]){input(n, 0), input(n, 1)}, n->outputs[0], err);

	return rc ? rc : paleo_onnx_plus(job, n, 2, err);
}

/* A product, a bias if there is one, and GELU. */
int paleo_onnx_op_gemm_gelu(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    struct paleo_error *err)
{
	if (n->output_count < 1 || n->outputs[0] < 0)
		return PALEO_OK;
	int rc = two(job, n, "MatMul", (int[]){input(n, 0), input(n, 1)}, n->outputs[0], err);
	return rc ? rc : go_on(job, n, "FastGelu", input(n, 2), paleo_onnx_op_bias_gelu, err);
}
