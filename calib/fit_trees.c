/* fit_trees.c - fits boosted trees to values, and keeps them where that helps. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit_trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/stats.h"
#include "calib/minimum.h"

#define SCALE 0.1 /* of the loss, as in the fits of the cost models */
#define RATE 0.1
#define SHARE 0.6       /* of the rows that a tree sees */
#define SHRINK 0.5      /* rows without an error in each leaf */
#define ENOUGH 1.005    /* times the smallest loss: fewer trees do as well */
#define KEEP_BELOW 0.98 /* of the loss without trees */

enum {
	BINS = 64,     /* of a feature's values */
	LEAF_ROWS = 3, /* the fewest on either side of a limit */
	PARTS = 4,     /* held out in turn to choose how many trees there are */
	STEP = 10      /* trees, between two numbers of them that are tried */
};

/* Sums over the rows of a node whose feature falls into one bin. */
struct bin {
	double weight, pull; /* of the loss's slopes: sum w, sum w r */
	int rows;
};

/* Values of a feature, sorted into bins: between bin b and the next lie low[b] and high[b]. */
struct bins {
	int count;
	double low[BINS], high[BINS];
};

struct fit {
	const struct paleo_trees_row *rows;
	int count, features;
	struct bins bins[PALEO_FEATURES_MAX];
	unsigned char *bin; /* of each row's features */
	double *left;       /* of each row's value */
	int *node;          /* of each row; 0: this tree does not see it */
	double *weight;     /* of each row, in this tree */
	struct bin (*sums)[PALEO_FEATURES_MAX][BINS]; /* by the nodes of a level */
};

static void make_bins(const struct fit *f, int feature, double *sorted, struct bins *out)
{
	int n = f->count;

	for (int i = 0; i < n; i++)
		sorted[i] = (float)f->rows[i].x[feature];
	paleo_sort(sorted, (size_t)n);
	out->count = 1;
	/* Each bin ends at the first step beyond its share of the rows. */
	for (int i = 1; i < n && out->count < BINS; i++) {
		if (!(sorted[i] > sorted[i - 1]) || (long)i * BINS < (long)n * out->count)
			continue;
		out->low[out->count - 1] = sorted[i - 1];
		out->high[out->count - 1] = sorted[i];
		out->count++;
	}
}

static int bin_of(const struct bins *b, double x)
{
	int i = 0;

	while (i < b->count - 1 && (float)x > b->low[i])
		i++;
	return i;
}

/* 0 to below 1, the same for the same numbers. */
static double chance(int tree, int of, int what)
{
	uint64_t h = paleo_hash((uint64_t)tree << 40 ^ (uint64_t)of << 8 ^ (uint64_t)what);

	return (double)(h >> 11) / 9007199254740992.0; /* 2^53 */
}

/* Rounds to five digits, so that the file holds exactly the fitted values. */
static float rounded(double x)
{
	char text[32];

	snprintf(text, sizeof(text), "%.5g", x);
	return strtof(text, NULL);
}

static short leaf_value(const struct bin *of)
{
	double v = RATE * of->pull / (of->weight + SHRINK) * PALEO_TREE_UNITS;

	return (short)lrint(fmin(fmax(v, -PALEO_TREE_LEAF_MAX), PALEO_TREE_LEAF_MAX));
}

/* Gradient of the loss of each row that this tree uses. */
static void begin_tree(const struct fit *f, int tree)
{
	for (int i = 0; i < f->count; i++) {
		double u = f->left[i] / SCALE;
		f->node[i] = chance(tree, i, 0) < SHARE ? 1 : 0;
		f->weight[i] = f->rows[i].weight / sqrt(1 + u * u);
	}
}

static void sum_level(const struct fit *f, int first, int nodes)
{
	memset(f->sums, 0, (size_t)nodes * sizeof(*f->sums));
	for (int i = 0; i < f->count; i++) {
		int node = f->node[i] - first;
		if (f->node[i] < first)
			continue;
		const unsigned char *bin = f->bin + (size_t)i * (size_t)f->features;
		double pull = f->weight[i] * f->left[i];
		for (int j = 0; j < f->features; j++) {
			struct bin *b = &f->sums[node][j][bin[j]];
			b->weight += f->weight[i];
			b->pull += pull;
			b->rows++;
		}
	}
}

