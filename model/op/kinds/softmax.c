/* softmax.c - a kind of op: softmax over the last dimension. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/kind.h"

static const struct paleo_field fields[] = {
	PALEO_DIM(softmax, rows, PALEO_OF_SHAPE),
	PALEO_DIM(softmax, cols, PALEO_OF_SHAPE),
	PALEO_FIELDS_END,
};

static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_softmax_geom *g = &w->geom.softmax;

	(void)err;
	/* forward: maximum, subtract, exp, sum, divide; backward: multiply and sum, subtract,
	 * multiply */
	w->flops = (double)g->rows * g->cols * (w->pass == PALEO_FWD ? 5 : 4);
	return PALEO_OK;
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_softmax_geom *g = &w->geom.softmax;

	if (w->pass == PALEO_FWD) {
		paleo_operand_matrix(l, PALEO_X, PALEO_READ, 1, g->rows, g->cols);
		paleo_operand_matrix(l, PALEO_Y, PALEO_WRITE, 1, g->rows, g->cols);
	} else {
		paleo_operand_matrix(l, PALEO_Y, PALEO_READ, 1, g->rows, g->cols);
		paleo_operand_matrix(l, PALEO_DY, PALEO_READ, 1, g->rows, g->cols);
		paleo_operand_matrix(l, PALEO_DX, PALEO_WRITE, 1, g->rows, g->cols);
	}
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"softmax", "softmax"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_softmax = {
	.name = "softmax",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.classes = classes,
};
