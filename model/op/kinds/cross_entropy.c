/* cross_entropy.c - a kind of op: softmax and cross-entropy loss over classes or tokens. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/kind.h"

static const struct paleo_field fields[] = {
	PALEO_DIM(cross_entropy, rows, PALEO_OF_SHAPE),
	PALEO_DIM(cross_entropy, cols, PALEO_OF_SHAPE),
	PALEO_FIELDS_END,
};

/* Maximum, subtract, exp, sum; of a row then log, add, subtract. Backward the four again, divide by
 * the sum and by the rows; of a row the 1. */
static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_cross_entropy_geom *g = &w->geom.cross_entropy;

	(void)err;
	w->flops = g->rows * (w->pass == PALEO_FWD ? 4.0 * g->cols + 3 : 6.0 * g->cols + 1);
	return PALEO_OK;
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_cross_entropy_geom *g = &w->geom.cross_entropy;

	paleo_operand_matrix(l, PALEO_X, PALEO_READ, 1, g->rows, g->cols);
	paleo_operand_index(l, g->rows);
	if (w->pass == PALEO_FWD)
		paleo_operand_1d(l, PALEO_Y, PALEO_WRITE, g->rows);
	else
		paleo_operand_matrix(l, PALEO_DX, PALEO_WRITE, 1, g->rows, g->cols);
}

static enum paleo_dtype dtype_of(const struct paleo_op *w, enum paleo_role role)
{
	return role == PALEO_Y ? PALEO_F32 : w->dtype;
}

static int index_limit(const struct paleo_op *w)
{
	return w->geom.cross_entropy.cols;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"cross_entropy", "cross_entropy"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_cross_entropy = {
	.name = "cross_entropy",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.dtype_of = dtype_of,
	.index_limit = index_limit,
	.classes = classes,
};
