/* upsample.c - a kind of op: nearest or bilinear up-sampling by whole factors. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/kind.h"

static const char *const mode_names[] = {"nearest", "bilinear", NULL};
static const struct paleo_field fields[] = {
	PALEO_WORD(upsample, mode, mode_names),
	PALEO_DIM(upsample, n, PALEO_OF_BATCH),
	PALEO_DIM(upsample, c, PALEO_OF_SHAPE),
	PALEO_DIM(upsample, h, PALEO_OF_SHAPE),
	PALEO_DIM(upsample, w, PALEO_OF_SHAPE),
	PALEO_ONE(upsample, scale_h, 0),
	PALEO_ONE(upsample, scale_w, 0),
	PALEO_LAYOUT,
	PALEO_FIELDS_END,
};

static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_upsample_geom *g = &w->geom.upsample;
	double outputs = (double)g->n * g->c * g->h * g->w * g->scale_h * g->scale_w;

	/* its sizes are int too, in the range of all dimensions */
	if ((double)g->h * g->scale_h > 1 << 24 || (double)g->w * g->scale_w > 1 << 24)
		return paleo_fail(err, PALEO_EINPUT, "an output of %.0fx%.0f is too large",
				  (double)g->h * g->scale_h, (double)g->w * g->scale_w);
	/* bilinear: four multiplications, three additions; nearest: a copy, and a sum in
	 * backward */
	if (g->mode == PALEO_BILINEAR)
		w->flops = 7 * outputs;
	else
		w->flops = w->pass == PALEO_FWD ? 0 : outputs;
	return PALEO_OK;
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_upsample_geom *g = &w->geom.upsample;
	const double x[4] = {g->n, g->c, g->h, g->w};
	const double y[4] = {g->n, g->c, (double)g->h * g->scale_h, (double)g->w * g->scale_w};

	if (w->pass == PALEO_FWD) {
		paleo_operand_4d(l, PALEO_X, PALEO_READ, x);
		paleo_operand_4d(l, PALEO_Y, PALEO_WRITE, y);
	} else {
		paleo_operand_4d(l, PALEO_DY, PALEO_READ, y);
		paleo_operand_4d(l, PALEO_DX, PALEO_WRITE, x);
	}
}

static int variant(const struct paleo_op *w)
{
	return w->geom.upsample.mode;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"upsample.nearest", "upsample.nearest.nhwc"},
	{"upsample.bilinear", "upsample.bilinear.nhwc"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_upsample = {
	.name = "upsample",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.classes = classes,
	.variant = variant,
};
