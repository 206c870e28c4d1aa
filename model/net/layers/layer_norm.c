/* layer_norm.c - normalises the channels of each pixel, or of each head. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"

struct param {
	int scale, shift; /* whether factors and shifts are learned */
	int heads, each;  /* groups of channels; 1: each has its own factors */
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_SHARING,
	PALEO_KEY_FLAG(struct param, "scale", scale),
	PALEO_KEY_FLAG(struct param, "shift", shift),
	PALEO_KEY_SIZE(struct param, "heads", heads),
	PALEO_KEY_FLAG(struct param, "each", each),
	{0},
};

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;

	l->out = *paleo_layer_in(l);
	if (l->out.c % p->heads)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d heads do not divide the %d channels of '%s'", p->heads,
				  l->out.c, l->parents[0]->name);
	return paleo_check_dim((double)paleo_shape_rows(&l->out).n * p->heads,
			       "the number of heads", err);
}

/* As in batch_norm.c: one op gives all gradients. */
static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_norm_geom norm = {
		.mode = PALEO_LAYER_NORM, .scale = p->scale, .shift = p->shift};
	enum paleo_pass norm_pass = pass == PALEO_FWD ? PALEO_FWD : PALEO_BWD_DATA;
	struct paleo_shape x = l->out;

	if (pass == PALEO_BWD_DATA)
		return PALEO_OK;
	if (p->heads > 1) {
		x = paleo_shape_rows(&x);
		x.n *= p->heads;
		x.c /= p->heads;
	}
	return paleo_norm_op(out, &norm, &x, norm_pass, dtype, err);
}

static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;

	return (double)(p->scale + p->shift) * (p->each ? l->out.c : l->out.c / p->heads);
}

const struct paleo_layer_kind paleo_kind_layer_norm = {
	.type = "LayerNorm",
	.param_size = sizeof(struct param),
	.parents = {1, 1},
	.keys = fields,
	.initial = &(const struct param){.scale = 1, .shift = 1, .heads = 1},
	.shape = shape,
	.op = op,
	.weights = weights,
};
