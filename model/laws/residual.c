/* residual.c - what a law errs by near shapes that were measured: the last correction. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/laws/residual.h"

#include <math.h>
#include <stdlib.h>

/* As the study found them on 40 tables; a factor of two in either hardly matters. */
#define WIDTH 0.7
#define SHRINK 0.5
/* Operands stored the other way are read by other kernels: as far as two widths. */
#define OTHER_KERNEL (2 * WIDTH)
#define REACH2 (8 * WIDTH * WIDTH) /* squared distance at which the weight ends */

enum {
	LEAF = 8 /* so few points are looked at one by one */
};

static double log_size(double size)
{
	return size > 1 ? log2(size) : 0;
}

static void place_conv(const struct paleo_conv_geom *g, double *at)
{
	at[0] = log_size(g->n);
	at[1] = log_size(g->c);
	at[2] = log_size(g->k);
	at[3] = log_size((double)g->p * g->q);
	at[4] = log_size((double)g->r * g->s);
	at[5] = log_size((double)g->stride_h * g->stride_w);
	at[6] = log_size(g->groups);
	at[7] = log_size((double)g->dil_h * g->dil_w);
}

void paleo_residual_place(const struct paleo_work *w, double at[PALEO_RESIDUAL_AXES])
{
	const struct paleo_gemm_geom *gemm = &w->geom.gemm;

	for (int i = 0; i < PALEO_RESIDUAL_AXES; i++)
		at[i] = 0;
	if (w->kind == PALEO_CONV) {
		place_conv(&w->geom.conv, at);
	} else if (w->kind == PALEO_GEMM) {
		at[0] = log_size(gemm->m);
		at[1] = log_size(gemm->n);
		at[2] = log_size(gemm->k);
		at[3] = log_size(gemm->batch);
		at[4] = gemm->trans_a ? OTHER_KERNEL : 0;
		at[5] = gemm->trans_b ? OTHER_KERNEL : 0;
	} else if (w->kind == PALEO_SOFTMAX) {
		at[0] = log_size(w->geom.softmax.rows);
		at[1] = log_size(w->geom.softmax.cols);
	} else if (w->kind == PALEO_NORM) {
		const struct paleo_norm_geom *g = &w->geom.norm;
		at[0] = log_size((double)g->n * g->h * g->w);
		at[1] = log_size(g->c);
	} else {
		at[0] = log_size(w->read_bytes);
		at[1] = log_size(w->write_bytes);
	}
}

static int widest_axis(const struct paleo_residual_point *points, int count)
{
	int axis = 0;
	double widest = -1;

	for (int j = 0; j < PALEO_RESIDUAL_AXES; j++) {
		double sum = 0, squares = 0;
		for (int i = 0; i < count; i++) {
			sum += points[i].at[j];
			squares += points[i].at[j] * points[i].at[j];
		}
		double spread = squares - sum * sum / count;
		if (spread > widest) {
			widest = spread;
			axis = j;
		}
	}
	return axis;
}

static int compare(double x, double y)
{
	return (x > y) - (x < y);
}

/* By key; equal ones by all the rest, so that the order does not depend on that of before. */
static int by_key(const void *a, const void *b)
{
	const struct paleo_residual_point *x = a, *y = b;
	int order = compare(x->key, y->key);

	for (int j = 0; !order && j < PALEO_RESIDUAL_AXES; j++)
		order = compare(x->at[j], y->at[j]);
	return order ? order : compare(x->log_ratio, y->log_ratio);
}

/* Puts the middle point along the widest axis in the middle, smaller ones before it, and so on in
 * both halves: a k-d tree (Bentley 1975) without pointers. */
static void sort_range(struct paleo_residual_point *points, int count)
{
	int axis, middle = count / 2;

	if (count <= LEAF)
		return;
	axis = widest_axis(points, count);
	for (int i = 0; i < count; i++)
		points[i].key = points[i].at[axis];
	qsort(points, (size_t)count, sizeof(*points), by_key);
	points[middle].axis = axis;
	sort_range(points, middle);
	sort_range(points + middle + 1, count - middle - 1);
}

