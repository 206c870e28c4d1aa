/* intervals.c - from held-out errors to prediction intervals (split conformal). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/intervals.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"

enum {
	BAND_SHAPES = 40, /* of a band, if there are several */
	PAIRS_MIN = 20,   /* fewer give no estimate of the correlation */
	PARTS_MIN = 5,
	PARTS_MAX = 10,
	PARTS_ROWS = 4000 /* rows of the fits to all parts together */
};

/* No two errors are quite apart: they are those of one fit. */
#define CORRELATION_MIN 0.05

int paleo_intervals_parts(int count)
{
	int parts = PARTS_ROWS / count;

	return parts < PARTS_MIN ? PARTS_MIN : parts > PARTS_MAX ? PARTS_MAX : parts;
}

static int by_prediction(const void *a, const void *b)
{
	const struct paleo_heldout_row *x = a;
	const struct paleo_heldout_row *y = b;

	if (x->predicted_s != y->predicted_s)
		return x->predicted_s > y->predicted_s ? 1 : -1;
	return (x->ratio > y->ratio) - (x->ratio < y->ratio);
}

/* Room for the rows of a factor. */
struct scratch {
	double *values;
	struct shape_error {
		uint64_t shape;
		double error;
	} * errors;
};

static int by_shape(const void *a, const void *b)
{
	const struct shape_error *x = a;
	const struct shape_error *y = b;

	if (x->shape != y->shape)
		return x->shape > y->shape ? 1 : -1;
	return (x->error > y->error) - (x->error < y->error);
}

/* Logarithm of an error, over what is usual for such a row if `usual`. */
static double error_of(const struct paleo_heldout_row *h, int usual)
{
	return log(h->ratio) / (usual ? exp(h->spread) : 1);
}

/* Errors of the rows from `centre`, those of a shape together. Returns how many shapes there are.
 */
static int sort_shapes(const struct paleo_heldout_row *held, int count, int usual, double centre,
		       struct shape_error *out)
{
	int n = 0;

	for (int i = 0; i < count; i++)
		out[i] = (struct shape_error){held[i].shape, error_of(&held[i], usual) - centre};
	qsort(out, (size_t)count, sizeof(*out), by_shape);
	for (int i = 0; i < count; i++)
		n += i == 0 || out[i].shape != out[i - 1].shape;
	return n;
}

/* Effective sample size: rows over the design effect (Kish 1965), with the correlation within a
 * shape estimated from the errors, as in the standard errors of Liang and Zeger (1986). */
static double worth_of(const struct shape_error *e, int count, int shapes)
{
	double alone = 0, together = 0;

	for (int first = 0, n; first < count; first += n) {
		double sum = 0;
		for (n = 0; first + n < count && e[first + n].shape == e[first].shape; n++) {
			sum += e[first + n].error;
			alone += e[first + n].error * e[first + n].error;
		}
		together += sum * sum;
	}
	if (shapes == 1)
		return 1;
	/* With few shapes the errors' median is partly their own. */
	double effect = alone > 0 ? 1 + (together / alone - 1) * shapes / (shapes - 1) : 1;
	return fmax(count / fmax(effect, 1), 1);
}

/* Widens a quantile for a new value when the distribution is estimated from `n` independent
 * values. */
static double small_sample(double z, double n)
{
	return paleo_student_quantile(z, fmax(n - 1, 1)) * sqrt(1 + 1 / n) / z;
}

/* Predictive quantile from `n` sorted logarithms with an effective sample size of `worth`: a new
 * one is below it with probability p. Rank p (n + 1), farther from the median as fewer are
 * independent. */
static double predictive_quantile(const double *sorted, int n, double worth, double p)
{
	/* of the normal distribution, at 0.95 and 0.75 */
	const double z = p < 0.1 || p > 0.9 ? 1.644854 : 0.674490;
	double at = n > 1 ? (p * (n + 1) - 1) / (n - 1) : 0;
	double middle = paleo_quantile_sorted(sorted, (size_t)n, 0.5);
	double q = paleo_quantile_sorted(sorted, (size_t)n, fmin(fmax(at, 0), 1));

	return exp(middle + (q - middle) * small_sample(z, worth) / small_sample(z, n));
}

static struct paleo_interval make_interval(const struct paleo_heldout_row *held, int count,
					   int usual, const struct scratch *scratch)
{
	double *x = scratch->values;

	for (int i = 0; i < count; i++)
		x[i] = error_of(&held[i], usual);
	paleo_sort(x, (size_t)count);
	double middle = paleo_quantile_sorted(x, (size_t)count, 0.5);
	int shapes = sort_shapes(held, count, usual, middle, scratch->errors);
	double worth = worth_of(scratch->errors, count, shapes);
	return (struct paleo_interval){
		.low = predictive_quantile(x, count, worth, 0.05),
		.high = predictive_quantile(x, count, worth, 0.95),
		.low50 = predictive_quantile(x, count, worth, 0.25),
		.high50 = predictive_quantile(x, count, worth, 0.75),
	};
}

