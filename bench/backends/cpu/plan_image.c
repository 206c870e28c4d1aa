/* plan_image.c - pooling, normalisations, softmax, reductions, up-sampling through oneDNN. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cpu/plan.h"

/*
 * Images have their channels innermost in both layouts: it needs no padding, whatever their number,
 * and oneDNN has its fast code for it.
 */

/* Arguments of most kinds: x -> y, and dy -> dx. */
static void bind_pass(struct paleo_cpu_plan *p)
{
	struct paleo_cpu_spec *s = &p->spec;

	if (p->op.pass == PALEO_FWD) {
		s->prop = dnnl_forward_training;
		paleo_cpu_bind_rows(p, DNNL_ARG_SRC, PALEO_X, 0, &s->src);
		paleo_cpu_bind_rows(p, DNNL_ARG_DST, PALEO_Y, 0, &s->dst);
	} else {
		s->prop = dnnl_backward_data;
		paleo_cpu_bind_rows(p, DNNL_ARG_DIFF_DST, PALEO_DY, 0, &s->dst);
		paleo_cpu_bind_rows(p, DNNL_ARG_DIFF_SRC, PALEO_DX, 0, &s->src);
	}
}

/* Number of windows that contain one input pixel, along one dimension. */
static int cover(int window, int stride, int windows)
{
	int most = (window + stride - 1) / stride;

	return most < windows ? most : windows;
}

/*
 * Where windows overlap the gradient is a sum, and with channels innermost oneDNN 2 rounds it to
 * bf16 after each addition; with rows innermost it accumulates in f32, and takes longer. Three
 * roundings of 2^-9 are within the tolerance of a bf16 result; a 3x3 window of stride 1 has eight.
 */
static int adds_in_bf16(const struct paleo_cpu_plan *p)
{
	const struct paleo_pool_geom *g = &p->op.geom.pool;

	if (p->type != dnnl_bf16 || p->op.pass == PALEO_FWD)
		return 0;
	return cover(g->r, g->stride_h, g->p) * cover(g->s, g->stride_w, g->q) > 4;
}

int paleo_cpu_plan_pool(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	const struct paleo_pool_geom *g = &p->op.geom.pool;
	static const dnnl_alg_kind_t algs[] = {
		[PALEO_POOL_MAX] = dnnl_pooling_max,
		[PALEO_POOL_AVG] = dnnl_pooling_avg_exclude_padding,
		[PALEO_POOL_AVG_PAD] = dnnl_pooling_avg_include_padding,
	};
	const double x[4] = {g->n, g->c, g->h, g->w}, y[4] = {g->n, g->c, g->p, g->q};
	struct paleo_cpu_spec *s = &p->spec;

	s->kind = dnnl_pooling;
	s->alg = algs[g->mode];
	s->src = paleo_cpu_channels_last(p->type, x);
	s->dst = paleo_cpu_channels_last(p->type, y);
	if (adds_in_bf16(p) && p->op.layout == PALEO_NHWC)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"with channels innermost oneDNN rounds the gradient to bf16 after "
			"each of more than 4 additions");
	if (adds_in_bf16(p)) {
		s->src = paleo_cpu_rows(p->type, 4, x);
		s->dst = paleo_cpu_rows(p->type, 4, y);
	}
	s->kernel[0] = g->r;
	s->kernel[1] = g->s;
	s->strides[0] = g->stride_h;
	s->strides[1] = g->stride_w;
	s->pad_l[0] = g->pad_t;
	s->pad_l[1] = g->pad_l;
	s->pad_r[0] = g->pad_b;
	s->pad_r[1] = g->pad_r;
	/* The mask is oneDNN's workspace, and job.c's business. */
	bind_pass(p);
	return PALEO_OK;
}

