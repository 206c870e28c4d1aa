/* holdout.c - predicts every row by a fit that has not seen it, nor others of its group. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/holdout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "calib/fit_group.h"
#include "calib/fit_trees.h"
#include "calib/intervals.h"
#include "calib/pattern.h"

#define SCALE 0.1 /* of a logarithm, as in the fits of the laws */

enum {
	GROUPS_ALONE = 5 /* fewer are not left out one by one */
};

struct ppp_problem {
	const struct paleo_holdout_row *rows;
	const int *chosen;
	int count;
};

static double ppp_loss(const void *context, const double *z)
{
	const struct ppp_problem *p = context;
	double sum = 0;

	for (int i = 0; i < p->count; i++) {
		const struct paleo_holdout_row *row = &p->rows[p->chosen[i]];
		sum += paleo_pseudo_huber((log(row->paleo_s / row->time_s) - z[0]) / SCALE);
	}
	return sum;
}

/* PALEO's one factor, between a thousandth and 4. */
static double fit_ppp(const struct paleo_holdout_row *rows, const int *chosen, int count)
{
	const struct ppp_problem context = {rows, chosen, count};
	const double low = log(1e-3), high = log(4);
	const struct paleo_pattern_problem p = {.params = 1,
						.loss = ppp_loss,
						.context = &context,
						.low = &low,
						.high = &high,
						.step = 0.5,
						.step_min = 1e-4,
						.evaluations_max = 1000};
	struct paleo_pattern_result result;
	double z = log(PALEO_HOLDOUT_PPP);

	if (count == 0)
		return PALEO_HOLDOUT_PPP;
	paleo_pattern_solve(&p, &z, &result);
	return exp(z);
}

/* A row on its way to being chosen. */
struct place {
	uint64_t order;
	int row;
};

static int by_order(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->order != y->order)
		return x->order > y->order ? 1 : -1;
	return x->row - y->row;
}

/* The rows of the other folds, the first `most` of them. Returns how many. */
static int choose(const struct paleo_holdout_row *rows, int count, int fold, int most,
		  struct place *places, int *chosen)
{
	int n = 0;

	for (int i = 0; i < count; i++)
		if (rows[i].fold != fold)
			places[n++] = (struct place){rows[i].order, i};
	qsort(places, (size_t)n, sizeof(*places), by_order);
	n = n < most ? n : most;
	for (int i = 0; i < n; i++)
		chosen[i] = places[i].row;
	return n;
}

/* The number of a row's group in `groups`, where there are *known of them; it is added if it is
 * new. `most` where there is no room for it. */
static int number_of(uint64_t group, uint64_t *groups, int *known, int most)
{
	int i = 0;

	while (i < *known && groups[i] != group)
		i++;
	if (i < *known)
		return i;
	if (i < most)
		groups[(*known)++] = group;
	return i;
}

/* Deals the groups one by one, if there is a fold for each. Returns how many there are; 0: more. */
static int deal_alone(struct paleo_holdout_row *rows, int count, uint64_t *groups, int folds)
{
	int known = 0;

	for (int i = 0; i < count; i++) {
		rows[i].fold = number_of(rows[i].group, groups, &known, folds);
		if (rows[i].fold == folds)
			return 0;
	}
	return known;
}

int paleo_holdout_deal(struct paleo_holdout_row *rows, int count, int folds, int *dealt,
		       struct paleo_error *err)
{
	uint64_t *groups = malloc((size_t)folds * sizeof(*groups));
	int alone = 1;

	if (!groups)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d folds", folds);
	*dealt = deal_alone(rows, count, groups, folds);
	free(groups);
	if (*dealt >= GROUPS_ALONE)
		return PALEO_OK;
	*dealt = folds;
	for (int i = 0; i < count; i++) {
		rows[i].fold = (int)(paleo_hash(rows[i].group) % (uint64_t)folds);
		alone = alone && rows[i].fold == rows[0].fold;
	}
	if (count < 2 * folds)
		return paleo_fail(err, PALEO_EINPUT, "%d row%s too few for %d folds", count,
				  count == 1 ? " is" : "s are", folds);
	if (alone)
		return paleo_fail(err, PALEO_EINPUT,
				  "all %d rows are held out together: none is left to fit", count);
	return PALEO_OK;
}

