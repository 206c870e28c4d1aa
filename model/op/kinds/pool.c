/* pool.c - a kind of op: maximum and average pooling. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/kind.h"

static const char *const mode_names[] = {"max", "avg", "avg_pad", NULL};
static const struct paleo_field fields[] = {
	PALEO_WORD(pool, mode, mode_names),
	PALEO_DIM(pool, n, PALEO_OF_BATCH),
	PALEO_DIM(pool, c, PALEO_OF_SHAPE | PALEO_OF_CHANNELS),
	PALEO_DIM(pool, h, PALEO_OF_SHAPE),
	PALEO_DIM(pool, w, PALEO_OF_SHAPE),
	PALEO_DIM(pool, r, PALEO_OF_SHAPE),
	PALEO_DIM(pool, s, PALEO_OF_SHAPE),
	PALEO_ONE(pool, stride_h, PALEO_OF_SHAPE),
	PALEO_ONE(pool, stride_w, PALEO_OF_SHAPE),
	PALEO_PAD(pool, pad_t),
	PALEO_PAD(pool, pad_l),
	PALEO_PAD(pool, pad_b),
	PALEO_PAD(pool, pad_r),
	PALEO_LAYOUT,
	PALEO_FIELDS_END,
};

static int finish(struct paleo_op *w, struct paleo_error *err)
{
	struct paleo_pool_geom *g = &w->geom.pool;

	if (g->pad_t >= g->r || g->pad_b >= g->r + g->stride_h || g->pad_l >= g->s ||
	    g->pad_r >= g->s + g->stride_w)
		return paleo_fail(err, PALEO_EINPUT, "padding reaches past the %dx%d window", g->r,
				  g->s);
	g->p = paleo_window_count(g->h, g->pad_t + g->pad_b, g->r, g->stride_h, 1);
	g->q = paleo_window_count(g->w, g->pad_l + g->pad_r, g->s, g->stride_w, 1);
	if (!g->p || !g->q)
		return paleo_fail(err, PALEO_EINPUT, "window %dx%d does not fit into input %dx%d",
				  g->r, g->s, g->h, g->w);
	if ((double)(g->p - 1) * g->stride_h - g->pad_t >= g->h ||
	    (double)(g->q - 1) * g->stride_w - g->pad_l >= g->w)
		return paleo_fail(err, PALEO_EINPUT, "the last window lies outside the input");
	w->flops = (double)g->n * g->c * g->p * g->q * g->r * g->s;
	return PALEO_OK;
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_pool_geom *g = &w->geom.pool;
	const double x[4] = {g->n, g->c, g->h, g->w};
	const double y[4] = {g->n, g->c, g->p, g->q};
	int fwd = w->pass == PALEO_FWD;

	if (fwd)
		paleo_operand_4d(l, PALEO_X, PALEO_READ, x);
	else
		paleo_operand_4d(l, PALEO_DY, PALEO_READ, y);
	if (g->mode == PALEO_POOL_MAX) {
		struct paleo_operand *o =
			paleo_operand_4d(l, PALEO_MASK, fwd ? PALEO_WRITE : PALEO_READ, y);
		o->elem_bytes = 1;
		paleo_operand_count_bytes(o);
	}
	if (fwd)
		paleo_operand_4d(l, PALEO_Y, PALEO_WRITE, y);
	else
		paleo_operand_4d(l, PALEO_DX, PALEO_WRITE, x);
}

static int variant(const struct paleo_op *w)
{
	return w->geom.pool.mode != PALEO_POOL_MAX;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"pool.max", "pool.max.nhwc"},
	{"pool.avg", "pool.avg.nhwc"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_pool = {
	.name = "pool",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.classes = classes,
	.variant = variant,
};
