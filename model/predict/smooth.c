/* smooth.c - the cost model: from an op and a factor to a time, with derivatives for the fit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/smooth.h"

#include <math.h>

static void conv_sizes(const struct paleo_conv_geom *g, enum paleo_pass pass, double *depth,
		       double *width)
{
	double in = (double)g->c / g->groups, out = (double)g->k / g->groups;
	double taps = (double)g->r * g->s;

	switch (pass) {
	case PALEO_BWD_DATA:
		*depth = out * taps;
		*width = in;
		break;
	case PALEO_BWD_FILTER:
		*depth = (double)g->n * g->p * g->q;
		*width = fmin(out, in * taps);
		break;
	case PALEO_FWD:
	case PALEO_PASS_UPDATE:
	case PALEO_PASSES:
		*depth = in * taps;
		*width = out;
		break;
	}
}

static void product_sizes(const struct paleo_op *w, double *depth, double *width)
{
	*depth = INFINITY;
	*width = INFINITY;
	if (w->kind == PALEO_CONV) {
		conv_sizes(&w->geom.conv, w->pass, depth, width);
	} else if (w->kind == PALEO_GEMM) {
		*depth = w->geom.gemm.k;
		*width = fmin(w->geom.gemm.m, w->geom.gemm.n);
	}
}

int paleo_cost_model_terms(const struct paleo_device *d, const struct paleo_op *w,
			   struct paleo_cost_model_terms *out, struct paleo_error *err)
{
	double peak = paleo_device_peak(d, w), rate = d->mem_bytes_per_s;
	struct paleo_cost_model_terms t = {0};

	if (w->flops > 0 && !(peak > 0))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "device '%s' has no peak FLOP/s for %s",
				  d->name, paleo_dtype_name(w->dtype));
	if (!(rate > 0))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "device '%s' has no memory bandwidth",
				  d->name);
	if (w->flops > 0)
		t.compute_s = w->flops / peak;
	t.memory_s = (w->read_bytes + w->write_bytes) / rate;
	product_sizes(w, &t.depth, &t.width);
	*out = t;
	return PALEO_OK;
}

/* log2 of v; -1 if v is not one of 1, 2, 4 ... 16. */
static int doublings(double v)
{
	for (int n = 0; n <= 4; n++)
		if (v == 1 << n)
			return n;
	return -1;
}

/* x^v and *root, (1 + x^v)^(1/v). Overlaps are mostly powers of two, which need no pow(). */
static double raise(double x, double v, double *root)
{
	int n = doublings(v);

	if (n < 0) {
		x = pow(x, v);
		*root = pow(1 + x, 1 / v);
		return x;
	}
	for (int i = 0; i < n; i++)
		x *= x;
	*root = 1 + x;
	for (int i = 0; i < n; i++)
		*root = sqrt(*root);
	return x;
}

/* (a^v + b^v)^(1/v), scaled so that no power under- or overflows. *share is a^v / (a^v + b^v). */
static double blend(double a, double b, double v, double *share)
{
	double high = a > b ? a : b, low = a > b ? b : a, root;

	if (!(high > 0)) {
		*share = 0;
		return 0;
	}
	double power = raise(low / high, v, &root);
	*share = (a >= b ? 1 : power) / (1 + power);
	return high * root;
}

void paleo_cost_model_time(const struct paleo_cost_model_terms *t,
			   const struct paleo_class_model *f, struct paleo_cost_model_time *out)
{
	double idle_depth = f->half_depth / t->depth, idle_width = f->half_width / t->width;
	double share = 0;

	struct paleo_parts *p = &out->parts;

	p->compute_s = t->compute_s / f->ppp_compute * (1 + idle_depth) * (1 + idle_width);
	p->memory_s = t->memory_s / f->ppp_memory;
	p->overhead_s = f->overhead_s;
	double busy = blend(p->compute_s, p->memory_s, f->overlap, &share);
	p->total_s = p->overhead_s + busy;

	double busy_share = p->total_s > 0 ? busy / p->total_s : 0;
	double compute_share = share * busy_share;
	out->slope[PALEO_PARAMETER_COMPUTE] = -compute_share;
	out->slope[PALEO_PARAMETER_MEMORY] = compute_share - busy_share;
	out->slope[PALEO_PARAMETER_OVERHEAD] = 1 - busy_share;
	out->slope[PALEO_PARAMETER_DEPTH] = compute_share * idle_depth / (1 + idle_depth);
	out->slope[PALEO_PARAMETER_WIDTH] = compute_share * idle_width / (1 + idle_width);
}
