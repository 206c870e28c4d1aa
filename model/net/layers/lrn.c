/* lrn.c - local response normalisation across neighbouring channels. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/norms.h"

struct param {
	int size;
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "parents", "size", NULL};
	struct param *p = param;
	int rc = paleo_json_only(j, keys, err);

	p->size = PALEO_LRN_SIZE;
	return rc ? rc : paleo_lrn_read_size(j, &p->size, err);
}

static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;

	return paleo_lrn_work(out, p->size, &l->out, pass, dtype, err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "%d channels", p->size);
}

const struct paleo_layer_kind paleo_kind_lrn = {
	.type = "LRN",
	.param_size = sizeof(struct param),
	.min_parents = 1,
	.max_parents = 1,
	.parse = parse,
	.shape = paleo_shape_as_parent,
	.work = work,
	.describe = describe,
};
