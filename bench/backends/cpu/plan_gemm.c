/* plan_gemm.c - convolutions and GEMMs through oneDNN. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cpu/plan.h"

/* Direct, as frameworks ask for it: "auto" may pick Winograd, whose FLOPs are not the op's. */
static void set_conv_geometry(const struct paleo_conv_geom *g, struct paleo_cpu_spec *s)
{
	s->kind = dnnl_convolution;
	s->alg = dnnl_convolution_direct;
	s->strides[0] = g->stride_h;
	s->strides[1] = g->stride_w;
	s->dilates[0] = g->dil_h - 1; /* oneDNN counts the pixels left out */
	s->dilates[1] = g->dil_w - 1;
	s->pad_l[0] = g->pad_t;
	s->pad_l[1] = g->pad_l;
	s->pad_r[0] = g->pad_b;
	s->pad_r[1] = g->pad_r;
}

int paleo_cpu_plan_conv(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	const struct paleo_conv_geom *g = &p->op.geom.conv;
	const double x[4] = {g->n, g->c, g->h, g->w}, y[4] = {g->n, g->k, g->p, g->q};
	const double w[5] = {g->groups, (double)g->k / g->groups, (double)g->c / g->groups, g->r,
			     g->s};
	const double bias[1] = {g->k};
	int grouped = g->groups > 1;
	struct paleo_cpu_spec *s = &p->spec;

	(void)err;
	set_conv_geometry(g, s);
	paleo_cpu_end_with(p, g->act);
	s->src = paleo_cpu_image(p, x);
	s->weights = paleo_cpu_any(p->type, grouped ? 5 : 4, grouped ? w : w + 1);
	s->dst = paleo_cpu_image(p, y);
	if (g->bias)
		s->bias = paleo_cpu_rows(p->type, 1, bias);

	if (p->op.pass == PALEO_FWD) {
		s->prop = dnnl_forward_training;
		paleo_cpu_bind_rows(p, DNNL_ARG_SRC, PALEO_X, 0, &s->src);
		paleo_cpu_bind_rows(p, DNNL_ARG_WEIGHTS, PALEO_W, 0, &s->weights);
		if (g->bias)
			paleo_cpu_bind_rows(p, DNNL_ARG_BIAS, PALEO_BIAS, 0, &s->bias);
		paleo_cpu_bind_rows(p, DNNL_ARG_DST, PALEO_Y, 0, &s->dst);
	} else if (p->op.pass == PALEO_BWD_DATA) {
		s->prop = dnnl_backward_data;
		paleo_cpu_bind_rows(p, DNNL_ARG_DIFF_DST, PALEO_DY, 0, &s->dst);
		paleo_cpu_bind_rows(p, DNNL_ARG_WEIGHTS, PALEO_W, 0, &s->weights);
		paleo_cpu_bind_rows(p, DNNL_ARG_DIFF_SRC, PALEO_DX, 0, &s->src);
	} else {
		s->prop = dnnl_backward_weights;
		paleo_cpu_bind_rows(p, DNNL_ARG_SRC, PALEO_X, 0, &s->src);
		paleo_cpu_bind_rows(p, DNNL_ARG_DIFF_DST, PALEO_DY, 0, &s->dst);
		paleo_cpu_bind_rows(p, DNNL_ARG_DIFF_WEIGHTS, PALEO_DW, 0, &s->weights);
		if (g->bias)
			paleo_cpu_bind_rows(p, DNNL_ARG_DIFF_BIAS, PALEO_DBIAS, 0, &s->bias);
	}
	return PALEO_OK;
}

/* A matrix of the GEMM's size; `trans`: stored transposed. */
static struct paleo_cpu_tensor matrix(dnnl_data_type_t type, int rows, int columns, int trans)
{
	const double dims[2] = {rows, columns};
	struct paleo_cpu_tensor t = paleo_cpu_rows(type, 2, dims);

	if (trans) {
		t.strides[0] = 1;
		t.strides[1] = t.dims[0];
	}
	return t;
}

static struct paleo_cpu_tensor any_layout(const struct paleo_cpu_tensor *t)
{
	struct paleo_cpu_tensor any = *t;

	any.any = 1;
	return any;
}

/* y = x w^T: the filter w is op(B)^T. */
static void plan_layer_fwd(struct paleo_cpu_plan *p)
{
	const struct paleo_gemm_geom *g = &p->op.geom.gemm;
	struct paleo_cpu_tensor w = matrix(p->type, g->n, g->k, !g->trans_b);
	struct paleo_cpu_spec *s = &p->spec;
	const double bias = g->n;

	s->prop = dnnl_forward_training;
	s->src = matrix(p->type, g->m, g->k, g->trans_a);
	s->weights = any_layout(&w);
	s->dst = matrix(p->type, g->m, g->n, 0);
	paleo_cpu_bind(p, DNNL_ARG_SRC, PALEO_X, 0, &s->src);
	paleo_cpu_bind(p, DNNL_ARG_WEIGHTS, PALEO_W, 0, &w);
	if (g->bias) {
		s->bias = paleo_cpu_rows(p->type, 1, &bias);
		paleo_cpu_bind(p, DNNL_ARG_BIAS, PALEO_BIAS, 0, &s->bias);
	}
	paleo_cpu_bind(p, DNNL_ARG_DST, PALEO_Y, 0, &s->dst);
}

