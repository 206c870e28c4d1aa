/* parameter.c - learned numbers that go the way of a layer's output, as queries of a decoder do. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/params.h"

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "shared", "parents", "output_shape", NULL};
	struct paleo_reshape_param *p = param;
	const struct paleo_json *v;
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = paleo_json_need(j, "output_shape", &v, err);
	p->rank = 3;
	if (!rc)
		rc = paleo_read_ints(v, p->rank, PALEO_INFERRED, p->dims, err);
	if (!rc && (p->dims[1] < 1 || p->dims[2] < 1))
		rc = paleo_json_fail(v, err, "only the first number, the batch, may be -1");
	return rc;
}

/* The parent only says how many images there are, which may have one in common. */
static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_reshape_param *p = l->param;

	l->out = (struct paleo_shape){.rank = 3,
				      .n = p->dims[0] == 1 ? 1 : paleo_layer_in(l)->n,
				      .h = p->dims[1],
				      .w = 1,
				      .c = p->dims[2]};
	return paleo_check_tokens(l, err);
}

static double weights(const struct paleo_layer *l)
{
	return (double)l->out.h * l->out.c;
}

/* They are there already; their gradient is summed over the images. */
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	struct paleo_work w = {
		.kind = PALEO_REDUCE,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.reduce = {.op = PALEO_REDUCE_SUM, .cols = l->out.n},
	};
	int rc;

	if (pass != PALEO_BWD_FILTER)
		return PALEO_OK;
	rc = paleo_check_dim(weights(l), "the number of sums", err);
	w.geom.reduce.rows = (int)weights(l);
	return rc ? rc : paleo_work_list_add(out, "sum of repetitions", pass, &w, err);
}

const struct paleo_layer_kind paleo_kind_parameter = {
	.type = "Parameter",
	.param_size = sizeof(struct paleo_reshape_param),
	.min_parents = 1,
	.max_parents = 1,
	.no_graph = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.weights = weights,
};