/* held: sorted by prediction. */
static void make_bands(const struct paleo_heldout_row *held, int count,
		       const struct scratch *scratch, struct paleo_class_model *f)
{
	if (count < PALEO_INTERVALS_MIN)
		return;
	int bands = sort_shapes(held, count, 0, 0, scratch->errors) / BAND_SHAPES;
	bands = bands < 1 ? 1 : bands > PALEO_BANDS_MAX ? PALEO_BANDS_MAX : bands;
	f->band_count = 0;
	for (int i = 0; i < bands; i++) {
		int first = (int)((long)count * i / bands);
		int end = (int)((long)count * (i + 1) / bands);
		const struct paleo_band b = {i ? held[first].predicted_s : 0,
					     make_interval(held + first, end - first, 1, scratch)};
		/* rows with equal predictions cannot be separated */
		if (i && !(b.from_s > f->bands[f->band_count - 1].from_s))
			continue;
		f->bands[f->band_count++] = b;
	}
	const struct paleo_interval all = make_interval(held, count, 0, scratch);
	f->ratio_low = all.low;
	f->ratio_high = all.high;
}

static void fill_errors(const struct paleo_heldout_row *held, int n, double *scratch,
			struct paleo_class_model *f)
{
	if (n == 0)
		return;
	for (int i = 0; i < n; i++)
		scratch[i] = fabs(1 / held[i].ratio - 1);
	paleo_sort(scratch, (size_t)n);
	f->heldout_median = paleo_quantile_sorted(scratch, (size_t)n, 0.5);
	f->heldout_mean = paleo_mean(scratch, (size_t)n);
	f->heldout_p90 = paleo_quantile_sorted(scratch, (size_t)n, 0.9);
}

static double distance(const double a[PALEO_AXES], const double b[PALEO_AXES])
{
	double sum = 0;

	for (int i = 0; i < PALEO_AXES; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

/* The row of the same part that is most like row i, of another group if so asked; -1: none. */
static int nearest(const struct paleo_heldout_row *held, int count, int i, int apart)
{
	double least = INFINITY;
	int found = -1;

	for (int j = 0; j < count; j++) {
		if (j == i || held[j].part != held[i].part || isnan(held[j].ratio) ||
		    (apart && held[j].group == held[i].group))
			continue;
		double d = distance(held[i].at, held[j].at);
		if (d < least) {
			least = d;
			found = j;
		}
	}
	return found;
}

double paleo_intervals_correlation(const struct paleo_heldout_row *held, int count, int apart)
{
	double together = 0, alone = 0, others = 0;
	int pairs = 0;

	for (int i = 0; i < count; i++) {
		int j = isnan(held[i].ratio) ? -1 : nearest(held, count, i, apart);
		if (j < 0)
			continue;
		double a = log(held[i].ratio), b = log(held[j].ratio);
		together += a * b;
		alone += a * a;
		others += b * b;
		pairs++;
	}
	if (pairs < PAIRS_MIN || !(alone * others > 0))
		return NAN;
	return fmin(fmax(together / sqrt(alone * others), 0), 1);
}

int paleo_intervals_judge(const struct paleo_heldout_row *held, int count,
			  struct paleo_class_model *f, struct paleo_error *err)
{
	size_t room = (size_t)count + 1;
	struct paleo_heldout_row *sorted = malloc(room * sizeof(*sorted));
	struct scratch scratch = {malloc(room * sizeof(*scratch.values)),
				  malloc(room * sizeof(*scratch.errors))};
	int n = 0, rc = PALEO_OK;

	if (!sorted || !scratch.values || !scratch.errors)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	for (int i = 0; !rc && i < count; i++)
		if (!isnan(held[i].ratio))
			sorted[n++] = held[i];
	if (!rc) {
		qsort(sorted, (size_t)n, sizeof(*sorted), by_prediction);
		f->correlation = paleo_intervals_correlation(held, count, 0);
		if (f->correlation < CORRELATION_MIN)
			f->correlation = CORRELATION_MIN;
		make_bands(sorted, n, &scratch, f);
		fill_errors(sorted, n, scratch.values, f);
	}
	free(sorted);
	free(scratch.values);
	free(scratch.errors);
	return rc;
}

double paleo_intervals_error(const struct paleo_heldout_row *held, int count, int *n)
{
	double sum = 0;

	*n = 0;
	for (int i = 0; i < count; i++) {
		if (isnan(held[i].ratio))
			continue;
		sum += fabs(log(held[i].ratio));
		++*n;
	}
	return *n ? sum / *n : NAN;
}
