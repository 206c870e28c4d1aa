/* work.c - checks a work, derives its output size, counts its FLOPs and bytes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/work/work.h"

#include <assert.h>
#include <string.h>

#include "model/work/operand.h"
#include "model/work/work_fields.h"

/*
 * What counts as a floating point operation: every addition, multiplication,
 * comparison, division; a transcendental function (exp, tanh, erf, pow) counts as
 * one too. Padding is counted as if it were data, as cuDNN's users and the
 * original do. The numbers below are per element and follow from the formulas in
 * work.h.
 */

/* Output positions along one dimension, or 0 if the window does not fit. */
static int out_size(int in, int pads, int window, int stride, int dilation)
{
	double span = (double)dilation * (window - 1) + 1;
	double room = (double)in + pads - span;

	return room < 0 ? 0 : (int)(room / stride) + 1;
}

/* FLOPs per element, forward and backward. */
static const struct {
	int fwd, bwd;
} eltwise_flops[PALEO_ELTWISE_OPS] = {
	[PALEO_RELU] = {1, 2},    [PALEO_RELU6] = {2, 3},   [PALEO_LEAKY_RELU] = {2, 2},
	[PALEO_ELU] = {3, 4},     [PALEO_SIGMOID] = {3, 6}, [PALEO_TANH] = {1, 4},
	[PALEO_GELU] = {5, 9},    [PALEO_SILU] = {4, 8},    [PALEO_HARDSWISH] = {5, 6},
	[PALEO_DROPOUT] = {2, 2}, [PALEO_ADD] = {1, 0},     [PALEO_MUL] = {1, 2},
	[PALEO_MAX] = {1, 2},
};

/* Counts the activation that a product ends with. */
static int add_act(struct paleo_work *w, int act, double outputs, struct paleo_error *err)
{
	if (!act)
		return PALEO_OK;
	if (w->pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EINPUT, "an activation goes with a forward pass");
	w->flops += eltwise_flops[act - 1].fwd * outputs;
	return PALEO_OK;
}

static int finish_conv(struct paleo_work *w, struct paleo_error *err)
{
	struct paleo_conv_geom *g = &w->geom.conv;

	if (g->c % g->groups || g->k % g->groups)
		return paleo_fail(err, PALEO_EINPUT,
				  "groups %d do not divide %d input and %d output channels",
				  g->groups, g->c, g->k);
	if (g->bias && w->pass == PALEO_BWD_DATA)
		return paleo_fail(err, PALEO_EINPUT, "the data gradient has no bias");
	g->p = out_size(g->h, g->pad_t + g->pad_b, g->r, g->stride_h, g->dil_h);
	g->q = out_size(g->w, g->pad_l + g->pad_r, g->s, g->stride_w, g->dil_w);
	if (!g->p || !g->q)
		return paleo_fail(err, PALEO_EINPUT, "filter %dx%d does not fit into input %dx%d",
				  g->r, g->s, g->h, g->w);

	double outputs = (double)g->n * g->k * g->p * g->q;
	w->flops = 2 * outputs * ((double)g->c / g->groups) * g->r * g->s;
	if (g->bias)
		w->flops += outputs;
	return add_act(w, g->act, outputs, err);
}

static int finish_gemm(struct paleo_work *w, struct paleo_error *err)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;

	if (g->bias && (w->pass == PALEO_BWD_DATA || g->batch > 1))
		return paleo_fail(err, PALEO_EINPUT,
				  "a bias goes with a forward or filter pass of batch 1");
	w->flops = 2.0 * g->batch * g->m * g->n * g->k;
	if (g->bias)
		w->flops += (double)g->m * (w->pass == PALEO_FWD ? g->n : g->k);
	if (g->act && g->batch > 1)
		return paleo_fail(err, PALEO_EINPUT, "an activation goes with batch 1");
	return add_act(w, g->act, (double)g->m * g->n, err);
}

