/* class_token.c - puts learned tokens in front of each sequence. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

struct param {
	int tokens;
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "shared", "parents", "tokens", NULL};
	struct param *p = param;
	int rc = paleo_json_only(j, keys, err);

	p->tokens = 1;
	return rc ? rc : paleo_read_dim(j, "tokens", &p->tokens, err);
}

static int tokens(const struct paleo_layer *l)
{
	const struct param *p = l->param;

	return p->tokens ? p->tokens : 1;
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_shape *in = paleo_layer_in(l);
	int rc = paleo_need_sequence(l, err);

	if (!rc)
		rc = paleo_check_dim((double)in->h + tokens(l), "the number of tokens", err);
	if (!rc)
		rc = paleo_check_dim(((double)in->h + tokens(l)) * in->c, "a sequence", err);
	l->out = *in;
	l->out.h += tokens(l);
	return rc;
}

/* The token and the sequence become one, or the gradient becomes two; the token's is summed over
 * the images. */
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	struct paleo_work w = {
		.kind = PALEO_COPY,
		.pass = pass,
		.dtype = dtype,
		.geom.copy = {.rows = l->out.n, .cols = l->out.h * l->out.c, .parts = 2},
	};

	if (pass != PALEO_BWD_FILTER)
		return paleo_work_list_add(out, "class_token", pass, &w, err);
	w = (struct paleo_work){
		.kind = PALEO_REDUCE,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.reduce = {.op = PALEO_REDUCE_SUM,
				.rows = l->out.c * tokens(l),
				.cols = l->out.n},
	};
	return paleo_work_list_add(out, "sum of repetitions", pass, &w, err);
}

static double weights(const struct paleo_layer *l)
{
	return (double)l->out.c * tokens(l);
}

const struct paleo_layer_kind paleo_kind_class_token = {
	.type = "ClassToken",
	.param_size = sizeof(struct param),
	.min_parents = 1,
	.max_parents = 1,
	.no_graph = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.weights = weights,
};
