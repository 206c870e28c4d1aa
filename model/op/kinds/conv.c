/* conv.c - a kind of op: 2-d convolution: grouped, dilated, with asymmetric padding. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/kind.h"

int paleo_window_count(int in, int pads, int window, int stride, int dilation)
{
	double span = (double)dilation * (window - 1) + 1;
	double room = (double)in + pads - span;

	return room < 0 ? 0 : (int)(room / stride) + 1;
}

static const struct paleo_field fields[] = {
	PALEO_DIM(conv, n, PALEO_OF_BATCH),
	PALEO_DIM(conv, c, PALEO_OF_SHAPE),
	PALEO_DIM(conv, h, 0),
	PALEO_DIM(conv, w, 0),
	PALEO_DIM(conv, k, PALEO_OF_SHAPE),
	PALEO_DIM(conv, r, PALEO_OF_SHAPE),
	PALEO_DIM(conv, s, PALEO_OF_SHAPE),
	PALEO_ONE(conv, stride_h, PALEO_OF_SHAPE),
	PALEO_ONE(conv, stride_w, PALEO_OF_SHAPE),
	PALEO_PAD(conv, pad_t),
	PALEO_PAD(conv, pad_l),
	PALEO_PAD(conv, pad_b),
	PALEO_PAD(conv, pad_r),
	PALEO_ONE(conv, dil_h, 0),
	PALEO_ONE(conv, dil_w, 0),
	PALEO_ONE(conv, groups, PALEO_OF_SHAPE),
	PALEO_FLAG(conv, bias),
	PALEO_CHOICE(conv, act, paleo_act_names),
	PALEO_LAYOUT,
	PALEO_FIELDS_END,
};

static int finish(struct paleo_op *w, struct paleo_error *err)
{
	struct paleo_conv_geom *g = &w->geom.conv;

	if (g->c % g->groups || g->k % g->groups)
		return paleo_fail(err, PALEO_EINPUT,
				  "groups %d do not divide %d input and %d output channels",
				  g->groups, g->c, g->k);
	if (g->bias && w->pass == PALEO_BWD_DATA)
		return paleo_fail(err, PALEO_EINPUT, "the data gradient has no bias");
	g->p = paleo_window_count(g->h, g->pad_t + g->pad_b, g->r, g->stride_h, g->dil_h);
	g->q = paleo_window_count(g->w, g->pad_l + g->pad_r, g->s, g->stride_w, g->dil_w);
	if (!g->p || !g->q)
		return paleo_fail(err, PALEO_EINPUT, "filter %dx%d does not fit into input %dx%d",
				  g->r, g->s, g->h, g->w);

	double outputs = (double)g->n * g->k * g->p * g->q;
	w->flops = 2 * outputs * ((double)g->c / g->groups) * g->r * g->s;
	if (g->bias)
		w->flops += outputs;
	return paleo_count_act(w, g->act, outputs, err);
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	const double x[4] = {g->n, g->c, g->h, g->w};
	const double f[4] = {g->k, (double)g->c / g->groups, g->r, g->s};
	const double y[4] = {g->n, g->k, g->p, g->q};

	if (w->pass == PALEO_FWD) {
		paleo_operand_4d(l, PALEO_X, PALEO_READ, x);
		paleo_operand_4d(l, PALEO_W, PALEO_READ, f);
		if (g->bias)
			paleo_operand_1d(l, PALEO_BIAS, PALEO_READ, g->k);
		paleo_operand_4d(l, PALEO_Y, PALEO_WRITE, y);
	} else if (w->pass == PALEO_BWD_DATA) {
		paleo_operand_4d(l, PALEO_DY, PALEO_READ, y);
		paleo_operand_4d(l, PALEO_W, PALEO_READ, f);
		paleo_operand_4d(l, PALEO_DX, PALEO_WRITE, x);
	} else {
		paleo_operand_4d(l, PALEO_X, PALEO_READ, x);
		paleo_operand_4d(l, PALEO_DY, PALEO_READ, y);
		paleo_operand_4d(l, PALEO_DW, PALEO_WRITE, f);
		if (g->bias)
			paleo_operand_1d(l, PALEO_DBIAS, PALEO_WRITE, g->k);
	}
}

/* Groups of so many channels have kernels of their own on tensor cores. */
static int is_width_of_kernels(int channels)
{
	return channels == 4 || channels == 8 || channels == 16 || channels == 32;
}

int paleo_conv_is_direct(const struct paleo_op *w)
{
	enum {
		GROUPS_OF_KERNELS = 32 /* which share a block there */
	};
	const struct paleo_conv_geom *g = &w->geom.conv;

	if (w->kind != PALEO_CONV || w->pass == PALEO_FWD || w->layout != PALEO_NHWC ||
	    (w->dtype != PALEO_F16 && w->dtype != PALEO_BF16) || g->groups == 1 ||
	    g->groups == g->c)
		return 0;
	return g->groups % GROUPS_OF_KERNELS != 0 || !is_width_of_kernels(g->c / g->groups) ||
	       !is_width_of_kernels(g->k / g->groups);
}

/* Its place in the classes. */
static int variant(const struct paleo_op *w)
{
	const struct paleo_conv_geom *g = &w->geom.conv;

	if (g->groups == 1)
		return g->p == 1 && g->q == 1;
	if (g->groups == g->c)
		return 3;
	return paleo_conv_is_direct(w) ? 4 : 2;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"conv", "conv.nhwc"},
	{"conv.dense", "conv.dense.nhwc"},
	{"conv.grouped", "conv.grouped.nhwc"},
	{"conv.depthwise", "conv.depthwise.nhwc"},
	{"conv.direct", "conv.direct.nhwc"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_conv = {
	.name = "conv",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA | 1 << PALEO_BWD_FILTER,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.classes = classes,
	.variant = variant,
	.follows = PALEO_FOLLOWS_PRODUCTS,
};
