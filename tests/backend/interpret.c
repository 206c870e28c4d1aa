/* interpret.c - runs a whole program in double precision, as plainly as can be. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "interpret.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/fill.h"

static double count_of(const struct paleo_buffer *b)
{
	return b->bytes / b->elem_bytes;
}

struct values values_make(const struct paleo_graph *p)
{
	struct values v = {.graph = p, .of = calloc((size_t)p->buffer_count, sizeof(*v.of))};

	for (int i = 0; v.of && i < p->buffer_count; i++) {
		int n = (int)count_of(&p->buffers[i]);
		v.of[i] = malloc((size_t)n * sizeof(double));
		if (!v.of[i])
			break;
		for (int k = 0; k < n; k++)
			v.of[i][k] = p->buffers[i].scale > 0 ? paleo_fill_buffer(p, i, k) : NAN;
	}
	if (!v.of || !v.of[p->buffer_count - 1]) {
		fprintf(stderr, "no memory\n");
		exit(2);
	}
	return v;
}

void values_free(struct values *v)
{
	for (int i = 0; i < v->graph->buffer_count; i++)
		free(v->of[i]);
	free(v->of);
}

/* The array of an operand; NULL if the step has none. */
static double *at(const struct values *v, int step, enum paleo_role role, int copy)
{
	const struct paleo_graph_use *u = paleo_graph_find(v->graph, step, role, copy);

	return u ? v->of[u->buffer] : NULL;
}

static void zero(double *x, double n)
{
	for (int i = 0; x && i < (int)n; i++)
		x[i] = 0;
}

/* Where element (n, c, h, w) of an image lies, or (k, c, r, s) of a filter; `dims` are its sizes.
 */
static int place(const struct values *v, int step, const int dims[4], int n, int c, int h, int w)
{
	if (v->graph->steps[step].op.layout == PALEO_NHWC)
		return ((n * dims[2] + h) * dims[3] + w) * dims[1] + c;
	return ((n * dims[1] + c) * dims[2] + h) * dims[3] + w;
}

/* What may end a product. */
static double activate(int op, double x)
{
	return op == PALEO_GELU ? x / 2 * (1 + erf(x / sqrt(2))) : fmax(x, 0);
}

/* Its derivative; of GELU with the density of a normal distribution. */
static double slope_of(int op, double x)
{
	if (op == PALEO_GELU)
		return (1 + erf(x / sqrt(2))) / 2 + x * exp(-x * x / 2) / sqrt(2 * acos(-1));
	return x > 0;
}

/* y = act(y) for all of a result. */
static int end_with(const struct values *v, int step, int act)
{
	const struct paleo_graph_use *u = paleo_graph_find(v->graph, step, PALEO_Y, 0);
	int n = act ? (int)count_of(&v->graph->buffers[u->buffer]) : 0;

	for (int i = 0; i < n; i++)
		v->of[u->buffer][i] = activate(act - 1, v->of[u->buffer][i]);
	return !act || act - 1 == PALEO_RELU || act - 1 == PALEO_GELU;
}

