/* batch_norm.c - normalises each channel over the batch. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/tail.h"

struct param {
	int scale, shift;       /* 1: learns it for each channel */
	struct paleo_tail tail; /* an activation, or nothing */
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_SHARING,
	PALEO_KEY_FLAG(struct param, "scale", scale),
	PALEO_KEY_FLAG(struct param, "shift", shift),
	PALEO_TAIL_ACTIVATION_KEY(struct param),
	{0},
};

/* One op gives the gradients of input, scale and shift. It is needed for the latter two even where
 * the first is not, so it is listed in BWD_FILTER, and BWD_DATA is empty; unless the layer has no
 * parameters, as BWD_FILTER is then not requested. */
static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_norm_geom norm = {
		.mode = PALEO_BATCH_NORM, .scale = p->scale, .shift = p->shift};
	enum paleo_pass norm_pass = pass == PALEO_FWD ? PALEO_FWD : PALEO_BWD_DATA;
	enum paleo_pass backward = p->scale || p->shift ? PALEO_BWD_FILTER : PALEO_BWD_DATA;

	if (pass != PALEO_FWD && pass != backward)
		return PALEO_OK;
	if (pass != PALEO_FWD)
		PALEO_TRY(paleo_tail_backward(&p->tail, l, dtype, out, err));
	PALEO_TRY(paleo_norm_op(out, &norm, &l->out, norm_pass, dtype, err));
	if (pass == PALEO_FWD)
		PALEO_TRY(paleo_tail_forward(&p->tail, l, dtype, out, err));
	return PALEO_OK;
}

static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;

	return ((double)p->scale + p->shift) * l->out.c;
}

const struct paleo_layer_kind paleo_kind_batch_norm = {
	.type = "BatchNorm",
	.param_size = sizeof(struct param),
	.parents = {1, 1},
	.keys = fields,
	.initial = &(const struct param){.scale = 1, .shift = 1},
	.shape = paleo_shape_as_parent,
	.op = op,
	.weights = weights,
};
