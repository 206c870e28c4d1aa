/* pool.c - what maximum and average pooling share. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/pool.h"

#include <stdio.h>

#include "model/net/layers/common.h"

static int parse_global(const struct paleo_json *j, struct paleo_pool_param *p,
			struct paleo_error *err)
{
	static const char *const others[] = {"ksize",     "strides",           "padding",
					     "ceil_mode", "count_include_pad", NULL};

	for (const char *const *key = others; *key; key++) {
		const struct paleo_json *v = paleo_json_get(j, *key);
		if (v)
			return paleo_json_fail(v, err,
					       "a pooling with 'global': true takes the whole "
					       "picture, it has no '%s'",
					       *key);
	}
	p->window.padding = PALEO_PADDING_VALID;
	for (int i = 0; i < 2; i++)
		p->window.stride[i] = p->window.dilation[i] = 1;
	return PALEO_OK;
}

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

int paleo_pool_parse(const struct paleo_json *j, struct paleo_pool_param *p,
		     struct paleo_error *err)
{
	int rc = paleo_read_flag(j, "global", &p->global, err);

	if (rc)
		return rc;
	if (p->global)
		return parse_global(j, p, err);
	p->window.dilation[0] = p->window.dilation[1] = 1;
	rc = paleo_window_read_pair(j, "ksize", p->window.size, err);
	if (!rc)
		rc = paleo_window_parse(j, &p->window, err);
	if (!rc)
		rc = paleo_read_flag(j, "ceil_mode", &p->window.ceil_mode, err);
	return rc ? rc : check_padding(j, &p->window, err);
}

int paleo_pool_shape(struct paleo_layer *l, struct paleo_error *err)
{
	struct paleo_pool_param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	int rc = paleo_need_picture(l, err);

	if (rc)
		return rc;
	if (p->global) {
		p->window.size[0] = in->h;
		p->window.size[1] = in->w;
	}
	rc = paleo_window_fit(&p->window, in->h, in->w, &p->fit, err);
	if (rc)
		return rc;
	l->out = (struct paleo_shape){
		.rank = 4, .n = in->n, .c = in->c, .h = p->fit.out[0], .w = p->fit.out[1]};
	return PALEO_OK;
}

int paleo_pool_work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		    struct paleo_work_list *out, struct paleo_error *err)
{
	const struct paleo_pool_param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	struct paleo_work work = {
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

	return paleo_work_list_add(out, p->mode == PALEO_POOL_MAX ? "max_pool" : "avg_pool", pass,
				   &work, err);
}

void paleo_pool_describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct paleo_pool_param *p = l->param;

	if (p->global)
		snprintf(buf, size, "%dx%d global", p->window.size[0], p->window.size[1]);
	else
		paleo_window_describe(&p->window, buf, size);
}
