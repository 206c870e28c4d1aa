/* slices.c - errors of predictions, over all and by slices; whether to rely on them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/stats.h"
#include "calib/validate.h"
#include "model/op/op_fields.h"

struct paleo_errors paleo_errors_none(void)
{
	return (struct paleo_errors){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

/* Prediction by one cost model or the other. */
static double by_cost_model(const struct paleo_judged *p, int paleo)
{
	return paleo ? p->predicted.paleo_s : p->predicted.predicted_s;
}

static struct paleo_errors sum_up(const struct paleo_judged *p, int count, int paleo,
				  double *scratch)
{
	struct paleo_errors e = paleo_errors_none();
	double logs = 0, predicted = 0, measured = 0;
	int n = 0;

	for (int i = 0; i < count; i++) {
		double s = by_cost_model(&p[i], paleo), ratio = s / p[i].measured_s;
		if (isnan(s))
			continue;
		scratch[n++] = fabs(ratio - 1);
		logs += log(ratio);
		predicted += s;
		measured += p[i].measured_s;
	}
	if (n == 0)
		return e;
	paleo_sort(scratch, (size_t)n);
	e.count = n;
	e.median = paleo_quantile_sorted(scratch, (size_t)n, 0.5);
	e.mean = paleo_mean(scratch, (size_t)n);
	e.p90 = paleo_quantile_sorted(scratch, (size_t)n, 0.9);
	e.bias = exp(logs / n) - 1;
	e.sum = predicted / measured - 1;
	return e;
}

/* The share of measured times within the 90 or the 50 % interval. */
static double coverage(const struct paleo_judged *p, int count, int fifty)
{
	int inside = 0, intervals = 0;

	for (int i = 0; i < count; i++) {
		const struct paleo_heldout *h = &p[i].predicted;
		double low = fifty ? h->interval.low50 : h->interval.low,
		       high = fifty ? h->interval.high50 : h->interval.high;
		if (isnan(low))
			continue;
		intervals++;
		inside += low <= p[i].measured_s && p[i].measured_s <= high;
	}
	return intervals ? (double)inside / intervals : NAN;
}

/* Median error of predictions at the calibration's speed; NaN where no other speed was seen. */
static double median_before(const struct paleo_judged *p, int count, double *scratch)
{
	int seen = 0, n = 0;

	for (int i = 0; i < count; i++) {
		const struct paleo_heldout *h = &p[i].predicted;
		seen |= h->before_s != h->predicted_s;
		scratch[n++] = fabs(h->before_s / p[i].measured_s - 1);
	}
	if (!seen)
		return NAN;
	paleo_sort(scratch, (size_t)n);
	return paleo_quantile_sorted(scratch, (size_t)n, 0.5);
}

static double mean_width(const struct paleo_judged *p, int count)
{
	double sum = 0;
	int intervals = 0;

	for (int i = 0; i < count; i++) {
		const struct paleo_heldout *h = &p[i].predicted;
		if (isnan(h->interval.low))
			continue;
		intervals++;
		sum += (h->interval.high - h->interval.low) / h->predicted_s;
	}
	return intervals ? sum / intervals : NAN;
}

struct paleo_errors paleo_errors_of(const struct paleo_judged *p, int count, double *scratch)
{
	struct paleo_errors e = sum_up(p, count, 0, scratch);

	e.before = median_before(p, count, scratch);
	e.coverage = coverage(p, count, 0);
	e.coverage50 = coverage(p, count, 1);
	e.width = mean_width(p, count);
	return e;
}

struct paleo_errors paleo_errors_of_paleo(const struct paleo_judged *p, int count, double *scratch)
{
	return sum_up(p, count, 1, scratch);
}

static long kind_key(const struct paleo_judged *p)
{
	return p->op->kind;
}

static void kind_name(long key, char *buf, size_t size)
{
	snprintf(buf, size, "%s", paleo_op_kind_name((enum paleo_op_kind)key));
}

static long pass_key(const struct paleo_judged *p)
{
	return p->op->pass;
}

static void pass_name(long key, char *buf, size_t size)
{
	snprintf(buf, size, "%s", paleo_pass_name((enum paleo_pass)key));
}

