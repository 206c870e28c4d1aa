/* test_holdout.c - what is held out is not in the fit, and PALEO's factor is found. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "calib/holdout.h"
#include "tests/unit/unit.h"

enum {
	ROWS = 60,
	GROUPS = 12
};

/* A cost model that predicts 1 s, and notes which groups its fit has seen. */
struct note {
	const struct paleo_holdout_row *rows;
	int seen[GROUPS];
	int fitted;
	int fits;
	int wants; /* rows, for a fit */
};

static int fit(void *context, const int *rows, int count, struct paleo_error *err)
{
	struct note *n = context;

	if (count < n->wants)
		return paleo_fail(err, PALEO_EINPUT, "%d rows are too few", count);
	for (int g = 0; g < GROUPS; g++)
		n->seen[g] = 0;
	for (int i = 0; i < count; i++)
		n->seen[n->rows[rows[i]].group] = 1;
	n->fitted = count;
	n->fits++;
	return PALEO_OK;
}

static double predict_s(const void *context, int row)
{
	(void)context;
	(void)row;
	return 1;
}

/* Times are twice PALEO's: its factor is a half, and its prediction right. */
static void make_rows(struct paleo_holdout_row *rows)
{
	for (int i = 0; i < ROWS; i++)
		rows[i] = (struct paleo_holdout_row){.time_s = 0.02 * (i + 1),
						     .paleo_s = 0.01 * (i + 1),
						     .group = (uint64_t)(i % GROUPS),
						     .order = (uint64_t)(ROWS - i)};
}

static void holds_groups_out(void **state)
{
	(void)state;
	struct paleo_holdout_row rows[ROWS];
	struct note note = {.rows = rows};
	const struct paleo_holdout_cost_model cost_model = {fit, predict_s, &note, NULL};
	const struct paleo_holdout_options o = {.folds = 3, .rows_max = ROWS};
	struct paleo_holdout_counts counts;
	struct paleo_error err;
	int in_fold[3] = {0};

	make_rows(rows);
	assert_int_equal(paleo_holdout(rows, ROWS, &o, &cost_model, &counts, &err), 0);
	/* One a fold, and for its intervals one without each of its groups: there are fewer groups
	 * than parts, and each is left in by two folds of three. */
	assert_int_equal(note.fits, 3 + 2 * GROUPS);
	for (int i = 0; i < ROWS; i++) {
		in_fold[rows[i].fold]++;
		assert_int_equal(rows[i].fold, rows[i % GROUPS].fold);
		assert_true(rows[i].by[PALEO_HOLDOUT_COST_MODEL].time_s == 1);
		assert_true(rows[i].by[PALEO_HOLDOUT_CORRECTED].time_s == 1);
		assert_true(fabs(rows[i].by[PALEO_HOLDOUT_PALEO].time_s / rows[i].time_s - 1) <
			    1e-3);
	}
	/* The last fit saw all groups but those of the last fold. */
	for (int g = 0; g < GROUPS; g++)
		assert_int_equal(note.seen[g], rows[g].fold != 2);
	assert_int_equal(note.fitted, ROWS - in_fold[2]);
	assert_int_equal(counts.corrected, 0);
}

/* Of the rows that may be fitted those of the smallest order are: here the last ones. */
static void fits_to_few_rows(void **state)
{
	(void)state;
	struct paleo_holdout_row rows[ROWS];
	struct note note = {.rows = rows};
	const struct paleo_holdout_cost_model cost_model = {fit, predict_s, &note, NULL};
	struct paleo_holdout_options o = {.folds = 3, .rows_max = 1};
	struct paleo_holdout_counts counts;
	struct paleo_error err;
	int last = ROWS - 1;

	make_rows(rows);
	assert_int_equal(paleo_holdout(rows, ROWS, &o, &cost_model, &counts, &err), 0);
	assert_int_equal(counts.fitted, 1);
	while (rows[last].fold == 2)
		last--;
	assert_true(note.seen[rows[last].group]);
	o.rows_max = 0;
	assert_int_equal(paleo_holdout(rows, ROWS, &o, &cost_model, &counts, &err), 0);
	assert_int_equal(counts.fitted, 0);
	assert_true(fabs(rows[0].by[PALEO_HOLDOUT_PALEO].time_s -
			 rows[0].paleo_s / PALEO_HOLDOUT_PPP) < 1e-12);
	assert_true(isnan(rows[0].by[PALEO_HOLDOUT_COST_MODEL].interval.low));
}

/* Three rows are enough for a cost model that wants three; what is left without one of their groups
 * is not, so that there are predictions without intervals. */
static void predicts_where_parts_are_too_small(void **state)
{
	(void)state;
	struct paleo_holdout_row rows[ROWS];
	struct note note = {.rows = rows, .wants = 3};
	const struct paleo_holdout_cost_model cost_model = {fit, predict_s, &note, NULL};
	struct paleo_holdout_options o = {.folds = 3, .rows_max = 3};
	struct paleo_holdout_counts counts;
	struct paleo_error err;

	make_rows(rows);
	assert_int_equal(paleo_holdout(rows, ROWS, &o, &cost_model, &counts, &err), 0);
	assert_int_equal(counts.fitted, 3);
	assert_int_equal(note.fits, 3);
	for (int i = 0; i < ROWS; i++) {
		assert_true(rows[i].by[PALEO_HOLDOUT_COST_MODEL].time_s == 1);
		assert_true(isnan(rows[i].by[PALEO_HOLDOUT_COST_MODEL].interval.low));
	}
	/* The fit that is wanted is another thing. */
	o.rows_max = 2;
	assert_int_equal(paleo_holdout(rows, ROWS, &o, &cost_model, &counts, &err), PALEO_EINPUT);
}

