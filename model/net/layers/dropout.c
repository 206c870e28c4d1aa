/* dropout.c - drops values at random, as in training. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/params.h"

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	PALEO_KEY_NEED_OWN(struct paleo_dropout_param, "dropout_keep_prob", keep, paleo_read_keep),
	{0},
};

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	return paleo_eltwise_list(out, PALEO_DROPOUT, 1, paleo_shape_count(&l->out), pass, dtype,
				  err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct paleo_dropout_param *p = l->param;

	snprintf(buf, size, "keep %g", p->keep);
}

const struct paleo_layer_kind paleo_kind_dropout = {
	.type = "Dropout",
	.param_size = sizeof(struct paleo_dropout_param),
	.parents = {1, 1},
	.keys = fields,
	.shape = paleo_shape_as_parent,
	.op = op,
	.describe = describe,
};
