/* slice.c - a range along one dimension. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"

struct param {
	int dim, from, size;
	int is_view; /* 1: its readers take it where it lies */
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	{"dim", PALEO_FIELD_INT, offsetof(struct param, dim), .low = 1, .high = 3},
	{"from", PALEO_FIELD_INT, offsetof(struct param, from), .high = PALEO_DIM_MAX},
	PALEO_KEY_NEED(struct param, "size", size),
	PALEO_KEY_FLAG(struct param, "view", is_view),
	{0},
};

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;
	int dims[4];

	l->out = *paleo_layer_in(l);
	paleo_shape_dims(&l->out, dims);
	if (p->dim >= l->out.rank)
		return paleo_fail(err, PALEO_EINPUT,
				  "there is no dimension %d in the output of '%s'", p->dim,
				  l->parents[0]->name);
	if (p->from + p->size > dims[p->dim])
		return paleo_fail(err, PALEO_EINPUT,
				  "%d from %d on exceeds the %d along dimension %d of '%s'",
				  p->size, p->from, dims[p->dim], p->dim, l->parents[0]->name);
	dims[p->dim] = p->size;
	l->out = paleo_shape_of(l->out.rank, dims);
	return PALEO_OK;
}

/* Forward a copy of the slice. Backward the parent's whole gradient is written, zeros except the
 * slice, whether or not there was a copy. */
static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape s =
		paleo_shape_rows(pass == PALEO_FWD ? &l->out : paleo_layer_in(l));
	const double cols = (double)s.h * s.w * s.c;
	struct paleo_op w = {
		.kind = PALEO_COPY,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.copy = {.rows = s.n, .parts = 1},
	};

	if (pass == PALEO_FWD && p->is_view)
		return PALEO_OK;
	PALEO_TRY(paleo_check_dim(cols, "an image", err));
	w.geom.copy.cols = (int)cols;
	return paleo_op_list_add(out, "slice", pass, &w, err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "%d from %d along %d", p->size, p->from, p->dim);
}

const struct paleo_layer_kind paleo_kind_slice = {
	.type = "Slice",
	.param_size = sizeof(struct param),
	.parents = {1, 1},
	.no_graph = 1,
	.keys = fields,
	.shape = shape,
	.op = op,
	.describe = describe,
};