/* dx = dy w */
static void plan_layer_data(struct paleo_cpu_plan *p)
{
	const struct paleo_gemm_geom *g = &p->op.geom.gemm;
	struct paleo_cpu_tensor w = matrix(p->type, g->k, g->n, g->trans_b);
	struct paleo_cpu_spec *s = &p->spec;

	s->prop = dnnl_backward_data;
	s->dst = matrix(p->type, g->m, g->k, g->trans_a);
	s->weights = any_layout(&w);
	s->src = matrix(p->type, g->m, g->n, 0);
	paleo_cpu_bind(p, DNNL_ARG_DIFF_DST, PALEO_X, 0, &s->dst);
	paleo_cpu_bind(p, DNNL_ARG_WEIGHTS, PALEO_W, 0, &w);
	paleo_cpu_bind(p, DNNL_ARG_DIFF_SRC, PALEO_Y, 0, &s->src);
}

/* dw = dy^T x: dy is op(A)^T. */
static void plan_layer_filter(struct paleo_cpu_plan *p)
{
	const struct paleo_gemm_geom *g = &p->op.geom.gemm;
	struct paleo_cpu_tensor dw = matrix(p->type, g->m, g->n, 0);
	struct paleo_cpu_spec *s = &p->spec;
	const double bias = g->m;

	s->prop = dnnl_backward_weights;
	s->dst = matrix(p->type, g->k, g->m, !g->trans_a);
	s->src = matrix(p->type, g->k, g->n, g->trans_b);
	s->weights = any_layout(&dw);
	paleo_cpu_bind(p, DNNL_ARG_DIFF_DST, PALEO_X, 0, &s->dst);
	paleo_cpu_bind(p, DNNL_ARG_SRC, PALEO_W, 0, &s->src);
	paleo_cpu_bind(p, DNNL_ARG_DIFF_WEIGHTS, PALEO_Y, 0, &dw);
	if (g->bias) {
		s->bias = paleo_cpu_rows(p->type, 1, &bias);
		paleo_cpu_bind(p, DNNL_ARG_DIFF_BIAS, PALEO_DBIAS, 0, &s->bias);
	}
}

/* 1 if the GEMM is a pass of a layer y = x w^T as in op.h: then it is an inner product, for whose
 * weights oneDNN may choose the layout. Only that gives a bias gradient, too. */
static int is_layer(const struct paleo_op *w)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;

	if (g->batch > 1)
		return 0;
	if (w->pass == PALEO_FWD)
		return !g->trans_a && g->trans_b;
	if (w->pass == PALEO_BWD_DATA)
		return !g->trans_a && !g->trans_b;
	return g->bias || (g->trans_a && !g->trans_b);
}

/* The same matrix for a batched GEMM: rank 3, the batch outermost. */
static struct paleo_cpu_tensor batched(struct paleo_cpu_tensor t, int batch)
{
	struct paleo_cpu_tensor b = {.rank = 3, .type = t.type};

	b.dims[0] = batch;
	b.strides[0] = t.dims[0] * t.dims[1];
	for (int i = 0; i < 2; i++) {
		b.dims[i + 1] = t.dims[i];
		b.strides[i + 1] = t.strides[i];
	}
	return b;
}

static void plan_product(struct paleo_cpu_plan *p)
{
	const struct paleo_gemm_geom *g = &p->op.geom.gemm;
	const double bias[3] = {1, 1, g->n};
	struct paleo_cpu_spec *s = &p->spec;

	s->kind = dnnl_matmul;
	s->src = batched(matrix(p->type, g->m, g->k, g->trans_a), g->batch);
	s->weights = batched(matrix(p->type, g->k, g->n, g->trans_b), g->batch);
	s->dst = batched(matrix(p->type, g->m, g->n, 0), g->batch);
	paleo_cpu_bind(p, DNNL_ARG_SRC, PALEO_X, 0, &s->src);
	paleo_cpu_bind(p, DNNL_ARG_WEIGHTS, PALEO_W, 0, &s->weights);
	if (g->bias) {
		s->bias = paleo_cpu_rows(p->type, 3, bias);
		paleo_cpu_bind(p, DNNL_ARG_BIAS, PALEO_BIAS, 0, &s->bias);
	}
	paleo_cpu_bind(p, DNNL_ARG_DST, PALEO_Y, 0, &s->dst);
}

int paleo_cpu_plan_gemm(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	(void)err;
	paleo_cpu_end_with(p, p->op.geom.gemm.act);
	if (!is_layer(&p->op)) {
		plan_product(p);
		return PALEO_OK;
	}
	p->spec.kind = dnnl_inner_product;
	if (p->op.pass == PALEO_FWD)
		plan_layer_fwd(p);
	else if (p->op.pass == PALEO_BWD_DATA)
		plan_layer_data(p);
	else
		plan_layer_filter(p);
	return PALEO_OK;
}
