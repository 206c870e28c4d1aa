/* upsampling.c - repeats each pixel a whole number of times. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/params.h"

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	PALEO_KEY_NEED_OWN(struct paleo_upsampling_param, "ksize", scale, paleo_window_read_pair),
	{0},
};

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_upsampling_param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);

	PALEO_TRY(paleo_need_picture(l, err));
	PALEO_TRY(paleo_check_dim((double)in->h * p->scale[0], "the output's height", err));
	PALEO_TRY(paleo_check_dim((double)in->w * p->scale[1], "the output's width", err));
	l->out = *in;
	l->out.h *= p->scale[0];
	l->out.w *= p->scale[1];
	return PALEO_OK;
}

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_upsampling_param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	struct paleo_op op = {
		.kind = PALEO_UPSAMPLE,
		.pass = pass,
		.dtype = dtype,
		.geom.upsample = {.mode = PALEO_NEAREST,
				  .n = in->n,
				  .c = in->c,
				  .h = in->h,
				  .w = in->w,
				  .scale_h = p->scale[0],
				  .scale_w = p->scale[1]},
	};

	return paleo_op_list_add(out, "upsample", pass, &op, err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct paleo_upsampling_param *p = l->param;

	snprintf(buf, size, "%dx%d", p->scale[0], p->scale[1]);
}

const struct paleo_layer_kind paleo_kind_upsampling = {
	.type = "UpSampling2D",
	.param_size = sizeof(struct paleo_upsampling_param),
	.parents = {1, 1},
	.keys = fields,
	.shape = shape,
	.op = op,
	.describe = describe,
};