static int finish_pool(struct paleo_work *w, struct paleo_error *err)
{
	struct paleo_pool_geom *g = &w->geom.pool;

	if (g->pad_t >= g->r || g->pad_b >= g->r + g->stride_h || g->pad_l >= g->s ||
	    g->pad_r >= g->s + g->stride_w)
		return paleo_fail(err, PALEO_EINPUT, "padding reaches past the %dx%d window", g->r,
				  g->s);
	g->p = out_size(g->h, g->pad_t + g->pad_b, g->r, g->stride_h, 1);
	g->q = out_size(g->w, g->pad_l + g->pad_r, g->s, g->stride_w, 1);
	if (!g->p || !g->q)
		return paleo_fail(err, PALEO_EINPUT, "window %dx%d does not fit into input %dx%d",
				  g->r, g->s, g->h, g->w);
	if ((double)(g->p - 1) * g->stride_h - g->pad_t >= g->h ||
	    (double)(g->q - 1) * g->stride_w - g->pad_l >= g->w)
		return paleo_fail(err, PALEO_EINPUT, "the last window lies outside the input");
	w->flops = (double)g->n * g->c * g->p * g->q * g->r * g->s;
	return PALEO_OK;
}

static int finish_eltwise(struct paleo_work *w, struct paleo_error *err)
{
	const struct paleo_eltwise_geom *g = &w->geom.eltwise;
	int low = 1, high = 1;

	if (g->op == PALEO_ADD || g->op == PALEO_MUL || g->op == PALEO_MAX)
		low = high = 2;
	if (g->op == PALEO_ADD)
		high = 64;
	if (g->inputs < low || g->inputs > high)
		return paleo_fail(err, PALEO_EINPUT, "'%s' takes %d to %d inputs, not %d",
				  paleo_eltwise_name((enum paleo_eltwise_op)g->op), low, high,
				  g->inputs);
	if (g->op == PALEO_ADD && w->pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "a sum has no work in its backward pass");
	int per = w->pass == PALEO_FWD ? eltwise_flops[g->op].fwd : eltwise_flops[g->op].bwd;
	if (g->op == PALEO_ADD)
		per = g->inputs - 1;
	w->flops = per * g->count;
	return PALEO_OK;
}

static int finish_norm(struct paleo_work *w, struct paleo_error *err)
{
	const struct paleo_norm_geom *g = &w->geom.norm;
	double count = (double)g->n * g->c * g->h * g->w;

	if (g->mode == PALEO_BATCH_INFERENCE && w->pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "a normalisation with given statistics has no backward pass");
	/* forward: mean 1, variance 3, normalise 2; backward: normalise 2, two sums 3, combine 4 */
	double per = w->pass == PALEO_FWD ? 6 : 9;
	if (g->mode == PALEO_BATCH_INFERENCE)
		per = 2;
	if (g->mode == PALEO_RMS_NORM)
		per -= 2; /* no mean */
	w->flops = count * (per + g->scale + (w->pass == PALEO_FWD ? g->shift : 0));
	return PALEO_OK;
}

static int finish_lrn(struct paleo_work *w, struct paleo_error *err)
{
	const struct paleo_lrn_geom *g = &w->geom.lrn;

	if (g->size % 2 == 0)
		return paleo_fail(err, PALEO_EINPUT, "size must be odd, not %d", g->size);
	/* forward: `size` squares and sums, scale, add, power, product; backward as much again and
	 * a second weighted sum */
	double per = w->pass == PALEO_FWD ? 2.0 * g->size + 4 : 4.0 * g->size + 8;
	w->flops = (double)g->n * g->c * g->h * g->w * per;
	return PALEO_OK;
}

static int finish_softmax(struct paleo_work *w, struct paleo_error *err)
{
	const struct paleo_softmax_geom *g = &w->geom.softmax;

	(void)err;
	/* forward: maximum, subtract, exp, sum, divide; backward: product and sum, subtract,
	 * product */
	w->flops = (double)g->rows * g->cols * (w->pass == PALEO_FWD ? 5 : 4);
	return PALEO_OK;
}

static int finish_copy(struct paleo_work *w, struct paleo_error *err)
{
	const struct paleo_copy_geom *g = &w->geom.copy;

	if (g->parts > g->cols)
		return paleo_fail(err, PALEO_EINPUT, "%d columns cannot be made of %d parts",
				  g->cols, g->parts);
	w->flops = 0;
	return PALEO_OK;
}

