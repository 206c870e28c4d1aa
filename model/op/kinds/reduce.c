/* reduce.c - a kind of op: sum, mean, maximum of each row. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/kind.h"

static const char *const op_names[] = {"sum", "mean", "max", NULL};
static const struct paleo_field fields[] = {
	PALEO_WORD(reduce, op, op_names),
	PALEO_DIM(reduce, rows, PALEO_OF_SHAPE),
	PALEO_DIM(reduce, cols, PALEO_OF_SHAPE),
	PALEO_FIELDS_END,
};

static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_reduce_geom *g = &w->geom.reduce;
	int mean = g->op == PALEO_REDUCE_MEAN;

	if (g->op == PALEO_REDUCE_MAX && w->pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "the maximum of a row has no backward pass");
	/* forward: cols - 1 additions or comparisons a row; a mean divides once, in both passes */
	w->flops = (double)g->rows * ((w->pass == PALEO_FWD ? g->cols - 1 : 0) + mean);
	return PALEO_OK;
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_reduce_geom *g = &w->geom.reduce;

	if (w->pass == PALEO_FWD) {
		paleo_operand_matrix(l, PALEO_X, PALEO_READ, 1, g->rows, g->cols);
		paleo_operand_1d(l, PALEO_Y, PALEO_WRITE, g->rows);
	} else {
		paleo_operand_1d(l, PALEO_DY, PALEO_READ, g->rows);
		paleo_operand_matrix(l, PALEO_DX, PALEO_WRITE, 1, g->rows, g->cols);
	}
}

static int variant(const struct paleo_op *w)
{
	return w->geom.reduce.op;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"reduce.sum", "reduce.sum"},
	{"reduce.mean", "reduce.mean"},
	{"reduce.max", "reduce.max"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_reduce = {
	.name = "reduce",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.classes = classes,
	.variant = variant,
};
