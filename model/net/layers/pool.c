/* pool.c - maximum and average pooling. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/params.h"

/* Padding that is as large as the window would let it lie outside of the input. */
static int check_padding(const struct paleo_json *j, const struct paleo_window *w,
			 struct paleo_error *err)
{
	if (w->padding != PALEO_PADDING_LIST)
		return PALEO_OK;
	for (int i = 0; i < 2; i++)
		if (w->before[i] >= w->size[i] || w->after[i] >= w->size[i])
			return paleo_json_fail(paleo_json_get(j, "padding"), err,
					       "each padding must be less than the window, %dx%d",
					       w->size[0], w->size[1]);
	return PALEO_OK;
}

static int read_count_pad(const struct paleo_json *v, void *mode, struct paleo_error *err)
{
	int count = 0;
	int rc = paleo_json_to_bool(v, &count, err);

	*(int *)mode = count ? PALEO_POOL_AVG_PAD : PALEO_POOL_AVG;
	return rc;
}

#define OWN(key, at, how) PALEO_KEY_OWN(struct paleo_pool_param, key, at, how)
#define FLAG(key, at) PALEO_KEY_FLAG(struct paleo_pool_param, key, at)

static const struct paleo_json_field max_keys[] = {
	PALEO_KEYS_OF_ALL,
	OWN("ksize", window.size, paleo_window_read_pair),
	OWN("strides", window.stride, paleo_window_read_pair),
	OWN("padding", window, paleo_window_read_padding),
	FLAG("ceil_mode", window.ceil_mode),
	FLAG("global", global),
	{0},
};

static const struct paleo_json_field avg_keys[] = {
	PALEO_KEYS_OF_ALL,
	OWN("ksize", window.size, paleo_window_read_pair),
	OWN("strides", window.stride, paleo_window_read_pair),
	OWN("padding", window, paleo_window_read_padding),
	FLAG("global", global),
	FLAG("ceil_mode", window.ceil_mode),
	OWN("count_include_pad", mode, read_count_pad),
	{0},
};

/* The first keys of a window are required, and forbidden where it is the whole image. */
static int check(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"ksize", "strides", "padding", "ceil_mode",
					   "count_include_pad"};
	enum {
		NEEDED = 3,
		KEYS = 5
	};
	const struct paleo_pool_param *p = param;
	const struct paleo_json *v;
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < (p->global ? KEYS : NEEDED); i++) {
		if (!p->global)
			rc = paleo_json_need(j, keys[i], &v, err);
		else if ((v = paleo_json_get(j, keys[i])))
			rc = paleo_json_fail(v, err,
					     "a pooling with 'global': true covers the whole image "
					     "and has no '%s'",
					     keys[i]);
	}
	return rc ? rc : check_padding(j, &p->window, err);
}

static int shape_pool(struct paleo_layer *l, struct paleo_error *err)
{
	struct paleo_pool_param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);

	PALEO_TRY(paleo_need_picture(l, err));
	if (p->global) {
		p->window.size[0] = in->h;
		p->window.size[1] = in->w;
	}
	PALEO_TRY(paleo_window_fit(&p->window, in->h, in->w, &p->fit, err));
	l->out = (struct paleo_shape){
		.rank = 4, .n = in->n, .c = in->c, .h = p->fit.out[0], .w = p->fit.out[1]};
	return PALEO_OK;
}

static int op_pool(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		   struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_pool_param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	struct paleo_op op = {
		.kind = PALEO_POOL,
		.pass = pass,
		.dtype = dtype,
		.geom.pool = {.mode = p->mode,
			      .n = in->n,
			      .c = in->c,
			      .h = in->h,
			      .w = in->w,
			      .r = p->window.size[0],
			      .s = p->window.size[1],
			      .stride_h = p->window.stride[0],
			      .stride_w = p->window.stride[1],
			      .pad_t = p->fit.before[0],
			      .pad_l = p->fit.before[1],
			      .pad_b = p->fit.after[0],
			      .pad_r = p->fit.after[1]},
	};

	return paleo_op_list_add(out, p->mode == PALEO_POOL_MAX ? "max_pool" : "avg_pool", pass,
				 &op, err);
}

static void describe_pool(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct paleo_pool_param *p = l->param;

	if (p->global)
		snprintf(buf, size, "%dx%d global", p->window.size[0], p->window.size[1]);
	else
		paleo_window_describe(&p->window, buf, size);
}

/* The largest value of each window. */

const struct paleo_layer_kind paleo_kind_pooling = {
	.type = "Pooling",
	.param_size = sizeof(struct paleo_pool_param),
	.parents = {1, 1},
	.keys = max_keys,
	.initial =
		&(const struct paleo_pool_param){.mode = PALEO_POOL_MAX,
						 .window = {.stride = {1, 1}, .dilation = {1, 1}}},
	.check = check,
	.shape = shape_pool,
	.op = op_pool,
	.describe = describe_pool,
};

/* The mean of each window. */

const struct paleo_layer_kind paleo_kind_avg_pool = {
	.type = "AvgPool",
	.param_size = sizeof(struct paleo_pool_param),
	.parents = {1, 1},
	.keys = avg_keys,
	.initial =
		&(const struct paleo_pool_param){.mode = PALEO_POOL_AVG,
						 .window = {.stride = {1, 1}, .dilation = {1, 1}}},
	.check = check,
	.shape = shape_pool,
	.op = op_pool,
	.describe = describe_pool,
};
