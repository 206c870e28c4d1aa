/* plan_conv.c - convolutions through oneDNN. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cpu/plan.h"

/* Direct, as frameworks ask for it: "auto" may pick Winograd, whose FLOPs are not the work's. */
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
	const struct paleo_conv_geom *g = &p->work.geom.conv;
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

	if (p->work.pass == PALEO_FWD) {
		s->prop = dnnl_forward_training;
		paleo_cpu_bind_rows(p, DNNL_ARG_SRC, PALEO_X, 0, &s->src);
		paleo_cpu_bind_rows(p, DNNL_ARG_WEIGHTS, PALEO_W, 0, &s->weights);
		if (g->bias)
			paleo_cpu_bind_rows(p, DNNL_ARG_BIAS, PALEO_BIAS, 0, &s->bias);
		paleo_cpu_bind_rows(p, DNNL_ARG_DST, PALEO_Y, 0, &s->dst);
	} else if (p->work.pass == PALEO_BWD_DATA) {
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
