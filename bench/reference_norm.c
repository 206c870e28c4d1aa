/* reference_norm.c - reference of normalisations, softmax and reductions. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/reference_kinds.h"

/*
 * A normalisation works on groups: batch on all n,h,w of one channel, layer and RMS on all channels
 * of one n,h,w. Both are `outer` runs of `inner` elements with a stride of `step`.
 */
struct group {
	uint64_t first;      /* position of its first element */
	uint64_t outer, gap; /* runs, and the distance of their beginnings */
	uint64_t inner, step;
	double mean, inverse; /* of x: mean (0 for RMS), 1 / sqrt(variance + epsilon) */
};

/* Inputs and position. */
struct norm {
	const struct paleo_norm_geom *g;
	struct paleo_filler x, dy, scale, shift;
	struct paleo_filler more; /* addend of x forward, of dx backward */
	int adds_x, adds_dx;
	uint64_t plane; /* pixels */
};

static struct norm norm_of(const struct paleo_op *w)
{
	const struct paleo_norm_geom *g = &w->geom.norm;

	return (struct norm){
		.g = g,
		.x = paleo_filler_of(w, PALEO_X, 0),
		.dy = paleo_filler_of(w, PALEO_DY, 0),
		.more = paleo_filler_of(w, w->pass == PALEO_FWD ? PALEO_X : PALEO_DY, 1),
		.adds_x = g->add && w->pass == PALEO_FWD,
		.adds_dx = g->add && w->pass != PALEO_FWD,
		.scale = paleo_filler_of(w, PALEO_SCALE, 0),
		.shift = paleo_filler_of(w, PALEO_SHIFT, 0),
		.plane = (uint64_t)g->h * (uint64_t)g->w,
	};
}

static double x_at(const struct norm *t, uint64_t index)
{
	double x = paleo_filler_at(&t->x, index);

	return t->adds_x ? x + paleo_filler_at(&t->more, index) : x;
}

static uint64_t channel_of(const struct norm *t, uint64_t index)
{
	return index / t->plane % (uint64_t)t->g->c;
}

static double scale_of(const struct norm *t, uint64_t index)
{
	return t->g->scale ? paleo_filler_at(&t->scale, channel_of(t, index)) : 1;
}

static uint64_t member(const struct group *p, uint64_t i, uint64_t j)
{
	return p->first + i * p->gap + j * p->step;
}

static void find_statistics(const struct norm *t, struct group *p)
{
	const double epsilon = 1e-5;
	double count = (double)p->outer * (double)p->inner, sum = 0, squares = 0;

	if (t->g->mode != PALEO_RMS_NORM) {
		for (uint64_t i = 0; i < p->outer; i++) {
			for (uint64_t j = 0; j < p->inner; j++)
				sum += x_at(t, member(p, i, j));
		}
	}
	p->mean = sum / count;
	for (uint64_t i = 0; i < p->outer; i++) {
		for (uint64_t j = 0; j < p->inner; j++) {
			double d = x_at(t, member(p, i, j)) - p->mean;
			squares += d * d;
		}
	}
	p->inverse = 1 / sqrt(squares / count + epsilon);
}

/* The group that the element at `index` of x belongs to. */
static struct group group_of(const struct norm *t, uint64_t index)
{
	uint64_t image = t->plane * (uint64_t)t->g->c;
	struct group p = {.outer = 1, .inner = (uint64_t)t->g->c, .step = t->plane};

	if (t->g->mode == PALEO_BATCH_NORM) {
		p = (struct group){.outer = (uint64_t)t->g->n, .inner = t->plane, .step = 1};
		p.gap = image;
		p.first = channel_of(t, index) * t->plane;
	} else {
		p.first = index / image * image + index % t->plane;
	}
	find_statistics(t, &p);
	return p;
}

static double normalised(const struct norm *t, const struct group *p, uint64_t index)
{
	return (x_at(t, index) - p->mean) * p->inverse;
}

/* At inference, mean and variance are inputs. */
static struct group given_statistics(const struct paleo_op *w, uint64_t channel)
{
	double variance = paleo_fill_value(w, PALEO_STATE2, 0, (double)channel);

	return (struct group){.mean = paleo_fill_value(w, PALEO_STATE1, 0, (double)channel),
			      .inverse = 1 / sqrt(variance + 1e-5)};
}