int paleo_cpu_plan_lrn(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	const struct paleo_lrn_geom *g = &p->op.geom.lrn;
	const double x[4] = {g->n, g->c, g->h, g->w};
	struct paleo_cpu_spec *s = &p->spec;

	(void)err;
	s->kind = dnnl_lrn;
	s->alg = dnnl_lrn_across_channels;
	s->size = g->size;
	s->alpha = 1e-4f; /* oneDNN divides it by the size, as op.h does */
	s->beta = 0.75f;
	s->src = s->dst = paleo_cpu_channels_last(p->type, x);
	bind_pass(p);
	if (p->op.pass != PALEO_FWD)
		paleo_cpu_bind_rows(p, DNNL_ARG_SRC, PALEO_X, 0, &s->src);
	return PALEO_OK;
}

int paleo_cpu_plan_softmax(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	const struct paleo_softmax_geom *g = &p->op.geom.softmax;
	const double x[2] = {g->rows, g->cols};
	struct paleo_cpu_spec *s = &p->spec;

	(void)err;
	s->kind = dnnl_softmax;
	s->alg = dnnl_softmax_accurate;
	s->src = s->dst = paleo_cpu_rows(p->type, 2, x);
	bind_pass(p);
	if (p->op.pass != PALEO_FWD)
		paleo_cpu_bind_rows(p, DNNL_ARG_DST, PALEO_Y, 0, &s->dst);
	return PALEO_OK;
}

int paleo_cpu_plan_reduce(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	static const dnnl_alg_kind_t algs[] = {
		[PALEO_REDUCE_SUM] = dnnl_reduction_sum,
		[PALEO_REDUCE_MEAN] = dnnl_reduction_mean,
		[PALEO_REDUCE_MAX] = dnnl_reduction_max,
	};
	const struct paleo_reduce_geom *g = &p->op.geom.reduce;
	const double x[2] = {g->rows, g->cols}, y[2] = {g->rows, 1};
	const struct paleo_cpu_kernel *kernel = paleo_cpu_kernel_reduce(&p->op);
	struct paleo_cpu_spec *s = &p->spec;

	(void)err;
	if (kernel) {
		paleo_cpu_bind_kernel(p, kernel);
		return PALEO_OK;
	}
	s->kind = dnnl_reduction;
	s->alg = algs[g->op];
	s->src = paleo_cpu_rows(p->type, 2, x);
	s->dst = paleo_cpu_rows(p->type, 2, y);
	paleo_cpu_bind_rows(p, DNNL_ARG_SRC, PALEO_X, 0, &s->src);
	paleo_cpu_bind_rows(p, DNNL_ARG_DST, PALEO_Y, 0, &s->dst);
	return PALEO_OK;
}

int paleo_cpu_plan_upsample(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	const struct paleo_upsample_geom *g = &p->op.geom.upsample;
	const double x[4] = {g->n, g->c, g->h, g->w};
	const double y[4] = {g->n, g->c, (double)g->h * g->scale_h, (double)g->w * g->scale_w};
	struct paleo_cpu_spec *s = &p->spec;

	(void)err;
	s->kind = dnnl_resampling;
	s->alg = g->mode == PALEO_NEAREST ? dnnl_resampling_nearest : dnnl_resampling_linear;
	s->src = paleo_cpu_channels_last(p->type, x);
	s->dst = paleo_cpu_channels_last(p->type, y);
	bind_pass(p);
	return PALEO_OK;
}

/* Scale and shift are f32 in all dtypes. */
static void bind_parameters(struct paleo_cpu_plan *p)
{
	const struct paleo_norm_geom *g = &p->op.geom.norm;
	const double c = g->c;
	struct paleo_cpu_tensor t = paleo_cpu_rows(dnnl_f32, 1, &c);
	int fwd = p->op.pass == PALEO_FWD;

	p->spec.norm_flags = (g->scale ? (unsigned)dnnl_use_scale : 0) |
			     (g->shift ? (unsigned)dnnl_use_shift : 0);
	if (g->scale)
		paleo_cpu_bind(p, DNNL_ARG_SCALE, PALEO_SCALE, 0, &t);
	if (g->shift && fwd)
		paleo_cpu_bind(p, DNNL_ARG_SHIFT, PALEO_SHIFT, 0, &t);
	if (g->scale && !fwd)
		paleo_cpu_bind(p, DNNL_ARG_DIFF_SCALE, PALEO_DSCALE, 0, &t);
	if (g->shift && !fwd)
		paleo_cpu_bind(p, DNNL_ARG_DIFF_SHIFT, PALEO_DSHIFT, 0, &t);
}

