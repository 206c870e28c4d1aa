/* reduce.c - sum, mean or maximum along dimensions, which are 1 then. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"

enum {
	DIMS_MAX = 3 /* all but the batch */
};

struct param {
	int op; /* enum paleo_reduce_op */
	int dims[DIMS_MAX], count;
};

static const char *const words[] = {
	[PALEO_REDUCE_SUM] = "sum", [PALEO_REDUCE_MEAN] = "mean", [PALEO_REDUCE_MAX] = "max", NULL};

static int read_dims(const struct paleo_json *v, void *param, struct paleo_error *err)
{
	struct param *p = param;

	p->count = paleo_json_size(v);
	if (p->count < 1 || p->count > DIMS_MAX)
		return paleo_json_fail(v, err, "expected one to three of the dimensions 1, 2, 3");
	int rc = paleo_read_ints(v, p->count, 1, p->dims, err);
	for (int i = 0; !rc && i < p->count; i++) {
		if (p->dims[i] > DIMS_MAX || (i && p->dims[i] <= p->dims[i - 1]))
			rc = paleo_json_fail(v, err, "expected dimensions 1 to 3, in order");
	}
	return rc;
}

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	{"op", PALEO_FIELD_WORD, offsetof(struct param, op), .words = words,
	 .expected = "'sum', 'mean' or 'max'"},
	{"dims", PALEO_FIELD_OWN, .read = read_dims},
	{0},
};

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	int dims[4];

	if (p->dims[p->count - 1] >= in->rank)
		return paleo_fail(err, PALEO_EINPUT, "the parent '%s' has no dimension %d",
				  l->parents[0]->name, p->dims[p->count - 1]);
	paleo_shape_dims(in, dims);
	for (int i = 0; i < p->count; i++)
		dims[p->dims[i]] = 1;
	l->out = paleo_shape_of(in->rank, dims);
	return paleo_check_dim(paleo_shape_count(&l->out), "the number of results", err);
}

/* A maximum's gradient goes to one element of each row, the others are 0: a multiplication by a
 * mask. */
static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const double rows = paleo_shape_count(&l->out), all = paleo_shape_count(paleo_layer_in(l));
	struct paleo_op w = {.kind = PALEO_REDUCE, .pass = pass, .dtype = dtype};

	PALEO_TRY(paleo_check_dim(all / rows, "the length of a row", err));
	if (p->op == PALEO_REDUCE_MAX && pass != PALEO_FWD)
		return paleo_eltwise_list(out, PALEO_MUL, 2, all, PALEO_BWD_DATA, dtype, err);
	w.geom.reduce = (struct paleo_reduce_geom){
		.op = p->op, .rows = (int)rows, .cols = (int)(all / rows)};
	return paleo_op_list_add(out, words[p->op], pass, &w, err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "%s of %.0f", words[p->op],
		 paleo_shape_count(paleo_layer_in(l)) / paleo_shape_count(&l->out));
}

const struct paleo_layer_kind paleo_kind_reduce = {
	.type = "Reduce",
	.param_size = sizeof(struct param),
	.parents = {1, 1},
	.no_graph = 1,
	.keys = fields,
	.shape = shape,
	.op = op,
	.describe = describe,
};