static void norm_y(const struct paleo_op *w, const struct norm *t, struct paleo_reference *e)
{
	if (e->copy) { /* the sum alone */
		paleo_reference_add(e, x_at(t, e->index));
		return;
	}
	struct group p = t->g->mode == PALEO_BATCH_INFERENCE
				 ? given_statistics(w, channel_of(t, e->index))
				 : group_of(t, e->index);
	double factor = scale_of(t, e->index) * p.inverse;

	paleo_reference_add(e, factor * x_at(t, e->index));
	paleo_reference_add(e, -factor * p.mean);
	if (t->g->shift)
		paleo_reference_add(e, paleo_filler_at(&t->shift, channel_of(t, e->index)));
}

/*
 * With z the normalised x and d = dy * scale: dx = (d - mean(d) - z mean(d z)) / sigma, the means
 * over the group (Ioffe and Szegedy 2015, section 3, combined); RMS has no mean(d).
 */
static void norm_dx(const struct norm *t, struct paleo_reference *e)
{
	struct group p = group_of(t, e->index);
	double count = (double)p.outer * (double)p.inner, sum = 0, product = 0;

	for (uint64_t i = 0; i < p.outer; i++) {
		for (uint64_t j = 0; j < p.inner; j++) {
			uint64_t at = member(&p, i, j);
			double d = paleo_filler_at(&t->dy, at) * scale_of(t, at);
			sum += d;
			product += d * normalised(t, &p, at);
		}
	}
	double d = paleo_filler_at(&t->dy, e->index) * scale_of(t, e->index);
	paleo_reference_add(e, d * p.inverse);
	if (t->adds_dx)
		paleo_reference_add(e, paleo_filler_at(&t->more, e->index));
	if (t->g->mode != PALEO_RMS_NORM)
		paleo_reference_add(e, -sum / count * p.inverse);
	paleo_reference_add(e, -normalised(t, &p, e->index) * product / count * p.inverse);
}

/* Gradients of scale (sum of dy z) and shift (sum of dy) of channel e->index. */
static void norm_dparameter(const struct norm *t, struct paleo_reference *e)
{
	uint64_t image = t->plane * (uint64_t)t->g->c;
	int scale = e->role == PALEO_DSCALE, batch = t->g->mode == PALEO_BATCH_NORM;
	struct group p = {0};

	if (scale && batch)
		p = group_of(t, e->index * t->plane);
	for (uint64_t n = 0; n < (uint64_t)t->g->n; n++) {
		for (uint64_t i = 0; i < t->plane; i++) {
			uint64_t at = n * image + e->index * t->plane + i;
			if (scale && !batch)
				p = group_of(t, at);
			double d = paleo_filler_at(&t->dy, at);
			paleo_reference_add(e, scale ? d * normalised(t, &p, at) : d);
		}
	}
}

int paleo_reference_norm(const struct paleo_op *w, struct paleo_reference *e)
{
	struct norm t = norm_of(w);
	int back = w->pass == PALEO_BWD_DATA;

	if (w->pass == PALEO_FWD && e->role == PALEO_Y)
		norm_y(w, &t, e);
	else if (back && e->role == PALEO_DX)
		norm_dx(&t, e);
	else if (back && ((e->role == PALEO_DSCALE && t.g->scale) ||
			  (e->role == PALEO_DSHIFT && t.g->shift)))
		norm_dparameter(&t, e);
	else
		return 0;
	return 1;
}

/* LRN's denominator at channel c, before the power: 1 + 1e-4/size * sum of x^2. `pixel` is the
 * position of channel 0. */
static double lrn_base(const struct paleo_lrn_geom *g, const struct paleo_filler *x, uint64_t pixel,
		       int c)
{
	double sum = 0;

	for (int i = c - g->size / 2; i <= c + g->size / 2; i++) {
		if (i < 0 || i >= g->c)
			continue;
		uint64_t step = (uint64_t)g->h * (uint64_t)g->w;
		double v = paleo_filler_at(x, pixel + (uint64_t)i * step);
		sum += v * v;
	}
	return 1 + 1e-4 / g->size * sum;
}

static void lrn_dx(const struct paleo_op *w, uint64_t pixel, int c, struct paleo_reference *e)
{
	const struct paleo_lrn_geom *g = &w->geom.lrn;
	struct paleo_filler x = paleo_filler_of(w, PALEO_X, 0);
	struct paleo_filler dy = paleo_filler_of(w, PALEO_DY, 0);
	uint64_t step = (uint64_t)g->h * (uint64_t)g->w;
	double own = paleo_filler_at(&x, e->index);

	paleo_reference_add(e,
			    paleo_filler_at(&dy, e->index) * pow(lrn_base(g, &x, pixel, c), -0.75));
	for (int i = c - g->size / 2; i <= c + g->size / 2; i++) {
		if (i < 0 || i >= g->c)
			continue;
		uint64_t at = pixel + (uint64_t)i * step;
		double v = (double)paleo_filler_at(&dy, at) * (double)paleo_filler_at(&x, at);
		double power = pow(lrn_base(g, &x, pixel, i), -1.75);
		paleo_reference_add(e, -2 * 0.75 * 1e-4 / g->size * own * v * power);
	}
}

