/* concatenate.c - puts tensors side by side along one dimension. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/params.h"

enum {
	PARENTS_MAX = 65536
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	{"dim", PALEO_FIELD_INT, offsetof(struct paleo_concatenate_param, dim), .low = 1,
	 .high = 3},
	{0},
};

/* The size along `dim`, as net files count dimensions. */
static int *size_at(struct paleo_shape *s, int dim)
{
	if (dim == s->rank - 1)
		return &s->c;
	return dim == 1 ? &s->h : &s->w;
}

/* EINPUT unless `s` and the first parent's shape differ along `dim` alone. */
static int check_alike(const struct paleo_layer *l, int i, int dim, struct paleo_error *err)
{
	struct paleo_shape first = *paleo_layer_in(l);
	struct paleo_shape other = l->parents[i]->out;
	char a[48], b[48];

	*size_at(&other, dim) = *size_at(&first, dim);
	if (other.rank == first.rank && other.n == first.n && other.h == first.h &&
	    other.w == first.w && other.c == first.c)
		return PALEO_OK;
	paleo_shape_text(&first, a, sizeof(a));
	paleo_shape_text(&l->parents[i]->out, b, sizeof(b));
	return paleo_fail(err, PALEO_EINPUT,
			  "parents must agree in all dimensions but %d: '%s' gives %s, '%s' %s",
			  dim, l->parents[0]->name, a, l->parents[i]->name, b);
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_concatenate_param *p = l->param;
	struct paleo_shape out = *paleo_layer_in(l);
	double sum = 0;

	if (p->dim >= out.rank)
		return paleo_fail(err, PALEO_EINPUT,
				  "there is no dimension %d in %s, which '%s' gives", p->dim,
				  out.rank == 2 ? "[N, C]" : "[N, T, C]", l->parents[0]->name);
	for (int i = 0; i < l->parent_count; i++) {
		PALEO_TRY(check_alike(l, i, p->dim, err));
		struct paleo_shape s = l->parents[i]->out;
		sum += *size_at(&s, p->dim);
	}
	PALEO_TRY(paleo_check_dim(sum, "the sum of the parents' sizes", err));
	*size_at(&out, p->dim) = (int)sum;
	l->out = out;
	return PALEO_OK;
}

/* Length of a contiguous row: the dimension `dim` and all inner ones. */
static double row_length(const struct paleo_shape *s, int dim, enum paleo_layout layout)
{
	if (s->rank == 2)
		return s->c;
	if (s->rank == 3)
		return dim == 1 ? (double)s->h * s->c : s->c;
	if (layout == PALEO_NHWC)
		return dim == 1   ? (double)s->h * s->w * s->c
		       : dim == 2 ? (double)s->w * s->c
				  : s->c;
	return dim == 1 ? (double)s->h * s->w : dim == 2 ? s->w : (double)s->c * s->h * s->w;
}

/*
 * With n, c, h, w in this order each image is one row along channels, each channel
 * along height, each line along width. With channels innermost each pixel is one
 * along channels, each image along height, each line along width. A row that is too
 * long to be a dimension is taken as in the other order, which copies the same bytes.
 */
static void copy_geometry(const struct paleo_layer *l, enum paleo_layout layout, double *rows,
			  double *cols)
{
	const struct paleo_concatenate_param *p = l->param;
	const struct paleo_shape *s = &l->out;

	*cols = row_length(s, p->dim, layout);
	if (*cols > PALEO_DIM_MAX)
		*cols = p->dim == 1 ? s->h : s->c;
	*rows = paleo_shape_count(s) / *cols;
}

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	double rows, cols;

	if (l->parent_count == 1)
		return PALEO_OK; /* nothing to put together */
	copy_geometry(l, paleo_op_list_layout(out), &rows, &cols);
	PALEO_TRY(paleo_check_dim(rows, "rows of a copy", err));
	struct paleo_op op = {
		.kind = PALEO_COPY,
		.pass = pass,
		.dtype = dtype,
		.geom.copy = {.rows = (int)rows, .cols = (int)cols, .parts = l->parent_count},
	};

	return paleo_op_list_add(out, "concat", pass, &op, err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct paleo_concatenate_param *p = l->param;

	snprintf(buf, size, "%d along %d", l->parent_count, p->dim);
}

const struct paleo_layer_kind paleo_kind_concatenate = {
	.type = "Concatenate",
	.param_size = sizeof(struct paleo_concatenate_param),
	.parents = {1, PARENTS_MAX},
	.keys = fields,
	.shape = shape,
	.op = op,
	.describe = describe,
};
