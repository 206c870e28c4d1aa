/* turn.h - rotary positions, as exporters write them: parts of heads, tables of factors, sums. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_ONNX_TURN_H
#define PALEO_MODEL_IMPORT_ONNX_TURN_H

#include "model/import/onnx/job.h"

/*
 * Rotary positions (Su et al. 2021, arXiv 2104.09864) take heads apart, multiply the parts by
 * tables, and put sums of them together. A value on this way is an ONNX_TURN of the layer that
 * gives the heads. Where it is whole again and something else reads it, it becomes a Rope layer.
 */

/* How many heads the value's last axis is of; 0: it is none of heads [.., .., .., numbers]. */
int paleo_onnx_heads_in(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v);

/* 1 if a range along the axis of a value is a part of heads that are to be turned. */
int paleo_onnx_turn_part(const struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const struct paleo_onnx_value *v, int axis);
/* Makes `out` a step of turning `v`, with its sizes. */
void paleo_onnx_turn_begin(const struct paleo_onnx_value *v, struct paleo_onnx_value *out);

/* Converts the node if it is a step; *done is 1 then. ENOMEM. */
int paleo_onnx_turn(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int *done,
		    struct paleo_error *err);

#endif
