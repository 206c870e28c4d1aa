/* norm.c - a kind of op: batch, layer, RMS normalisation. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/kind.h"

static const char *const mode_names[] = {"batch", "layer", "rms", "batch_inference", NULL};
static const struct paleo_field fields[] = {
	PALEO_WORD(norm, mode, mode_names),
	PALEO_DIM(norm, n, PALEO_OF_BATCH),
	PALEO_DIM(norm, c, PALEO_OF_SHAPE | PALEO_OF_CHANNELS),
	PALEO_DIM(norm, h, PALEO_OF_SHAPE),
	PALEO_DIM(norm, w, PALEO_OF_SHAPE),
	PALEO_FLAG(norm, scale),
	PALEO_FLAG(norm, shift),
	PALEO_FLAG(norm, add),
	PALEO_LAYOUT,
	PALEO_FIELDS_END,
};

static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_norm_geom *g = &w->geom.norm;
	double count = (double)g->n * g->c * g->h * g->w;

	if (g->mode == PALEO_BATCH_INFERENCE && w->pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "a normalisation with stored statistics has no backward pass");
	if (g->add && g->mode != PALEO_RMS_NORM)
		return paleo_fail(err, PALEO_EINPUT, "'add' requires an RMS normalisation");
	/* forward: mean 1, variance 3, normalise 2; backward: normalise 2, two sums 3, combine 4 */
	double per = w->pass == PALEO_FWD ? 6 : 9;
	if (g->mode == PALEO_BATCH_INFERENCE)
		per = 2;
	if (g->mode == PALEO_RMS_NORM)
		per -= 2; /* no mean */
	w->flops = count * (per + g->add + g->scale + (w->pass == PALEO_FWD ? g->shift : 0));
	return PALEO_OK;
}

static void add_image(struct paleo_operand_list *l, enum paleo_role role, enum paleo_access access,
		      const double dims[4], int copies)
{
	struct paleo_operand *o = paleo_operand_4d(l, role, access, dims);

	o->copies = copies;
	paleo_operand_count_bytes(o);
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_norm_geom *g = &w->geom.norm;
	const double x[4] = {g->n, g->c, g->h, g->w};
	int fwd = w->pass == PALEO_FWD;

	add_image(l, PALEO_X, PALEO_READ, x, 1 + (g->add && fwd));
	if (!fwd)
		add_image(l, PALEO_DY, PALEO_READ, x, 1 + g->add);
	if (g->scale)
		paleo_operand_1d(l, PALEO_SCALE, PALEO_READ, g->c);
	if (g->shift && fwd)
		paleo_operand_1d(l, PALEO_SHIFT, PALEO_READ, g->c);
	if (g->mode == PALEO_BATCH_INFERENCE) {
		paleo_operand_1d(l, PALEO_STATE1, PALEO_READ, g->c);
		paleo_operand_1d(l, PALEO_STATE2, PALEO_READ, g->c);
	}
	add_image(l, fwd ? PALEO_Y : PALEO_DX, PALEO_WRITE, x, 1 + (g->add && fwd));
	if (g->scale && !fwd)
		paleo_operand_1d(l, PALEO_DSCALE, PALEO_WRITE, g->c);
	if (g->shift && !fwd)
		paleo_operand_1d(l, PALEO_DSHIFT, PALEO_WRITE, g->c);
}

static enum paleo_dtype dtype_of(const struct paleo_op *w, enum paleo_role role)
{
	int is_data = role == PALEO_X || role == PALEO_Y || role == PALEO_DX || role == PALEO_DY;

	return is_data ? w->dtype : PALEO_F32;
}

static int variant(const struct paleo_op *w)
{
	return w->geom.norm.add ? PALEO_BATCH_INFERENCE + 1 : w->geom.norm.mode;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"norm.batch", "norm.batch.nhwc"},
	{"norm.layer", "norm.layer.nhwc"},
	{"norm.rms", "norm.rms.nhwc"},
	{"norm.batch_inference", "norm.batch_inference.nhwc"},
	{"norm.rms_add", "norm.rms_add.nhwc"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_norm = {
	.name = "norm",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.dtype_of = dtype_of,
	.classes = classes,
	.variant = variant,
};
