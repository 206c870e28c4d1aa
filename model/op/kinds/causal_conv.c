/* causal_conv.c - a kind of op: each channel's sum over the last few tokens, with a state. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/kind.h"

static const struct paleo_field fields[] = {
	PALEO_DIM(causal_conv, batch, PALEO_OF_BATCH),
	PALEO_DIM(causal_conv, tokens, 0),
	PALEO_DIM(causal_conv, channels, PALEO_OF_SHAPE | PALEO_OF_CHANNELS),
	PALEO_DIM(causal_conv, taps, PALEO_OF_SHAPE),
	PALEO_FLAG(causal_conv, bias),
	PALEO_FLAG(causal_conv, act),
	PALEO_FLAG(causal_conv, cache),
	PALEO_FIELDS_END,
};

enum {
	SILU = 4, /* operations of each number, as of an activation (eltwise.c) */
	SILU_GRADIENT = 8
};

/* Forward a multiply-add for each tap. Backward as many for x and for w, a sum for the bias; the
 * input of silu is recomputed. */
static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_causal_conv_geom *g = &w->geom.causal_conv;
	double all = (double)g->batch * g->tokens * g->channels;
	double sums = 2.0 * g->taps + g->bias;

	if (w->pass != PALEO_FWD && g->cache)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "a convolution with a cache has no backward pass");
	if (w->pass == PALEO_FWD)
		w->flops = all * (sums + g->act * SILU);
	else
		w->flops = all * (2.0 * g->taps + sums + g->act * (sums + SILU_GRADIENT));
	return PALEO_OK;
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_causal_conv_geom *g = &w->geom.causal_conv;
	int fwd = w->pass == PALEO_FWD;

	paleo_operand_matrix(l, PALEO_X, PALEO_READ, g->batch, g->tokens, g->channels);
	paleo_operand_matrix(l, PALEO_W, PALEO_READ, 1, g->channels, g->taps);
	if (g->bias && (fwd || g->act))
		paleo_operand_1d(l, PALEO_BIAS, PALEO_READ, g->channels);
	if (g->cache && g->taps > 1)
		paleo_operand_matrix(l, PALEO_STATE1, PALEO_READ_WRITE, g->batch, g->taps - 1,
				     g->channels);
	if (fwd) {
		paleo_operand_matrix(l, PALEO_Y, PALEO_WRITE, g->batch, g->tokens, g->channels);
		return;
	}
	paleo_operand_matrix(l, PALEO_DY, PALEO_READ, g->batch, g->tokens, g->channels);
	paleo_operand_matrix(l, PALEO_DX, PALEO_WRITE, g->batch, g->tokens, g->channels);
	paleo_operand_matrix(l, PALEO_DW, PALEO_WRITE, 1, g->channels, g->taps);
	if (g->bias)
		paleo_operand_1d(l, PALEO_DBIAS, PALEO_WRITE, g->channels);
}

/* One token of each sequence moves the state; many are computed. */
static int variant(const struct paleo_op *w)
{
	return w->geom.causal_conv.cache && w->geom.causal_conv.tokens == 1;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"causal_conv", "causal_conv"},
	{"causal_conv.step", "causal_conv.step"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_causal_conv = {
	.name = "causal_conv",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.classes = classes,
	.variant = variant,
};
