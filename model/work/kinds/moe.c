/* moe.c - a kind of work: a mixture of experts, the products of each expert with its tokens. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/work/kind.h"
#include "model/work/weight_type.h"

static const struct paleo_field fields[] = {
	PALEO_DIM(moe, tokens, 0),
	PALEO_DIM(moe, hidden, PALEO_OF_SHAPE),
	PALEO_DIM(moe, inter, 0),
	PALEO_DIM(moe, experts, PALEO_OF_SHAPE),
	PALEO_DIM(moe, local, 0),
	PALEO_DIM(moe, topk, PALEO_OF_SHAPE),
	PALEO_FLAG(moe, gated),
	PALEO_NUMBER(moe, skew, 0, 0, 1000, 0),
	PALEO_CHOICE(moe, stored, paleo_stored_names),
	PALEO_FIELDS_END,
};

double paleo_moe_pairs(const struct paleo_moe_geom *g)
{
	return (double)g->tokens * g->topk * g->local / g->experts;
}

/* Of a pair of token and expert: three products and silu 4, a product; or two, and a maximum and a
 * square; then the gate and the sum. */
static int finish(struct paleo_work *w, struct paleo_error *err)
{
	const struct paleo_moe_geom *g = &w->geom.moe;

	if (g->local > g->experts || g->topk > g->experts)
		return paleo_fail(err, PALEO_EINPUT,
				  "of %d experts a worker cannot have %d, nor a token go to %d",
				  g->experts, g->local, g->topk);
	double products = (g->gated ? 6.0 : 4.0) * g->hidden * g->inter;
	w->flops = paleo_moe_pairs(g) *
		   (products + (g->gated ? 5.0 : 2.0) * g->inter + 2.0 * g->hidden);
	return PALEO_OK;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static void operands(const struct paleo_work *w, struct paleo_operand_list *l)
{
	const struct paleo_moe_geom *g = &w->geom.moe;
	double pairs = paleo_moe_pairs(g);
	double stored = paleo_stored_bytes(g->stored, w->dtype) / paleo_dtype_bytes(w->dtype);
	double here = least(g->tokens, pairs) / g->tokens; /* of the tokens */
	double hit = least(g->local, pairs) / g->local;    /* of the experts */

	struct paleo_operand *x =
		paleo_operand_matrix(l, PALEO_X, PALEO_READ, 1, g->tokens, g->hidden);
	x->bytes *= here;
	paleo_operand_index(l, (double)g->tokens * g->topk);
	paleo_operand_matrix(l, PALEO_GATE, PALEO_READ, 1, g->tokens, g->topk);
	struct paleo_operand *first = paleo_operand_matrix(
		l, PALEO_W, PALEO_READ, g->local, (g->gated ? 2.0 : 1.0) * g->inter, g->hidden);
	first->bytes *= hit * stored;
	struct paleo_operand *second =
		paleo_operand_matrix(l, PALEO_W2, PALEO_READ, g->local, g->hidden, g->inter);
	second->bytes *= hit * stored;
	struct paleo_operand *y =
		paleo_operand_matrix(l, PALEO_Y, PALEO_WRITE, 1, g->tokens, g->hidden);
	y->bytes *= here;
}

static enum paleo_dtype dtype_of(const struct paleo_work *w, enum paleo_role role)
{
	if (role == PALEO_W || role == PALEO_W2)
		return w->dtype;
	return role == PALEO_GATE ? PALEO_F32 : paleo_dtype_wide(w->dtype);
}

static int has_narrow(const struct paleo_work *w)
{
	return w->pass == PALEO_FWD;
}

static int index_limit(const struct paleo_work *w)
{
	return w->geom.moe.experts;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"moe", "moe"},
	{NULL, NULL},
};

const struct paleo_kind_of_work paleo_work_moe = {
	.name = "moe",
	.passes = 1 << PALEO_FWD,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.dtype_of = dtype_of,
	.index_limit = index_limit,
	.classes = classes,
	.has_narrow = has_narrow,
};
