/* trees.h - boosted trees: a function of several features, as a sum of many small steps. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_TREES_H
#define PALEO_MODEL_PREDICT_TREES_H

enum {
	PALEO_TREES_MAX = 100,
	PALEO_TREE_DEPTH = 4,
	PALEO_TREE_LEAVES = 1 << PALEO_TREE_DEPTH,
	PALEO_FEATURES_MAX = 24,
	PALEO_TREE_UNITS = 10000, /* of a leaf's value in 1 */
	PALEO_TREE_LEAF_MAX = 30000
};

/* Asks whether a feature is above a limit; infinite: nothing is. */
struct paleo_tree_node {
	float limit;
	int feature;
};

/*
 * A complete tree, by levels, from node 1: node i goes on at 2 i + 1 where its feature is above its
 * limit, else at 2 i. What comes after the last node is a leaf. Their values are whole numbers, so
 * that a sum does not depend on its order.
 */
struct paleo_tree {
	struct paleo_tree_node nodes[PALEO_TREE_LEAVES];
	short leaf[PALEO_TREE_LEAVES]; /* in units of 1/PALEO_TREE_UNITS */
};

struct paleo_trees {
	struct paleo_tree *trees; /* owned */
	int count;                /* 0: the function is 0 */
	int features;             /* that the trees may ask for: x has so many */
};

/* Friedman 2001: the sum over all trees of the leaf that x falls into. */
double paleo_trees_at(const struct paleo_trees *t, const double *x);

void paleo_trees_release(struct paleo_trees *t); /* NULL allowed */

#endif