/* All take 2 s but the rows of one fold, 5 s. The cost model says 1 s. Every other fold sees both;
 * that one sees 2 s alone, and so do its intervals. */
static void makes_intervals_of_other_rows(void **state)
{
	(void)state;
	struct paleo_holdout_row rows[ROWS];
	struct note note = {.rows = rows};
	const struct paleo_holdout_cost_model cost_model = {fit, predict_s, &note, NULL};
	const struct paleo_holdout_options o = {.folds = 3, .rows_max = ROWS};
	struct paleo_holdout_counts counts;
	struct paleo_error err;

	make_rows(rows);
	assert_int_equal(paleo_holdout(rows, ROWS, &o, &cost_model, &counts, &err), 0);
	for (int i = 0; i < ROWS; i++)
		rows[i].time_s = rows[i].fold == 1 ? 5 : 2;
	assert_int_equal(paleo_holdout(rows, ROWS, &o, &cost_model, &counts, &err), 0);
	for (int i = 0; i < ROWS; i++) {
		const struct paleo_holdout_prediction *p = &rows[i].by[PALEO_HOLDOUT_COST_MODEL];
		if (rows[i].fold == 1)
			assert_true(fabs(p->interval.low - 2) < 1e-12 &&
				    fabs(p->interval.high - 2) < 1e-12);
		else /* 5 s, or above, as some rows are of one group */
			assert_true(p->interval.low <= 2 + 1e-12 && p->interval.high >= 5 - 1e-12);
	}
}

/* Two kinds of rows by their one feature, which the cost model takes for the same: 2 s and 0.5 s,
 * where it says 1 s. A hundred trees go a tenth of what is left each, less what a leaf is shrunk
 * by. */
static int feature(const void *context, int row, double x[PALEO_FEATURES_MAX])
{
	const struct note *n = context;

	x[0] = n->rows[row].time_s < 1;
	return 1;
}

static void corrects_what_the_cost_model_errs_by(void **state)
{
	(void)state;
	const int many = 5 * ROWS;
	static struct paleo_holdout_row rows[5 * ROWS];
	struct note note = {.rows = rows};
	const struct paleo_holdout_cost_model cost_model = {fit, predict_s, &note, feature};
	const struct paleo_holdout_options o = {.folds = 3, .rows_max = many};
	struct paleo_holdout_counts counts;
	struct paleo_error err;

	for (int i = 0; i < many; i++)
		rows[i] = (struct paleo_holdout_row){.time_s = i / GROUPS % 2 ? 0.5 : 2,
						     .paleo_s = 1,
						     .group = (uint64_t)(i % GROUPS),
						     .order = (uint64_t)i};
	assert_int_equal(paleo_holdout(rows, many, &o, &cost_model, &counts, &err), 0);
	assert_int_equal(counts.corrected, 3);
	for (int i = 0; i < many; i++) {
		assert_true(rows[i].by[PALEO_HOLDOUT_COST_MODEL].time_s == 1);
		assert_true(fabs(rows[i].by[PALEO_HOLDOUT_CORRECTED].time_s / rows[i].time_s - 1) <
			    0.02);
	}
}

/* With as many folds as groups, or more, each fold is one group. */
static void holds_each_group_out_alone(void **state)
{
	(void)state;
	struct paleo_holdout_row rows[ROWS];
	struct paleo_error err;
	int dealt;

	for (int folds = GROUPS; folds <= ROWS; folds += ROWS - GROUPS) {
		make_rows(rows);
		assert_int_equal(paleo_holdout_deal(rows, ROWS, folds, &dealt, &err), 0);
		assert_int_equal(dealt, GROUPS);
		for (int i = 0; i < ROWS; i++)
			assert_int_equal(rows[i].fold, i % GROUPS);
	}
	/* Four groups are too few for that, and four rows for five folds. */
	assert_int_equal(paleo_holdout_deal(rows, 4, 5, &dealt, &err), PALEO_EINPUT);
}

static void refuses_what_leaves_nothing(void **state)
{
	(void)state;
	struct paleo_holdout_row rows[ROWS];
	struct note note = {.rows = rows};
	const struct paleo_holdout_cost_model cost_model = {fit, predict_s, &note, NULL};
	const struct paleo_holdout_options o = {.folds = 3, .rows_max = ROWS};
	struct paleo_holdout_counts counts;
	struct paleo_error err;

	make_rows(rows);
	assert_int_equal(paleo_holdout(rows, 5, &o, &cost_model, &counts, &err), PALEO_EINPUT);
	for (int i = 0; i < ROWS; i++)
		rows[i].group = 7;
	assert_int_equal(paleo_holdout(rows, ROWS, &o, &cost_model, &counts, &err), PALEO_EINPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_groups_out),
		cmocka_unit_test(fits_to_few_rows),
		cmocka_unit_test(predicts_where_parts_are_too_small),
		cmocka_unit_test(makes_intervals_of_other_rows),
		cmocka_unit_test(corrects_what_the_cost_model_errs_by),
		cmocka_unit_test(holds_each_group_out_alone),
		cmocka_unit_test(refuses_what_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
