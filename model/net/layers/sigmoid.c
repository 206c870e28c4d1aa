/* sigmoid.c - the activation 1 / (1 + exp(-x)). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	return paleo_eltwise_work(out, PALEO_SIGMOID, 1, paleo_shape_count(&l->out), pass, dtype,
				  err);
}

/* Its output is shaped as its input; the original has it always [N, 1]. */
const struct paleo_layer_kind paleo_kind_sigmoid = {
	.type = "Sigmoid",
	.min_parents = 1,
	.max_parents = 1,
	.parse = paleo_parse_plain,
	.shape = paleo_shape_as_parent,
	.work = work,
};
