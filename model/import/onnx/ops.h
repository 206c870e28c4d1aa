/* ops.h - declares the converters of ops.def. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_ONNX_OPS_H
#define PALEO_MODEL_IMPORT_ONNX_OPS_H

#include "model/import/onnx/job.h"

#define OP(type, function) paleo_onnx_convert_node paleo_onnx_op_##function;
#include "model/import/onnx/ops.def"
#undef OP

#endif
