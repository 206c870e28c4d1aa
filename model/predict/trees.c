/* trees.c - boosted trees, and the features of an op that they are given. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/trees.h"

#include <math.h>
#include <stdlib.h>

static unsigned next(const struct paleo_tree *t, unsigned i, const float *x)
{
	return 2 * i + (t->nodes[i].limit < x[t->nodes[i].feature]);
}

static int leaf_at(const struct paleo_tree *t, const float *x)
{
	unsigned i = 1;

	while (i < PALEO_TREE_LEAVES)
		i = next(t, i, x);
	return t->leaf[i - PALEO_TREE_LEAVES];
}

/* Evaluates four trees at once, which hides the latency of their loads. */
static int leaves_of_four(const struct paleo_tree *t, const float *x)
{
	unsigned a = 1, b = 1, c = 1, d = 1;

#pragma GCC unroll 4
	for (int level = 0; level < PALEO_TREE_DEPTH; level++) {
		a = next(&t[0], a, x);
		b = next(&t[1], b, x);
		c = next(&t[2], c, x);
		d = next(&t[3], d, x);
	}
	return t[0].leaf[a - PALEO_TREE_LEAVES] + t[1].leaf[b - PALEO_TREE_LEAVES] +
	       t[2].leaf[c - PALEO_TREE_LEAVES] + t[3].leaf[d - PALEO_TREE_LEAVES];
}

double paleo_trees_at(const struct paleo_trees *t, const double *x)
{
	float at[PALEO_FEATURES_MAX];
	long sum = 0;
	int i = 0;

	for (int j = 0; j < t->features; j++)
		at[j] = (float)x[j];
	for (; i + 4 <= t->count; i += 4)
		sum += leaves_of_four(&t->trees[i], at);
	for (; i < t->count; i++)
		sum += leaf_at(&t->trees[i], at);
	return (double)sum / PALEO_TREE_UNITS;
}

void paleo_trees_release(struct paleo_trees *t)
{
	if (!t)
		return;
	free(t->trees);
	*t = (struct paleo_trees){0};
}

/* Features of an op for the correction of a cost model. */

#define LEAST_S 1e-9

enum {
	TIME, /* logarithms to the base 2 */
	RATE,
	BALANCE,
	PLACE
};

int paleo_features(const struct paleo_kernel_model *kernel, const struct paleo_tile_device *d,
		   const struct paleo_op *w, double x[PALEO_FEATURES_MAX])
{
	int count = PLACE + PALEO_AXES;

	x[TIME] = 0;
	x[BALANCE] = 0;
	x[RATE] = log2(fmax(w->flops, w->read_bytes + w->write_bytes) + 1);
	paleo_op_place(w, x + PLACE);
	if (kernel && kernel->features)
		count += kernel->features(d, w, x + count);
	return count;
}

void paleo_features_of_cost_model(const struct paleo_parts *cost_model,
				  double x[PALEO_FEATURES_MAX])
{
	double compute = log2(fmax(cost_model->compute_s, LEAST_S));
	double memory = log2(fmax(cost_model->memory_s, LEAST_S)), time = fmax(compute, memory);

	x[TIME] += time;
	x[RATE] -= time;
	x[BALANCE] += compute - memory;
}

/* Position of an op among others of its kind: the logarithms of its sizes. */

/* Operands stored the other way are read by other kernels: nearly out of reach. */
#define OTHER_KERNEL 1.4
/* Rows not aligned to a memory sector take more reads, or other kernels: each halving of the
 * alignment counts as half a doubling in distance. */
#define SECTOR_BYTES 32
#define MISALIGNED 0.5

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
static int rows_misaligned(const struct paleo_op *w)
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

static void place_attention(const struct paleo_op *w, double *at)
{
	const struct paleo_attention_geom *g = &w->geom.attention;

	at[0] = log_size(g->batch);
	at[1] = log_size(g->q);
	at[2] = log_size(paleo_attention_seen(g));
	at[3] = log_size(g->heads);
	at[4] = log_size(g->kv_heads);
	at[5] = log_size(g->qk);
	at[6] = g->window && g->window < g->keys ? OTHER_KERNEL : 0;
	at[7] = g->kv ? OTHER_KERNEL : 0;
}

static void place_moe(const struct paleo_moe_geom *g, double *at)
{
	at[0] = log_size(g->tokens);
	at[1] = log_size(g->hidden);
	at[2] = log_size(g->inter);
	at[3] = log_size(g->experts);
	at[4] = log_size(g->local);
	at[5] = log_size(g->topk);
	at[6] = g->gated ? OTHER_KERNEL : 0;
	at[7] = g->skew / 100.0;
}

void paleo_op_place(const struct paleo_op *w, double at[PALEO_AXES])
{
	const struct paleo_gemm_geom *gemm = &w->geom.gemm;

	for (int i = 0; i < PALEO_AXES; i++)
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
	} else if (w->kind == PALEO_ATTENTION) {
		place_attention(w, at);
	} else if (w->kind == PALEO_MOE) {
		place_moe(&w->geom.moe, at);
	} else {
		at[0] = log_size(w->read_bytes);
		at[1] = log_size(w->write_bytes);
	}
}
