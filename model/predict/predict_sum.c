/* predict_sum.c - adds up predictions, and how far off their sum may be. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "model/predict/predict.h"

/* A prediction, and how often its work runs. */
struct addend {
	struct paleo_prediction p;
	double times;
};

static int by_factor(const void *a, const void *b)
{
	const struct paleo_prediction *x = &((const struct addend *)a)->p;
	const struct paleo_prediction *y = &((const struct addend *)b)->p;

	if (x->factor != y->factor)
		return x->factor > y->factor ? 1 : -1;
	return (x->parts.total_s > y->parts.total_s) - (x->parts.total_s < y->parts.total_s);
}

/* Sides of an interval. */
enum {
	LOW90,
	HIGH90,
	LOW50,
	HIGH50,
	SIDES
};

static void half_widths(const struct paleo_prediction *p, double half[SIDES])
{
	half[LOW90] = p->parts.total_s - p->interval.low;
	half[HIGH90] = p->interval.high - p->parts.total_s;
	half[LOW50] = p->parts.total_s - p->interval.low50;
	half[HIGH50] = p->interval.high50 - p->parts.total_s;
}

/* Fills in the square of what one factor's predictions, sorted by time, may be off together.
 * Returns how many these are. */
static int square_factor(const struct addend *a, int count, double square[SIDES])
{
	double sum[SIDES] = {0}, squares[SIDES] = {0};
	double r = isnan(a[0].p.factor->correlation) ? 1 : a[0].p.factor->correlation;
	int i = 0;

	while (i < count && a[i].p.factor == a[0].p.factor) {
		double half[SIDES];
		int same = 1;
		double times = a[i].times;
		for (; i + same < count && by_factor(&a[i], &a[i + same]) == 0; same++)
			times += a[i + same].times;
		half_widths(&a[i].p, half);
		for (int s = 0; s < SIDES; s++) {
			sum[s] += times * half[s];
			squares[s] += times * half[s] * times * half[s];
		}
		i += same;
	}
	/* A biased factor's interval may lie wholly on one side. */
	for (int s = 0; s < SIDES; s++)
		square[s] = sum[s] < 0 ? 0 : r * sum[s] * sum[s] + (1 - r) * squares[s];
	return i;
}

/* Adds the same of the factors of one kind, which stand together. */
static int add_kind(const struct addend *a, int count, double square[SIDES])
{
	double sum[SIDES] = {0}, squares[SIDES] = {0};
	double q = isnan(a[0].p.factor->kind_correlation) ? 0 : a[0].p.factor->kind_correlation;
	int i = 0;

	while (i < count && a[i].p.factor->dtype == a[0].p.factor->dtype &&
	       paleo_class_same_kind(a[i].p.factor->class_name, a[0].p.factor->class_name)) {
		double each[SIDES];
		i += square_factor(a + i, count - i, each);
		for (int s = 0; s < SIDES; s++) {
			sum[s] += sqrt(each[s]);
			squares[s] += each[s];
		}
	}
	for (int s = 0; s < SIDES; s++)
		square[s] += q * sum[s] * sum[s] + (1 - q) * squares[s];
	return i;
}

/* Works err with longer tails than sums do, and a sum of many errs nearly as a normal distribution,
 * of which half is within 0.6745 and nine tenths within 1.6449 standard deviations. */
static double half_of_sum(double square50, double square90, double works)
{
	double own = sqrt(square50);

	return works > 1 ? fmax(own, 0.6745 / 1.6449 * sqrt(square90)) : own;
}

static void add_intervals(const struct addend *a, int count, struct paleo_prediction_sum *sum)
{
	double square[SIDES] = {0}, works = 0;

	for (int i = 0; i < count; i++)
		works += a[i].times;
	for (int i = 0; i < count;)
		i += add_kind(a + i, count - i, square);
	struct paleo_interval *t = &sum->interval;
	double total_s = sum->parts.total_s;

	t->low = fmax(0, total_s - sqrt(square[LOW90]));
	t->high = total_s + sqrt(square[HIGH90]);
	if (isnan(square[LOW90]) || isnan(square[HIGH90]))
		t->low = t->high = NAN;
	t->low50 = fmax(0, total_s - half_of_sum(square[LOW50], square[LOW90], works));
	t->high50 = total_s + half_of_sum(square[HIGH50], square[HIGH90], works);
	if (isnan(square[LOW50]) || isnan(square[HIGH50]))
		t->low50 = t->high50 = NAN;
}

int paleo_prediction_add_up_times(const struct paleo_prediction *p, const double *times, int count,
				  struct paleo_prediction_sum *out, struct paleo_error *err)
{
	struct paleo_prediction_sum sum = {0};

	assert(count >= 0);
	struct addend *sorted = malloc(((size_t)count + 1) * sizeof(*sorted));
	if (!sorted)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; i < count; i++) {
		double n = times ? times[i] : 1;
		sorted[i] = (struct addend){p[i], n};
		sum.parts.compute_s += n * p[i].parts.compute_s;
		sum.parts.memory_s += n * p[i].parts.memory_s;
		sum.parts.overhead_s += n * p[i].parts.overhead_s;
		sum.parts.total_s += n * p[i].parts.total_s;
	}
	qsort(sorted, (size_t)count, sizeof(*sorted), by_factor);
	add_intervals(sorted, count, &sum);
	free(sorted);
	*out = sum;
	return PALEO_OK;
}

int paleo_prediction_add_up(const struct paleo_prediction *p, int count,
			    struct paleo_prediction_sum *out, struct paleo_error *err)
{
	return paleo_prediction_add_up_times(p, NULL, count, out, err);
}
