/* fit_power.c - fits the power of ops: a law of all, trees for each class, held-out intervals. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "calib/fit_rows.h"
#include "calib/fit_trees.h"
#include "calib/minimum.h"
#include "model/predict/power.h"

enum {
	LAW = 5, /* numbers of the law */
	TAILS = 2
};

#define SCALE 0.1 /* of the loss, as in the fits of times */
#define STEP 1e-4 /* of a derivative */
#define LOW_TAIL 0.05
#define HIGH_TAIL 0.95

struct power_row {
	const struct paleo_op *op;
	double time_s, log_share; /* of the power limit */
	uint64_t shape;
	int fold, group;
	double held;  /* log(measured / predicted) by a fit without its fold; NaN: none */
	double alone; /* the same by the law, without its kind of ops */
};

struct fit {
	const struct paleo_device *device;
	struct power_row *rows;
	int count;
	int fold;                /* that is left out; -1: none */
	enum paleo_op_kind kind; /* likewise; PALEO_OP_KINDS: none */
};

static int is_out(const struct fit *f, int i)
{
	return f->rows[i].fold == f->fold || f->rows[i].op->kind == f->kind;
}

static struct paleo_power law_of(const double *z)
{
	return (struct paleo_power){.idle = exp(z[0]),
				    .compute = exp(z[1]),
				    .compute_power = exp(z[2]),
				    .memory = exp(z[3]),
				    .memory_power = exp(z[4])};
}

static double log_error(const struct fit *f, int i, const double *z)
{
	const struct paleo_power p = law_of(z);
	const struct power_row *r = &f->rows[i];

	return log(paleo_power_law(&p, f->device, r->op, r->time_s)) - r->log_share;
}

static double residual(const void *context, int i, const double *z, double *slope, double *weight)
{
	const struct fit *f = context;
	double at = log_error(f, i, z), moved[LAW];

	*weight = is_out(f, i) ? 0 : 1;
	for (int j = 0; j < LAW; j++) {
		memcpy(moved, z, sizeof(moved));
		moved[j] += STEP;
		slope[j] = (log_error(f, i, moved) - at) / STEP;
	}
	return at;
}

/* Levenberg and Marquardt on the logarithms of the five numbers. */
static void fit_law(const struct fit *f, struct paleo_power *out)
{
	static const double low[LAW] = {-4.6, -7, -1.6, -7, -1.6}, high[LAW] = {0, 2, 0.7, 2, 0.7};
	double z[LAW] = {-1.2, -0.7, -0.4, -0.7, -0.4};
	const struct paleo_lm_problem p = {.params = LAW,
					   .residuals = f->count,
					   .residual = residual,
					   .context = f,
					   .scale = SCALE,
					   .low = low,
					   .high = high,
					   .step_max = 1,
					   .tolerance = 1e-7,
					   .iterations_max = 100};
	struct paleo_lm_result result;

	paleo_lm_solve(&p, z, &result);
	*out = law_of(z);
}

/* The trees of rows first .. first + n, without those that are left out. */
static int fit_class(const struct fit *f, const struct paleo_power *law, int first, int n,
		     struct paleo_trees *out, struct paleo_error *err)
{
	struct paleo_trees_row *list = malloc((size_t)n * sizeof(*list));
	int count = 0, features = 0;

	*out = (struct paleo_trees){0};
	if (!list)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", n);
	for (int i = first; i < first + n && features >= 0; i++) {
		const struct power_row *r = &f->rows[i];
		struct paleo_trees_row *row = &list[count];
		if (is_out(f, i))
			continue;
		features = paleo_power_features(f->device, r->op, r->time_s, row->x);
		row->value = r->log_share - log(paleo_power_law(law, f->device, r->op, r->time_s));
		row->weight = 1;
		row->group = r->shape;
		count++;
	}
	int rc = features > 0 ? paleo_fit_correction(list, count, features, PALEO_TREES_MAX, out,
						     NULL, err)
			      : PALEO_OK;
	free(list);
	return rc;
}

static int group_size(const struct fit *f, int first)
{
	int n = 1;

	while (first + n < f->count && f->rows[first + n].group == f->rows[first].group)
		n++;
	return n;
}

/* A law and the trees of each class, of the rows that are not left out. */
static int fit_all(const struct fit *f, struct paleo_power *out, struct paleo_error *err)
{
	int rc = PALEO_OK;

	fit_law(f, out);
	out->classes = calloc((size_t)f->count + 1, sizeof(*out->classes));
	if (!out->classes)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", f->count);
	for (int first = 0, n; !rc && first < f->count; first += n) {
		struct paleo_power_class *c = &out->classes[out->count++];
		const struct paleo_op *w = f->rows[first].op;
		n = group_size(f, first);
		*c = (struct paleo_power_class){.pass = w->pass, .dtype = w->dtype, .records = n};
		snprintf(c->class_name, sizeof(c->class_name), "%s", paleo_op_class(w));
		rc = fit_class(f, out, first, n, &c->trees, err);
	}
	return rc;
}

/* Predicts the rows of a fold by a fit to the others. */
static int hold_out_fold(struct fit *f, int fold, struct paleo_error *err)
{
	struct paleo_power p = {0};
	struct paleo_watts watts;

	f->fold = fold;
	int rc = fit_all(f, &p, err);
	for (int i = 0; !rc && i < f->count; i++) {
		struct power_row *r = &f->rows[i];
		if (r->fold != fold)
			continue;
		rc = paleo_power_predict(&p, f->device, f->device, r->op, r->time_s, &watts, err);
		r->held = rc ? NAN : r->log_share - log(watts.mean_w / f->device->tdp_w);
	}
	f->fold = -1;
	paleo_power_release(&p);
	return rc;
}