/* All three passes are sums over the same products x w y. */
static void conv(const struct values *v, int step)
{
	const struct paleo_op *w = &v->graph->steps[step].op;
	const struct paleo_conv_geom *g = &w->geom.conv;
	int fwd = w->pass == PALEO_FWD, data = w->pass == PALEO_BWD_DATA;
	double *x = at(v, step, data ? PALEO_DX : PALEO_X, 0);
	double *f = at(v, step, fwd || data ? PALEO_W : PALEO_DW, 0);
	double *y = at(v, step, fwd ? PALEO_Y : PALEO_DY, 0);
	double *bias = at(v, step, fwd ? PALEO_BIAS : PALEO_DBIAS, 0);
	int gc = g->c / g->groups, gk = g->k / g->groups;
	const int xd[4] = {g->n, g->c, g->h, g->w}, yd[4] = {g->n, g->k, g->p, g->q};
	const int fd[4] = {g->k, gc, g->r, g->s};

	zero(data  ? x
	     : fwd ? y
		   : f,
	     data  ? (double)g->n * g->c * g->h * g->w
	     : fwd ? (double)g->n * g->k * g->p * g->q
		   : (double)g->k * gc * g->r * g->s);
	if (!fwd)
		zero(bias, g->k);
	for (int n = 0; n < g->n; n++)
		for (int k = 0; k < g->k; k++)
			for (int p = 0; p < g->p; p++)
				for (int q = 0; q < g->q; q++) {
					double *yy = &y[place(v, step, yd, n, k, p, q)];
					if (bias && fwd)
						*yy += bias[k];
					else if (bias)
						bias[k] += *yy;
					for (int i = 0; i < gc * g->r * g->s; i++) {
						int c = k / gk * gc + i / (g->r * g->s);
						int r = i / g->s % g->r, s = i % g->s;
						int h = p * g->stride_h - g->pad_t + r * g->dil_h;
						int ww = q * g->stride_w - g->pad_l + s * g->dil_w;
						if (h < 0 || h >= g->h || ww < 0 || ww >= g->w)
							continue;
						double *xx = &x[place(v, step, xd, n, c, h, ww)];
						double *ff = &f[place(v, step, fd, k,
								      i / (g->r * g->s), r, s)];
						if (fwd)
							*yy += *xx * *ff;
						else if (data)
							*xx += *yy * *ff;
						else
							*ff += *xx * *yy;
					}
				}
}

/* Product number `i` of a batch. */
static void product(const struct values *v, int step, int i)
{
	const struct paleo_op *w = &v->graph->steps[step].op;
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	const int before[3] = {i * g->m * g->k, i * g->k * g->n, i * g->m * g->n};
	const double *a = at(v, step, PALEO_X, 0) + before[0];
	const double *b = at(v, step, PALEO_W, 0) + before[1];
	double *c = at(v, step, PALEO_Y, 0) + before[2];
	double *dbias = at(v, step, PALEO_DBIAS, 0);
	const double *bias = at(v, step, PALEO_BIAS, 0);

	zero(dbias, g->m);
	for (int m = 0; m < g->m; m++) {
		for (int n = 0; n < g->n; n++) {
			double sum = bias ? bias[n] : 0;
			for (int k = 0; k < g->k; k++)
				sum += a[g->trans_a ? k * g->m + m : m * g->k + k] *
				       b[g->trans_b ? n * g->k + k : k * g->n + n];
			c[m * g->n + n] = sum;
		}
		for (int k = 0; dbias && k < g->k; k++)
			dbias[m] += a[g->trans_a ? k * g->m + m : m * g->k + k];
	}
}

static void gemm(const struct values *v, int step)
{
	for (int i = 0; i < v->graph->steps[step].op.geom.gemm.batch; i++)
		product(v, step, i);
}

/* One output of a pooling. The mask says which input of the window won, as an index into it. */
static void pool_one(const struct values *v, int step, int image, int p, int q)
{
	const struct paleo_op *w = &v->graph->steps[step].op;
	const struct paleo_pool_geom *g = &w->geom.pool;
	const int xd[4] = {g->n, g->c, g->h, g->w}, yd[4] = {g->n, g->c, g->p, g->q};
	int fwd = w->pass == PALEO_FWD, n = image / g->c, c = image % g->c, inside = 0;
	int out = place(v, step, yd, n, c, p, q);
	double *x = at(v, step, fwd ? PALEO_X : PALEO_DX, 0), *mask = at(v, step, PALEO_MASK, 0);
	double *y = at(v, step, fwd ? PALEO_Y : PALEO_DY, 0), sum = 0, best = -INFINITY;
	int in[64], where[64];

	for (int i = 0; i < g->r * g->s; i++) {
		int h = p * g->stride_h - g->pad_t + i / g->s;
		int ww = q * g->stride_w - g->pad_l + i % g->s;
		if (h < 0 || h >= g->h || ww < 0 || ww >= g->w)
			continue;
		where[inside] = i;
		in[inside++] = place(v, step, xd, n, c, h, ww);
	}
	double area = g->mode == PALEO_POOL_AVG ? inside : g->r * g->s;
	for (int i = 0; i < inside; i++) {
		if (fwd && g->mode == PALEO_POOL_MAX && x[in[i]] > best) {
			best = x[in[i]];
			mask[out] = where[i];
		}
		if (fwd)
			sum += x[in[i]] / area;
		else if (g->mode != PALEO_POOL_MAX)
			x[in[i]] += y[out] / area;
		else if (mask[out] == where[i])
			x[in[i]] += y[out];
	}
	if (fwd)
		y[out] = g->mode == PALEO_POOL_MAX ? best : sum;
}

