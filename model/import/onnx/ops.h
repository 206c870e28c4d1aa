/* ops.h - declares the converters of ops.def. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_ONNX_OPS_H
#define PALEO_MODEL_IMPORT_ONNX_OPS_H

#include "model/import/onnx/job.h"

#define OP(type, function) paleo_onnx_convert_node paleo_onnx_op_##function;
#include "model/import/onnx/ops.def"
#undef OP
/* Those of the list that other operators are read as. */
paleo_onnx_convert_node paleo_onnx_op_conv;

/* runtime.c: the node with its first operand, a picture, in ONNX's order: channels first. */
int paleo_onnx_channels_last(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     paleo_onnx_convert_node *convert, struct paleo_error *err);
/* parts.c: `size` numbers of an axis of `v` are the node's first output. */
int paleo_onnx_part(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    struct paleo_onnx_value *v, int axis, double from, double size,
		    struct paleo_error *err);
/* runtime.c: the node's first output plus this input, if there is one, is its first output. */
int paleo_onnx_plus(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int input,
		    struct paleo_error *err);

#endif
