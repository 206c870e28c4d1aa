/* fit.c - from measured works to the factors of a calibration, judged on what was held out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "calib/fit_group.h"
#include "calib/fit_rows.h"

enum {
	GROUP_MIN = 3,    /* fewer rows take the values of their kind */
	INTERVAL_MIN = 8, /* fewer held-out rows take the interval of their kind */
};

/* The factor of one group: of its own rows if there are enough, otherwise what its kind has. */
static int fit_one(const struct paleo_fit_row *rows, int count, const struct paleo_factor *kind,
		   struct paleo_factor *out, struct paleo_error *err)
{
	const struct paleo_work *w = rows[0].work;
	int rc = PALEO_OK;

	if (count >= GROUP_MIN) {
		rc = paleo_fit_group(rows, count, PALEO_FIT_GROUP, kind, out, err);
	} else {
		*out = *kind;
		out->records = count;
		out->se_ppp_compute = out->se_ppp_memory = out->se_overhead = NAN;
		out->se_half_depth = out->se_half_width = NAN;
	}
	snprintf(out->class_name, sizeof(out->class_name), "%s", paleo_work_class(w));
	out->pass = w->pass;
	out->dtype = w->dtype;
	return rc;
}

/* The rows of one kind: their common values first, then each group near these. */
static int fit_kind(const struct paleo_fit_row *rows, int count, struct paleo_calibration *c,
		    struct paleo_error *err)
{
	const struct paleo_factor guess = paleo_fit_first_guess();
	struct paleo_factor kind;
	int rc = paleo_fit_group(rows, count, PALEO_FIT_KIND, &guess, &kind, err);

	for (int first = 0; !rc && first < count;) {
		int size = paleo_fit_rows_group(rows + first, count - first);
		rc = fit_one(rows + first, size, &kind, &c->factors[c->count++], err);
		first += size;
	}
	return rc;
}

/* One factor for each group, at most `count`, owned by the caller. Without held-out errors. */
static int fit_factors(const struct paleo_fit_row *rows, int count, struct paleo_calibration *c,
		       struct paleo_error *err)
{
	int rc = PALEO_OK;

	c->factors = malloc((size_t)count * sizeof(*c->factors));
	c->count = 0;
	if (!c->factors)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int first = 0; !rc && first < count;) {
		int size = paleo_fit_rows_kind(rows + first, count - first);
		rc = fit_kind(rows + first, size, c, err);
		first += size;
	}
	return rc;
}

/* Copies the rows that are not of this fold. */
static int leave_out(const struct paleo_fit_row *rows, int count, int fold,
		     struct paleo_fit_row *out)
{
	int n = 0;

	for (int i = 0; i < count; i++)
		if (rows[i].fold != fold)
			out[n++] = rows[i];
	return n;
}

/* Predicts each row by a fit without its fold: ratio[i] is measured / predicted, or NaN. */
static int hold_out(const struct paleo_fit_row *rows, int count, int folds,
		    const struct paleo_device *device, double *ratio, struct paleo_error *err)
{
	struct paleo_fit_row *rest = malloc((size_t)count * sizeof(*rest));
	int rc = rest ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	for (int i = 0; i < count; i++)
		ratio[i] = NAN;
	for (int fold = 0; !rc && fold < folds; fold++) {
		struct paleo_calibration c = {.device = *device};
		struct paleo_prediction p;
		int n = leave_out(rows, count, fold, rest);
		if (n == 0 || n == count)
			continue;
		rc = fit_factors(rest, n, &c, err);
		for (int i = 0; !rc && i < count; i++) {
			if (rows[i].fold != fold)
				continue;
			rc = paleo_predict_work(&c, rows[i].work, &p, err);
			if (!rc)
				ratio[i] = exp(rows[i].log_s) / p.total_s;
		}
		paleo_calibration_release(&c);
	}
	free(rest);
	return rc;
}

/* Copies what is not NaN, in ascending order. */
static int sorted_finite(const double *x, int count, double *out)
{
	int n = 0;

	for (int i = 0; i < count; i++)
		if (!isnan(x[i]))
			out[n++] = x[i];
	if (n > 0)
		paleo_sort(out, (size_t)n);
	return n;
}

/* The order statistic that a new value exceeds with probability 1 - p: rank p (n + 1), so that few
 * rows give a wide interval (type 6 of Hyndman and Fan 1996). */
static double predictive_quantile(const double *sorted, int n, double p)
{
	double at = n > 1 ? (p * (n + 1) - 1) / (n - 1) : 0;

	return paleo_quantile_sorted(sorted, (size_t)n, fmin(fmax(at, 0), 1));
}

static void judge_group(struct paleo_factor *f, const double *ratio, int count, double *scratch)
{
	int n = sorted_finite(ratio, count, scratch);

	if (n >= INTERVAL_MIN) {
		f->ratio_low = predictive_quantile(scratch, n, 0.05);
		f->ratio_high = predictive_quantile(scratch, n, 0.95);
	}
	for (int i = 0; i < n; i++)
		scratch[i] = fabs(1 / scratch[i] - 1);
	if (n == 0)
		return;
	paleo_sort(scratch, (size_t)n);
	f->heldout_median = paleo_quantile_sorted(scratch, (size_t)n, 0.5);
	f->heldout_mean = paleo_mean(scratch, (size_t)n);
	f->heldout_p90 = paleo_quantile_sorted(scratch, (size_t)n, 0.9);
}

