/* rope.c - rotary positions: turns the pairs of numbers of each head. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

struct param {
	int heads, dim; /* dim: numbers of a head that are turned */
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "parents", "heads", "rope", NULL};
	struct param *p = param;
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = paleo_need_dim(j, "heads", &p->heads, err);
	return rc ? rc : paleo_need_dim(j, "rope", &p->dim, err);
}

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

static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	struct paleo_work w = {
		.kind = PALEO_ROPE,
		.pass = pass,
		.dtype = paleo_dtype_wide(dtype),
		.geom.rope = {.rows = paleo_shape_rows(&l->out).n,
			      .heads = p->heads,
			      .dim = p->dim},
	};

	return paleo_work_list_add(out, "rope", pass, &w, err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "%d of %d heads", p->dim, p->heads);
}

const struct paleo_layer_kind paleo_kind_rope = {
	.type = "Rope",
	.param_size = sizeof(struct param),
	.min_parents = 1,
	.max_parents = 1,
	.no_graph = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.describe = describe,
};
