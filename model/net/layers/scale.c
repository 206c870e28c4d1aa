/* scale.c - multiplies by learned factors: one for each channel, or from a table. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

/* The layer scale of Touvron et al. 2021 (arXiv 2103.17239), section 2. */
static double elements(const struct paleo_layer *l)
{
	return paleo_table_elements(l, l->out.c);
}

static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	if (pass == PALEO_BWD_FILTER)
		return paleo_repeated_gradient(l, PALEO_MUL, elements(l), pass, dtype, out, err);
	return paleo_repeated_work(l, PALEO_MUL, elements(l), pass, dtype, out, err);
}

static double weights(const struct paleo_layer *l)
{
	return paleo_table_weights(l, l->out.c);
}

const struct paleo_layer_kind paleo_kind_scale = {
	.type = "Scale",
	.param_size = sizeof(struct paleo_table),
	.min_parents = 1,
	.max_parents = 1,
	.no_graph = 1,
	.parse = paleo_table_parse,
	.shape = paleo_table_shape,
	.work = work,
	.weights = weights,
};
