/* lrn.c - a kind of op: local response normalisation across channels. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/kind.h"

static const struct paleo_field fields[] = {
	PALEO_DIM(lrn, n, PALEO_OF_BATCH),
	PALEO_DIM(lrn, c, PALEO_OF_SHAPE),
	PALEO_DIM(lrn, h, PALEO_OF_SHAPE),
	PALEO_DIM(lrn, w, PALEO_OF_SHAPE),
	PALEO_DIM(lrn, size, 0),
	PALEO_LAYOUT,
	PALEO_FIELDS_END,
};

static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_lrn_geom *g = &w->geom.lrn;

	if (g->size % 2 == 0)
		return paleo_fail(err, PALEO_EINPUT, "size must be odd, not %d", g->size);
	/* forward: `size` squares and sums, scale, add, power, multiply; backward as much again and
	 * a second weighted sum */
	double per = w->pass == PALEO_FWD ? 2.0 * g->size + 4 : 4.0 * g->size + 8;
	w->flops = (double)g->n * g->c * g->h * g->w * per;
	return PALEO_OK;
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_lrn_geom *g = &w->geom.lrn;
	const double x[4] = {g->n, g->c, g->h, g->w};

	paleo_operand_4d(l, PALEO_X, PALEO_READ, x);
	if (w->pass == PALEO_FWD) {
		paleo_operand_4d(l, PALEO_Y, PALEO_WRITE, x);
	} else {
		paleo_operand_4d(l, PALEO_DY, PALEO_READ, x);
		paleo_operand_4d(l, PALEO_DX, PALEO_WRITE, x);
	}
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"lrn", "lrn.nhwc"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_lrn = {
	.name = "lrn",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.classes = classes,
};