void paleo_residual_sort(struct paleo_residual *r)
{
	/* Leaves are not sorted further: one order to begin with. */
	for (int i = 0; i < r->count; i++)
		r->points[i].key = 0;
	if (r->count)
		qsort(r->points, (size_t)r->count, sizeof(*r->points), by_key);
	sort_range(r->points, r->count);
}

/* The nearest points found so far, by distance. */
struct nearest {
	double distance2[PALEO_RESIDUAL_NEIGHBOURS];
	double log_ratio[PALEO_RESIDUAL_NEIGHBOURS];
	int count;
	double reach2; /* what is no nearer than this is not wanted */
	int except;    /* nor is this group */
};

static void insert(struct nearest *n, double distance2, double log_ratio)
{
	int i = n->count < PALEO_RESIDUAL_NEIGHBOURS ? n->count++ : n->count - 1;

	for (; i > 0 && n->distance2[i - 1] > distance2; i--) {
		n->distance2[i] = n->distance2[i - 1];
		n->log_ratio[i] = n->log_ratio[i - 1];
	}
	n->distance2[i] = distance2;
	n->log_ratio[i] = log_ratio;
	if (n->count == PALEO_RESIDUAL_NEIGHBOURS)
		n->reach2 = n->distance2[n->count - 1];
}

/* Squared distance along four axes; two sums, which a processor adds at the same time. */
static double distance2_of_four(const double *a, const double *b)
{
	double x0 = a[0] - b[0], x1 = a[1] - b[1], x2 = a[2] - b[2], x3 = a[3] - b[3];

	return (x0 * x0 + x1 * x1) + (x2 * x2 + x3 * x3);
}

static void look(const struct paleo_residual_point *p, const double *at, struct nearest *n)
{
	double distance2 = distance2_of_four(p->at, at);

	if (distance2 >= n->reach2)
		return;
	_Static_assert(PALEO_RESIDUAL_AXES == 8, "two times four");
	distance2 += distance2_of_four(p->at + 4, at + 4);
	if (distance2 < n->reach2 && p->group != n->except)
		insert(n, distance2, p->log_ratio);
}

static void look_at_range(const struct paleo_residual_point *points, int count, const double *at,
			  struct nearest *n)
{
	int middle = count / 2;

	if (count <= LEAF) {
		for (int i = 0; i < count; i++)
			look(&points[i], at, n);
		return;
	}
	double beyond = at[points[middle].axis] - points[middle].at[points[middle].axis];
	const struct paleo_residual_point *above = &points[middle + 1];
	int above_count = count - middle - 1;
	/* The side where the place lies first; the other one while it is within reach. */
	if (beyond < 0)
		look_at_range(points, middle, at, n);
	else
		look_at_range(above, above_count, at, n);
	look(&points[middle], at, n);
	if (beyond * beyond >= n->reach2)
		return;
	if (beyond < 0)
		look_at_range(above, above_count, at, n);
	else
		look_at_range(points, middle, at, n);
}

double paleo_residual_log(const struct paleo_residual *r, const double at[PALEO_RESIDUAL_AXES],
			  int except)
{
	struct nearest near = {.reach2 = REACH2, .except = except};
	double sum = 0, weights = SHRINK;

	look_at_range(r->points, r->count, at, &near);
	for (int i = 0; i < near.count; i++) {
		double w = 1 - near.distance2[i] / REACH2;
		w *= w;
		w *= w;
		sum += w * near.log_ratio[i];
		weights += w;
	}
	return sum / weights;
}

void paleo_residual_release(struct paleo_residual *r)
{
	if (!r)
		return;
	free(r->points);
	*r = (struct paleo_residual){0};
}
