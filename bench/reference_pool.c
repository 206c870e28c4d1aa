/* reference_pool.c - reference of pooling and up-sampling. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/reference_kinds.h"

/* The part of a pooling window that lies inside the input: rows h0 .. h1 - 1, columns w0 .. w1 - 1.
 */
struct window {
	int h0, h1, w0, w1;
};

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

static struct window window_of(const struct paleo_pool_geom *g, int p, int q)
{
	int h = p * g->stride_h - g->pad_t;
	int w = q * g->stride_w - g->pad_l;

	return (struct window){
		.h0 = larger(h, 0),
		.h1 = smaller(h + g->r, g->h),
		.w0 = larger(w, 0),
		.w1 = smaller(w + g->s, g->w),
	};
}

static double divisor(const struct paleo_pool_geom *g, const struct window *v)
{
	if (g->mode == PALEO_POOL_AVG_PAD)
		return (double)g->r * g->s;
	return (double)(v->h1 - v->h0) * (v->w1 - v->w0);
}

/* Position in x of the first of the window's largest elements, row by row. `first` is the plane. */
static uint64_t winner(const struct paleo_filler *x, const struct paleo_pool_geom *g,
		       const struct window *v, uint64_t first)
{
	uint64_t best = 0;
	float most = -INFINITY;

	for (int h = v->h0; h < v->h1; h++) {
		for (int w = v->w0; w < v->w1; w++) {
			uint64_t i = first + (uint64_t)h * (uint64_t)g->w + (uint64_t)w;
			float value = paleo_filler_at(x, i);
			if (value > most) {
				most = value;
				best = i;
			}
		}
	}
	return best;
}

static void pool_y(const struct paleo_op *op, struct paleo_reference *e)
{
	const struct paleo_pool_geom *g = &op->geom.pool;
	struct paleo_filler x = paleo_filler_of(op, PALEO_X, 0);
	const int dims[4] = {g->n, g->c, g->p, g->q};
	int at[4];

	paleo_unravel(e->index, dims, at);
	struct window v = window_of(g, at[2], at[3]);
	uint64_t plane = (uint64_t)g->h * (uint64_t)g->w;
	uint64_t first = ((uint64_t)at[0] * (uint64_t)g->c + (uint64_t)at[1]) * plane;
	if (g->mode == PALEO_POOL_MAX) {
		paleo_reference_add(e, paleo_filler_at(&x, winner(&x, g, &v, first)));
		return;
	}
	double by = divisor(g, &v);
	for (int h = v.h0; h < v.h1; h++) {
		for (int w = v.w0; w < v.w1; w++) {
			uint64_t i = first + (uint64_t)h * (uint64_t)g->w + (uint64_t)w;
			paleo_reference_add(e, (double)paleo_filler_at(&x, i) / by);
		}
	}
}

/* Loops over all windows that contain the pixel: those from p0 to p1 - 1 start early enough. */
static void pool_dx(const struct paleo_op *op, struct paleo_reference *e)
{
	const struct paleo_pool_geom *g = &op->geom.pool;
	struct paleo_filler x = paleo_filler_of(op, PALEO_X, 0);
	struct paleo_filler dy = paleo_filler_of(op, PALEO_DY, 0);
	const int x_dims[4] = {g->n, g->c, g->h, g->w}, y_dims[4] = {g->n, g->c, g->p, g->q};
	int at[4];

	paleo_unravel(e->index, x_dims, at);
	uint64_t first = paleo_ravel(x_dims, at[0], at[1], 0, 0);
	int p1 = smaller((at[2] + g->pad_t) / g->stride_h + 1, g->p);
	int q1 = smaller((at[3] + g->pad_l) / g->stride_w + 1, g->q);
	int p0 = larger((at[2] + g->pad_t - g->r) / g->stride_h, 0);
	int q0 = larger((at[3] + g->pad_l - g->s) / g->stride_w, 0);
	for (int p = p0; p < p1; p++) {
		for (int q = q0; q < q1; q++) {
			struct window v = window_of(g, p, q);
			if (at[2] >= v.h1 || at[3] >= v.w1)
				continue;
			double d = paleo_filler_at(&dy, paleo_ravel(y_dims, at[0], at[1], p, q));
			if (g->mode != PALEO_POOL_MAX)
				paleo_reference_add(e, d / divisor(g, &v));
			else if (winner(&x, g, &v, first) == e->index)
				paleo_reference_add(e, d);
		}
	}
}

