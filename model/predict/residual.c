/* residual.c - what a law errs by near shapes that were measured: the last correction. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/residual.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* As was found on public tables; a factor of two in either hardly matters. */
#define REACH2 (1.6 * 1.6) /* squared distance at which the weight ends */
#define SHRINK 0.5
/* Operands stored the other way are read by other kernels: nearly out of reach. */
#define OTHER_KERNEL 1.4
/* Rows that begin within a sector of memory are read by more, or by other kernels: half a doubling
 * away for each halving of what they are aligned to. */
#define SECTOR_BYTES 32
#define MISALIGNED 0.5

enum {
	LEAF = 8 /* points */
};

/* Points side by side, in floats, of which a processor compares several at a time. Those of all
 * leaves before it that it was parted from last reach to `below` along an axis, it and those after
 * it begin `above`: a k-d tree (Bentley 1975) without pointers. */
struct paleo_residual_leaf {
	float at[PALEO_RESIDUAL_AXES][LEAF];
	int group[LEAF];
	float below, above;
	int axis;
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

/* By how many halvings of a sector rows of so many elements miss its beginning. */
static int misaligned(int elements, enum paleo_dtype dtype)
{
	int bytes = (int)paleo_dtype_bytes(dtype), aligned = SECTOR_BYTES, halvings = 0;

	for (; aligned > bytes && ((long)elements * bytes & (aligned - 1)); aligned /= 2)
		halvings++;
	return halvings;
}

/* The worst of both operands and the result. */
static int rows_misaligned(const struct paleo_work *w)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	const int rows[] = {g->trans_a ? g->m : g->k, g->trans_b ? g->k : g->n, g->n};
	int worst = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int halvings = misaligned(rows[i], w->dtype);
		worst = halvings > worst ? halvings : worst;
	}
	return worst;
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
		at[6] = MISALIGNED * rows_misaligned(w);
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

/* Parts a range of leaves along the widest axis of their points, and so on both halves. */
static void part(struct paleo_residual *r, int first, int leaves)
{
	struct paleo_residual_point *points = &r->points[(size_t)first * LEAF];
	int left = r->count - first * LEAF, count = leaves * LEAF < left ? leaves * LEAF : left;
	int half = leaves / 2, middle = half * LEAF;

	if (leaves < 2)
		return;
	int axis = widest_axis(points, count);
	for (int i = 0; i < count; i++)
		points[i].key = points[i].at[axis];
	qsort(points, (size_t)count, sizeof(*points), by_key);
	r->leaves[first + half].axis = axis;
	r->leaves[first + half].below = (float)points[middle - 1].key;
	r->leaves[first + half].above = (float)points[middle].key;
	part(r, first, half);
	part(r, first + half, leaves - half);
}

static int leaves_of(const struct paleo_residual *r)
{
	return (r->count + LEAF - 1) / LEAF;
}

static void fill_leaf(const struct paleo_residual *r, int leaf)
{
	const float nowhere = 1e9F;
	struct paleo_residual_leaf *l = &r->leaves[leaf];

	for (int i = 0; i < LEAF; i++) {
		int n = leaf * LEAF + i, is_there = n < r->count;
		l->group[i] = is_there ? r->points[n].group : -1;
		for (int j = 0; j < PALEO_RESIDUAL_AXES; j++)
			l->at[j][i] = is_there ? (float)r->points[n].at[j] : nowhere;
	}
}

/* The axes along which points differ come first in r->axes; axis 0 is taken for one, since nowhere
 * is another place than that of points that are all alike. */
static void find_axes(struct paleo_residual *r)
{
	int flat = PALEO_RESIDUAL_AXES;

	r->varied = 0;
	for (int j = 0; j < PALEO_RESIDUAL_AXES; j++) {
		int same = 0;
		while (same < r->count && r->points[same].at[j] == r->points[0].at[j])
			same++;
		if (j == 0 || same < r->count)
			r->axes[r->varied++] = j;
		else
			r->axes[--flat] = j;
	}
}

int paleo_residual_sort(struct paleo_residual *r, struct paleo_error *err)
{
	int leaves = leaves_of(r);

	r->leaves = calloc((size_t)leaves + 1, sizeof(*r->leaves));
	if (!r->leaves)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d points", r->count);
	/* Leaves are not sorted further: one order to begin with. */
	for (int i = 0; i < r->count; i++)
		r->points[i].key = 0;
	if (r->count)
		qsort(r->points, (size_t)r->count, sizeof(*r->points), by_key);
	part(r, 0, leaves);
	for (int i = 0; i < leaves; i++)
		fill_leaf(r, i);
	find_axes(r);
	return PALEO_OK;
}

/* A place, and the nearest points to it that are found so far. */
struct nearest {
	const struct paleo_residual *of;
	float at[PALEO_RESIDUAL_AXES];
	float off2[PALEO_RESIDUAL_AXES]; /* how far what is looked at is off along each axis */
	float flat2;                     /* and along those where no points differ */
	/* Squared distances, ascending, each with its point (key_of()); INFINITY: none yet. */
	double keys[PALEO_RESIDUAL_NEIGHBOURS];
	float reach2; /* what is no nearer than this is not wanted */
	int except;   /* nor is this group */
};

enum {
	POINT_BITS = 29 /* which a float, made a double, does not have */
};

