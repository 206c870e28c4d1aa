/* token.c - takes the first or the last token of each sequence, or puts learned ones in front. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"

struct param {
	int tokens;
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_SHARING,
	PALEO_KEY_NUMBER(struct param, "tokens", tokens),
	{0},
};

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
static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	struct paleo_op w = {
		.kind = PALEO_COPY,
		.pass = pass,
		.dtype = dtype,
		.geom.copy = {.rows = l->out.n, .cols = l->out.h * l->out.c, .parts = 2},
	};

	if (pass != PALEO_BWD_FILTER)
		return paleo_op_list_add(out, "class_token", pass, &w, err);
	w = (struct paleo_op){
		.kind = PALEO_REDUCE,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.reduce = {.op = PALEO_REDUCE_SUM,
				.rows = l->out.c * tokens(l),
				.cols = l->out.n},
	};
	return paleo_op_list_add(out, "sum of repetitions", pass, &w, err);
}

static double weights(const struct paleo_layer *l)
{
	return (double)l->out.c * tokens(l);
}

const struct paleo_layer_kind paleo_kind_class_token = {
	.type = "ClassToken",
	.param_size = sizeof(struct param),
	.parents = {1, 1},
	.no_graph = 1,
	.keys = fields,
	.initial = &(const struct param){.tokens = 1},
	.shape = shape,
	.op = op,
	.weights = weights,
};

/* Takes the first token of each sequence. */

static int first_shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_shape *in = paleo_layer_in(l);

	l->out = (struct paleo_shape){.rank = 2, .n = in->n, .c = in->c, .h = 1, .w = 1};
	return paleo_need_sequence(l, err);
}

/* Forward a copy of the tokens that are taken; backward one of all, zeros but for these. */
static int first_op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		    struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_shape rows = paleo_shape_rows(paleo_layer_in(l));
	struct paleo_op w = {
		.kind = PALEO_COPY,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.copy = {.rows = pass == PALEO_FWD ? l->out.n : rows.n, .cols = l->out.c},
	};

	return paleo_op_list_add(out, "first_token", pass, &w, err);
}

const struct paleo_layer_kind paleo_kind_first_token = {
	.type = "FirstToken",
	.parents = {1, 1},
	.no_graph = 1,
	.shape = first_shape,
	.op = first_op,
};

/* Only the last token of each sequence, for next-token prediction. */

static int last_shape(struct paleo_layer *l, struct paleo_error *err)
{
	l->out = *paleo_layer_in(l);
	if (l->out.rank != 3)
		return paleo_fail(err, PALEO_EINPUT, "'%s' must give sequences, [N, T, C]",
				  l->parents[0]->name);
	l->out.h = 1;
	return PALEO_OK;
}

const struct paleo_layer_kind paleo_kind_last_token = {
	.type = "LastToken",
	.parents = {1, 1},
	.no_graph = 1,
	.shape = last_shape,
};