static int finish_upsample(struct paleo_work *w, struct paleo_error *err)
{
	const struct paleo_upsample_geom *g = &w->geom.upsample;
	double outputs = (double)g->n * g->c * g->h * g->w * g->scale_h * g->scale_w;

	/* its sizes are int too, in the range of all dimensions */
	if ((double)g->h * g->scale_h > 1 << 24 || (double)g->w * g->scale_w > 1 << 24)
		return paleo_fail(err, PALEO_EINPUT, "an output of %.0fx%.0f is too large",
				  (double)g->h * g->scale_h, (double)g->w * g->scale_w);
	/* bilinear: four products, three sums; nearest: a copy, and a sum in backward */
	if (g->mode == PALEO_BILINEAR)
		w->flops = 7 * outputs;
	else
		w->flops = w->pass == PALEO_FWD ? 0 : outputs;
	return PALEO_OK;
}

static int finish_update(struct paleo_work *w, struct paleo_error *err)
{
	static const int per[] = {[PALEO_SGD] = 2, [PALEO_MOMENTUM] = 4, [PALEO_ADAM] = 14};

	(void)err;
	w->flops = per[w->geom.update.rule] * w->geom.update.count;
	return PALEO_OK;
}

static int finish_reduce(struct paleo_work *w, struct paleo_error *err)
{
	const struct paleo_reduce_geom *g = &w->geom.reduce;
	int mean = g->op == PALEO_REDUCE_MEAN;

	if (g->op == PALEO_REDUCE_MAX && w->pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "the maximum of a row has no backward pass");
	/* forward: cols - 1 additions or comparisons a row; a mean divides once, in both passes */
	w->flops = (double)g->rows * ((w->pass == PALEO_FWD ? g->cols - 1 : 0) + mean);
	return PALEO_OK;
}

/* Which passes a kind has, as bits, and how it is finished. */
static const struct {
	unsigned passes;
	int (*finish)(struct paleo_work *w, struct paleo_error *err);
} kinds[PALEO_WORK_KINDS] = {
	[PALEO_CONV] = {1 << PALEO_FWD | 1 << PALEO_BWD_DATA | 1 << PALEO_BWD_FILTER, finish_conv},
	[PALEO_GEMM] = {1 << PALEO_FWD | 1 << PALEO_BWD_DATA | 1 << PALEO_BWD_FILTER, finish_gemm},
	[PALEO_POOL] = {1 << PALEO_FWD | 1 << PALEO_BWD_DATA, finish_pool},
	[PALEO_ELTWISE] = {1 << PALEO_FWD | 1 << PALEO_BWD_DATA, finish_eltwise},
	[PALEO_NORM] = {1 << PALEO_FWD | 1 << PALEO_BWD_DATA, finish_norm},
	[PALEO_LRN] = {1 << PALEO_FWD | 1 << PALEO_BWD_DATA, finish_lrn},
	[PALEO_SOFTMAX] = {1 << PALEO_FWD | 1 << PALEO_BWD_DATA, finish_softmax},
	[PALEO_COPY] = {1 << PALEO_FWD | 1 << PALEO_BWD_DATA, finish_copy},
	[PALEO_UPSAMPLE] = {1 << PALEO_FWD | 1 << PALEO_BWD_DATA, finish_upsample},
	[PALEO_UPDATE] = {1 << PALEO_PASS_UPDATE, finish_update},
	[PALEO_REDUCE] = {1 << PALEO_FWD | 1 << PALEO_BWD_DATA, finish_reduce},
};

static void count_bytes(struct paleo_work *w)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	int n = paleo_work_operands(w, list);

	w->read_bytes = 0;
	w->write_bytes = 0;
	for (int i = 0; i < n; i++) {
		if (list[i].access & PALEO_READ)
			w->read_bytes += list[i].bytes;
		if (list[i].access & PALEO_WRITE)
			w->write_bytes += list[i].bytes;
	}
}

int paleo_work_has_dtype(const struct paleo_work *w)
{
	return !paleo_dtype_is_narrow(w->dtype) ||
	       (w->kind == PALEO_GEMM && w->pass == PALEO_FWD && w->geom.gemm.batch <= 1);
}

