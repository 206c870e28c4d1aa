/* reshape.c - another shape for a layer's elements: as they lie, in another order, or a choice. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/params.h"

static int read_shape(const struct paleo_json *v, void *param, struct paleo_error *err)
{
	struct paleo_reshape_param *p = param;
	int inferred = 0;

	p->rank = paleo_json_size(v);
	if (p->rank < 2 || p->rank > 4)
		return paleo_json_fail(v, err, "expected [N, C], [N, T, C] or [N, H, W, C]");
	int rc = paleo_read_ints(v, p->rank, PALEO_INFERRED, p->dims, err);
	for (int i = 0; !rc && i < p->rank; i++)
		inferred += p->dims[i] == PALEO_INFERRED;
	if (inferred > 1)
		return paleo_json_fail(v, err, "only one number may be -1, found %d", inferred);
	return rc;
}

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	{"output_shape", PALEO_FIELD_OWN, .read = read_shape},
	{0},
};

/* Fills in the -1: the batch as first number, elsewhere the size that keeps the number of
 * elements. */
static int complete(const struct paleo_reshape_param *p, const struct paleo_shape *in, int dims[4],
		    struct paleo_error *err)
{
	double count = paleo_shape_count(in), product = 1;
	int open = -1;

	for (int i = 0; i < p->rank; i++) {
		dims[i] = p->dims[i];
		if (i == 0 && dims[0] == PALEO_INFERRED)
			dims[0] = in->n;
		if (dims[i] == PALEO_INFERRED)
			open = i;
		else
			product *= dims[i];
	}
	if (open >= 0) {
		double left = count / product;
		if (left > PALEO_DIM_MAX || left != (int)left || left < 1)
			return paleo_fail(err, PALEO_EINPUT,
					  "no size for -1 gives the parent's %.0f elements", count);
		dims[open] = (int)left;
	} else if (product != count) {
		return paleo_fail(err, PALEO_EINPUT,
				  "'output_shape' has %.0f elements, the parent %.0f%s", product,
				  count,
				  p->dims[0] == PALEO_INFERRED
					  ? ""
					  : "; write -1 for the batch if that is the difference");
	}
	return PALEO_OK;
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_reshape_param *p = l->param;
	int d[4];

	PALEO_TRY(complete(p, paleo_layer_in(l), d, err));
	l->out = paleo_shape_of(p->rank, d);
	return PALEO_OK;
}

/* Read in one order and written in another, and the same for the gradient. */
static int permute(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		   struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_shape s = paleo_shape_rows(&l->out);
	const double cols = (double)s.h * s.w * s.c;
	struct paleo_op w = {
		.kind = PALEO_COPY,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.copy = {.rows = s.n, .parts = 1},
	};

	PALEO_TRY(paleo_check_dim(cols, "an image", err));
	w.geom.copy.cols = (int)cols;
	return paleo_op_list_add(out, "permute", pass, &w, err);
}

const struct paleo_layer_kind paleo_kind_permute = {
	.type = "Permute",
	.param_size = sizeof(struct paleo_reshape_param),
	.parents = {1, 1},
	.no_graph = 1,
	.keys = fields,
	.shape = shape,
	.op = permute,
};

/* Each element is one of the parent's, or 0: chosen, repeated, or with zeros around. */
static int shape_of_choice(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_reshape_param *p = l->param;
	int d[4];

	for (int i = 0; i < p->rank; i++) {
		d[i] = i || p->dims[0] != PALEO_INFERRED ? p->dims[i] : paleo_layer_in(l)->n;
		if (d[i] == PALEO_INFERRED)
			return paleo_fail(err, PALEO_EINPUT,
					  "only the first number of 'output_shape' may be -1");
	}
	l->out = paleo_shape_of(p->rank, d);
	return PALEO_OK;
}

const struct paleo_layer_kind paleo_kind_gather = {
	.type = "Gather",
	.param_size = sizeof(struct paleo_reshape_param),
	.parents = {1, 1},
	.no_graph = 1,
	.keys = fields,
	.shape = shape_of_choice,
	.op = permute,
};

const struct paleo_layer_kind paleo_kind_reshape = {
	.type = "Reshape",
	.param_size = sizeof(struct paleo_reshape_param),
	.parents = {1, 1},
	.keys = fields,
	.shape = shape,
};