static double gain_of(const struct bin *b)
{
	return b->pull * b->pull / (b->weight + SHRINK);
}

/* The feature and the bin after which to part a node; 0 where nothing is gained. */
static int best_split(const struct fit *f, struct bin (*sums)[BINS], int *feature, int *after)
{
	struct bin all = {0};
	double best = 0;

	for (int b = 0; b < f->bins[0].count; b++) {
		all.weight += sums[0][b].weight;
		all.pull += sums[0][b].pull;
		all.rows += sums[0][b].rows;
	}
	for (int j = 0; j < f->features; j++) {
		struct bin left = {0};
		for (int b = 0; b < f->bins[j].count - 1; b++) {
			left.weight += sums[j][b].weight;
			left.pull += sums[j][b].pull;
			left.rows += sums[j][b].rows;
			struct bin right = {all.weight - left.weight, all.pull - left.pull,
					    all.rows - left.rows};
			if (left.rows < LEAF_ROWS || right.rows < LEAF_ROWS)
				continue;
			double gain = gain_of(&left) + gain_of(&right) - gain_of(&all);
			if (gain > best * (1 + 1e-9)) {
				best = gain;
				*feature = j;
				*after = b;
			}
		}
	}
	return best > 0;
}

/* Parts the nodes of a level, and sends their rows on. */
static void part_level(const struct fit *f, int tree, int level, struct paleo_tree *out)
{
	int first = 1 << level, nodes = first, after[PALEO_TREE_LEAVES] = {0};

	sum_level(f, first, nodes);
	for (int k = 0; k < nodes; k++) {
		int node = first + k, feature = 0;
		struct paleo_tree_node *question = &out->nodes[node];
		*question = (struct paleo_tree_node){INFINITY, 0};
		after[k] = BINS;
		if (!best_split(f, f->sums[k], &feature, &after[k]))
			continue;
		const struct bins *b = &f->bins[feature];
		double low = b->low[after[k]], high = b->high[after[k]];
		question->feature = feature;
		question->limit = rounded(low + chance(tree, node, 1) * (high - low));
	}
	for (int i = 0; i < f->count; i++) {
		int k = f->node[i] - first;
		if (!f->node[i])
			continue;
		const unsigned char *bin = f->bin + (size_t)i * (size_t)f->features;
		f->node[i] = 2 * f->node[i] + (bin[out->nodes[first + k].feature] > after[k]);
	}
}

static void fill_leaves(const struct fit *f, struct paleo_tree *out)
{
	struct bin leaves[PALEO_TREE_LEAVES] = {{0}};

	for (int i = 0; i < f->count; i++) {
		if (!f->node[i])
			continue;
		struct bin *b = &leaves[f->node[i] - PALEO_TREE_LEAVES];
		b->weight += f->weight[i];
		b->pull += f->weight[i] * f->left[i];
	}
	for (int k = 0; k < PALEO_TREE_LEAVES; k++)
		out->leaf[k] = leaf_value(&leaves[k]);
}

static void grow(const struct fit *f, int tree, struct paleo_tree *out)
{
	begin_tree(f, tree);
	for (int level = 0; level < PALEO_TREE_DEPTH; level++)
		part_level(f, tree, level, out);
	fill_leaves(f, out);
	const struct paleo_trees one = {out, 1, f->features};
	for (int i = 0; i < f->count; i++)
		f->left[i] -= paleo_trees_at(&one, f->rows[i].x);
}

static void release(struct fit *f)
{
	free(f->bin);
	free(f->left);
	free(f->node);
	free(f->weight);
	free(f->sums);
}

static int prepare(const struct paleo_trees_row *rows, int count, int features, struct fit *f,
		   struct paleo_error *err)
{
	size_t n = (size_t)count + 1;

	*f = (struct fit){.rows = rows, .count = count, .features = features};
	f->bin = malloc(n * (size_t)features);
	f->left = malloc(n * sizeof(*f->left));
	f->node = malloc(n * sizeof(*f->node));
	f->weight = malloc(n * sizeof(*f->weight));
	f->sums = malloc(PALEO_TREE_LEAVES * sizeof(*f->sums));
	if (!f->bin || !f->left || !f->node || !f->weight || !f->sums) {
		release(f);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	}
	for (int j = 0; j < features; j++) {
		make_bins(f, j, f->left, &f->bins[j]);
		for (int i = 0; i < count; i++)
			f->bin[(size_t)i * (size_t)features + (size_t)j] =
				(unsigned char)bin_of(&f->bins[j], rows[i].x[j]);
	}
	for (int i = 0; i < count; i++)
		f->left[i] = rows[i].value;
	return PALEO_OK;
}

