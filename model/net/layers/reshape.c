/* reshape.c - another shape for a layer's elements: as they lie, in another order, or a choice. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/params.h"

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "parents", "output_shape", NULL};
	struct paleo_reshape_param *p = param;
	const struct paleo_json *v;
	int inferred = 0;
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = paleo_json_need(j, "output_shape", &v, err);
	if (rc)
		return rc;
	p->rank = paleo_json_size(v);
	if (p->rank < 2 || p->rank > 4)
		return paleo_json_fail(v, err, "expected [N, C], [N, T, C] or [N, H, W, C]");
	rc = paleo_read_ints(v, p->rank, PALEO_INFERRED, p->dims, err);
	for (int i = 0; !rc && i < p->rank; i++)
		inferred += p->dims[i] == PALEO_INFERRED;
	if (inferred > 1)
		return paleo_json_fail(v, err, "only one number may be -1, found %d", inferred);
	return rc;
}

/* Fills in the -1: as first number the batch, elsewhere what keeps the number of elements. */
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
					  "no size for -1 makes %.0f elements of it, as the parent "
					  "has",
					  count);
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
	int rc = complete(p, paleo_layer_in(l), d, err);

	if (rc)
		return rc;
	l->out = paleo_shape_of(p->rank, d);
	return PALEO_OK;
}

/* Read in one order and written in another, and the same for the gradient. */
static int permute(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		   struct paleo_work_list *out, struct paleo_error *err)
{
	const struct paleo_shape s = paleo_shape_rows(&l->out);
	const double cols = (double)s.h * s.w * s.c;
	struct paleo_work w = {
		.kind = PALEO_COPY,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.copy = {.rows = s.n, .parts = 1},
	};
	int rc = paleo_check_dim(cols, "an image", err);

	if (rc)
		return rc;
	w.geom.copy.cols = (int)cols;
	return paleo_work_list_add(out, "permute", pass, &w, err);
}

const struct paleo_layer_kind paleo_kind_permute = {
	.type = "Permute",
	.param_size = sizeof(struct paleo_reshape_param),
	.min_parents = 1,
	.max_parents = 1,
	.no_graph = 1,
	.parse = parse,
	.shape = shape,
	.work = permute,
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
	.min_parents = 1,
	.max_parents = 1,
	.no_graph = 1,
	.parse = parse,
	.shape = shape_of_choice,
	.work = permute,
};

const struct paleo_layer_kind paleo_kind_reshape = {
	.type = "Reshape",
	.param_size = sizeof(struct paleo_reshape_param),
	.min_parents = 1,
	.max_parents = 1,
	.parse = parse,
	.shape = shape,
};
