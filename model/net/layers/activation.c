/* activation.c - activation functions: by name, and those that are kinds of their own. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"

struct param {
	enum paleo_eltwise_op op;
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	PALEO_KEY_NEED_OWN(struct param, "fn", op, paleo_read_activation),
	{0},
};

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;

	return paleo_eltwise_list(out, p->op, 1, paleo_shape_count(&l->out), pass, dtype, err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "%s", paleo_eltwise_name(p->op));
}

const struct paleo_layer_kind paleo_kind_activation = {
	.type = "Activation",
	.param_size = sizeof(struct param),
	.parents = {1, 1},
	.keys = fields,
	.shape = paleo_shape_as_parent,
	.op = op,
	.describe = describe,
};

const struct paleo_layer_kind paleo_kind_relu = {
	.type = "ReLU",
	.param_size = sizeof(struct param),
	.parents = {1, 1},
	.initial = &(const struct param){PALEO_RELU},
	.shape = paleo_shape_as_parent,
	.op = op,
};

/* Its output is shaped as its input; the original has it always [N, 1]. */
const struct paleo_layer_kind paleo_kind_sigmoid = {
	.type = "Sigmoid",
	.param_size = sizeof(struct param),
	.parents = {1, 1},
	.initial = &(const struct param){PALEO_SIGMOID},
	.shape = paleo_shape_as_parent,
	.op = op,
};

const struct paleo_layer_kind paleo_kind_tanh = {
	.type = "Tanh",
	.param_size = sizeof(struct param),
	.parents = {1, 1},
	.initial = &(const struct param){PALEO_TANH},
	.shape = paleo_shape_as_parent,
	.op = op,
};
