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

static double log_size(double size)
{
	return log2(fmax(size, 1));
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

static int widest_axis(const struct paleo_residual *r)
{
	int axis = 0;
	double widest = -1;

	for (int j = 0; j < PALEO_RESIDUAL_AXES; j++) {
		double sum = 0, squares = 0;
		for (int i = 0; i < r->count; i++) {
			sum += r->points[i].at[j];
			squares += r->points[i].at[j] * r->points[i].at[j];
		}
		double spread = squares - sum * sum / r->count;
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

void paleo_residual_sort(struct paleo_residual *r)
{
	if (!r->count)
		return;
	r->axis = widest_axis(r);
	for (int i = 0; i < r->count; i++)
		r->points[i].key = r->points[i].at[r->axis];
	qsort(r->points, (size_t)r->count, sizeof(*r->points), by_key);
}

/* The nearest points found so far, by distance. */
struct nearest {
	double distance2[PALEO_RESIDUAL_NEIGHBOURS];
	double log_ratio[PALEO_RESIDUAL_NEIGHBOURS];
	int count;
	double reach2; /* what is no nearer than this is not wanted */
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

/* Looks at one point; 0 when all further ones this way lie out of reach. */
static int look(const struct paleo_residual_point *p, const double *at, double key, int except,
		struct nearest *n)
{
	double along = p->key - key, distance2 = 0;

	if (along * along >= n->reach2)
		return 0;
	if (p->group == except)
		return 1;
	for (int j = 0; j < PALEO_RESIDUAL_AXES; j++)
		distance2 += (p->at[j] - at[j]) * (p->at[j] - at[j]);
	if (distance2 < n->reach2)
		insert(n, distance2, p->log_ratio);
	return 1;
}

/* The first point whose key is no less. */
static int find_key(const struct paleo_residual *r, double key)
{
	int low = 0, high = r->count;

	while (low < high) {
		int middle = low + (high - low) / 2;
		if (r->points[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

double paleo_residual_log(const struct paleo_residual *r, const double at[PALEO_RESIDUAL_AXES],
			  int except)
{
	struct nearest near = {.reach2 = REACH2};
	double key = r->count ? at[r->axis] : 0, sum = 0, weights = SHRINK;
	int above = find_key(r, key), below = above - 1;
	int up = 1, down = 1;

	/* Outwards in turns, so that what is near is found first. */
	while (up || down) {
		up = up && above < r->count && look(&r->points[above++], at, key, except, &near);
		down = down && below >= 0 && look(&r->points[below--], at, key, except, &near);
	}
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
