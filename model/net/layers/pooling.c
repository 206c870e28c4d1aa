/* pooling.c - the largest value of each window. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/kinds.h"
#include "model/net/layers/pool.h"

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type",    "parents",   "ksize",  "strides",
					   "padding", "ceil_mode", "global", NULL};
	struct paleo_pool_param *p = param;
	int rc = paleo_json_only(j, keys, err);

	p->mode = PALEO_POOL_MAX;
	return rc ? rc : paleo_pool_parse(j, p, err);
}

const struct paleo_layer_kind paleo_kind_pooling = {
	.type = "Pooling",
	.param_size = sizeof(struct paleo_pool_param),
	.min_parents = 1,
	.max_parents = 1,
	.parse = parse,
	.shape = paleo_pool_shape,
	.work = paleo_pool_work,
	.describe = paleo_pool_describe,
};
