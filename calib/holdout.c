/* holdout.c - every row by a fit without it or its group; how that error falls with more rows. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/holdout.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/stats.h"
#include "calib/fit_parts.h"
#include "calib/fit_trees.h"
#include "calib/intervals.h"
#include "calib/minimum.h"

#define SCALE 0.1 /* of a logarithm, as in the fits of the cost models */

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

/* The number of a row's group in `groups`, which has *known of them; a new one is added. `most` if
 * the array is full. */
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
				  "all %d rows are held out together: none are left to fit", count);
	return PALEO_OK;
}

/* One round: a fold that is held out, and the rows that are not. */
struct round {
	struct paleo_holdout_row *rows;
	int count, fold;
	const struct paleo_holdout_cost_model *cost_model;
	int *chosen, fitted;
	int *part; /* of each chosen row */
	int *rest; /* the chosen rows without a part */
	int parts;
	struct place *places;
	struct paleo_heldout_row *held; /* a block of chosen rows for each of the cost models */
};

/* Parameters common to all cost models fitted to some rows; the judged one keeps its own. */
struct fitted {
	struct paleo_trees correction;
	double ppp;
};

/* Fits the correction to the errors of the cost model at the rows of its fit. */
static int find_correction(const struct round *r, const int *rows, int count,
			   struct paleo_trees *out, struct paleo_error *err)
{
	struct paleo_trees_row *list = malloc(((size_t)count + 1) * sizeof(*list));
	int features = 0;

	if (!list)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	for (int i = 0; i < count; i++) {
		const struct paleo_holdout_row *row = &r->rows[rows[i]];
		double predicted_s = r->cost_model->predict_s(r->cost_model->context, rows[i]);
		features = r->cost_model->features(r->cost_model->context, rows[i], list[i].x);
		list[i].value = log(row->time_s / predicted_s);
		list[i].weight = 1;
		list[i].group = row->group;
	}
	int rc =
		paleo_fit_correction(list, count, features, PALEO_CORRECTION_TREES, out, NULL, err);
	free(list);
	return rc;
}

/* Release f->correction. */
static int fit_all(const struct round *r, const int *rows, int count, struct fitted *f,
		   struct paleo_error *err)
{
	int rc = r->cost_model->fit(r->cost_model->context, rows, count, err);

	f->correction = (struct paleo_trees){0};
	f->ppp = fit_ppp(r->rows, rows, count);
	if (rc || !r->cost_model->features)
		return rc;
	return find_correction(r, rows, count, &f->correction, err);
}

static double corrected_s(const struct round *r, const struct fitted *f, int row,
			  double cost_model_s)
{
	double x[PALEO_FEATURES_MAX];

	if (!f->correction.count)
		return cost_model_s;
	r->cost_model->features(r->cost_model->context, row, x);
	return cost_model_s * exp(paleo_trees_at(&f->correction, x));
}