/* Fills in the held-out errors; `factors` are in the order of the rows' groups. */
static void judge(const struct paleo_fit_row *rows, int count, const double *ratio, double *scratch,
		  struct paleo_factor *factors)
{
	struct paleo_factor *f = factors;

	for (int start = 0; start < count;) {
		int kind = paleo_fit_rows_kind(rows + start, count - start);
		int n = sorted_finite(ratio + start, kind, scratch);
		double low = n ? predictive_quantile(scratch, n, 0.05) : NAN;
		double high = n ? predictive_quantile(scratch, n, 0.95) : NAN;
		for (int first = start; first < start + kind; f++) {
			int size = paleo_fit_rows_group(rows + first, start + kind - first);
			f->ratio_low = low;
			f->ratio_high = high;
			judge_group(f, ratio + first, size, scratch);
			first += size;
		}
		start += kind;
	}
}

/* Factors with their held-out errors; folds 1 leaves those NaN. */
static int fit_judged(const struct paleo_fit_row *rows, int count, int folds,
		      struct paleo_calibration *c, struct paleo_error *err)
{
	double *ratio = malloc(2 * (size_t)count * sizeof(*ratio));
	int rc = ratio ? fit_factors(rows, count, c, err)
		       : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	if (!rc && folds > 1) {
		rc = hold_out(rows, count, folds, &c->device, ratio, err);
		if (!rc)
			judge(rows, count, ratio, ratio + count, c->factors);
	}
	free(ratio);
	return rc;
}

static int compare_hashes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int list_seen(const struct paleo_fit_rows *rows, struct paleo_calibration *c,
		     struct paleo_error *err)
{
	c->seen = malloc((size_t)rows->count * sizeof(*c->seen));
	if (!c->seen)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; i < rows->count; i++)
		c->seen[i] = paleo_work_hash(rows->rows[i].work);
	qsort(c->seen, (size_t)rows->count, sizeof(*c->seen), compare_hashes);
	c->seen_count = rows->count;
	return PALEO_OK;
}

static void describe(const struct paleo_results *r, const struct paleo_fit_options *o, int records,
		     struct paleo_calibration *c)
{
	c->device = r->meta.device;
	c->threads = r->meta.threads;
	c->records = records;
	memcpy(c->backend, r->meta.backend, sizeof(c->backend));
	memcpy(c->versions, r->meta.versions, sizeof(c->versions));
	snprintf(c->mode, sizeof(c->mode), "%s", o->mode ? o->mode : "cold");
	snprintf(c->created_utc, sizeof(c->created_utc), "%s",
		 o->created_utc ? o->created_utc : "");
}

int paleo_fit(const struct paleo_results *r, const struct paleo_fit_options *o,
	      struct paleo_calibration *out, struct paleo_fit_report *report,
	      struct paleo_error *err)
{
	struct paleo_calibration c = {.count = 0};
	struct paleo_fit_rows rows = {.count = 0};
	struct paleo_fit_report n = {0};
	int rc = paleo_fit_rows_collect(r, o, &rows, &n, err);

	if (rc)
		return rc;
	describe(r, o, rows.count, &c);
	rc = fit_judged(rows.rows, rows.count, rows.folds, &c, err);
	if (!rc)
		rc = list_seen(&rows, &c, err);
	paleo_fit_rows_release(&rows);
	if (rc) {
		paleo_calibration_release(&c);
		return rc;
	}
	*out = c;
	if (report)
		*report = n;
	return PALEO_OK;
}

/* Predicts the rows of one fold by a fit to `rest`, the others. */
static int predict_fold(const struct paleo_fit_rows *rows, int fold, struct paleo_fit_row *rest,
			struct paleo_calibration *c, int intervals, struct paleo_heldout *out,
			struct paleo_error *err)
{
	struct paleo_prediction p;
	int n = leave_out(rows->rows, rows->count, fold, rest);

	if (n == 0 || n == rows->count)
		return PALEO_OK;
	int rc = fit_judged(rest, n, intervals ? rows->folds : 1, c, err);
	for (int i = 0; !rc && i < rows->count; i++) {
		const struct paleo_fit_row *row = &rows->rows[i];
		if (row->fold != fold)
			continue;
		rc = paleo_predict_work(c, row->work, &p, err);
		if (!rc)
			out[row->record] = (struct paleo_heldout){p.total_s, p.low_s, p.high_s};
	}
	return rc;
}

int paleo_fit_heldout(const struct paleo_results *r, const struct paleo_fit_options *o,
		      int intervals, struct paleo_heldout *out, struct paleo_error *err)
{
	struct paleo_fit_rows rows = {.count = 0};
	int rc = paleo_fit_rows_collect(r, o, &rows, NULL, err);

	if (rc)
		return rc;
	struct paleo_fit_row *rest = malloc((size_t)rows.count * sizeof(*rest));
	if (!rest) {
		paleo_fit_rows_release(&rows);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	}
	for (int i = 0; i < r->count; i++)
		out[i] = (struct paleo_heldout){NAN, NAN, NAN};
	for (int fold = 0; !rc && fold < rows.folds; fold++) {
		struct paleo_calibration c = {.device = r->meta.device};
		rc = predict_fold(&rows, fold, rest, &c, intervals, out, err);
		paleo_calibration_release(&c);
	}
	free(rest);
	paleo_fit_rows_release(&rows);
	return rc;
}
