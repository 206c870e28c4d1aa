/* branch.c - the two graphs of an If, of which the one that its condition chooses is read. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/onnx/ops.h"

/* 1 or 0 as the condition holds or not; -1: not known. */
static int holds(const struct paleo_onnx_job *job, int condition)
{
	const struct paleo_onnx_value *v = condition < 0 ? NULL : &job->values[condition];

	return v && v->state == ONNX_NUMBERS && v->numbers && paleo_onnx_count(v) == 1
		       ? v->numbers[0] != 0
		       : -1;
}

int paleo_onnx_is_taken(const struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	for (int b = n->branch; b;) {
		const struct paleo_onnx_branch *of = &job->graph->branches[b - 1];
		if (holds(job, of->condition) != of->is_then)
			return 0;
		b = of->inside;
	}
	return 1;
}

/* What the graph gives that was taken. */
int paleo_onnx_op_if(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		     struct paleo_error *err)
{
	const int taken = holds(job, n->input_count ? n->inputs[0] : -1);
	int rc = PALEO_OK;

	if (taken < 0)
		return paleo_onnx_refuse(job, n, "whose condition is not known", err);
	const struct paleo_onnx_branch *b =
		&job->graph->branches[taken ? n->first_branch : n->second_branch];
	for (int i = 0; i < n->output_count && i < b->output_count && !rc; i++) {
		if (b->outputs[i] >= 0)
			rc = paleo_onnx_copy(&job->values[b->outputs[i]], paleo_onnx_out(job, n, i),
					     err);
	}
	return rc;
}
