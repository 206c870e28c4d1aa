/* position.c - adds learned numbers, one for each token and channel, or from a table. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

static double elements(const struct paleo_layer *l)
{
	return paleo_table_elements(l, (double)l->out.h * l->out.w * l->out.c);
}

static double weights(const struct paleo_layer *l)
{
	return paleo_table_weights(l, elements(l));
}

/* The gradient goes on to the parent as it is. */
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	if (pass == PALEO_BWD_DATA)
		return PALEO_OK;
	if (pass == PALEO_BWD_FILTER)
		return paleo_repeated_gradient(l, PALEO_ADD, elements(l), pass, dtype, out, err);
	return paleo_repeated_work(l, PALEO_ADD, elements(l), pass, dtype, out, err);
}

const struct paleo_layer_kind paleo_kind_position = {
	.type = "Position",
	.param_size = sizeof(struct paleo_table),
	.min_parents = 1,
	.max_parents = 1,
	.no_graph = 1,
	.parse = paleo_table_parse,
	.shape = paleo_table_shape,
	.work = work,
	.weights = weights,
};
