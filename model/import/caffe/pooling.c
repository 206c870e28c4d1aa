/* pooling.c - Pooling: maximum and average, windows that Caffe rounds up, whole pictures. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/import/caffe/kinds.h"
#include "model/import/caffe/values.h"
#include "model/import/caffe/window.h"
#include "model/import/caffe/write.h"

static const char *const fields[] = {
	"pool", PALEO_CAFFE_WINDOW_FIELDS, "global_pooling", "engine", "round_mode", "ceil_mode",
	NULL};

enum {
	POOL_MAX,
	POOL_AVE,
	POOL_STOCHASTIC
};

struct param {
	struct paleo_caffe_window window;
	int pool, global;
	int ceil_mode; /* 1: the number of windows is rounded up */
};

/* A window over the whole picture has the picture's size and neither stride nor padding. */
static int check_global(const struct paleo_caffe_layer *l, struct paleo_error *err)
{
	static const char *const ones[] = {"stride", "stride_h", "stride_w"};
	static const char *const noughts[] = {"pad", "pad_h", "pad_w"};
	const struct paleo_caffe_field *kernel = paleo_caffe_find_kernel(l);
	int value, rc = PALEO_OK;

	if (kernel)
		return paleo_caffe_fail(kernel, err,
					"a pooling with global_pooling takes the whole picture");
	for (int i = 0; i < 3 && !rc; i++) {
		rc = paleo_caffe_get_int(l->param, ones[i], 1, 1, &value, err);
		if (!rc)
			rc = paleo_caffe_get_int(l->param, noughts[i], 0, 0, &value, err);
	}
	return rc;
}

static int read_param(const struct paleo_caffe_layer *l, struct param *p, struct paleo_error *err)
{
	static const char *const pools[] = {"MAX", "AVE", "STOCHASTIC", NULL};
	static const char *const rounds[] = {"CEIL", "FLOOR", NULL};
	int round = 0;
	int rc = paleo_caffe_get_enum(l->param, "pool", pools, &p->pool, err);

	if (!rc && p->pool == POOL_STOCHASTIC)
		rc = paleo_caffe_fail(paleo_caffe_first(l->param, "pool"), err,
				      "a net has only maximum and average pooling");
	if (!rc)
		rc = paleo_caffe_get_bool(l->param, "global_pooling", &p->global, err);
	if (!rc)
		rc = paleo_caffe_get_enum(l->param, "round_mode", rounds, &round, err);
	p->ceil_mode = !round;
	if (!rc)
		rc = paleo_caffe_get_bool(l->param, "ceil_mode", &p->ceil_mode, err);
	if (rc)
		return rc;
	return p->global ? check_global(l, err) : paleo_caffe_read_window(l, &p->window, err);
}

/*
 * Windows along one direction, as in Caffe's PoolingLayer::Reshape: (h + 2 pad - k) / s
 * rounded up, and 1; with padding a last window that would begin behind the picture and
 * the padding before it is left out. Without padding Caffe keeps such a window, of which
 * nothing lies in the picture; a net cannot have it.
 */
static int count_windows(const struct paleo_caffe_layer *l, struct param *p, int i, int size,
			 int *out, struct paleo_error *err)
{
	struct paleo_caffe_window *w = &p->window;
	const struct paleo_caffe_field *place = paleo_caffe_find_kernel(l);

	if (w->pad[i] >= w->kernel[i])
		return paleo_caffe_fail(place, err,
					"a padding of %d is not less than the window's %d",
					w->pad[i], w->kernel[i]);
	/* Caffe cuts windows at the picture's end; a net's window must fit from the start. */
	if (!w->pad[i] && w->kernel[i] > size && w->kernel[i] - size < w->stride[i] && p->ceil_mode)
		w->kernel[i] = size;
	double steps = (size + 2.0 * w->pad[i] - w->kernel[i]) / w->stride[i];
	if (steps < 0)
		return paleo_caffe_fail(place, err,
					"a window of %d does not fit into %.0f, padding included",
					w->kernel[i], size + 2.0 * w->pad[i]);
	double count = (p->ceil_mode ? ceil(steps) : floor(steps)) + 1;
	if ((count - 1) * w->stride[i] >= (double)size + w->pad[i]) {
		if (!w->pad[0] && !w->pad[1])
			return paleo_caffe_fail(place, err,
						"a stride of %d leaves the last window, of %d, "
						"outside of the picture's %d",
						w->stride[i], w->kernel[i], size);
		count--;
	}
	int rc = paleo_caffe_check_dim(l, count, i ? "the output's width" : "the output's height",
				       err);
	if (!rc)
		*out = (int)count;
	return rc;
}

static void put_window(struct paleo_caffe_job *job, const struct param *p)
{
	const struct paleo_caffe_window *w = &p->window;
	const int ksize[] = {1, w->kernel[0], w->kernel[1], 1};

	paleo_caffe_put_ints(job, "ksize", ksize, 4);
	paleo_caffe_put_window(job, w);
	if (p->ceil_mode)
		paleo_json_put_bool(job->writer, "ceil_mode", 1);
	/* Caffe's average counts the padding. */
	if (p->pool == POOL_AVE && (w->pad[0] || w->pad[1]))
		paleo_json_put_bool(job->writer, "count_include_pad", 1);
}

static int convert(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
		   struct paleo_error *err)
{
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	struct paleo_shape out = *in;
	struct param p = {0};
	const char *source;
	int rc = read_param(l, &p, err);

	out.h = out.w = 1;
	if (!rc && !p.global)
		rc = count_windows(l, &p, 0, in->h, &out.h, err);
	if (!rc && !p.global)
		rc = count_windows(l, &p, 1, in->w, &out.w, err);
	if (!rc)
		rc = paleo_caffe_begin_layer(job, l, p.pool == POOL_AVE ? "AvgPool" : "Pooling",
					     &source, err);
	if (rc)
		return rc;
	if (p.global)
		paleo_json_put_bool(job->writer, "global", 1);
	else
		put_window(job, &p);
	paleo_caffe_end_layer(job, l, source, &out);
	return PALEO_OK;
}

const struct paleo_caffe_kind paleo_caffe_kind_pooling = {
	.type = "Pooling",
	.old = "POOLING",
	.param = "pooling_param",
	.fields = fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.picture = 1,
	.convert = convert,
};
