/* cross_entropy.c - the loss with its softmax, and the accuracy, which is free. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	(void)err;
	l->out = *paleo_layer_in(l);
	l->out.c = 1;
	return PALEO_OK;
}

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_shape rows = paleo_shape_rows(paleo_layer_in(l));
	struct paleo_op w = {
		.kind = PALEO_CROSS_ENTROPY,
		.pass = pass,
		.dtype = paleo_dtype_wide(dtype),
		.geom.cross_entropy = {.rows = rows.n, .cols = rows.c},
	};

	return paleo_op_list_add(out, "cross_entropy", pass, &w, err);
}

const struct paleo_layer_kind paleo_kind_cross_entropy = {
	.type = "CrossEntropy",
	.parents = {1, 1},
	.no_graph = 1,
	.shape = shape,
	.op = op,
};

/* Compares with the labels; counted as free, and no gradient comes from it. */

const struct paleo_layer_kind paleo_kind_accuracy = {
	.type = "Accuracy",
	.parents = {1, 1},
	.no_gradient = 1,
	.shape = paleo_shape_as_parent,
};
