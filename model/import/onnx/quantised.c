/* quantised.c - operators of whole numbers: what they are of, without scales and zero points. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/ops.h"
#include "model/net/layers/common.h"

enum {
	OPERANDS_MAX = 3
};

/* Which operator of ONNX it is, and which of its inputs are that one's; -1: no more. */
static const struct kind {
	const char *type, *as;
	int inputs[OPERANDS_MAX];
	int bias; /* an input that is added; 0: none */
	paleo_onnx_convert_node *convert;
} kinds[] = {
	{"QLinearConv", "Conv", {0, 3, 8}, 0, paleo_onnx_op_conv},
	{"ConvInteger", "Conv", {0, 1, -1}, 0, paleo_onnx_op_conv},
	{"QLinearMatMul", "MatMul", {0, 3, -1}, 0, paleo_onnx_op_matmul},
	{"MatMulInteger", "MatMul", {0, 1, -1}, 0, paleo_onnx_op_matmul},
	{"MatMulIntegerToFloat", "MatMul", {0, 1, -1}, 6, paleo_onnx_op_matmul},
	{"DynamicQuantizeMatMul", "MatMul", {0, 1, -1}, 4, paleo_onnx_op_matmul},
	{"QGemm", "Gemm", {0, 3, 6}, 0, paleo_onnx_op_gemm},
	{"QLinearAdd", "Add", {0, 3, -1}, 0, paleo_onnx_op_binary},
	{"QLinearMul", "Mul", {0, 3, -1}, 0, paleo_onnx_op_binary},
	{"QLinearSigmoid", "Sigmoid", {0, -1, -1}, 0, paleo_onnx_op_unary},
	{"QLinearLeakyRelu", "LeakyRelu", {0, -1, -1}, 0, paleo_onnx_op_unary},
	{"QLinearSoftmax", "Softmax", {0, -1, -1}, 0, paleo_onnx_op_softmax},
	{"QLinearAveragePool", "AveragePool", {0, -1, -1}, 0, paleo_onnx_op_pool},
	{"QLinearGlobalAveragePool",
	 "GlobalAveragePool",
	 {0, -1, -1},
	 0,
	 paleo_onnx_op_global_pool},
	{"NhwcMaxPool", "MaxPool", {0, -1, -1}, 0, paleo_onnx_op_pool},
	{"DynamicQuantizeLinear", "Identity", {0, -1, -1}, 0, paleo_onnx_op_same},
};

/* Whole numbers that are stored are learned. */
static void make_weights(struct paleo_onnx_job *job, int name)
{
	struct paleo_onnx_value *v = name < 0 ? NULL : &job->values[name];

	if (!v || v->state != ONNX_NUMBERS || !v->rank || !job->graph->names[name].is_initializer)
		return;
	free(v->numbers);
	v->numbers = NULL;
	v->state = ONNX_WEIGHT;
	v->learned = paleo_onnx_count(v);
	v->source = 1 + name;
	v->stored = v->type == ONNX_INT8 || v->type == ONNX_UINT8 ? "int8" : NULL;
}

/* The other outputs of a DynamicQuantizeLinear: a scale and a zero point, that come with the input.
 */
static void put_scales(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	for (int i = 1; i < n->output_count; i++) {
		struct paleo_onnx_value *out = paleo_onnx_out(job, n, i);
		free(out->numbers);
		*out = (struct paleo_onnx_value){
			.state = ONNX_SIDE, .type = ONNX_FLOAT, .scale = 1};
	}
}

int paleo_onnx_op_whole(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_error *err)
{
	int inputs[OPERANDS_MAX], count = 0;
	size_t k = 0;

	while (k + 1 < sizeof(kinds) / sizeof(kinds[0]) &&
	       !paleo_onnx_span_is(n->type, kinds[k].type))
		k++;
	for (int i = 0; i < OPERANDS_MAX && kinds[k].inputs[i] >= 0; i++) {
		if (kinds[k].inputs[i] >= n->input_count)
			break;
		inputs[count] = n->inputs[kinds[k].inputs[i]];
		if ((i || kinds[k].convert == paleo_onnx_op_binary) && k < 9)
			make_weights(job, inputs[count]);
		count++;
	}
	struct paleo_onnx_node as = *n;
	as.type = paleo_onnx_span_of(kinds[k].as);
	as.inputs = inputs;
	as.input_count = count;
	put_scales(job, n);
	const int last = paleo_onnx_int(n, "channels_last", 0) != 0 ||
			 paleo_onnx_span_is(n->type, "NhwcMaxPool");
	int rc = last ? paleo_onnx_channels_last(job, &as, kinds[k].convert, err)
		      : kinds[k].convert(job, &as, err);
	return rc || !kinds[k].bias ? rc : paleo_onnx_plus(job, n, kinds[k].bias, err);
}

/* Inputs are two numbers, then a part with its two numbers, and so on. */
int paleo_onnx_op_whole_concat(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			       struct paleo_error *err)
{
	struct paleo_onnx_node as = *n;
	const int count = (n->input_count - 2) / 3;
	int *inputs = count > 0 ? malloc((size_t)count * sizeof(*inputs)) : NULL;

	if (!inputs)
		return count > 0 ? paleo_fail(err, PALEO_ENOMEM, "out of memory")
				 : paleo_onnx_refuse(job, n, "of nothing", err);
	for (int i = 0; i < count; i++)
		inputs[i] = n->inputs[2 + 3 * i];
	as.type = paleo_onnx_span_of("Concat");
	as.inputs = inputs;
	as.input_count = count;
	int rc = paleo_onnx_op_concat(job, &as, err);
	free(inputs);
	return rc;
}
