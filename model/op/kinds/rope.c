/* rope.c - a kind of op: rotary positions, the pairs of numbers of each head turned. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/kind.h"

static const struct paleo_field fields[] = {
	PALEO_DIM(rope, rows, PALEO_OF_SHAPE),
	PALEO_DIM(rope, heads, PALEO_OF_SHAPE | PALEO_OF_CHANNELS),
	PALEO_DIM(rope, dim, PALEO_OF_SHAPE),
	PALEO_FIELDS_END,
};

/* Two multiplications and an addition for each number. */
static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_rope_geom *g = &w->geom.rope;

	if (g->dim % 2)
		return paleo_fail(err, PALEO_EINPUT,
				  "a head of %d channels cannot be divided into pairs", g->dim);
	w->flops = 3.0 * g->rows * g->heads * g->dim;
	return PALEO_OK;
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_rope_geom *g = &w->geom.rope;
	int fwd = w->pass == PALEO_FWD;

	paleo_operand_matrix(l, fwd ? PALEO_X : PALEO_DY, PALEO_READ, g->rows, g->heads, g->dim);
	paleo_operand_matrix(l, PALEO_ANGLES, PALEO_READ, 1, g->rows, g->dim);
	paleo_operand_matrix(l, fwd ? PALEO_Y : PALEO_DX, PALEO_WRITE, g->rows, g->heads, g->dim);
}

static enum paleo_dtype dtype_of(const struct paleo_op *w, enum paleo_role role)
{
	return role == PALEO_ANGLES ? PALEO_F32 : w->dtype;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"rope", "rope"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_rope = {
	.name = "rope",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.dtype_of = dtype_of,
	.classes = classes,
};
