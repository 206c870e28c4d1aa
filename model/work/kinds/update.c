/* update.c - a kind of work: optimiser step on weights. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/work/kind.h"

static const char *const rule_names[] = {"sgd", "momentum", "adam", NULL};
static const struct paleo_field fields[] = {
	PALEO_WORD(update, rule, rule_names),
	PALEO_COUNT(update, count, PALEO_OF_SHAPE | PALEO_OF_CHANNELS),
	PALEO_FIELDS_END,
};

static int finish(struct paleo_work *w, struct paleo_error *err)
{
	static const int per[] = {[PALEO_SGD] = 2, [PALEO_MOMENTUM] = 4, [PALEO_ADAM] = 14};

	(void)err;
	w->flops = per[w->geom.update.rule] * w->geom.update.count;
	return PALEO_OK;
}

static void operands(const struct paleo_work *w, struct paleo_operand_list *l)
{
	const struct paleo_update_geom *g = &w->geom.update;

	paleo_operand_1d(l, PALEO_W, PALEO_READ_WRITE, g->count);
	paleo_operand_1d(l, PALEO_DY, PALEO_READ, g->count);
	if (g->rule != PALEO_SGD)
		paleo_operand_1d(l, PALEO_STATE1, PALEO_READ_WRITE, g->count);
	if (g->rule == PALEO_ADAM)
		paleo_operand_1d(l, PALEO_STATE2, PALEO_READ_WRITE, g->count);
}

static int variant(const struct paleo_work *w)
{
	return w->geom.update.rule;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"update.sgd", "update.sgd"},
	{"update.momentum", "update.momentum"},
	{"update.adam", "update.adam"},
	{NULL, NULL},
};

const struct paleo_kind_of_work paleo_work_update = {
	.name = "update",
	.passes = 1 << PALEO_PASS_UPDATE,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.classes = classes,
	.variant = variant,
	.follows = PALEO_FOLLOWS_MEMORY,
};
