/* moe.c - a kind of op: a mixture of experts, the GEMMs of each expert with its tokens. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/dtype.h"
#include "model/op/kind.h"

static const struct paleo_field fields[] = {
	PALEO_DIM(moe, tokens, 0),
	PALEO_DIM(moe, hidden, PALEO_OF_SHAPE),
	PALEO_DIM(moe, inter, PALEO_OF_PART),
	PALEO_DIM(moe, experts, PALEO_OF_SHAPE),
	PALEO_DIM(moe, local, PALEO_OF_PART),
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

/* For each pair of token and expert: three GEMMs, silu 4, a multiply; or two, a maximum and a
 * square; then the gate and the sum. Backward as many GEMMs for the tokens, and for the experts.
 * For the tokens the gradient of the activation (as of silu_mul; or 3), of the sum the gate, the
 * gate's own gradient 2, a sum; for the experts the recomputed activation, and the gate. */
static double flops_of_pair(const struct paleo_moe_geom *g, enum paleo_pass pass)
{
	double products = (g->gated ? 6.0 : 4.0) * g->hidden * g->inter;

	if (pass == PALEO_BWD_DATA)
		return products + (g->gated ? 11.0 : 3.0) * g->inter + 4.0 * g->hidden;
	return products + (g->gated ? 5.0 : 2.0) * g->inter +
	       (pass == PALEO_FWD ? 2.0 : 1.0) * g->hidden;
}

static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_moe_geom *g = &w->geom.moe;

	if (g->local > g->experts || g->topk > g->experts)
		return paleo_fail(err, PALEO_EINPUT,
				  "of %d experts a worker cannot have %d, nor a token use %d",
				  g->experts, g->local, g->topk);
	if (g->stored && w->pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EINPUT, "stored weights require a forward pass");
	w->flops = paleo_moe_pairs(g) * flops_of_pair(g, w->pass);
	return PALEO_OK;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Pairs whose expert is on this worker. */
static void list_tokens(struct paleo_operand_list *l, enum paleo_role role,
			enum paleo_access access)
{
	const struct paleo_moe_geom *g = &l->op->geom.moe;
	double here = least(g->tokens, paleo_moe_pairs(g)) / g->tokens;

	paleo_operand_matrix(l, role, access, 1, g->tokens, g->hidden)->bytes *= here;
}

/* Both matrices of each expert that is used; all gradients are written. */
static void list_experts(struct paleo_operand_list *l, enum paleo_role first,
			 enum paleo_role second, enum paleo_access access)
{
	const struct paleo_op *w = l->op;
	const struct paleo_moe_geom *g = &w->geom.moe;
	double stored = paleo_stored_bytes(g->stored, w->dtype) / paleo_dtype_bytes(w->dtype);
	double hit = access == PALEO_READ ? least(g->local, paleo_moe_pairs(g)) / g->local : 1;
	double rows = (g->gated ? 2.0 : 1.0) * g->inter;

	paleo_operand_matrix(l, first, access, g->local, rows, g->hidden)->bytes *= hit * stored;
	paleo_operand_matrix(l, second, access, g->local, g->hidden, g->inter)->bytes *=
		hit * stored;
}

static void list_inner(struct paleo_operand_list *l, enum paleo_role role, enum paleo_access access)
{
	const struct paleo_moe_geom *g = &l->op->geom.moe;

	paleo_operand_matrix(l, role, access, 1, paleo_moe_pairs(g),
			     (g->gated ? 2.0 : 1.0) * g->inter);
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_moe_geom *g = &w->geom.moe;

	if (w->pass != PALEO_BWD_DATA)
		list_tokens(l, PALEO_X, PALEO_READ);
	if (w->pass != PALEO_FWD)
		list_tokens(l, PALEO_DY, PALEO_READ);
	paleo_operand_index(l, (double)g->tokens * g->topk);
	paleo_operand_matrix(l, PALEO_GATE, PALEO_READ, 1, g->tokens, g->topk);
	if (w->pass != PALEO_BWD_FILTER)
		list_experts(l, PALEO_W, PALEO_W2, PALEO_READ);
	if (w->pass == PALEO_FWD) {
		list_tokens(l, PALEO_Y, PALEO_WRITE);
		return;
	}
	list_inner(l, PALEO_INNER, PALEO_READ);
	list_inner(l, PALEO_DINNER, w->pass == PALEO_BWD_DATA ? PALEO_WRITE : PALEO_READ);
	if (w->pass == PALEO_BWD_DATA)
		list_tokens(l, PALEO_DX, PALEO_WRITE);
	else
		list_experts(l, PALEO_DW, PALEO_DW2, PALEO_WRITE);
}

static enum paleo_dtype dtype_of(const struct paleo_op *w, enum paleo_role role)
{
	if (role == PALEO_W || role == PALEO_W2)
		return w->dtype;
	return role == PALEO_GATE ? PALEO_F32 : paleo_dtype_wide(w->dtype);
}

static int has_narrow(const struct paleo_op *w)
{
	return w->pass == PALEO_FWD;
}

static int index_limit(const struct paleo_op *w)
{
	return w->geom.moe.experts;
}

enum {
	PLAIN,
	BLOCK,
	FP4,
	WEIGHT_ONLY
};

/* Weights of another type than the activations have kernels of their own. */
static int variant(const struct paleo_op *w)
{
	int stored = w->geom.moe.stored;
	enum paleo_cores cores = paleo_stored_cores(stored);

	if (!stored || cores == PALEO_CORES_INT8)
		return PLAIN;
	if (paleo_stored_dtype(stored))
		return BLOCK;
	return cores == PALEO_CORES_FP4 ? FP4 : WEIGHT_ONLY;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	[PLAIN] = {"moe", "moe"},
	[BLOCK] = {"moe.block", "moe.block"},
	[FP4] = {"moe.fp4", "moe.fp4"},
	[WEIGHT_ONLY] = {"moe.weight_only", "moe.weight_only"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_moe = {
	.name = "moe",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA | 1 << PALEO_BWD_FILTER,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.dtype_of = dtype_of,
	.index_limit = index_limit,
	.classes = classes,
	.variant = variant,
	.has_narrow = has_narrow,
};
