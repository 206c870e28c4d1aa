/* ops.c - finds the converter of a node by its type. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/onnx/ops.h"

paleo_onnx_convert_node *paleo_onnx_find(const struct paleo_onnx_node *n)
{
	static const struct {
		const char *type;
		paleo_onnx_convert_node *convert;
	} known[] = {
#define OP(type, function) {#type, paleo_onnx_op_##function},
#include "model/import/onnx/ops.def"
#undef OP
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (paleo_onnx_span_is(n->type, known[i].type))
			return known[i].convert;
	}
	return NULL;
}
