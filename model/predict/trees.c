/* trees.c - boosted trees: a function of several features, as a sum of many small steps. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/trees.h"

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

/* Of four trees at once: a processor waits for one's answers while it asks the others. */
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
