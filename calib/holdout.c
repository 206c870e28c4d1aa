/* holdout.c - predicts every row by a fit that has not seen it, nor others of its group. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/holdout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit_residual.h"
#include "calib/pattern.h"

#define SCALE 0.1 /* of a logarithm, as in the fits of the laws */

uint64_t paleo_holdout_hash(uint64_t x)
{
	x += 0x9e3779b97f4a7c15U;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return x ^ x >> 31;
}

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

static int deal(struct paleo_holdout_row *rows, int count, int folds, struct paleo_error *err)
{
	int alone = 1;

	for (int i = 0; i < count; i++) {
		rows[i].fold = (int)(paleo_holdout_hash(rows[i].group) % (uint64_t)folds);
		alone = alone && rows[i].fold == rows[0].fold;
	}
	if (count < 2 * folds)
		return paleo_fail(err, PALEO_EINPUT, "%d rows are too few for %d folds", count,
				  folds);
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
	struct place *places;
};

/* What the law, as fitted, errs by at the rows of its fit. */
static int find_residual(const struct round *r, struct paleo_residual *out, struct paleo_error *err)
{
	struct paleo_residual_point *points = calloc((size_t)r->fitted + 1, sizeof(*points));
	int rc;

	if (!points)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", r->fitted);
	for (int i = 0; i < r->fitted; i++) {
		const struct paleo_holdout_row *row = &r->rows[r->chosen[i]];
		double predicted_s = r->law->predict_s(r->law->context, r->chosen[i]);
		memcpy(points[i].at, row->at, sizeof(row->at));
		points[i].log_ratio = log(row->time_s / predicted_s);
		points[i].group = (int)(paleo_holdout_hash(row->group) >> 34);
	}
	rc = paleo_fit_residual(points, r->fitted, out, NULL, err);
	free(points);
	return rc;
}

static int run_fold(struct round *r, int rows_max, struct paleo_holdout_counts *counts,
		    struct paleo_error *err)
{
	struct paleo_residual residual = {0};

	r->fitted = choose(r->rows, r->count, r->fold, rows_max, r->places, r->chosen);
	int rc = r->law->fit(r->law->context, r->chosen, r->fitted, err);
	if (!rc)
		rc = find_residual(r, &residual, err);
	if (rc)
		return rc;
	double ppp = fit_ppp(r->rows, r->chosen, r->fitted);
	for (int i = 0; i < r->count; i++) {
		struct paleo_holdout_row *row = &r->rows[i];
		if (row->fold != r->fold)
			continue;
		row->predicted_s = r->law->predict_s(r->law->context, i);
		row->corrected_s =
			row->predicted_s * exp(paleo_residual_log(&residual, row->at, -1));
		row->ppp_s = row->paleo_s / ppp;
	}
	counts->fitted = r->fitted > counts->fitted ? r->fitted : counts->fitted;
	counts->corrected += residual.count > 0;
	paleo_residual_release(&residual);
	return PALEO_OK;
}

int paleo_holdout(struct paleo_holdout_row *rows, int count, const struct paleo_holdout_options *o,
		  const struct paleo_holdout_law *law, struct paleo_holdout_counts *counts,
		  struct paleo_error *err)
{
	struct round r = {.rows = rows, .count = count, .law = law};
	int rc = deal(rows, count, o->folds, err);

	if (rc)
		return rc;
	*counts = (struct paleo_holdout_counts){0};
	r.places = malloc((size_t)count * sizeof(*r.places));
	r.chosen = malloc((size_t)count * sizeof(*r.chosen));
	if (!r.places || !r.chosen)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	for (r.fold = 0; !rc && r.fold < o->folds; r.fold++)
		rc = run_fold(&r, o->rows_max, counts, err);
	free(r.places);
	free(r.chosen);
	return rc;
}