/* One round: a fold that is held out, and the rows that are not. */
struct round {
	struct paleo_holdout_row *rows;
	int count, fold;
	const struct paleo_holdout_law *law;
	int *chosen, fitted;
	int *part; /* of each chosen row */
	int *rest; /* the chosen rows without a part */
	int parts;
	struct place *places;
	struct paleo_heldout_row *held; /* a block of chosen rows for each of the laws */
};

/* What all laws know of some rows; the judged one keeps its own parameters. */
struct fitted {
	struct paleo_trees correction;
	double ppp;
};

/* By what the law, as fitted, errs at the rows of its fit. */
static int find_correction(const struct round *r, const int *rows, int count,
			   struct paleo_trees *out, struct paleo_error *err)
{
	struct paleo_trees_row *list = malloc(((size_t)count + 1) * sizeof(*list));
	int features = 0;

	if (!list)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	for (int i = 0; i < count; i++) {
		const struct paleo_holdout_row *row = &r->rows[rows[i]];
		double predicted_s = r->law->predict_s(r->law->context, rows[i]);
		features = r->law->features(r->law->context, rows[i], list[i].x);
		list[i].value = log(row->time_s / predicted_s);
		list[i].weight = 1;
		list[i].group = row->group;
	}
	int rc = paleo_fit_correction(list, count, features, out, NULL, err);
	free(list);
	return rc;
}

/* Release f->correction. */
static int fit_all(const struct round *r, const int *rows, int count, struct fitted *f,
		   struct paleo_error *err)
{
	int rc = r->law->fit(r->law->context, rows, count, err);

	f->correction = (struct paleo_trees){0};
	f->ppp = fit_ppp(r->rows, rows, count);
	if (rc || !r->law->features)
		return rc;
	return find_correction(r, rows, count, &f->correction, err);
}

static double corrected_s(const struct round *r, const struct fitted *f, int row, double law_s)
{
	double x[PALEO_FEATURES_MAX];

	if (!f->correction.count)
		return law_s;
	r->law->features(r->law->context, row, x);
	return law_s * exp(paleo_trees_at(&f->correction, x));
}

static void predict_all(const struct round *r, const struct fitted *f, int i,
			double time_s[PALEO_HOLDOUT_LAWS])
{
	const struct paleo_holdout_row *row = &r->rows[i];

	time_s[PALEO_HOLDOUT_LAW] = r->law->predict_s(r->law->context, i);
	time_s[PALEO_HOLDOUT_CORRECTED] = corrected_s(r, f, i, time_s[PALEO_HOLDOUT_LAW]);
	time_s[PALEO_HOLDOUT_PALEO] = row->paleo_s / f->ppp;
}

/* Deals the groups of the chosen rows out in turn. */
static void deal_parts(struct round *r)
{
	int part = -1;

	r->parts = paleo_intervals_parts(r->fitted);
	for (int i = 0; i < r->fitted; i++)
		r->places[i] = (struct place){paleo_hash(r->rows[r->chosen[i]].group), i};
	qsort(r->places, (size_t)r->fitted, sizeof(*r->places), by_order);
	for (int i = 0; i < r->fitted; i++) {
		if (i == 0 || r->places[i].order != r->places[i - 1].order)
			part = (part + 1) % r->parts;
		r->part[r->places[i].row] = part;
	}
}

/* Predicts the chosen rows of one part by a fit to the others; if these are too few for the law,
 * the part says nothing of intervals. */
static int hold_out_part(struct round *r, int part, struct paleo_error *err)
{
	struct fitted f;
	int n = 0;

	for (int i = 0; i < r->fitted; i++)
		if (r->part[i] != part)
			r->rest[n++] = r->chosen[i];
	if (n == 0 || n == r->fitted)
		return PALEO_OK;
	int rc = fit_all(r, r->rest, n, &f, err);
	for (int i = 0; !rc && i < r->fitted; i++) {
		const struct paleo_holdout_row *row = &r->rows[r->chosen[i]];
		double time_s[PALEO_HOLDOUT_LAWS];
		if (r->part[i] != part)
			continue;
		predict_all(r, &f, r->chosen[i], time_s);
		for (int k = 0; k < PALEO_HOLDOUT_LAWS; k++) {
			struct paleo_heldout_row *held = &r->held[k * r->fitted + i];
			*held = (struct paleo_heldout_row){.predicted_s = time_s[k],
							   .ratio = row->time_s / time_s[k],
							   .shape = row->group,
							   .part = part};
		}
	}
	paleo_trees_release(&f.correction);
	return rc == PALEO_EINPUT ? PALEO_OK : rc;
}