static void predict_all(const struct round *r, const struct fitted *f, int i,
			double time_s[PALEO_HOLDOUT_COST_MODELS])
{
	const struct paleo_holdout_row *row = &r->rows[i];

	time_s[PALEO_HOLDOUT_COST_MODEL] = r->cost_model->predict_s(r->cost_model->context, i);
	time_s[PALEO_HOLDOUT_CORRECTED] = corrected_s(r, f, i, time_s[PALEO_HOLDOUT_COST_MODEL]);
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

/* Predicts the chosen rows of one part by a fit to the others; if these are too few for the cost
 * model, the part is skipped for intervals. */
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
		double time_s[PALEO_HOLDOUT_COST_MODELS];
		if (r->part[i] != part)
			continue;
		predict_all(r, &f, r->chosen[i], time_s);
		for (int k = 0; k < PALEO_HOLDOUT_COST_MODELS; k++) {
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

/* The intervals of each cost model, from the chosen rows alone. */
static int find_intervals(struct round *r, struct paleo_class_model of[PALEO_HOLDOUT_COST_MODELS],
			  struct paleo_error *err)
{
	for (int k = 0; k < PALEO_HOLDOUT_COST_MODELS; k++)
		of[k] = paleo_fit_first_guess();
	if (r->fitted == 0)
		return PALEO_OK;
	for (int i = 0; i < PALEO_HOLDOUT_COST_MODELS * r->fitted; i++)
		r->held[i] = (struct paleo_heldout_row){.predicted_s = NAN, .ratio = NAN};
	deal_parts(r);
	for (int part = 0; part < r->parts; part++)
		PALEO_TRY(hold_out_part(r, part, err));
	for (int k = 0; k < PALEO_HOLDOUT_COST_MODELS; k++)
		PALEO_TRY(paleo_intervals_judge(r->held + (size_t)k * (size_t)r->fitted, r->fitted,
						&of[k], err));
	return PALEO_OK;
}

static struct paleo_holdout_prediction with_interval(double time_s,
						     const struct paleo_class_model *f)
{
	return (struct paleo_holdout_prediction){
		.time_s = time_s, .interval = paleo_class_model_interval(f, time_s, 1)};
}

static int run_fold(struct round *r, int rows_max, struct paleo_holdout_counts *counts,
		    struct paleo_error *err)
{
	struct paleo_class_model intervals[PALEO_HOLDOUT_COST_MODELS];
	struct fitted f = {.ppp = NAN};

	r->fitted = choose(r->rows, r->count, r->fold, rows_max, r->places, r->chosen);
	int rc = find_intervals(r, intervals, err);
	if (!rc)
		rc = fit_all(r, r->chosen, r->fitted, &f, err);
	for (int i = 0; !rc && i < r->count; i++) {
		double time_s[PALEO_HOLDOUT_COST_MODELS];
		if (r->rows[i].fold != r->fold)
			continue;
		predict_all(r, &f, i, time_s);
		for (int k = 0; k < PALEO_HOLDOUT_COST_MODELS; k++)
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
		  const struct paleo_holdout_cost_model *cost_model,
		  struct paleo_holdout_counts *counts, struct paleo_error *err)
{
	struct round r = {.rows = rows, .count = count, .cost_model = cost_model};
	int folds, rc = paleo_holdout_deal(rows, count, o->folds, &folds, err);
	size_t n = (size_t)count;

	if (rc)
		return rc;
	*counts = (struct paleo_holdout_counts){0};
	r.places = malloc(n * sizeof(*r.places));
	r.chosen = malloc(n * sizeof(*r.chosen));
	r.part = malloc(n * sizeof(*r.part));
	r.rest = malloc(n * sizeof(*r.rest));
	r.held = malloc(PALEO_HOLDOUT_COST_MODELS * n * sizeof(*r.held));
	if (!r.places || !r.chosen || !r.part || !r.rest || !r.held)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	for (r.fold = 0; !rc && r.fold < folds; r.fold++) {
		paleo_progress_report(&o->progress, r.fold, folds);
		rc = run_fold(&r, o->rows_max, counts, err);
	}
	release(&r);
	return rc;
}

/* Held-out error as a function of the number of records. */

static const double shares[PALEO_LEARNING_POINTS] = {0.25, 0.5, 1};

/* Medians are as uncertain as they are large, so they count by the inverse of their square, down to
 * this one. */
#define MEDIAN_MIN 1e-4

/* The median error of the predicted rows, and their number. */
static double median_error(const struct paleo_results *r, const struct paleo_heldout *held,
			   double *scratch, int *count)
{
	int n = 0;

	for (int i = 0; i < r->count; i++)
		if (!isnan(held[i].predicted_s))
			scratch[n++] =
				fabs(held[i].predicted_s / r->records[i].timing.median_s - 1);
	*count = n;
	if (!n)
		return NAN;
	paleo_sort(scratch, (size_t)n);
	return paleo_quantile_sorted(scratch, (size_t)n, 0.5);
}

void paleo_learning_extrapolate(struct paleo_learning *l)
{
	double w = 0, x = 0, y = 0, xx = 0, xy = 0;

	for (int i = 0; i < PALEO_LEARNING_POINTS; i++) {
		double weight = pow(fmax(l->median[i], MEDIAN_MIN), -2);
		double each = 1 / sqrt(l->records[i]);
		w += weight;
		x += weight * each;
		y += weight * l->median[i];
		xx += weight * each * each;
		xy += weight * each * l->median[i];
	}
	l->slope = fmax((w * xy - x * y) / (w * xx - x * x), 0);
	l->floor = (y - l->slope * x) / w;
	if (l->floor < 0) {
		l->floor = 0;
		l->slope = xy / xx;
	}
	l->twice = l->floor + l->slope / sqrt(2.0 * l->records[PALEO_LEARNING_POINTS - 1]);
}

int paleo_learning_curve(const struct paleo_results *r, const struct paleo_fit_options *o,
			 struct paleo_learning *out, struct paleo_error *err)
{
	const size_t room = (size_t)r->count + 1;
	struct paleo_heldout *held = malloc(room * sizeof(*held));
	double *scratch = malloc(room * sizeof(*scratch));
	struct paleo_fit_options part = *o;
	struct paleo_learning l = {.floor = 0};
	int count = 0;
	int rc = held && scratch ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	for (int i = 0; !rc && i < PALEO_LEARNING_POINTS; i++) {
		part.share = shares[i];
		rc = paleo_fit_heldout(r, &part, 0, held, err);
		if (rc)
			break;
		l.median[i] = median_error(r, held, scratch, &count);
		l.records[i] = (int)ceil(shares[i] * count);
		if (count < PALEO_LEARNING_MIN)
			rc = paleo_fail(err, PALEO_EINPUT,
					"a learning curve needs %d records, there are %d",
					PALEO_LEARNING_MIN, count);
	}
	free(held);
	free(scratch);
	if (rc)
		return rc;
	paleo_learning_extrapolate(&l);
	*out = l;
	return PALEO_OK;
}
