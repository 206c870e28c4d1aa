/* avg_pool.c - the mean of each window. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/pool.h"

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type",      "parents",           "ksize",
					   "strides",   "padding",           "global",
					   "ceil_mode", "count_include_pad", NULL};
	struct paleo_pool_param *p = param;
	int count_pad = 0;
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = paleo_read_flag(j, "count_include_pad", &count_pad, err);
	p->mode = count_pad ? PALEO_POOL_AVG_PAD : PALEO_POOL_AVG;
	return rc ? rc : paleo_pool_parse(j, p, err);
}

const struct paleo_layer_kind paleo_kind_avg_pool = {
	.type = "AvgPool",
	.param_size = sizeof(struct paleo_pool_param),
	.min_parents = 1,
	.max_parents = 1,
	.parse = parse,
	.shape = paleo_pool_shape,
	.work = paleo_pool_work,
	.describe = paleo_pool_describe,
};