int paleo_work_finish(struct paleo_work *w, struct paleo_error *err)
{
	assert(w->kind < PALEO_WORK_KINDS && w->pass < PALEO_PASSES && w->dtype < PALEO_DTYPES);
	if (!(kinds[w->kind].passes & 1u << w->pass))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "'%s' has no pass '%s'",
				  paleo_work_kind_name(w->kind), paleo_pass_name(w->pass));
	if (!paleo_work_has_dtype(w))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "'%s %s' is not done in %s, which is for forward matrix products "
				  "of batch 1: use %s",
				  paleo_work_kind_name(w->kind), paleo_pass_name(w->pass),
				  paleo_dtype_name(w->dtype),
				  paleo_dtype_name(paleo_dtype_wide(w->dtype)));

	struct paleo_work copy = *w;
	if (!paleo_work_has_layout(w->kind))
		copy.layout = PALEO_NCHW;
	paleo_work_fields_default(&copy);
	int rc = paleo_work_fields_check(&copy, err);
	if (!rc)
		rc = kinds[copy.kind].finish(&copy, err);
	if (rc) {
		paleo_error_prefix(err, "%s", paleo_work_kind_name(w->kind));
		return rc;
	}
	count_bytes(&copy);
	*w = copy;
	return PALEO_OK;
}

/* The class of a work in the usual layout. */
static const char *plain_class(const struct paleo_work *w)
{
	static const char *const eltwise[PALEO_ELTWISE_OPS] = {
		[PALEO_RELU] = "eltwise.relu",
		[PALEO_RELU6] = "eltwise.relu6",
		[PALEO_LEAKY_RELU] = "eltwise.leaky_relu",
		[PALEO_ELU] = "eltwise.elu",
		[PALEO_SIGMOID] = "eltwise.sigmoid",
		[PALEO_TANH] = "eltwise.tanh",
		[PALEO_GELU] = "eltwise.gelu",
		[PALEO_SILU] = "eltwise.silu",
		[PALEO_HARDSWISH] = "eltwise.hardswish",
		[PALEO_DROPOUT] = "eltwise.dropout",
		[PALEO_ADD] = "eltwise.add",
		[PALEO_MUL] = "eltwise.mul",
		[PALEO_MAX] = "eltwise.max",
	};
	static const char *const norm[] = {"norm.batch", "norm.layer", "norm.rms",
					   "norm.batch_inference"};
	static const char *const update[] = {"update.sgd", "update.momentum", "update.adam"};
	static const char *const upsample[] = {"upsample.nearest", "upsample.bilinear"};
	static const char *const reduce[] = {"reduce.sum", "reduce.mean", "reduce.max"};

	switch (w->kind) {
	case PALEO_CONV:
		if (w->geom.conv.groups == 1)
			return w->geom.conv.p == 1 && w->geom.conv.q == 1 ? "conv.dense" : "conv";
		return w->geom.conv.groups == w->geom.conv.c ? "conv.depthwise" : "conv.grouped";
	case PALEO_GEMM:
		return w->geom.gemm.batch > 1 ? "gemm.batched" : "gemm";
	case PALEO_POOL:
		return w->geom.pool.mode == PALEO_POOL_MAX ? "pool.max" : "pool.avg";
	case PALEO_ELTWISE:
		return eltwise[w->geom.eltwise.op];
	case PALEO_NORM:
		return norm[w->geom.norm.mode];
	case PALEO_UPDATE:
		return update[w->geom.update.rule];
	case PALEO_UPSAMPLE:
		return upsample[w->geom.upsample.mode];
	case PALEO_REDUCE:
		return reduce[w->geom.reduce.op];
	case PALEO_LRN:
	case PALEO_SOFTMAX:
	case PALEO_COPY:
	case PALEO_WORK_KINDS:
		break;
	}
	return paleo_work_kind_name(w->kind);
}

const char *paleo_work_class(const struct paleo_work *w)
{
	static const char *const nhwc[][2] = {
		{"conv", "conv.nhwc"},
		{"conv.dense", "conv.dense.nhwc"},
		{"conv.grouped", "conv.grouped.nhwc"},
		{"conv.depthwise", "conv.depthwise.nhwc"},
		{"pool.max", "pool.max.nhwc"},
		{"pool.avg", "pool.avg.nhwc"},
		{"norm.batch", "norm.batch.nhwc"},
		{"norm.layer", "norm.layer.nhwc"},
		{"norm.rms", "norm.rms.nhwc"},
		{"norm.batch_inference", "norm.batch_inference.nhwc"},
		{"lrn", "lrn.nhwc"},
		{"upsample.nearest", "upsample.nearest.nhwc"},
		{"upsample.bilinear", "upsample.bilinear.nhwc"},
	};
	const char *name = plain_class(w);

	for (size_t i = 0; w->layout == PALEO_NHWC && i < sizeof(nhwc) / sizeof(*nhwc); i++)
		if (!strcmp(name, nhwc[i][0]))
			return nhwc[i][1];
	return name;
}