int paleo_reference_pool(const struct paleo_op *w, struct paleo_reference *e)
{
	if (w->pass == PALEO_FWD && e->role == PALEO_Y)
		pool_y(w, e);
	else if (w->pass == PALEO_BWD_DATA && e->role == PALEO_DX)
		pool_dx(w, e);
	else
		return 0;
	return 1;
}

/* Weight of input position `in` in output position `out` along one dimension. */
static double weight(int mode, int out, int in, int scale, int size)
{
	if (mode == PALEO_NEAREST)
		return out / scale == in;
	double centre = (out + 0.5) / scale - 0.5;
	int low = (int)floor(centre);
	double part = centre - low;
	int a = larger(low, 0), b = smaller(low + 1, size - 1);
	return (a == in ? 1 - part : 0) + (b == in ? part : 0);
}

static void upsample_y(const struct paleo_op *op, struct paleo_reference *e)
{
	const struct paleo_upsample_geom *g = &op->geom.upsample;
	struct paleo_filler x = paleo_filler_of(op, PALEO_X, 0);
	const int x_dims[4] = {g->n, g->c, g->h, g->w};
	const int y_dims[4] = {g->n, g->c, g->h * g->scale_h, g->w * g->scale_w};
	int at[4];

	paleo_unravel(e->index, y_dims, at);
	int h0 = at[2] / g->scale_h, w0 = at[3] / g->scale_w; /* no other but its neighbours */
	for (int h = larger(h0 - 1, 0); h < smaller(h0 + 2, g->h); h++) {
		for (int w = larger(w0 - 1, 0); w < smaller(w0 + 2, g->w); w++) {
			double f = weight(g->mode, at[2], h, g->scale_h, g->h) *
				   weight(g->mode, at[3], w, g->scale_w, g->w);
			double v = paleo_filler_at(&x, paleo_ravel(x_dims, at[0], at[1], h, w));
			paleo_reference_add(e, f * v);
		}
	}
}

static void upsample_dx(const struct paleo_op *op, struct paleo_reference *e)
{
	const struct paleo_upsample_geom *g = &op->geom.upsample;
	struct paleo_filler dy = paleo_filler_of(op, PALEO_DY, 0);
	const int x_dims[4] = {g->n, g->c, g->h, g->w};
	const int y_dims[4] = {g->n, g->c, g->h * g->scale_h, g->w * g->scale_w};
	int at[4];

	paleo_unravel(e->index, x_dims, at);
	int p1 = smaller((at[2] + 2) * g->scale_h, y_dims[2]);
	int q1 = smaller((at[3] + 2) * g->scale_w, y_dims[3]);
	for (int p = larger((at[2] - 1) * g->scale_h, 0); p < p1; p++) {
		for (int q = larger((at[3] - 1) * g->scale_w, 0); q < q1; q++) {
			double f = weight(g->mode, p, at[2], g->scale_h, g->h) *
				   weight(g->mode, q, at[3], g->scale_w, g->w);
			double d = paleo_filler_at(&dy, paleo_ravel(y_dims, at[0], at[1], p, q));
			paleo_reference_add(e, f * d);
		}
	}
}

int paleo_reference_upsample(const struct paleo_op *w, struct paleo_reference *e)
{
	if (w->pass == PALEO_FWD && e->role == PALEO_Y)
		upsample_y(w, e);
	else if (w->pass == PALEO_BWD_DATA && e->role == PALEO_DX)
		upsample_dx(w, e);
	else
		return 0;
	return 1;
}
