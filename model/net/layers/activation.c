/* activation.c - an activation function by name. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

struct param {
	enum paleo_eltwise_op op;
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "parents", "fn", NULL};
	struct param *p = param;
	const struct paleo_json *v;
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = paleo_json_need(j, "fn", &v, err);
	return rc ? rc : paleo_read_activation(v, &p->op, err);
}

static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;

	return paleo_eltwise_work(out, p->op, 1, paleo_shape_count(&l->out), pass, dtype, err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "%s", paleo_eltwise_name(p->op));
}

const struct paleo_layer_kind paleo_kind_activation = {
	.type = "Activation",
	.param_size = sizeof(struct param),
	.min_parents = 1,
	.max_parents = 1,
	.parse = parse,
	.shape = paleo_shape_as_parent,
	.work = work,
	.describe = describe,
};
