/* input.c - where data comes in: a tensor of a given shape. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"

struct param {
	int rank;
	int tensor[4]; /* as in the file */
};

static int read_tensor(const struct paleo_json *v, void *param, struct paleo_error *err)
{
	struct param *p = param;

	p->rank = paleo_json_size(v);
	if (p->rank < 2 || p->rank > 4)
		return paleo_json_fail(v, err,
				       "expected [N, C], [N, T], [N, T, C] or [N, H, W, C]");
	return paleo_read_ints(v, p->rank, 1, p->tensor, err);
}

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	{"tensor", PALEO_FIELD_OWN, .read = read_tensor},
	{0},
};

/* The loader replaces n for another batch. */
static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;

	(void)err;
	l->out = paleo_shape_of(p->rank, p->tensor);
	return PALEO_OK;
}

const struct paleo_layer_kind paleo_kind_input = {
	.type = "Input",
	.param_size = sizeof(struct param),
	.keys = fields,
	.shape = shape,
};
