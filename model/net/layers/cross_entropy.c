/* cross_entropy.c - the loss of words or classes, with the softmax before it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	(void)err;
	l->out = *paleo_layer_in(l);
	l->out.c = 1;
	return PALEO_OK;
}

static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct paleo_shape rows = paleo_shape_rows(paleo_layer_in(l));
	struct paleo_work w = {
		.kind = PALEO_CROSS_ENTROPY,
		.pass = pass,
		.dtype = paleo_dtype_wide(dtype),
		.geom.cross_entropy = {.rows = rows.n, .cols = rows.c},
	};

	return paleo_work_list_add(out, "cross_entropy", pass, &w, err);
}

const struct paleo_layer_kind paleo_kind_cross_entropy = {
	.type = "CrossEntropy",
	.min_parents = 1,
	.max_parents = 1,
	.no_graph = 1,
	.parse = paleo_parse_plain,
	.shape = shape,
	.work = work,
};