static long type_key(const struct paleo_judged *p)
{
	return p->op->dtype;
}

static void type_name(long key, char *buf, size_t size)
{
	snprintf(buf, size, "%s", paleo_dtype_name((enum paleo_dtype)key));
}

/* Decades of the measured time. */
static long time_key(const struct paleo_judged *p)
{
	double decade = floor(log10(p->measured_s) + 1e-9);

	return (long)fmin(fmax(decade, -6), 0);
}

static void time_name(long key, char *buf, size_t size)
{
	static const char *const names[] = {"under 10 us", "10 to 100 us", "0.1 to 1 ms",
					    "1 to 10 ms",  "10 to 100 ms", "0.1 to 1 s",
					    "over 1 s"};

	snprintf(buf, size, "%s", names[key + 6]);
}

/* 0: an op that has none. */
static long batch_key(const struct paleo_judged *p)
{
	const struct paleo_field *f = paleo_field_of(p->op->kind, PALEO_OF_BATCH);

	return f ? (long)paleo_field_get(p->op, f) : 0;
}

static void batch_name(long key, char *buf, size_t size)
{
	if (key)
		snprintf(buf, size, "%ld", key);
	else
		snprintf(buf, size, "none of its own");
}

static const struct dimension {
	const char *by;
	long (*key)(const struct paleo_judged *p);
	void (*name)(long key, char *buf, size_t size);
	int most; /* with more slices the dimension is omitted */
} dimensions[] = {
	{"kind", kind_key, kind_name, 100},   {"pass", pass_key, pass_name, 100},
	{"type", type_key, type_name, 100},   {"time", time_key, time_name, 100},
	{"batch", batch_key, batch_name, 12},
};

enum {
	DIMENSIONS = sizeof(dimensions) / sizeof(dimensions[0])
};

static int by_key(const void *a, const void *b)
{
	const struct paleo_judged *x = a;
	const struct paleo_judged *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	/* Records are in one array: their order breaks ties. */
	return (x->op > y->op) - (x->op < y->op);
}

/* The slices of one dimension; returns how many there are, filled in as long as there is room. */
static int slice(const struct dimension *d, struct paleo_judged *list, int count,
		 struct paleo_validated_slice *out, double *scratch)
{
	int n = 0;

	for (int i = 0; i < count; i++)
		list[i].key = d->key(&list[i]);
	qsort(list, (size_t)count, sizeof(*list), by_key);
	for (int first = 0, size; first < count; first += size, n++) {
		for (size = 1; first + size < count && list[first + size].key == list[first].key;)
			size++;
		if (n >= d->most)
			continue;
		out[n].by = d->by;
		d->name(list[first].key, out[n].name, sizeof(out[n].name));
		out[n].errors = paleo_errors_of(list + first, size, scratch);
		out[n].paleo = paleo_errors_of_paleo(list + first, size, scratch);
	}
	return n > d->most || n < 2 ? 0 : n;
}

int paleo_slices_make(struct paleo_judged *list, int count, struct paleo_validated_slice **out,
		      int *slices, struct paleo_error *err)
{
	enum {
		ROOM = 128
	};
	struct paleo_validated_slice *all = calloc((size_t)DIMENSIONS * ROOM, sizeof(*all));
	double *scratch = malloc(((size_t)count + 1) * sizeof(*scratch));
	int n = 0;

	if (!all || !scratch) {
		free(all);
		free(scratch);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	}
	for (int i = 0; i < DIMENSIONS; i++)
		n += slice(&dimensions[i], list, count, all + n, scratch);
	free(scratch);
	*out = all;
	*slices = n;
	return PALEO_OK;
}

enum paleo_trust paleo_trust_of(double median, double p90, int ops)
{
	if (ops < PALEO_TRUST_OPS || isnan(median))
		return PALEO_TRUST_UNKNOWN;
	if (median <= PALEO_TRUST_GOOD_MEDIAN && p90 <= PALEO_TRUST_GOOD_P90)
		return PALEO_TRUST_GOOD;
	return median <= PALEO_TRUST_ROUGH_MEDIAN ? PALEO_TRUST_ROUGH : PALEO_TRUST_NOT;
}