/* Predicts the rows of each kind of ops by a law of the others; by that of all with one kind. */
static void hold_out_kinds(struct fit *f)
{
	struct paleo_power p;

	for (int kind = 0; kind < PALEO_OP_KINDS; kind++) {
		int there = 0;
		for (int i = 0; i < f->count; i++)
			there += f->rows[i].op->kind == (enum paleo_op_kind)kind;
		if (!there)
			continue;
		f->kind = there < f->count ? (enum paleo_op_kind)kind : PALEO_OP_KINDS;
		fit_law(f, &p);
		for (int i = 0; i < f->count; i++) {
			struct power_row *r = &f->rows[i];
			if (r->op->kind == (enum paleo_op_kind)kind)
				r->alone = r->log_share -
					   log(paleo_power_law(&p, f->device, r->op, r->time_s));
		}
	}
	f->kind = PALEO_OP_KINDS;
}

/* The quantiles that a new value exceeds with just that probability (rank p (n + 1)). */
static void tails_of(double *values, size_t n, double tails[TAILS])
{
	const double p[TAILS] = {LOW_TAIL, HIGH_TAIL};

	paleo_sort(values, n);
	for (int i = 0; i < TAILS; i++) {
		double rank = p[i] * ((double)n + 1) - 1;
		tails[i] = n < 2 ? NAN
				 : paleo_quantile_sorted(values, n,
							 fmin(fmax(rank / ((double)n - 1), 0), 1));
	}
}

/* Errors and 90 % quantiles of a class, and how many rows are within the quantiles of the other
 * folds. `scratch` has room for n. */
static void judge(const struct power_row *rows, int n, int folds, double *scratch,
		  struct paleo_power_class *c)
{
	double tails[TAILS];
	int inside = 0;

	for (int fold = 0; fold < folds; fold++) {
		size_t others = 0;
		for (int i = 0; i < n; i++)
			if (rows[i].fold != fold)
				scratch[others++] = rows[i].held;
		if (others < 2)
			continue;
		tails_of(scratch, others, tails);
		for (int i = 0; i < n; i++)
			inside += rows[i].fold == fold && rows[i].held >= tails[0] &&
				  rows[i].held <= tails[1];
	}
	c->covered = (double)inside / n;
	for (int i = 0; i < n; i++)
		scratch[i] = fabs(exp(-rows[i].held) - 1); /* predicted / measured - 1 */
	paleo_sort(scratch, (size_t)n);
	c->heldout_mean = paleo_mean(scratch, (size_t)n);
	c->heldout_median = paleo_quantile_sorted(scratch, (size_t)n, 0.5);
	for (int i = 0; i < n; i++)
		scratch[i] = rows[i].held;
	tails_of(scratch, (size_t)n, tails);
	c->ratio_low = exp(tails[0]);
	c->ratio_high = exp(tails[1]);
}

static int list_rows(const struct paleo_results *r, const struct paleo_fit_rows *rows,
		     struct fit *f, struct paleo_error *err)
{
	int group = 0;

	f->rows = calloc((size_t)rows->count + 1, sizeof(*f->rows));
	if (!f->rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", rows->count);
	for (int first = 0, n; first < rows->count; first += n, group++) {
		n = paleo_fit_rows_group(rows->rows + first, rows->count - first);
		for (int i = first; i < first + n; i++) {
			const struct paleo_fit_row *row = &rows->rows[i];
			double watts = paleo_state_watts(&r->records[row->record].state);
			if (!(watts > 0) || !(paleo_device_peak(f->device, row->op) > 0))
				continue;
			f->rows[f->count++] = (struct power_row){
				.op = row->op,
				.time_s = r->records[row->record].timing.median_s,
				.log_share = log(watts / f->device->tdp_w),
				.shape = row->shape,
				.fold = row->fold,
				.group = group,
				.held = NAN,
			};
		}
	}
	return PALEO_OK;
}

static int fit_and_judge(struct fit *f, int folds, struct paleo_power *out, struct paleo_error *err)
{
	double *scratch = malloc((size_t)f->count * sizeof(*scratch)), tails[TAILS];
	int rc = scratch ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	for (int fold = 0; !rc && fold < folds; fold++)
		rc = hold_out_fold(f, fold, err);
	if (!rc)
		rc = fit_all(f, out, err);
	for (int first = 0, i = 0, n; !rc && first < f->count; first += n, i++) {
		n = group_size(f, first);
		judge(f->rows + first, n, folds, scratch, &out->classes[i]);
	}
	if (!rc) {
		hold_out_kinds(f);
		for (int i = 0; i < f->count; i++)
			scratch[i] = f->rows[i].alone;
		tails_of(scratch, (size_t)f->count, tails);
		out->ratio_low = exp(tails[0]);
		out->ratio_high = exp(tails[1]);
	}
	free(scratch);
	return rc;
}

int paleo_fit_power(const struct paleo_results *r, const struct paleo_fit_options *o,
		    struct paleo_power *out, struct paleo_error *err)
{
	struct fit f = {.device = &r->meta.device, .fold = -1, .kind = PALEO_OP_KINDS};
	struct paleo_fit_rows rows = {.count = 0};
	struct paleo_power p = {0};

	*out = p;
	if (!(f.device->tdp_w > 0))
		return PALEO_OK;
	int rc = paleo_fit_rows_collect(r, o, &rows, NULL, err);
	if (!rc)
		rc = list_rows(r, &rows, &f, err);
	if (!rc && f.count >= PALEO_CORRECTED_ROWS)
		rc = fit_and_judge(&f, rows.folds, &p, err);
	free(f.rows);
	paleo_fit_rows_release(&rows);
	if (rc)
		paleo_power_release(&p);
	else
		*out = p;
	return rc;
}
