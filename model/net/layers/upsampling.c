/* upsampling.c - repeats each pixel a whole number of times. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/params.h"

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "parents", "ksize", NULL};
	struct paleo_upsampling_param *p = param;
	int rc = paleo_json_only(j, keys, err);

	return rc ? rc : paleo_window_read_pair(j, "ksize", p->scale, err);
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_upsampling_param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	int rc = paleo_need_picture(l, err);

	if (!rc)
		rc = paleo_check_dim((double)in->h * p->scale[0], "the output's height", err);
	if (!rc)
		rc = paleo_check_dim((double)in->w * p->scale[1], "the output's width", err);
	if (rc)
		return rc;
	l->out = *in;
	l->out.h *= p->scale[0];
	l->out.w *= p->scale[1];
	return PALEO_OK;
}

static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct paleo_upsampling_param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	struct paleo_work work = {
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

	return paleo_work_list_add(out, "upsample", pass, &work, err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct paleo_upsampling_param *p = l->param;

	snprintf(buf, size, "%dx%d", p->scale[0], p->scale[1]);
}

const struct paleo_layer_kind paleo_kind_upsampling = {
	.type = "UpSampling2D",
	.param_size = sizeof(struct paleo_upsampling_param),
	.min_parents = 1,
	.max_parents = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.describe = describe,
};