static void pool(const struct values *v, int step)
{
	const struct paleo_pool_geom *g = &v->graph->steps[step].op.geom.pool;

	zero(at(v, step, PALEO_DX, 0), (double)g->n * g->c * g->h * g->w);
	for (int image = 0; image < g->n * g->c; image++)
		for (int p = 0; p < g->p; p++)
			for (int q = 0; q < g->q; q++)
				pool_one(v, step, image, p, q);
}

static int eltwise(const struct values *v, int step)
{
	const struct paleo_op *w = &v->graph->steps[step].op;
	const struct paleo_eltwise_geom *g = &w->geom.eltwise;
	int fwd = w->pass == PALEO_FWD;
	const double *x = at(v, step, PALEO_X, 0), *dy = at(v, step, PALEO_DY, 0);
	double *y = at(v, step, PALEO_Y, 0), *dx = at(v, step, PALEO_DX, 0);
	double *mask = at(v, step, PALEO_MASK, 0);

	if (g->op != PALEO_RELU && g->op != PALEO_GELU && g->op != PALEO_ADD &&
	    g->op != PALEO_DROPOUT)
		return 0;
	for (int i = 0; i < (int)g->count; i++) {
		if (g->op == PALEO_DROPOUT && fwd) {
			mask[i] = paleo_fill_keep(i);
			y[i] = 2 * mask[i] * x[i];
		} else if (g->op == PALEO_DROPOUT) {
			dx[i] = 2 * mask[i] * dy[i];
		} else if (g->op != PALEO_ADD && fwd) {
			y[i] = activate(g->op, x[i]);
		} else if (g->op != PALEO_ADD) {
			dx[i] = slope_of(g->op, x[i]) * dy[i];
		} else {
			y[i] = 0;
			for (int k = 0; k < g->inputs; k++)
				y[i] += at(v, step, PALEO_X, k)[i];
		}
	}
	return 1;
}

/* The elements that a normalisation takes together: a channel's, or for layer and RMS a pixel's. */
struct group {
	int count;
	int pixels; /* 1: of a pixel */
	int number; /* of the channel or pixel */
};

/* Where element `i` of a group lies; *channel is its channel. */
static int member(const struct values *v, int step, const struct group *s, int i, int *channel)
{
	const struct paleo_norm_geom *g = &v->graph->steps[step].op.geom.norm;
	const int dims[4] = {g->n, g->c, g->h, g->w};
	int pixel = s->pixels ? s->number : i;

	*channel = s->pixels ? i : s->number;
	return place(v, step, dims, pixel / (g->h * g->w), *channel, pixel / g->w % g->h,
		     pixel % g->w);
}

/* Mean and inverse deviation of a group; an RMS norm's mean is 0, at inference both are given. */
static void moments(const struct values *v, int step, const struct group *s, double *mean,
		    double *inverse)
{
	const struct paleo_norm_geom *g = &v->graph->steps[step].op.geom.norm;
	const double *x = at(v, step, PALEO_X, 0);
	double square = 0;
	int c;

	*mean = 0;
	for (int i = 0; g->mode != PALEO_RMS_NORM && i < s->count; i++)
		*mean += x[member(v, step, s, i, &c)] / s->count;
	if (g->mode == PALEO_BATCH_INFERENCE)
		*mean = at(v, step, PALEO_STATE1, 0)[s->number];
	for (int i = 0; i < s->count; i++)
		square += pow(x[member(v, step, s, i, &c)] - *mean, 2) / s->count;
	if (g->mode == PALEO_BATCH_INFERENCE)
		square = at(v, step, PALEO_STATE2, 0)[s->number];
	*inverse = 1 / sqrt(square + 1e-5);
}

