/* test_trees.c - boosted trees: by hand, what a fit finds, and when it is kept. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "calib/fit_trees.h"
#include "tests/unit/unit.h"

enum {
	ROWS = 600,
	GROUPS = 60,
	FEATURES = 3
};

/* 0 to below 1, for each number another. */
static double chance(int i)
{
	return (double)(paleo_hash((uint64_t)i) >> 11) / 9007199254740992.0; /* 2^53 */
}

/*
 * Two trees. The first asks for feature 1 above 2.5, and where it is for feature 0 above 1; the
 * second is one leaf. All other nodes ask nothing and lead left, so the leaves are 0 (not
 * above 2.5), 8 (above, and feature 0 at most 1) and 12. In ten-thousandths: 100, -200, 300, and 5
 * besides.
 */
static void is_a_sum_of_leaves(void **state)
{
	(void)state;
	struct paleo_tree trees[2];
	const struct paleo_trees t = {trees, 2, 2};

	memset(trees, 0, sizeof(trees));
	for (int i = 0; i < PALEO_TREE_LEAVES; i++)
		trees[0].nodes[i].limit = trees[1].nodes[i].limit = INFINITY;
	trees[0].nodes[1] = (struct paleo_tree_node){2.5F, 1};
	trees[0].nodes[3].limit = 1;
	trees[0].leaf[0] = 100;
	trees[0].leaf[8] = -200;
	trees[0].leaf[12] = 300;
	trees[1].leaf[0] = 5;
	assert_true(paleo_trees_at(&t, (double[]){9, 2.5}) == 0.0105);
	assert_true(paleo_trees_at(&t, (double[]){1, 2.6}) == -0.0195);
	assert_true(paleo_trees_at(&t, (double[]){1.5, 2.6}) == 0.0305);
	assert_true(paleo_trees_at(&(struct paleo_trees){0}, NULL) == 0);
}

/* A step of feature 0 and one of feature 2 where that is past: 0, 0.1 and 0.3. */
static double steps(const double *x)
{
	return x[0] > 0.5 ? x[2] > 0.7 ? 0.3 : 0.1 : 0;
}

static void make_rows(struct paleo_trees_row *rows, double noise)
{
	for (int i = 0; i < ROWS; i++) {
		for (int j = 0; j < FEATURES; j++)
			rows[i].x[j] = chance(FEATURES * i + j);
		rows[i].value = steps(rows[i].x) + noise * (chance(7000 + i) - 0.5);
		rows[i].weight = 1;
		rows[i].group = (uint64_t)(i % GROUPS);
	}
}

/* Each tree goes a tenth of what is left: after 100 next to nothing (0.9^100 = 3e-5) but at the
 * rows next to a step, for a limit may lie anywhere between two rows. */
static void finds_steps(void **state)
{
	(void)state;
	static struct paleo_trees_row rows[ROWS];
	struct paleo_trees t;
	struct paleo_error err;
	int far = 0;

	make_rows(rows, 0);
	assert_int_equal(paleo_fit_trees(rows, ROWS, FEATURES, 100, &t, &err), PALEO_OK);
	assert_true(t.count == 100 && t.features == FEATURES);
	for (int i = 0; i < 1000; i++) {
		const double x[] = {chance(20000 + i), chance(30000 + i), chance(40000 + i)};
		far += fabs(paleo_trees_at(&t, x) - steps(x)) > 0.02;
	}
	assert_true(far < 30);
	paleo_trees_release(&t);
	assert_int_equal(t.count, 0);
}

/*
 * One tree on four equal rows, of which it sees s: a leaf goes a tenth of the way to
 * sum w r / (sum w + 1/2). r = 0.1 is the scale of the loss, where a weight counts for
 * 1 / sqrt(2) of it: with weights of sqrt(2), 0.1 * 0.1 s / (s + 1/2). In ten-thousandths:
 * 67, 80, 86 or 89.
 */
static void leaves_are_shrunk(void **state)
{
	(void)state;
	struct paleo_trees_row rows[4];
	struct paleo_trees t;
	struct paleo_error err;
	int fits = 0;

	for (int i = 0; i < 4; i++)
		rows[i] = (struct paleo_trees_row){.value = 0.1, .weight = sqrt(2)};
	assert_int_equal(paleo_fit_trees(rows, 4, 1, 1, &t, &err), PALEO_OK);
	double found = paleo_trees_at(&t, rows[0].x);
	for (int s = 1; s <= 4; s++)
		fits += fabs(found - 0.01 * s / (s + 0.5)) < 0.51e-4;
	assert_int_equal(fits, 1);
	paleo_trees_release(&t);
}

