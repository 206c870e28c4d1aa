/* fit_judge.c - judges a fit by its held-out errors: corrections and intervals of its factors. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "calib/fit_parts.h"
#include "calib/fit_trees.h"
#include "model/predict/smooth.h"
#include "model/predict/trees.h"

/* The intervals of another factor, until there are better ones. */
static void take_intervals(struct paleo_class_model *f, const struct paleo_class_model *from)
{
	f->ratio_low = from->ratio_low;
	f->ratio_high = from->ratio_high;
	f->band_count = from->band_count;
	memcpy(f->bands, from->bands, sizeof(f->bands));
}

/* Copies the rows of groups that have too few for intervals of their own. Returns how many. */
static int gather_few(const struct paleo_fit_row *rows, int count,
		      const struct paleo_heldout_row *held, struct paleo_heldout_row *out)
{
	int n = 0;

	for (int first = 0; first < count;) {
		int size = paleo_fit_rows_group(rows + first, count - first), predicted;
		paleo_intervals_error(held + first, size, &predicted);
		if (predicted < PALEO_INTERVALS_MIN) {
			memcpy(out + n, held + first, (size_t)size * sizeof(*out));
			n += size;
		}
		first += size;
	}
	return n;
}

/* Intervals of groups with too few rows, unless their kind has better ones. */
struct fallback {
	struct paleo_class_model all, few; /* of all rows, and of all such groups */
	struct paleo_heldout_row *rows;    /* room for all */
};

/* Intervals for the groups of a kind with too few rows: their errors are larger than others', so
 * they use those of all such groups of the kind, else of all such groups, else of the kind, else of
 * all. */
static int judge_kind(const struct paleo_fit_row *rows, int count,
		      const struct paleo_heldout_row *held, const struct fallback *from,
		      struct paleo_class_model *kind, struct paleo_error *err)
{
	*kind = paleo_fit_first_guess();
	take_intervals(kind, &from->all);
	kind->kind_correlation = paleo_intervals_correlation(held, count, 1);
	PALEO_TRY(paleo_intervals_judge(held, count, kind, err));
	if (from->few.band_count)
		take_intervals(kind, &from->few);
	return paleo_intervals_judge(from->rows, gather_few(rows, count, held, from->rows), kind,
				     err);
}

int paleo_fit_judge(const struct paleo_fit_row *rows, int count,
		    const struct paleo_heldout_row *held, struct paleo_class_model *factors,
		    struct paleo_error *err)
{
	struct fallback from = {paleo_fit_first_guess(), paleo_fit_first_guess(),
				malloc((size_t)count * sizeof(*from.rows))};
	struct paleo_class_model kind, *f = factors;
	int rc = from.rows ? paleo_intervals_judge(held, count, &from.all, err)
			   : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	if (!rc)
		rc = paleo_intervals_judge(from.rows, gather_few(rows, count, held, from.rows),
					   &from.few, err);
	for (int start = 0; !rc && start < count;) {
		int size = paleo_fit_rows_kind(rows + start, count - start);
		rc = judge_kind(rows + start, size, held + start, &from, &kind, err);
		for (int first = start; !rc && first < start + size; f++) {
			int n = paleo_fit_rows_group(rows + first, start + size - first);
			take_intervals(f, &kind);
			f->kind_correlation = kind.kind_correlation;
			rc = paleo_intervals_judge(held + first, n, f, err);
			first += n;
		}
		start += size;
	}
	free(from.rows);
	return rc;
}

struct ratio {
	double log, weight;
};

static int by_log(const void *a, const void *b)
{
	const struct ratio *x = a;
	const struct ratio *y = b;

	return (x->log > y->log) - (x->log < y->log);
}

/* The ratio below which so much of the whole weight is. */
static double quantile(const struct ratio *sorted, int count, double share)
{
	double whole = 0, below = 0;
	int i = 0;

	for (int k = 0; k < count; k++)
		whole += sorted[k].weight;
	while (i < count - 1 && below + sorted[i].weight < share * whole)
		below += sorted[i++].weight;
	return exp(sorted[i].log);
}