/* At inference they are inputs. */
static void bind_statistics(struct paleo_cpu_plan *p)
{
	const double c = p->op.geom.norm.c;
	struct paleo_cpu_tensor t = paleo_cpu_rows(dnnl_f32, 1, &c);

	p->spec.prop = dnnl_forward_inference;
	p->spec.norm_flags |= (unsigned)dnnl_use_global_stats;
	paleo_cpu_bind(p, DNNL_ARG_MEAN, PALEO_STATE1, 0, &t);
	paleo_cpu_bind(p, DNNL_ARG_VARIANCE, PALEO_STATE2, 0, &t);
}

/* The operand n,c,h,w seen as n,h,w,c. */
static struct paleo_cpu_tensor view_channels_last(const struct paleo_norm_geom *g,
						  dnnl_data_type_t type)
{
	const double dims[4] = {g->n, g->h, g->w, g->c};
	struct paleo_cpu_tensor t = paleo_cpu_rows(type, 4, dims);

	t.strides[0] = t.dims[3] * t.dims[1] * t.dims[2];
	t.strides[1] = t.dims[2];
	t.strides[2] = 1;
	t.strides[3] = t.dims[1] * t.dims[2];
	return t;
}

/* RMS norm is a kernel of ours: oneDNN 2 does not have it. */
static void plan_rms(struct paleo_cpu_plan *p)
{
	struct paleo_cpu_tensor view = view_channels_last(&p->op.geom.norm, p->type);

	paleo_cpu_bind_kernel(p, &paleo_cpu_rms);
	for (int i = 0; i < p->count; i++) {
		if (p->args[i].view.rank == 4)
			p->args[i].view = view;
	}
}

int paleo_cpu_plan_norm(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	const struct paleo_norm_geom *g = &p->op.geom.norm;
	const double x[4] = {g->n, g->c, g->h, g->w}, last[4] = {g->n, g->h, g->w, g->c};
	struct paleo_cpu_spec *s = &p->spec;
	struct paleo_cpu_tensor view;

	(void)err;
	if (g->mode == PALEO_RMS_NORM) {
		plan_rms(p);
		return PALEO_OK;
	}
	s->epsilon = 1e-5f;
	if (g->mode == PALEO_BATCH_NORM || g->mode == PALEO_BATCH_INFERENCE) {
		s->kind = dnnl_batch_normalization;
		s->src = paleo_cpu_channels_last(p->type, x);
		view = paleo_cpu_rows(p->type, 4, x);
	} else {
		s->kind = dnnl_layer_normalization;
		s->src = paleo_cpu_rows(p->type, 4, last);
		view = view_channels_last(g, p->type);
	}
	s->dst = s->src;
	paleo_cpu_bind(p, DNNL_ARG_SRC, PALEO_X, 0, &view);
	if (p->op.pass == PALEO_FWD) {
		s->prop = dnnl_forward_training;
		paleo_cpu_bind(p, DNNL_ARG_DST, PALEO_Y, 0, &view);
	} else {
		/* Without parameters their gradients are not requested. */
		s->prop = g->scale || g->shift ? dnnl_backward : dnnl_backward_data;
		paleo_cpu_bind(p, DNNL_ARG_DIFF_DST, PALEO_DY, 0, &view);
		paleo_cpu_bind(p, DNNL_ARG_DIFF_SRC, PALEO_DX, 0, &view);
	}
	bind_parameters(p);
	if (g->mode == PALEO_BATCH_INFERENCE)
		bind_statistics(p);
	return PALEO_OK;
}
