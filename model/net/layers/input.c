/* input.c - where data comes in: a tensor of a given shape. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

struct param {
	int rank;
	int tensor[4]; /* as in the file */
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "parents", "tensor", NULL};
	struct param *p = param;
	const struct paleo_json *v;
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = paleo_json_need(j, "tensor", &v, err);
	if (rc)
		return rc;
	p->rank = paleo_json_size(v);
	if (p->rank < 2 || p->rank > 4)
		return paleo_json_fail(v, err,
				       "expected [N, C], [N, T], [N, T, C] or [N, H, W, C]");
	return paleo_read_ints(v, p->rank, 1, p->tensor, err);
}

/* The loader replaces n where another batch is asked for. */
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
	.parse = parse,
	.shape = shape,
};