int paleo_fit_trees(const struct paleo_trees_row *rows, int rows_count, int features, int count,
		    struct paleo_trees *out, struct paleo_error *err)
{
	struct paleo_trees t = {calloc((size_t)count + 1, sizeof(*t.trees)), count, features};
	struct fit f;
	int rc = t.trees ? prepare(rows, rows_count, features, &f, err)
			 : paleo_fail(err, PALEO_ENOMEM, "out of memory for %d trees", count);

	if (rc) {
		free(t.trees);
		return rc;
	}
	for (int i = 0; i < count; i++)
		grow(&f, i, &t.trees[i]);
	release(&f);
	*out = t;
	return PALEO_OK;
}

/* Loss, and mean error, of the rows of a part after each few trees that have not seen it. */
static void judge_part(const struct paleo_trees_row *rows, int count, int part,
		       const struct paleo_trees *t, double *loss, double *error)
{
	for (int i = 0; i < count; i++) {
		struct paleo_trees few = {t->trees, 0, t->features};
		double left = rows[i].value;
		if ((int)(paleo_hash(rows[i].group) % PARTS) != part)
			continue;
		for (int k = 0; k <= t->count / STEP; k++) {
			loss[k] += rows[i].weight * paleo_pseudo_huber(left / SCALE);
			error[k] += fabs(left) / count;
			few.trees = t->trees + (size_t)k * STEP;
			few.count = k < t->count / STEP ? STEP : 0;
			left -= paleo_trees_at(&few, rows[i].x);
		}
	}
}

/* Number of trees with the least held-out loss; 0: too small a gain. */
static int choose_count(const struct paleo_trees_row *rows, int count, int features, int most,
			struct paleo_trees_row *rest, struct paleo_trees_gain *gain,
			struct paleo_error *err)
{
	double loss[PALEO_TREES_MAX / STEP + 1] = {0}, error[PALEO_TREES_MAX / STEP + 1] = {0};
	int best = 0, few = 0, rc = PALEO_OK;

	for (int part = 0; !rc && part < PARTS; part++) {
		struct paleo_trees t;
		int n = 0;
		for (int i = 0; i < count; i++)
			if ((int)(paleo_hash(rows[i].group) % PARTS) != part)
				rest[n++] = rows[i];
		if (!n) { /* all are of one group: no held-out rows to show a gain */
			*gain = (struct paleo_trees_gain){0};
			return PALEO_OK;
		}
		rc = paleo_fit_trees(rest, n, features, most, &t, err);
		if (rc)
			return rc;
		judge_part(rows, count, part, &t, loss, error);
		paleo_trees_release(&t);
	}
	for (int k = 1; k <= most / STEP; k++)
		best = loss[k] < loss[best] ? k : best;
	for (int k = best; k > 0; k--)
		few = loss[k] < ENOUGH * loss[best] ? k : few;
	best = few;
	if (!(loss[best] < KEEP_BELOW * loss[0]))
		best = 0;
	*gain = (struct paleo_trees_gain){error[0], error[best], best * STEP};
	return rc;
}

int paleo_fit_correction(const struct paleo_trees_row *rows, int rows_count, int features, int most,
			 struct paleo_trees *out, struct paleo_trees_gain *gain,
			 struct paleo_error *err)
{
	struct paleo_trees_gain g = {0};
	int rc = PALEO_OK;

	*out = (struct paleo_trees){0};
	if (rows_count >= PALEO_CORRECTED_ROWS) {
		struct paleo_trees_row *rest = malloc((size_t)rows_count * sizeof(*rest));
		rc = rest ? choose_count(rows, rows_count, features, most, rest, &g, err)
			  : paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", rows_count);
		free(rest);
		if (!rc && g.trees)
			rc = paleo_fit_trees(rows, rows_count, features, g.trees, out, err);
	}
	if (!rc && gain)
		*gain = g;
	return rc;
}