/* The models of other classes, in every pass and dtype; returns how many. */
static int list_others(const struct paleo_calibration *c, const char *class_name,
		       struct paleo_class_model *out)
{
	int n = 0;

	for (int i = 0; i < c->count; i++)
		if (strcmp(c->models[i].class_name, class_name) != 0)
			out[n++] = c->models[i];
	return n;
}

/* Predicts the rows of one class by the others' models; returns how many it could. */
static int predict_class(const struct paleo_fit_row *rows, int count,
			 const struct paleo_calibration *others, struct ratio *out)
{
	struct paleo_prediction p;
	struct paleo_error ignored;
	int n = 0;

	for (int i = 0; i < count; i++)
		if (!paleo_predict_op(others, rows[i].op, &p, &ignored))
			out[n++].log = rows[i].log_s - log(p.parts.total_s);
	for (int i = 0; i < n; i++)
		out[i].weight = 1.0 / n;
	return n;
}

int paleo_fit_judge_others(const struct paleo_fit_row *rows, int count, struct paleo_calibration *c,
			   struct paleo_error *err)
{
	struct paleo_calibration others = *c;
	struct ratio *ratios = malloc((size_t)count * sizeof(*ratios));
	int n = 0, classes = 0;

	others.models = malloc((size_t)c->count * sizeof(*others.models));
	for (int first = 0; ratios && others.models && first < count; classes++) {
		int size = paleo_fit_rows_class(rows + first, count - first);
		others.count = list_others(c, paleo_op_class(rows[first].op), others.models);
		n += predict_class(rows + first, size, &others, ratios + n);
		first += size;
	}
	int rc = ratios && others.models
			 ? PALEO_OK
			 : paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	if (!rc && classes >= PALEO_OTHERS_MIN && n) {
		qsort(ratios, (size_t)n, sizeof(*ratios), by_log);
		c->others = (struct paleo_interval){
			quantile(ratios, n, 0.05), quantile(ratios, n, 0.95),
			quantile(ratios, n, 0.25), quantile(ratios, n, 0.75)};
	}
	free(others.models);
	free(ratios);
	return rc;
}

/* Fits a correction to each class of a calibration, where that helps. */

/* The trees' rows: log errors of a group's cost model at its own rows. */
static int list_errors(const struct paleo_fit_row *rows, int count,
		       const struct paleo_device *device, const struct paleo_class_model *f,
		       struct paleo_trees_row *out, struct paleo_error *err)
{
	struct paleo_tile_device d;
	struct paleo_parts parts;
	int features = 0;
	int rc = paleo_tile_device_of(device, f->dtype, &d, err);

	for (int i = 0; !rc && i < count; i++) {
		const struct paleo_op *w = rows[i].op;
		rc = paleo_class_cost_model(device, f, w, &parts, err);
		if (rc)
			break;
		features = paleo_features(paleo_kernel_model_for(w, 0), &d, w, out[i].x);
		paleo_features_of_cost_model(&parts, out[i].x);
		out[i].value = rows[i].log_s - log(parts.total_s);
		out[i].weight = rows[i].weight;
		out[i].group = rows[i].part;
	}
	return rc ? rc : features;
}

/* Correction of one group's cost model near its own rows, where it is shown to help. */
static int add_correction(const struct paleo_fit_row *rows, int count,
			  const struct paleo_device *device, struct paleo_class_model *f,
			  struct paleo_error *err)
{
	struct paleo_trees_row *list;

	if (count < PALEO_CORRECTED_ROWS)
		return PALEO_OK;
	list = malloc((size_t)count * sizeof(*list));
	if (!list)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	int rc = list_errors(rows, count, device, f, list, err);
	if (rc > 0)
		rc = paleo_fit_correction(list, count, rc, PALEO_CORRECTION_TREES, &f->correction,
					  NULL, err);
	free(list);
	return rc == PALEO_EUNSUPPORTED ? PALEO_OK : rc;
}

int paleo_fit_corrections(const struct paleo_fit_row *rows, int count, struct paleo_calibration *c,
			  struct paleo_error *err)
{
	struct paleo_class_model *f = c->models;