/* One group. Ioffe and Szegedy 2015 has the gradients: those of a mean are gone where there is
 * none. The scale is within the sums, as pixels mix channels. */
static void norm_group(const struct values *v, int step, const struct group *s)
{
	const struct paleo_norm_geom *g = &v->graph->steps[step].op.geom.norm;
	const double *x = at(v, step, PALEO_X, 0), *dy = at(v, step, PALEO_DY, 0);
	const double *scale = at(v, step, PALEO_SCALE, 0), *shift = at(v, step, PALEO_SHIFT, 0);
	double *dscale = at(v, step, PALEO_DSCALE, 0), *dshift = at(v, step, PALEO_DSHIFT, 0);
	double mean, inverse, sum = 0, product = 0;
	int c;

	moments(v, step, s, &mean, &inverse);
	for (int i = 0; dy && i < s->count; i++) {
		int k = member(v, step, s, i, &c);
		double unit = (x[k] - mean) * inverse, gain = scale ? scale[c] : 1;
		sum += g->mode == PALEO_RMS_NORM ? 0 : gain * dy[k];
		product += gain * dy[k] * unit;
		if (dscale)
			dscale[c] += dy[k] * unit;
		if (dshift)
			dshift[c] += dy[k];
	}
	for (int i = 0; i < s->count; i++) {
		int k = member(v, step, s, i, &c);
		double unit = (x[k] - mean) * inverse, gain = scale ? scale[c] : 1;
		if (dy)
			at(v, step, PALEO_DX, 0)[k] = inverse * (gain * dy[k] - sum / s->count -
								 unit * product / s->count);
		else
			at(v, step, PALEO_Y, 0)[k] = gain * unit + (shift ? shift[c] : 0);
	}
}

static void norm(const struct values *v, int step)
{
	const struct paleo_norm_geom *g = &v->graph->steps[step].op.geom.norm;
	int per_pixel = g->mode == PALEO_LAYER_NORM || g->mode == PALEO_RMS_NORM;
	int pixels = g->n * g->h * g->w, groups = per_pixel ? pixels : g->c;

	zero(at(v, step, PALEO_DSCALE, 0), g->c);
	zero(at(v, step, PALEO_DSHIFT, 0), g->c);
	for (int i = 0; i < groups; i++) {
		const struct group s = {
			.count = per_pixel ? g->c : pixels, .pixels = per_pixel, .number = i};
		norm_group(v, step, &s);
	}
}

/* k = 1, alpha 1e-4, beta 0.75, as op.h says. */
static void lrn(const struct values *v, int step)
{
	const struct paleo_lrn_geom *g = &v->graph->steps[step].op.geom.lrn;
	const double *x = at(v, step, PALEO_X, 0), *dy = at(v, step, PALEO_DY, 0);
	int nhwc = v->graph->steps[step].op.layout == PALEO_NHWC;
	int pixels = nhwc ? 1 : g->h * g->w, half = g->size / 2; /* from channel to channel */

	zero(at(v, step, PALEO_DX, 0), (double)g->n * g->c * g->h * g->w);
	for (int i = 0; i < g->n * g->c * g->h * g->w; i++) {
		int c = i / pixels % g->c, low = c < half ? -c : -half;
		int high = c + half >= g->c ? g->c - 1 - c : half;
		double sum = 0;
		for (int d = low; d <= high; d++)
			sum += x[i + d * pixels] * x[i + d * pixels];
		double base = 1 + 1e-4 / g->size * sum;
		if (!dy) {
			at(v, step, PALEO_Y, 0)[i] = x[i] * pow(base, -0.75);
			continue;
		}
		double *dx = at(v, step, PALEO_DX, 0);
		dx[i] += dy[i] * pow(base, -0.75);
		for (int d = low; d <= high; d++)
			dx[i + d * pixels] -= dy[i] * x[i] * 0.75 * pow(base, -1.75) * 2e-4 /
					      g->size * x[i + d * pixels];
	}
}

