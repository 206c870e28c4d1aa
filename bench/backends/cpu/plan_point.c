/* plan_point.c - elementwise ops: activations, sums, products, updates, copies. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "bench/backends/cpu/plan.h"

/* oneDNN's word for an activation. Version 2 knows hardswish's slope and offset by itself. */
static const struct {
	dnnl_alg_kind_t alg; /* 0: not a function of one input */
	float alpha, beta;
} activations[PALEO_ELTWISE_OPS] = {
	[PALEO_RELU] = {dnnl_eltwise_relu, 0, 0},
	[PALEO_RELU6] = {dnnl_eltwise_clip, 0, 6},
	[PALEO_LEAKY_RELU] = {dnnl_eltwise_relu, 0.01f, 0},
	[PALEO_ELU] = {dnnl_eltwise_elu, 1, 0},
	[PALEO_SIGMOID] = {dnnl_eltwise_logistic, 0, 0},
	[PALEO_TANH] = {dnnl_eltwise_tanh, 0, 0},
	[PALEO_GELU] = {dnnl_eltwise_gelu_erf, 0, 0},
	[PALEO_SILU] = {dnnl_eltwise_swish, 1, 0},
	[PALEO_HARDSWISH] = {dnnl_eltwise_hardswish, 1.0f / 6, 0.5f},
};

void paleo_cpu_end_with(struct paleo_cpu_plan *p, int act)
{
	if (!act)
		return;
	p->spec.post = activations[act - 1].alg;
	p->spec.post_alpha = activations[act - 1].alpha;
	p->spec.post_beta = activations[act - 1].beta;
}

static void plan_activation(struct paleo_cpu_plan *p, const struct paleo_cpu_tensor *t)
{
	struct paleo_cpu_spec *s = &p->spec;
	int op = p->op.geom.eltwise.op;

	s->kind = dnnl_eltwise;
	s->alg = activations[op].alg;
	s->alpha = activations[op].alpha;
	s->beta = activations[op].beta;
	s->src = *t;
	paleo_cpu_bind(p, DNNL_ARG_SRC, PALEO_X, 0, t);
	if (p->op.pass == PALEO_FWD) {
		s->prop = dnnl_forward_training;
		paleo_cpu_bind(p, DNNL_ARG_DST, PALEO_Y, 0, t);
	} else {
		s->prop = dnnl_backward_data;
		paleo_cpu_bind(p, DNNL_ARG_DIFF_DST, PALEO_DY, 0, t);
		paleo_cpu_bind(p, DNNL_ARG_DIFF_SRC, PALEO_DX, 0, t);
	}
}

static void plan_binary(struct paleo_cpu_plan *p, dnnl_alg_kind_t alg,
			const struct paleo_cpu_tensor *t)
{
	struct paleo_cpu_spec *s = &p->spec;

	s->kind = dnnl_binary;
	s->alg = alg;
	s->src = s->weights = s->dst = *t;
	paleo_cpu_bind(p, DNNL_ARG_SRC_0, PALEO_X, 0, t);
	paleo_cpu_bind(p, DNNL_ARG_SRC_1, PALEO_X, 1, t);
	paleo_cpu_bind(p, DNNL_ARG_DST, PALEO_Y, 0, t);
}

/* The second input is one row, broadcast to every row of the first. */
static void plan_repeated(struct paleo_cpu_plan *p)
{
	const struct paleo_eltwise_geom *g = &p->op.geom.eltwise;
	const double rows[2] = {g->count / g->small, g->small}, row[2] = {1, g->small};
	const struct paleo_cpu_tensor t = paleo_cpu_rows(p->type, 2, rows);
	struct paleo_cpu_spec *s = &p->spec;

	s->kind = dnnl_binary;
	s->alg = g->op == PALEO_ADD ? dnnl_binary_add : dnnl_binary_mul;
	s->src = s->dst = t;
	s->weights = paleo_cpu_rows(p->type, 2, row);
	paleo_cpu_bind_rows(p, DNNL_ARG_SRC_0, PALEO_X, 0, &t);
	paleo_cpu_bind_rows(p, DNNL_ARG_SRC_1, PALEO_W, 0, &s->weights);
	paleo_cpu_bind_rows(p, DNNL_ARG_DST, PALEO_Y, 0, &t);
}

static void plan_sum(struct paleo_cpu_plan *p, const struct paleo_cpu_tensor *t)
{
	struct paleo_cpu_spec *s = &p->spec;

	s->kind = dnnl_sum;
	s->inputs = p->op.geom.eltwise.inputs;
	s->src = s->dst = *t;
	assert(s->inputs <= PALEO_CPU_SUM_MAX);
	for (int i = 0; i < s->inputs; i++)
		paleo_cpu_bind(p, DNNL_ARG_MULTIPLE_SRC + i, PALEO_X, i, t);
	paleo_cpu_bind(p, DNNL_ARG_DST, PALEO_Y, 0, t);
}

int paleo_cpu_plan_eltwise(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	const struct paleo_eltwise_geom *g = &p->op.geom.eltwise;
	struct paleo_cpu_tensor t = paleo_cpu_rows(p->type, 1, &g->count);
	const struct paleo_cpu_kernel *kernel = paleo_cpu_kernel_eltwise(&p->op);

	(void)err;
	if (kernel)
		paleo_cpu_bind_kernel(p, kernel);
	else if (g->small > 0)
		plan_repeated(p);
	else if (g->op == PALEO_ADD)
		plan_sum(p, &t);
	else if (g->op == PALEO_MUL)
		plan_binary(p, dnnl_binary_mul, &t);
	else if (g->op == PALEO_MAX)
		plan_binary(p, dnnl_binary_max, &t);
	else
		plan_activation(p, &t);
	return PALEO_OK;
}

int paleo_cpu_plan_copy(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	const struct paleo_copy_geom *g = &p->op.geom.copy;
	int fwd = p->op.pass == PALEO_FWD;
	double dims[2] = {g->rows, g->cols};

	if (g->parts >= PALEO_CPU_ARGS_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "more than %d parts",
				  PALEO_CPU_ARGS_MAX - 1);
	p->kernel = &paleo_cpu_copy;
	struct paleo_cpu_tensor whole = paleo_cpu_rows(p->type, 2, dims);
	for (int i = 0; i < g->parts; i++) {
		dims[1] = paleo_copy_part(g, i, NULL);
		struct paleo_cpu_tensor part = paleo_cpu_rows(p->type, 2, dims);
		paleo_cpu_bind(p, 0, fwd ? PALEO_X : PALEO_DX, i, &part);
	}
	paleo_cpu_bind(p, 0, fwd ? PALEO_Y : PALEO_DY, 0, &whole);
	return PALEO_OK;
}
