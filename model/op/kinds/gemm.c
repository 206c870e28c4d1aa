/* gemm.c - a kind of op: GEMM, batched, with an optional bias. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/dtype.h"
#include "model/op/kind.h"

static const struct paleo_field fields[] = {
	PALEO_DIM(gemm, m, 0),
	PALEO_DIM(gemm, n, 0),
	PALEO_DIM(gemm, k, 0),
	PALEO_ONE(gemm, batch, PALEO_OF_PART),
	PALEO_FLAG(gemm, trans_a),
	PALEO_FLAG(gemm, trans_b),
	PALEO_FLAG(gemm, bias),
	PALEO_CHOICE(gemm, act, paleo_act_names),
	PALEO_CHOICE(gemm, stored, paleo_stored_names),
	PALEO_FLAG(gemm, codes),
	PALEO_FIELDS_END,
};

int paleo_gemm_quantises(const struct paleo_op *w)
{
	int stored = w->geom.gemm.stored;

	return w->kind == PALEO_GEMM && w->pass == PALEO_FWD &&
	       (stored ? paleo_stored_blocks(stored)->narrow_x : paleo_dtype_is_narrow(w->dtype));
}

static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;

	if (g->bias && (w->pass == PALEO_BWD_DATA || g->batch > 1))
		return paleo_fail(err, PALEO_EINPUT,
				  "a bias requires a forward or filter pass of batch 1");
	if (g->stored && (w->pass != PALEO_FWD || g->batch > 1))
		return paleo_fail(err, PALEO_EINPUT,
				  "weights stored as '%s' require a forward pass of batch 1",
				  paleo_stored_names[g->stored]);
	if (g->codes && !paleo_gemm_quantises(w))
		return paleo_fail(err, PALEO_EINPUT,
				  "codes=1 requires a forward pass that quantises its activations: "
				  "fp8, or weights stored as nvfp4, fp8_block, mxfp8 or w8a8");
	w->flops = 2.0 * g->batch * g->m * g->n * g->k;
	if (g->bias)
		w->flops += (double)g->m * (w->pass == PALEO_FWD ? g->n : g->k);
	if (g->act && g->batch > 1)
		return paleo_fail(err, PALEO_EINPUT, "an activation requires batch 1");
	return paleo_count_act(w, g->act, (double)g->m * g->n, err);
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;

	double stored = paleo_stored_bytes(g->stored, w->dtype); /* of a code */
	struct paleo_operand *a =
		paleo_operand_matrix(l, PALEO_X, PALEO_READ, g->batch, g->trans_a ? g->k : g->m,
				     g->trans_a ? g->m : g->k);
	if (g->codes)
		a->bytes *= stored / a->elem_bytes;
	struct paleo_operand *b =
		paleo_operand_matrix(l, PALEO_W, PALEO_READ, g->batch, g->trans_b ? g->n : g->k,
				     g->trans_b ? g->k : g->n);
	b->bytes *= stored / b->elem_bytes;
	if (g->bias && w->pass == PALEO_FWD)
		paleo_operand_1d(l, PALEO_BIAS, PALEO_READ, g->n);
	paleo_operand_matrix(l, PALEO_Y, PALEO_WRITE, g->batch, g->m, g->n);
	if (g->bias && w->pass == PALEO_BWD_FILTER)
		paleo_operand_1d(l, PALEO_DBIAS, PALEO_WRITE, g->m);
}

enum paleo_cores paleo_op_cores(const struct paleo_op *w)
{
	return w->kind == PALEO_GEMM ? paleo_stored_cores(w->geom.gemm.stored) : PALEO_CORES_NONE;
}

enum {
	PLAIN,
	BATCHED,
	BLOCK,
	FP4,
	INT8,
	WEIGHT_ONLY
};

/* Weights of another type than the activations have kernels of their own. */
static int variant(const struct paleo_op *w)
{
	int stored = w->geom.gemm.stored;

	if (!stored)
		return w->geom.gemm.batch > 1 ? BATCHED : PLAIN;
	if (paleo_stored_dtype(stored))
		return BLOCK;
	enum paleo_cores cores = paleo_stored_cores(stored);
	return cores == PALEO_CORES_FP4 ? FP4 : cores == PALEO_CORES_INT8 ? INT8 : WEIGHT_ONLY;
}

/* fp8 is limited to the forward pass of an inner product. */
static int has_narrow(const struct paleo_op *w)
{
	return w->pass == PALEO_FWD && w->geom.gemm.batch <= 1;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	[PLAIN] = {"gemm", "gemm"},
	[BATCHED] = {"gemm.batched", "gemm.batched"},
	[BLOCK] = {"gemm.block", "gemm.block"},
	[FP4] = {"gemm.fp4", "gemm.fp4"},
	[INT8] = {"gemm.int8", "gemm.int8"},
	[WEIGHT_ONLY] = {"gemm.weight_only", "gemm.weight_only"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_gemm = {
	.name = "gemm",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA | 1 << PALEO_BWD_FILTER,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.classes = classes,
	.variant = variant,
	.has_narrow = has_narrow,
	.follows = PALEO_FOLLOWS_PRODUCTS,
};