static void softmax(const struct values *v, int step)
{
	const struct paleo_softmax_geom *g = &v->graph->steps[step].op.geom.softmax;
	const double *x = at(v, step, PALEO_X, 0), *dy = at(v, step, PALEO_DY, 0);
	double *y = at(v, step, PALEO_Y, 0), *dx = at(v, step, PALEO_DX, 0);

	for (int r = 0; r < g->rows; r++) {
		double sum = 0;
		for (int i = r * g->cols; i < (r + 1) * g->cols; i++)
			sum += dy ? dy[i] * y[i] : exp(x[i]);
		for (int i = r * g->cols; i < (r + 1) * g->cols; i++) {
			if (dy)
				dx[i] = y[i] * (dy[i] - sum);
			else
				y[i] = exp(x[i]) / sum;
		}
	}
}

/* Along channels: each image is one row of every part. Parts may lie one after another. */
static void copy(const struct values *v, int step)
{
	const struct paleo_graph_step *s = &v->graph->steps[step];
	int fwd = s->op.pass == PALEO_FWD, rows = s->op.geom.copy.rows, start = 0;
	int parts = s->op.geom.copy.parts, cols = s->op.geom.copy.cols;
	double *whole = at(v, step, fwd ? PALEO_Y : PALEO_DY, 0);
	int stacked = paleo_graph_is_stacked(v->graph, step);

	for (int i = 0; i < parts; i++) {
		enum paleo_role role = fwd ? PALEO_X : PALEO_DX;
		int buffer = paleo_graph_find(v->graph, step, role, stacked ? 0 : i)->buffer;
		int width =
			stacked ? cols / parts : (int)count_of(&v->graph->buffers[buffer]) / rows;
		double *part = &v->of[buffer][stacked ? i * rows * width : 0];
		for (int k = 0; k < rows * width; k++) {
			int there = k / width * cols + start + k % width;
			if (fwd)
				whole[there] = part[k];
			else
				part[k] = whole[there];
		}
		start += width;
	}
}

static void update(const struct values *v, int step)
{
	const struct paleo_update_geom *g = &v->graph->steps[step].op.geom.update;
	double *w = at(v, step, PALEO_W, 0), *first = at(v, step, PALEO_STATE1, 0);
	double *second = at(v, step, PALEO_STATE2, 0);
	const double *dw = at(v, step, PALEO_DY, 0);
	const double *master = at(v, step, PALEO_MASTER, 0);

	for (int i = 0; i < (int)g->count; i++) {
		if (master)
			w[i] = master[i];
		if (g->rule == PALEO_SGD) {
			w[i] -= 0x1p-10 * dw[i];
		} else if (g->rule == PALEO_MOMENTUM) {
			first[i] = 0.9 * first[i] + dw[i];
			w[i] -= 0x1p-10 * first[i];
		} else {
			first[i] = 0.9 * first[i] + 0.1 * dw[i];
			second[i] = 0.999 * second[i] + 0.001 * dw[i] * dw[i];
			w[i] -= 0x1p-10 * first[i] / 0.1 / (sqrt(second[i] / 0.001) + 1e-8);
		}
	}
}

int interpret_step(struct values *v, int i)
{
	switch ((int)v->graph->steps[i].op.kind) {
	case PALEO_CONV:
		conv(v, i);
		return end_with(v, i, v->graph->steps[i].op.geom.conv.act);
	case PALEO_GEMM:
		gemm(v, i);
		return end_with(v, i, v->graph->steps[i].op.geom.gemm.act);
	case PALEO_POOL:
		pool(v, i);
		return 1;
	case PALEO_ELTWISE:
		return eltwise(v, i);
	case PALEO_NORM:
		norm(v, i);
		return 1;
	case PALEO_LRN:
		lrn(v, i);
		return 1;
	case PALEO_SOFTMAX:
		softmax(v, i);
		return 1;
	case PALEO_COPY:
		copy(v, i);
		return 1;
	case PALEO_ATTENTION:
		return interpret_attention(v, i);
	case PALEO_UPDATE:
		update(v, i);
		return 1;
	default:
		return 0;
	}
}
