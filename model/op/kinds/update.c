/* update.c - a kind of op: optimiser step on weights. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/kind.h"

static const char *const rule_names[] = {"sgd", "momentum", "adam", NULL};
static const struct paleo_field fields[] = {
	PALEO_WORD(update, rule, rule_names),
	PALEO_COUNT(update, count, PALEO_OF_SHAPE | PALEO_OF_CHANNELS),
	PALEO_FIELDS_END,
};

static int finish(struct paleo_op *w, struct paleo_error *err)
{
	static const int per[] = {[PALEO_SGD] = 2, [PALEO_MOMENTUM] = 4, [PALEO_ADAM] = 14};

	(void)err;
	w->flops = per[w->geom.update.rule] * w->geom.update.count;
	return PALEO_OK;
}

/* 1 if the weights are the rounded copy of f32 ones, as in mixed-precision training (Micikevicius
 * et al. 2018, arXiv 1710.03740, section 3.1). */
static int has_master(const struct paleo_op *w)
{
	return paleo_dtype_bytes(w->dtype) < paleo_dtype_bytes(PALEO_F32);
}

/* Bytes of a weight: f32 SGD 12, momentum 20, Adam 28; 16 bits with f32 masters 12, 20, 28, too. */
static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_update_geom *g = &w->geom.update;

	paleo_operand_1d(l, PALEO_W, has_master(w) ? PALEO_WRITE : PALEO_READ_WRITE, g->count);
	paleo_operand_1d(l, PALEO_DY, PALEO_READ, g->count);
	if (has_master(w))
		paleo_operand_1d(l, PALEO_MASTER, PALEO_READ_WRITE, g->count);
	if (g->rule != PALEO_SGD)
		paleo_operand_1d(l, PALEO_STATE1, PALEO_READ_WRITE, g->count);
	if (g->rule == PALEO_ADAM)
		paleo_operand_1d(l, PALEO_STATE2, PALEO_READ_WRITE, g->count);
}

/* The optimiser's state is f32. */
static enum paleo_dtype dtype_of(const struct paleo_op *w, enum paleo_role role)
{
	return role == PALEO_W || role == PALEO_DY ? w->dtype : PALEO_F32;
}

static int variant(const struct paleo_op *w)
{
	return w->geom.update.rule;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"update.sgd", "update.sgd"},
	{"update.momentum", "update.momentum"},
	{"update.adam", "update.adam"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_update = {
	.name = "update",
	.passes = 1 << PALEO_PASS_UPDATE,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.dtype_of = dtype_of,
	.classes = classes,
	.variant = variant,
	.follows = PALEO_FOLLOWS_MEMORY,
};
