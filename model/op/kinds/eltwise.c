/* eltwise.c - a kind of op, elementwise: activation, sum, product, maximum, dropout. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/op/kind.h"

const char *const paleo_eltwise_names[PALEO_ELTWISE_OPS + 1] = {
	[PALEO_RELU] = "relu",
	[PALEO_RELU6] = "relu6",
	[PALEO_LEAKY_RELU] = "leaky_relu",
	[PALEO_ELU] = "elu",
	[PALEO_SIGMOID] = "sigmoid",
	[PALEO_TANH] = "tanh",
	[PALEO_GELU] = "gelu",
	[PALEO_SILU] = "silu",
	[PALEO_HARDSWISH] = "hardswish",
	[PALEO_DROPOUT] = "dropout",
	[PALEO_ADD] = "add",
	[PALEO_MUL] = "mul",
	[PALEO_MAX] = "max",
	[PALEO_SILU_MUL] = "silu_mul",
};
const char *const paleo_act_names[] = {"none", "relu", "relu6", "leaky_relu", "elu", "sigmoid",
				       "tanh", "gelu", "silu",  "hardswish",  NULL};

/* FLOPs per element, forward and backward. */
static const struct {
	int fwd, bwd;
} eltwise_flops[PALEO_ELTWISE_OPS] = {
	[PALEO_RELU] = {1, 2},    [PALEO_RELU6] = {2, 3},     [PALEO_LEAKY_RELU] = {2, 2},
	[PALEO_ELU] = {3, 4},     [PALEO_SIGMOID] = {3, 6},   [PALEO_TANH] = {1, 4},
	[PALEO_GELU] = {5, 9},    [PALEO_SILU] = {4, 8},      [PALEO_HARDSWISH] = {5, 6},
	[PALEO_DROPOUT] = {2, 2}, [PALEO_ADD] = {1, 0},       [PALEO_MUL] = {1, 2},
	[PALEO_MAX] = {1, 2},     [PALEO_SILU_MUL] = {5, 11},
};

int paleo_count_act(struct paleo_op *w, int act, double outputs, struct paleo_error *err)
{
	if (!act)
		return PALEO_OK;
	if (w->pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EINPUT, "an activation requires a forward pass");
	w->flops += eltwise_flops[act - 1].fwd * outputs;
	return PALEO_OK;
}

const char *paleo_eltwise_name(enum paleo_eltwise_op op)
{
	return paleo_eltwise_names[op];
}

static const struct paleo_field fields[] = {
	PALEO_WORD(eltwise, op, paleo_eltwise_names),
	PALEO_ONE(eltwise, inputs, 0),
	PALEO_COUNT(eltwise, count, PALEO_OF_SHAPE | PALEO_OF_CHANNELS),
	PALEO_SIZE(eltwise, small),
	PALEO_FIELDS_END,
};

static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_eltwise_geom *g = &w->geom.eltwise;
	int low = 1, high = 1;

	if (g->op == PALEO_ADD || g->op == PALEO_MUL || g->op == PALEO_MAX ||
	    g->op == PALEO_SILU_MUL)
		low = high = 2;
	if (g->op == PALEO_ADD)
		high = PALEO_ADDENDS_MAX;
	if (g->inputs < low || g->inputs > high)
		return paleo_fail(err, PALEO_EINPUT, "'%s' takes %d to %d inputs, not %d",
				  paleo_eltwise_name((enum paleo_eltwise_op)g->op), low, high,
				  g->inputs);
	if (g->op == PALEO_ADD && w->pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "a sum has no op in its backward pass");
	if (g->small > 0 &&
	    (w->pass != PALEO_FWD || g->inputs != 2 || (g->op != PALEO_ADD && g->op != PALEO_MUL) ||
	     fmod(g->count, g->small) != 0))
		return paleo_fail(err, PALEO_EINPUT,
				  "'small' requires a forward sum or product of 2 inputs and must "
				  "divide their count");
	int per = w->pass == PALEO_FWD ? eltwise_flops[g->op].fwd : eltwise_flops[g->op].bwd;
	if (g->op == PALEO_ADD)
		per = g->inputs - 1;
	w->flops = per * g->count;
	return PALEO_OK;
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_eltwise_geom *g = &w->geom.eltwise;
	int fwd = w->pass == PALEO_FWD;
	int dropout = g->op == PALEO_DROPOUT;

	if (!fwd)
		paleo_operand_1d(l, PALEO_DY, PALEO_READ, g->count);
	if (fwd || !dropout) {
		struct paleo_operand *x = paleo_operand_1d(l, PALEO_X, PALEO_READ, g->count);
		x->copies = g->small > 0 ? 1 : g->inputs;
		paleo_operand_count_bytes(x);
	}
	if (g->small > 0)
		paleo_operand_1d(l, PALEO_W, PALEO_READ, g->small);
	if (dropout) {
		struct paleo_operand *mask =
			paleo_operand_1d(l, PALEO_MASK, fwd ? PALEO_WRITE : PALEO_READ, g->count);
		mask->elem_bytes = 1;
		paleo_operand_count_bytes(mask);
	}
	struct paleo_operand *out =
		paleo_operand_1d(l, fwd ? PALEO_Y : PALEO_DX, PALEO_WRITE, g->count);
	out->copies = fwd ? 1 : g->inputs;
	paleo_operand_count_bytes(out);
}

static int variant(const struct paleo_op *w)
{
	return w->geom.eltwise.op;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"eltwise.relu", "eltwise.relu"},
	{"eltwise.relu6", "eltwise.relu6"},
	{"eltwise.leaky_relu", "eltwise.leaky_relu"},
	{"eltwise.elu", "eltwise.elu"},
	{"eltwise.sigmoid", "eltwise.sigmoid"},
	{"eltwise.tanh", "eltwise.tanh"},
	{"eltwise.gelu", "eltwise.gelu"},
	{"eltwise.silu", "eltwise.silu"},
	{"eltwise.hardswish", "eltwise.hardswish"},
	{"eltwise.dropout", "eltwise.dropout"},
	{"eltwise.add", "eltwise.add"},
	{"eltwise.mul", "eltwise.mul"},
	{"eltwise.max", "eltwise.max"},
	{"eltwise.silu_mul", "eltwise.silu_mul"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_eltwise = {
	.name = "eltwise",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.classes = classes,
	.variant = variant,
	.follows = PALEO_FOLLOWS_MEMORY,
};
