/* first_token.c - takes the first token of each sequence. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_shape *in = paleo_layer_in(l);

	l->out = (struct paleo_shape){.rank = 2, .n = in->n, .c = in->c, .h = 1, .w = 1};
	return paleo_need_sequence(l, err);
}

/* Forward a copy of the tokens that are taken; backward one of all, zeros but for these. */
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct paleo_shape rows = paleo_shape_rows(paleo_layer_in(l));
	struct paleo_work w = {
		.kind = PALEO_COPY,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.copy = {.rows = pass == PALEO_FWD ? l->out.n : rows.n, .cols = l->out.c},
	};

	return paleo_work_list_add(out, "first_token", pass, &w, err);
}

const struct paleo_layer_kind paleo_kind_first_token = {
	.type = "FirstToken",
	.min_parents = 1,
	.max_parents = 1,
	.no_graph = 1,
	.parse = paleo_parse_plain,
	.shape = shape,
	.work = work,
};