/* The intervals of each law, from the chosen rows alone. */
static int find_intervals(struct round *r, struct paleo_class_model of[PALEO_HOLDOUT_LAWS],
			  struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int k = 0; k < PALEO_HOLDOUT_LAWS; k++)
		of[k] = paleo_fit_first_guess();
	if (r->fitted == 0)
		return PALEO_OK;
	for (int i = 0; i < PALEO_HOLDOUT_LAWS * r->fitted; i++)
		r->held[i] = (struct paleo_heldout_row){.predicted_s = NAN, .ratio = NAN};
	deal_parts(r);
	for (int part = 0; !rc && part < r->parts; part++)
		rc = hold_out_part(r, part, err);
	for (int k = 0; !rc && k < PALEO_HOLDOUT_LAWS; k++)
		rc = paleo_intervals_judge(r->held + (size_t)k * (size_t)r->fitted, r->fitted,
					   &of[k], err);
	return rc;
}

static struct paleo_holdout_prediction with_interval(double time_s,
						     const struct paleo_class_model *f)
{
	return (struct paleo_holdout_prediction){.time_s = time_s,
						 .interval = paleo_class_model_interval(f, time_s)};
}

static int run_fold(struct round *r, int rows_max, struct paleo_holdout_counts *counts,
		    struct paleo_error *err)
{
	struct paleo_class_model intervals[PALEO_HOLDOUT_LAWS];
	struct fitted f = {.ppp = NAN};

	r->fitted = choose(r->rows, r->count, r->fold, rows_max, r->places, r->chosen);
	int rc = find_intervals(r, intervals, err);
	if (!rc)
		rc = fit_all(r, r->chosen, r->fitted, &f, err);
	for (int i = 0; !rc && i < r->count; i++) {
		double time_s[PALEO_HOLDOUT_LAWS];
		if (r->rows[i].fold != r->fold)
			continue;
		predict_all(r, &f, i, time_s);
		for (int k = 0; k < PALEO_HOLDOUT_LAWS; k++)
			r->rows[i].by[k] = with_interval(time_s[k], &intervals[k]);
	}
	counts->fitted = r->fitted > counts->fitted ? r->fitted : counts->fitted;
	counts->corrected += f.correction.count > 0;
	paleo_trees_release(&f.correction);
	return rc;
}

static void release(struct round *r)
{
	free(r->places);
	free(r->chosen);
	free(r->part);
	free(r->rest);
	free(r->held);
}

int paleo_holdout(struct paleo_holdout_row *rows, int count, const struct paleo_holdout_options *o,
		  const struct paleo_holdout_law *law, struct paleo_holdout_counts *counts,
		  struct paleo_error *err)
{
	struct round r = {.rows = rows, .count = count, .law = law};
	int folds, rc = paleo_holdout_deal(rows, count, o->folds, &folds, err);
	size_t n = (size_t)count;

	if (rc)
		return rc;
	*counts = (struct paleo_holdout_counts){0};
	r.places = malloc(n * sizeof(*r.places));
	r.chosen = malloc(n * sizeof(*r.chosen));
	r.part = malloc(n * sizeof(*r.part));
	r.rest = malloc(n * sizeof(*r.rest));
	r.held = malloc(PALEO_HOLDOUT_LAWS * n * sizeof(*r.held));
	if (!r.places || !r.chosen || !r.part || !r.rest || !r.held)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	for (r.fold = 0; !rc && r.fold < folds; r.fold++) {
		paleo_tell(&o->told, r.fold, folds);
		rc = run_fold(&r, o->rows_max, counts, err);
	}
	release(&r);
	return rc;
}
