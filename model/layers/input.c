/* input.c - where data comes in: a tensor of a given shape. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/layers/common.h"
#include "model/layers/kinds.h"

struct param {
	int tensor[4]; /* n, h, w, c */
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "parents", "tensor", NULL};
	struct param *p = param;
	const struct paleo_json *v;
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = paleo_json_need(j, "tensor", &v, err);
	return rc ? rc : paleo_read_ints(v, 4, 1, p->tensor, err);
}

/* The loader replaces n where another batch is asked for. */
static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;

	(void)err;
	l->out = (struct paleo_shape){.rank = 4,
				      .n = p->tensor[0],
				      .h = p->tensor[1],
				      .w = p->tensor[2],
				      .c = p->tensor[3]};
	return PALEO_OK;
}

const struct paleo_layer_kind paleo_kind_input = {
	.type = "Input",
	.what = "where data comes in",
	.param_size = sizeof(struct param),
	.parse = parse,
	.shape = shape,
};
