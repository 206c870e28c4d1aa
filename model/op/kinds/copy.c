/* copy.c - a kind of op: concatenation, splitting, plain copy. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/kind.h"

static const struct paleo_field fields[] = {
	PALEO_DIM(copy, rows, PALEO_OF_SHAPE),
	PALEO_DIM(copy, cols, PALEO_OF_SHAPE),
	PALEO_ONE(copy, parts, 0),
	PALEO_FIELDS_END,
};

int paleo_copy_part(const struct paleo_copy_geom *g, int i, int *start)
{
	int base = g->cols / g->parts;
	int wider = g->cols % g->parts;

	if (start)
		*start = i * base + (i < wider ? i : wider);
	return base + (i < wider ? 1 : 0);
}

static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_copy_geom *g = &w->geom.copy;

	if (g->parts > g->cols)
		return paleo_fail(err, PALEO_EINPUT, "%d columns cannot be divided into %d parts",
				  g->cols, g->parts);
	w->flops = 0;
	return PALEO_OK;
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_copy_geom *g = &w->geom.copy;
	int fwd = w->pass == PALEO_FWD;

	struct paleo_operand *part =
		paleo_operand_add(l, fwd ? PALEO_X : PALEO_DX, fwd ? PALEO_READ : PALEO_WRITE);
	double total = (double)g->rows * g->cols * part->elem_bytes;
	part->rank = 2;
	part->copies = g->parts;
	part->dims[0] = g->rows;
	part->dims[1] = paleo_copy_part(g, 0, 0);
	part->bytes = total;

	struct paleo_operand *whole =
		paleo_operand_add(l, fwd ? PALEO_Y : PALEO_DY, fwd ? PALEO_WRITE : PALEO_READ);
	whole->rank = 2;
	whole->dims[0] = g->rows;
	whole->dims[1] = g->cols;
	whole->bytes = total;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"copy", "copy"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_copy = {
	.name = "copy",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.classes = classes,
	.follows = PALEO_FOLLOWS_MEMORY,
};
