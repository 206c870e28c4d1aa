/* predict_sum.c - totals of predictions and their intervals; framework overhead. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "model/predict/predict.h"

/* A prediction, and how often its op runs. */
struct addend {
	struct paleo_prediction p;
	double times;
};

static int by_factor(const void *a, const void *b)
{
	const struct paleo_prediction *x = &((const struct addend *)a)->p;
	const struct paleo_prediction *y = &((const struct addend *)b)->p;

	if (x->exact != y->exact)
		return x->exact - y->exact;
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

/* Half-width of a normal distribution's intervals, in standard deviations. */
static const double normal[SIDES] = {PALEO_NORMAL_90, PALEO_NORMAL_90, PALEO_NORMAL_50,
				     PALEO_NORMAL_50};

/* Sides of an op's interval without the error of the machine's speed, which ops have in common. */
static void half_widths(const struct paleo_prediction *p, double half[SIDES])
{
	half[LOW90] = p->parts.total_s - p->interval.low;
	half[HIGH90] = p->interval.high - p->parts.total_s;
	half[LOW50] = p->parts.total_s - p->interval.low50;
	half[HIGH50] = p->interval.high50 - p->parts.total_s;
	for (int s = 0; s < SIDES && p->speed_sd > 0; s++) {
		double common = normal[s] * p->speed_sd * p->parts.total_s;
		half[s] = half[s] > common ? sqrt(half[s] * half[s] - common * common)
					   : half[s] - common;
	}
}

/* Fills in the squared common error of one factor's predictions, sorted by time. Returns their
 * number. */
static int square_factor(const struct addend *a, int count, double square[SIDES])
{
	double sum[SIDES] = {0}, squares[SIDES] = {0};
	double r = isnan(a[0].p.factor->correlation) ? 1 : a[0].p.factor->correlation;
	int i = 0;

	if (!a[0].p.exact) /* of classes that were not measured: one error each */
		r = 1;
	while (i < count && a[i].p.factor == a[0].p.factor && a[i].p.exact == a[0].p.exact) {
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

/* Adds the same for the factors of one kind, which are adjacent. */
static int add_kind(const struct addend *a, int count, double square[SIDES])
{
	double sum[SIDES] = {0}, squares[SIDES] = {0};
	double q = isnan(a[0].p.factor->kind_correlation) ? 0 : a[0].p.factor->kind_correlation;
	int i = 0;

	while (i < count && a[i].p.factor->dtype == a[0].p.factor->dtype &&
	       a[i].p.exact == a[0].p.exact &&
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

/* Ops err with longer tails than sums do, and a sum of many errs nearly as a normal distribution,
 * of which half and nine tenths are within so many standard deviations. */
static double half_of_sum(double square50, double square90, double ops)
{
	double own = sqrt(square50);

	return ops > 1 ? fmax(own, PALEO_NORMAL_50 / PALEO_NORMAL_90 * sqrt(square90)) : own;
}

static void add_intervals(const struct addend *a, int count, struct paleo_prediction_sum *sum)
{
	double square[SIDES] = {0}, ops = 0, speed_s = 0;

	for (int i = 0; i < count; i++) {
		ops += a[i].times;
		speed_s += a[i].times * a[i].p.speed_sd * a[i].p.parts.total_s;
	}
	for (int i = 0; i < count;)
		i += add_kind(a + i, count - i, square);
	for (int s = 0; s < SIDES; s++)
		square[s] += normal[s] * speed_s * normal[s] * speed_s;
	struct paleo_interval *t = &sum->interval;
	double total_s = sum->parts.total_s;

	t->low = fmax(0, total_s - sqrt(square[LOW90]));
	t->high = total_s + sqrt(square[HIGH90]);
	if (isnan(square[LOW90]) || isnan(square[HIGH90]))
		t->low = t->high = NAN;
	t->low50 = fmax(0, total_s - half_of_sum(square[LOW50], square[LOW90], ops));
	t->high50 = total_s + half_of_sum(square[HIGH50], square[HIGH90], ops);
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

/* Overhead of frameworks beyond the ops they run: a fitted factor, and launch overhead. */

const char *const paleo_framework_names[] = {"none", "eager", "compiled", NULL};

/* From results/studies/frameworks.sh TIMM.csv text (docs/method/frameworks.md). */
static const struct paleo_framework_factor factors[] = {
	{PALEO_FRAMEWORK_EAGER, 0, PALEO_NCHW, 34, 0.704, 0.648, 0.822,
	 "timm, RTX 3090 and 4090, f16"},
	{PALEO_FRAMEWORK_EAGER, 0, PALEO_NHWC, 34, 0.774, 0.684, 1.026,
	 "timm, RTX 3090 and 4090, f16"},
	{PALEO_FRAMEWORK_EAGER, 1, PALEO_NCHW, 33, 0.956, 0.826, 1.579, "timm, RTX 3090, f16"},
	{PALEO_FRAMEWORK_EAGER, 1, PALEO_NHWC, 33, 0.906, 0.723, 1.500, "timm, RTX 3090, f16"},
	{PALEO_FRAMEWORK_COMPILED, 0, PALEO_NCHW, 34, 0.758, 0.635, 1.077, "timm, RTX 4090, f16"},
};

const struct paleo_framework_factor *
paleo_framework_factor_find(enum paleo_framework framework, int training, enum paleo_layout layout)
{
	const struct paleo_framework_factor *near = NULL;

	for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
		const struct paleo_framework_factor *f = &factors[i];
		if (f->framework != framework || f->training != training)
			continue;
		if (f->layout == layout)
			return f;
		near = f;
	}
	return near;
}

double paleo_framework_pass_s(double kernels_s, int kernels, double dispatch_s)
{
	return fmax(kernels_s, kernels * dispatch_s);
}