/* One row in ten is 20 times as far off: the loss is straight there, so they count for little. */
static void outliers_hardly_matter(void **state)
{
	(void)state;
	static struct paleo_trees_row rows[ROWS];
	struct paleo_trees t;
	struct paleo_error err;
	double off = 0;

	make_rows(rows, 0);
	for (int i = 0; i < ROWS; i += 10)
		rows[i].value += 2;
	assert_int_equal(paleo_fit_trees(rows, ROWS, FEATURES, 100, &t, &err), PALEO_OK);
	for (int i = 0; i < ROWS; i++)
		if (i % 10)
			off += fabs(paleo_trees_at(&t, rows[i].x) - steps(rows[i].x)) /
			       (ROWS - ROWS / 10);
	assert_true(off < 0.06); /* a mean of all rows would be off by 0.2 */
	paleo_trees_release(&t);
}

static void the_same_rows_give_the_same_trees(void **state)
{
	(void)state;
	static struct paleo_trees_row rows[ROWS];
	struct paleo_trees one, other;
	struct paleo_error err;

	make_rows(rows, 0.1);
	assert_int_equal(paleo_fit_trees(rows, ROWS, FEATURES, 20, &one, &err), PALEO_OK);
	assert_int_equal(paleo_fit_trees(rows, ROWS, FEATURES, 20, &other, &err), PALEO_OK);
	for (int i = 0; i < 20; i++) {
		const struct paleo_tree *a = &one.trees[i], *b = &other.trees[i];
		assert_memory_equal(a->nodes + 1, b->nodes + 1,
				    sizeof(a->nodes) - sizeof(a->nodes[0]));
		assert_memory_equal(a->leaf, b->leaf, sizeof(a->leaf));
	}
	paleo_trees_release(&one);
	paleo_trees_release(&other);
}

/* Steps are kept, what is nothing but noise is not, nor what so few rows say. */
static void is_kept_where_it_helps(void **state)
{
	(void)state;
	static struct paleo_trees_row rows[ROWS];
	struct paleo_trees_gain gain;
	struct paleo_trees t;
	struct paleo_error err;

	make_rows(rows, 0.05);
	assert_int_equal(
		paleo_fit_correction(rows, ROWS, FEATURES, PALEO_CORRECTION_TREES, &t, &gain, &err),
		PALEO_OK);
	assert_true(t.count > 0 && t.count == gain.trees);
	assert_true(gain.with < 0.4 * gain.without);
	paleo_trees_release(&t);
	for (int i = 0; i < ROWS; i++)
		rows[i].value = 0.1 * (chance(9000 + i) - 0.5);
	assert_int_equal(
		paleo_fit_correction(rows, ROWS, FEATURES, PALEO_CORRECTION_TREES, &t, &gain, &err),
		PALEO_OK);
	assert_true(t.count == 0 && gain.trees == 0);
	make_rows(rows, 0);
	assert_int_equal(paleo_fit_correction(rows, PALEO_CORRECTED_ROWS - 1, FEATURES,
					      PALEO_CORRECTION_TREES, &t, NULL, &err),
			 PALEO_OK);
	assert_int_equal(t.count, 0);
	make_rows(rows, 0.05); /* one group cannot be held out of itself */
	for (int i = 0; i < ROWS; i++)
		rows[i].group = 7;
	assert_int_equal(
		paleo_fit_correction(rows, ROWS, FEATURES, PALEO_CORRECTION_TREES, &t, &gain, &err),
		PALEO_OK);
	assert_true(t.count == 0 && gain.trees == 0);
}

/* What one group alone has, no other group can be told by: each is held out as a whole. */
static void groups_are_held_out_together(void **state)
{
	(void)state;
	static struct paleo_trees_row rows[ROWS];
	struct paleo_trees_gain gain;
	struct paleo_trees t;
	struct paleo_error err;

	for (int i = 0; i < ROWS; i++) {
		uint64_t group = (uint64_t)(i % GROUPS);
		rows[i] = (struct paleo_trees_row){.x = {chance(i % GROUPS), 0, 0},
						   .value = chance(500 + i % GROUPS) - 0.5,
						   .weight = 1,
						   .group = group};
	}
	assert_int_equal(
		paleo_fit_correction(rows, ROWS, FEATURES, PALEO_CORRECTION_TREES, &t, &gain, &err),
		PALEO_OK);
	assert_int_equal(t.count, 0);
	/* Held out one by one, each would have its group's other rows to be told by. */
	for (int i = 0; i < ROWS; i++)
		rows[i].group = (uint64_t)i;
	assert_int_equal(
		paleo_fit_correction(rows, ROWS, FEATURES, PALEO_CORRECTION_TREES, &t, &gain, &err),
		PALEO_OK);
	assert_true(t.count > 0);
	paleo_trees_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_a_sum_of_leaves),
		cmocka_unit_test(finds_steps),
		cmocka_unit_test(leaves_are_shrunk),
		cmocka_unit_test(outliers_hardly_matter),
		cmocka_unit_test(the_same_rows_give_the_same_trees),
		cmocka_unit_test(is_kept_where_it_helps),
		cmocka_unit_test(groups_are_held_out_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