/* A distance with a point in its last bits: one number to be sorted. */
static double key_of(float distance2, int point)
{
	double key = distance2;
	uint64_t bits;

	memcpy(&bits, &key, sizeof(bits));
	bits |= (uint64_t)point;
	memcpy(&key, &bits, sizeof(key));
	return key;
}

static int point_of(double key)
{
	uint64_t bits;

	memcpy(&bits, &key, sizeof(bits));
	return (int)(bits & ((UINT64_C(1) << POINT_BITS) - 1));
}

/* Sorts it in, the last one out: without a branch that a processor could not foresee. */
static void insert(struct nearest *n, double key)
{
#pragma GCC unroll 12
	for (int i = PALEO_RESIDUAL_NEIGHBOURS - 1; i > 0; i--) {
		double least = n->keys[i] < key ? n->keys[i] : key;
		n->keys[i] = n->keys[i - 1] > least ? n->keys[i - 1] : least;
	}
	n->keys[0] = n->keys[0] < key ? n->keys[0] : key;
	float last = (float)n->keys[PALEO_RESIDUAL_NEIGHBOURS - 1];
	n->reach2 = last < n->reach2 ? last : n->reach2;
}

static void look_at_leaf(struct nearest *n, int leaf)
{
	const struct paleo_residual_leaf *l = &n->of->leaves[leaf];
	float distance2[LEAF];
	int wanted[LEAF], count = 0;

	for (int i = 0; i < LEAF; i++)
		distance2[i] = n->flat2;
	for (int a = 0; a < n->of->varied; a++) {
		const int j = n->of->axes[a];
		const float at = n->at[j];
		for (int i = 0; i < LEAF; i++) {
			float x = l->at[j][i] - at;
			distance2[i] += x * x;
		}
	}
#pragma GCC unroll 8
	for (int i = 0; i < LEAF; i++) {
		wanted[count] = i;
		count += (distance2[i] < n->reach2) & (l->group[i] != n->except);
	}
	for (int i = 0; i < count; i++)
		insert(n, key_of(distance2[wanted[i]], leaf * LEAF + wanted[i]));
}

/* Leaves that are off by the square `off2` or more: the half where the place lies first, the other
 * one while it is within reach along all axes together (Arya and Mount 1993). */
static void look_at(struct nearest *n, int first, int leaves, float off2)
{
	if (leaves == 1) {
		look_at_leaf(n, first);
		return;
	}
	int half = leaves / 2, middle = first + half;
	const struct paleo_residual_leaf *parted = &n->of->leaves[middle];
	float at = n->at[parted->axis], before = n->off2[parted->axis];
	int is_below = at - parted->below < parted->above - at;
	float beyond = is_below ? parted->above - at : at - parted->below;

	if (is_below)
		look_at(n, first, half, off2);
	else
		look_at(n, middle, leaves - half, off2);
	off2 += beyond * beyond - before;
	if (off2 >= n->reach2)
		return;
	n->off2[parted->axis] = beyond * beyond;
	if (is_below)
		look_at(n, middle, leaves - half, off2);
	else
		look_at(n, first, half, off2);
	n->off2[parted->axis] = before;
}

/* Squared distance along four axes; two sums, which a processor adds at the same time. */
static double distance2_of_four(const double *a, const double *b)
{
	double x0 = a[0] - b[0], x1 = a[1] - b[1], x2 = a[2] - b[2], x3 = a[3] - b[3];

	return (x0 * x0 + x1 * x1) + (x2 * x2 + x3 * x3);
}

static struct nearest nearest_to(const struct paleo_residual *r,
				 const double at[PALEO_RESIDUAL_AXES], int except)
{
	struct nearest n = {.of = r, .reach2 = (float)REACH2, .except = except};

	for (int i = 0; i < PALEO_RESIDUAL_NEIGHBOURS; i++)
		n.keys[i] = INFINITY;
	for (int j = 0; j < PALEO_RESIDUAL_AXES; j++)
		n.at[j] = (float)at[j];
	for (int a = r->varied; a < PALEO_RESIDUAL_AXES; a++) {
		const int j = r->axes[a];
		float x = r->leaves[0].at[j][0] - n.at[j];
		n.flat2 += x * x;
	}
	return n;
}

double paleo_residual_log(const struct paleo_residual *r, const double at[PALEO_RESIDUAL_AXES],
			  int except)
{
	double sum = 0, weights = SHRINK;

	if (!r->count)
		return 0;
	struct nearest near = nearest_to(r, at, except);
	if (near.flat2 < near.reach2)
		look_at(&near, 0, leaves_of(r), near.flat2);
	for (int i = 0; i < PALEO_RESIDUAL_NEIGHBOURS && near.keys[i] < INFINITY; i++) {
		const struct paleo_residual_point *p = &r->points[point_of(near.keys[i])];
		_Static_assert(PALEO_RESIDUAL_AXES == 8, "two times four");
		double distance2 =
			distance2_of_four(p->at, at) + distance2_of_four(p->at + 4, at + 4);
		double w = 1 - distance2 * (1 / REACH2);
		sum += w * w * p->log_ratio;
		weights += w * w;
	}
	return sum / weights;
}

void paleo_residual_release(struct paleo_residual *r)
{
	if (!r)
		return;
	free(r->points);
	free(r->leaves);
	*r = (struct paleo_residual){0};
}
