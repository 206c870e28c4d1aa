/* rope.c - rotary positions: turns the pairs of numbers of each head. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"

struct param {
	int heads, dim; /* dim: numbers of a head that are turned */
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	PALEO_KEY_NEED(struct param, "heads", heads),
	PALEO_KEY_NEED(struct param, "rope", dim),
	{0},
};

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;

	l->out = *paleo_layer_in(l);
	if (l->out.rank != 3 || l->out.c % p->heads || l->out.c / p->heads < p->dim)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' must give sequences of %d heads of %d numbers or more",
				  l->parents[0]->name, p->heads, p->dim);
	return PALEO_OK;
}

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	struct paleo_op w = {
		.kind = PALEO_ROPE,
		.pass = pass,
		.dtype = paleo_dtype_wide(dtype),
		.geom.rope = {.rows = paleo_shape_rows(&l->out).n,
			      .heads = p->heads,
			      .dim = p->dim},
	};

	return paleo_op_list_add(out, "rope", pass, &w, err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "%d of %d heads", p->dim, p->heads);
}

const struct paleo_layer_kind paleo_kind_rope = {
	.type = "Rope",
	.param_size = sizeof(struct param),
	.parents = {1, 1},
	.no_graph = 1,
	.keys = fields,
	.shape = shape,
	.op = op,
	.describe = describe,
};