	for (int first = 0; first < count; f++) {
		int size = paleo_fit_rows_group(rows + first, count - first);
		PALEO_TRY(add_correction(rows + first, size, &c->device, f, err));
		first += size;
	}
	return PALEO_OK;
}

/* How much more than usual rows err, by their features. */

/* No record repeats better than to 1 %, so smaller errors tell nothing. */
#define ERROR_MIN 0.01

/* Logarithms of the errors over their median, as the trees' values; rows without one do not count.
 * `scratch` has 2 * count values. Returns how many have one. */
static int list_spreads(const struct paleo_heldout_row *held, int count, double *scratch,
			struct paleo_trees_row *out)
{
	int n = 0;

	for (int i = 0; i < count; i++) {
		out[i].weight = !isnan(held[i].ratio);
		out[i].value = 0;
		if (isnan(held[i].ratio))
			continue;
		out[i].value = log(hypot(log(held[i].ratio), ERROR_MIN));
		scratch[n++] = out[i].value;
	}
	double usual = n ? paleo_median(scratch, (size_t)n, scratch + count) : 0;
	for (int i = 0; i < count; i++)
		out[i].value -= out[i].weight > 0 ? usual : 0;
	return n;
}

/* Spread of the rows of one part by trees of the others, which have not seen their errors. */
static int spread_part(const struct paleo_trees_row *list, struct paleo_heldout_row *held,
		       int count, int part, const struct paleo_trees *like,
		       struct paleo_trees_row *rest, struct paleo_error *err)
{
	struct paleo_trees t;
	int n = 0;

	for (int i = 0; i < count; i++)
		if (held[i].part != part && list[i].weight > 0)
			rest[n++] = list[i];
	if (n == 0 || n == count)
		return PALEO_OK;
	PALEO_TRY(paleo_fit_trees(rest, n, like->features, like->count, &t, err));
	for (int i = 0; i < count; i++)
		if (held[i].part == part)
			held[i].spread = paleo_trees_at(&t, list[i].x);
	paleo_trees_release(&t);
	return PALEO_OK;
}

/* Trees of one group, where they are shown to help. list[] has room for all rows twice. */
static int find_spread(struct paleo_heldout_row *held, int count, int features, double *scratch,
		       struct paleo_trees_row *list, struct paleo_class_model *f,
		       struct paleo_error *err)
{
	int parts = 0;

	if (list_spreads(held, count, scratch, list) < PALEO_CORRECTED_ROWS)
		return PALEO_OK;
	PALEO_TRY(paleo_fit_correction(list, count, features, PALEO_SPREAD_TREES, &f->spread, NULL,
				       err));
	for (int i = 0; i < count; i++)
		parts = held[i].part >= parts ? held[i].part + 1 : parts;
	for (int part = 0; f->spread.count && part < parts; part++)
		PALEO_TRY(spread_part(list, held, count, part, &f->spread, list + count, err));
	return PALEO_OK;
}

static int add_spread(const struct paleo_fit_row *rows, int count, struct paleo_heldout_row *held,
		      const struct paleo_device *device, struct paleo_class_model *f,
		      struct paleo_error *err)
{
	if (count < PALEO_CORRECTED_ROWS)
		return PALEO_OK;
	struct paleo_trees_row *list = malloc(2 * (size_t)count * sizeof(*list));
	double *scratch = malloc(2 * (size_t)count * sizeof(*scratch));
	int rc = list && scratch ? list_errors(rows, count, device, f, list, err)
				 : paleo_fail(err, PALEO_ENOMEM, "out of memory");
	if (rc > 0)
		rc = find_spread(held, count, rc, scratch, list, f, err);
	free(list);
	free(scratch);
	return rc == PALEO_EUNSUPPORTED ? PALEO_OK : rc;
}

int paleo_fit_spreads(const struct paleo_fit_row *rows, int count, struct paleo_heldout_row *held,
		      const struct paleo_device *device, struct paleo_class_model *factors,
		      struct paleo_error *err)
{
	struct paleo_class_model *f = factors;

	for (int first = 0; first < count; f++) {
		int size = paleo_fit_rows_group(rows + first, count - first);
		PALEO_TRY(add_spread(rows + first, size, held + first, device, f, err));
		first += size;
	}
	return PALEO_OK;
}