int paleo_reference_lrn(const struct paleo_op *w, struct paleo_reference *e)
{
	const struct paleo_lrn_geom *g = &w->geom.lrn;
	const int dims[4] = {g->n, g->c, g->h, g->w};
	int at[4];

	paleo_unravel(e->index, dims, at);
	uint64_t pixel = paleo_ravel(dims, at[0], 0, at[2], at[3]);
	if (w->pass == PALEO_FWD && e->role == PALEO_Y) {
		struct paleo_filler x = paleo_filler_of(w, PALEO_X, 0);
		double base = lrn_base(g, &x, pixel, at[1]);
		paleo_reference_add(e, paleo_filler_at(&x, e->index) * pow(base, -0.75));
	} else if (w->pass == PALEO_BWD_DATA && e->role == PALEO_DX) {
		lrn_dx(w, pixel, at[1], e);
	} else {
		return 0;
	}
	return 1;
}

static void softmax_y(const struct paleo_op *w, uint64_t first, struct paleo_reference *e)
{
	struct paleo_filler x = paleo_filler_of(w, PALEO_X, 0);
	double sum = 0; /* inputs are within [-1, 1]: nothing overflows */

	for (uint64_t i = 0; i < (uint64_t)w->geom.softmax.cols; i++)
		sum += exp((double)paleo_filler_at(&x, first + i));
	paleo_reference_add(e, exp((double)paleo_filler_at(&x, e->index)) / sum);
}

/* dx = y (dy - sum of y dy over the row); y is an input, and need not be a softmax's result. */
static void softmax_dx(const struct paleo_op *w, uint64_t first, struct paleo_reference *e)
{
	struct paleo_filler y = paleo_filler_of(w, PALEO_Y, 0);
	struct paleo_filler dy = paleo_filler_of(w, PALEO_DY, 0);
	double own = paleo_filler_at(&y, e->index);

	paleo_reference_add(e, own * paleo_filler_at(&dy, e->index));
	for (uint64_t i = 0; i < (uint64_t)w->geom.softmax.cols; i++) {
		double d = paleo_filler_at(&dy, first + i);
		paleo_reference_add(e, -own * d * paleo_filler_at(&y, first + i));
	}
}

int paleo_reference_softmax(const struct paleo_op *w, struct paleo_reference *e)
{
	uint64_t columns = (uint64_t)w->geom.softmax.cols;
	uint64_t first = e->index / columns * columns;

	if (w->pass == PALEO_FWD && e->role == PALEO_Y)
		softmax_y(w, first, e);
	else if (w->pass == PALEO_BWD_DATA && e->role == PALEO_DX)
		softmax_dx(w, first, e);
	else
		return 0;
	return 1;
}

static void reduce_y(const struct paleo_op *w, struct paleo_reference *e)
{
	const struct paleo_reduce_geom *g = &w->geom.reduce;
	struct paleo_filler x = paleo_filler_of(w, PALEO_X, 0);
	uint64_t columns = (uint64_t)g->cols, first = e->index * columns;
	double largest = paleo_filler_at(&x, first);

	for (uint64_t i = 0; i < columns; i++) {
		double v = paleo_filler_at(&x, first + i);
		largest = fmax(largest, v);
		if (g->op != PALEO_REDUCE_MAX)
			paleo_reference_add(e, g->op == PALEO_REDUCE_MEAN ? v / g->cols : v);
	}
	if (g->op == PALEO_REDUCE_MAX)
		paleo_reference_add(e, largest);
}

int paleo_reference_reduce(const struct paleo_op *w, struct paleo_reference *e)
{
	const struct paleo_reduce_geom *g = &w->geom.reduce;

	if (w->pass == PALEO_FWD && e->role == PALEO_Y) {
		reduce_y(w, e);
	} else if (w->pass == PALEO_BWD_DATA && e->role == PALEO_DX) {
		struct paleo_filler dy = paleo_filler_of(w, PALEO_DY, 0);
		double v = paleo_filler_at(&dy, e->index / (uint64_t)g->cols);
		paleo_reference_add(e, g->op == PALEO_REDUCE_MEAN ? v / g->cols : v);
	} else {
		return 0;
	}
	return 1;
}
