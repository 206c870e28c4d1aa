/* dropout.c - drops values at random, as in training. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/params.h"

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "parents", "dropout_keep_prob", NULL};
	struct paleo_dropout_param *p = param;
	const struct paleo_json *v;
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = paleo_json_need(j, "dropout_keep_prob", &v, err);
	if (!rc)
		rc = paleo_json_to_double(v, 0, 1, &p->keep, err);
	if (!rc && p->keep == 0)
		return paleo_json_fail(v, err, "expected more than 0: nothing would be kept");
	return rc;
}

static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	return paleo_eltwise_work(out, PALEO_DROPOUT, 1, paleo_shape_count(&l->out), pass, dtype,
				  err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct paleo_dropout_param *p = l->param;

	snprintf(buf, size, "keep %g", p->keep);
}

const struct paleo_layer_kind paleo_kind_dropout = {
	.type = "Dropout",
	.param_size = sizeof(struct paleo_dropout_param),
	.min_parents = 1,
	.max_parents = 1,
	.parse = parse,
	.shape = paleo_shape_as_parent,
	.work = work,
	.describe = describe,
};
