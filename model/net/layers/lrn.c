/* lrn.c - local response normalisation across neighbouring channels. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"

struct param {
	int size;
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	PALEO_KEY_OWN(struct param, "size", size, paleo_lrn_read_size),
	{0},
};

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;

	return paleo_lrn_op(out, p->size, &l->out, pass, dtype, err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "%d channels", p->size);
}

const struct paleo_layer_kind paleo_kind_lrn = {
	.type = "LRN",
	.param_size = sizeof(struct param),
	.parents = {1, 1},
	.keys = fields,
	.initial = &(const struct param){PALEO_LRN_SIZE},
	.shape = paleo_shape_as_parent,
	.op = op,
	.describe = describe,
};
