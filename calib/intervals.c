/* intervals.c - from held-out errors to prediction intervals (split conformal). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/intervals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

enum {
	BAND_SHAPES = 40, /* of a band, if there are several */
	PAIRS_MIN = 20,   /* fewer do not tell how errors go together */
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

static int by_shape(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Different shapes among the rows; `scratch` has room for `count`. */
static int count_shapes(const struct paleo_heldout_row *held, int count, uint64_t *scratch)
{
	int n = 0;

	for (int i = 0; i < count; i++)
		scratch[i] = held[i].shape;
	qsort(scratch, (size_t)count, sizeof(*scratch), by_shape);
	for (int i = 0; i < count; i++)
		n += i == 0 || scratch[i] != scratch[i - 1];
	return n;
}

/* Of `n` sorted values that are worth `worth` independent ones. */
static double predictive_quantile(const double *sorted, int n, double worth, double p)
{
	double at = worth > 1 ? (p * (worth + 1) - 1) / (worth - 1) : 0;

	return paleo_quantile_sorted(sorted, (size_t)n, fmin(fmax(at, 0), 1));
}

/* The interval of `count` rows. `scratch` has room for so many numbers and as many hashes behind.
 */
static struct paleo_band make_band(const struct paleo_heldout_row *held, int count, double r,
				   double *scratch)
{
	/* How many independent rows these are worth (Kish 1965): n/(1 + (m - 1) r), m of a shape.
	 */
	double of_a_shape =
		(double)count / count_shapes(held, count, (uint64_t *)(scratch + count));
	double worth = count / (1 + (of_a_shape - 1) * r);

	for (int i = 0; i < count; i++)
		scratch[i] = held[i].ratio;
	paleo_sort(scratch, (size_t)count);
	return (struct paleo_band){
		.low90 = predictive_quantile(scratch, count, worth, 0.05),
		.high90 = predictive_quantile(scratch, count, worth, 0.95),
		.low50 = predictive_quantile(scratch, count, worth, 0.25),
		.high50 = predictive_quantile(scratch, count, worth, 0.75),
	};
}

/* held: sorted by prediction. */
static void make_bands(const struct paleo_heldout_row *held, int count, double *scratch,
		       struct paleo_factor *f)
{
	double r = isnan(f->correlation) ? 1 : f->correlation;

	if (count < PALEO_INTERVALS_MIN)
		return;
	int bands = count_shapes(held, count, (uint64_t *)scratch) / BAND_SHAPES;
	bands = bands < 1 ? 1 : bands > PALEO_BANDS_MAX ? PALEO_BANDS_MAX : bands;
	f->band_count = 0;
	for (int i = 0; i < bands; i++) {
		int first = (int)((long)count * i / bands);
		int end = (int)((long)count * (i + 1) / bands);
		struct paleo_band b = make_band(held + first, end - first, r, scratch);
		b.from_s = i ? held[first].predicted_s : 0;
		/* rows of the very same prediction cannot be told apart */
		if (i && !(b.from_s > f->bands[f->band_count - 1].from_s))
			continue;
		f->bands[f->band_count++] = b;
	}
	const struct paleo_band all = make_band(held, count, r, scratch);
	f->ratio_low = all.low90;
	f->ratio_high = all.high90;
}

static void fill_errors(const struct paleo_heldout_row *held, int n, double *scratch,
			struct paleo_factor *f)
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

static double distance(const double a[PALEO_RESIDUAL_AXES], const double b[PALEO_RESIDUAL_AXES])
{
	double sum = 0;

	for (int i = 0; i < PALEO_RESIDUAL_AXES; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

/* The row of the same part that is most like row i; -1 if it is alone. */
static int nearest(const struct paleo_heldout_row *held, int count, int i)
{
	double least = INFINITY;
	int found = -1;

	for (int j = 0; j < count; j++) {
		if (j == i || held[j].part != held[i].part || isnan(held[j].ratio))
			continue;
		double d = distance(held[i].at, held[j].at);
		if (d < least) {
			least = d;
			found = j;
		}
	}
	return found;
}

static double correlate(const struct paleo_heldout_row *held, int count)
{
	double together = 0, alone = 0;
	int pairs = 0;

	for (int i = 0; i < count; i++) {
		int j = isnan(held[i].ratio) ? -1 : nearest(held, count, i);
		if (j < 0)
			continue;
		double r = log(held[i].ratio);
		together += r * log(held[j].ratio);
		alone += r * r;
		pairs++;
	}
	if (pairs < PAIRS_MIN || !(alone > 0))
		return NAN;
	return fmin(fmax(together / alone, CORRELATION_MIN), 1);
}

int paleo_intervals_judge(const struct paleo_heldout_row *held, int count, struct paleo_factor *f,
			  struct paleo_error *err)
{
	struct paleo_heldout_row *sorted = malloc(((size_t)count + 1) * sizeof(*sorted));
	double *scratch = malloc((2 * (size_t)count + 1) * sizeof(*scratch));
	int n = 0;

	if (!sorted || !scratch) {
		free(sorted);
		free(scratch);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	}
	for (int i = 0; i < count; i++)
		if (!isnan(held[i].ratio))
			sorted[n++] = held[i];
	qsort(sorted, (size_t)n, sizeof(*sorted), by_prediction);
	f->correlation = correlate(held, count);
	make_bands(sorted, n, scratch, f);
	fill_errors(sorted, n, scratch, f);
	free(sorted);
	free(scratch);
	return PALEO_OK;
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
