/* trees.h - boosted trees, and the features of an op that they are given. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_TREES_H
#define PALEO_MODEL_PREDICT_TREES_H

#include "model/op/op.h"
#include "model/predict/kernel_model.h"

enum {
	PALEO_TREES_MAX = 200,
	PALEO_CORRECTION_TREES = 100, /* the most that correct a time */
	PALEO_SPREAD_TREES = 30,      /* the most that tell how much it errs */
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
 * A complete tree, by levels, from node 1: node i continues at 2 i + 1 where its feature is above
 * its threshold, else at 2 i. Indices after the last node are leaves. Their values are integers, so
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

/* Features of an op for the correction of a cost model. */

/* Fills in the features that need no cost model: first three slots that
 * paleo_features_of_cost_model() completes, then the op's position (below), then the features of
 * its kernel model, which may be NULL. Returns their number, the same for all ops of a kind. */
int paleo_features(const struct paleo_kernel_model *kernel, const struct paleo_tile_device *d,
		   const struct paleo_op *w, double x[PALEO_FEATURES_MAX]);

/* Fills in the time of the cost model's larger part, the rate reached in it, and its ratio to the
 * other. Launches are excluded: those of a queue differ from those of one call at a time. Call it
 * once. */
void paleo_features_of_cost_model(const struct paleo_parts *cost_model,
				  double x[PALEO_FEATURES_MAX]);

/* Position of an op among others of its kind: the logarithms of its sizes. */

enum {
	PALEO_AXES = 8
};

/* Logarithms to the base 2; axes that its kind lacks are 0. */
void paleo_op_place(const struct paleo_op *w, double at[PALEO_AXES]);

#endif
