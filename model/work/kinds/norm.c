/* norm.c - a kind of work: batch, layer, RMS normalisation. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/work/kind.h"

static const char *const mode_names[] = {"batch", "layer", "rms", "batch_inference", NULL};
static const struct paleo_field fields[] = {
	PALEO_WORD(norm, mode, mode_names),
	PALEO_DIM(norm, n, PALEO_OF_BATCH),
	PALEO_DIM(norm, c, PALEO_OF_SHAPE | PALEO_OF_CHANNELS),
	PALEO_DIM(norm, h, PALEO_OF_SHAPE),
	PALEO_DIM(norm, w, PALEO_OF_SHAPE),
	PALEO_FLAG(norm, scale),
	PALEO_FLAG(norm, shift),
	PALEO_LAYOUT,
	PALEO_FIELDS_END,
};

static int finish(struct paleo_work *w, struct paleo_error *err)
{
	const struct paleo_norm_geom *g = &w->geom.norm;
	double count = (double)g->n * g->c * g->h * g->w;

	if (g->mode == PALEO_BATCH_INFERENCE && w->pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "a normalisation with given statistics has no backward pass");
	/* forward: mean 1, variance 3, normalise 2; backward: normalise 2, two sums 3, combine 4 */
	double per = w->pass == PALEO_FWD ? 6 : 9;
	if (g->mode == PALEO_BATCH_INFERENCE)
		per = 2;
	if (g->mode == PALEO_RMS_NORM)
		per -= 2; /* no mean */
	w->flops = count * (per + g->scale + (w->pass == PALEO_FWD ? g->shift : 0));
	return PALEO_OK;
}

static void operands(const struct paleo_work *w, struct paleo_operand_list *l)
{
	const struct paleo_norm_geom *g = &w->geom.norm;
	const double x[4] = {g->n, g->c, g->h, g->w};
	int fwd = w->pass == PALEO_FWD;

	paleo_operand_4d(l, PALEO_X, PALEO_READ, x);
	if (!fwd)
		paleo_operand_4d(l, PALEO_DY, PALEO_READ, x);
	if (g->scale)
		paleo_operand_1d(l, PALEO_SCALE, PALEO_READ, g->c);
	if (g->shift && fwd)
		paleo_operand_1d(l, PALEO_SHIFT, PALEO_READ, g->c);
	if (g->mode == PALEO_BATCH_INFERENCE) {
		paleo_operand_1d(l, PALEO_STATE1, PALEO_READ, g->c);
		paleo_operand_1d(l, PALEO_STATE2, PALEO_READ, g->c);
	}
	paleo_operand_4d(l, fwd ? PALEO_Y : PALEO_DX, PALEO_WRITE, x);
	if (g->scale && !fwd)
		paleo_operand_1d(l, PALEO_DSCALE, PALEO_WRITE, g->c);
	if (g->shift && !fwd)
		paleo_operand_1d(l, PALEO_DSHIFT, PALEO_WRITE, g->c);
}

static int variant(const struct paleo_work *w)
{
	return w->geom.norm.mode;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"norm.batch", "norm.batch.nhwc"},
	{"norm.layer", "norm.layer.nhwc"},
	{"norm.rms", "norm.rms.nhwc"},
	{"norm.batch_inference", "norm.batch_inference.nhwc"},
	{NULL, NULL},
};

const struct paleo_kind_of_work paleo_work_norm = {
	.name = "norm",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.classes = classes,
	.variant = variant,
};
