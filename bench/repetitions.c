/* repetitions.c - the times of one work at moments apart, and the one in the middle. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/repetitions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "model/device/speed.h"

double paleo_noise(const struct paleo_record *r)
{
	if (r->status == PALEO_RECORD_DISTURBED)
		return PALEO_DISTURBED;
	if (r->status != PALEO_RECORD_OK)
		return 0;
	return fmin(r->timing.mad_s / r->timing.median_s, 0.99);
}

int paleo_repetitions_add(struct paleo_repetitions *v, const struct paleo_record *r,
			  struct paleo_error *err)
{
	int at = 0;

	if (r->status != PALEO_RECORD_OK)
		return PALEO_OK;
	struct paleo_record *more = realloc(v->records, ((size_t)v->count + 1) * sizeof(*more));
	if (!more)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a record");
	v->records = more;
	while (at < v->count && more[at].timing.median_s <= r->timing.median_s)
		at++;
	memmove(&more[at + 1], &more[at], (size_t)(v->count - at) * sizeof(*more));
	more[at] = *r;
	v->count++;
	return PALEO_OK;
}

/* The geometric mean of the repetitions' rates; 0 where one has none. */
static struct paleo_rates usual_rates(const struct paleo_repetitions *v)
{
	double flop = 0, bytes = 0;

	for (int i = 0; i < v->count; i++) {
		flop += log(v->records[i].timing.speed.flop_per_s) / v->count;
		bytes += log(v->records[i].timing.speed.bytes_per_s) / v->count;
	}
	return (struct paleo_rates){exp(flop), exp(bytes)};
}

/* A repetition's time as it would have been at the usual speed. */
static double usual_time(const struct paleo_record *r, const struct paleo_rates *usual)
{
	const struct paleo_speed speed = paleo_speed_over(&r->timing.speed, usual);

	return r->timing.median_s * paleo_speed_of(&speed, &r->work);
}

/* The repetition that took longer than so many others. */
static const struct paleo_record *longer_than(const struct paleo_repetitions *v, int others)
{
	const struct paleo_rates usual = usual_rates(v);
	int i = -1, below;

	do {
		double s = usual_time(&v->records[++i], &usual);
		below = 0;
		for (int j = 0; j < v->count; j++) {
			double other = usual_time(&v->records[j], &usual);
			below += other < s || (other == s && j < i);
		}
	} while (below != others);
	return &v->records[i];
}

/* Half the interval of the median by those of the repetitions, as a logarithm: they lie far apart
 * in time, as independent batches do. NaN where there are too few samples in all. */
static double half_of_medians(const struct paleo_repetitions *v)
{
	const int samples_min = 6;
	double mean = 0, square = 0, n = v->count;
	int samples = 0;

	for (int i = 0; i < v->count; i++) {
		mean += log(v->records[i].timing.median_s) / n;
		samples += v->records[i].timing.samples;
	}
	for (int i = 0; i < v->count; i++)
		square += pow(log(v->records[i].timing.median_s) - mean, 2);
	return samples < samples_min
		       ? (double)NAN
		       : paleo_student_t((size_t)v->count - 1) * sqrt(square / (n - 1) / n);
}

struct paleo_record paleo_repetitions_middle(const struct paleo_repetitions *v)
{
	const struct paleo_record *low = longer_than(v, (v->count - 1) / 2);
	const struct paleo_record *high = longer_than(v, v->count / 2);
	struct paleo_record middle = paleo_noise(high) < paleo_noise(low) ? *high : *low;
	struct paleo_timing *t = &middle.timing;

	t->repetitions = v->count > 1 ? v->count : 0;
	if (t->repetitions) {
		const double times = exp(half_of_medians(v));
		t->ci_low_s = t->median_s / times;
		t->ci_high_s = t->median_s * times;
	}
	return middle;
}

/* By how much an item took longer in a round than in the mean of all, as a logarithm; NaN where a
 * round lacks it. The middle one would not do: of three rounds it is one of them, so that many
 * items differ by nothing from it, and what all share seems smaller than it is. */
static double deviation(const double *times, int items, int rounds, int item, int round)
{
	double mean = 0;

	for (int r = 0; r < rounds; r++)
		mean += log(times[r * items + item]) / rounds;
	return log(times[round * items + item]) - mean;
}

int paleo_repetitions_shared(const double *times, int items, int rounds, double *half,
			     struct paleo_error *err)
{
	size_t n = (size_t)items, of = (size_t)rounds;
	double *found = malloc((2 * n + of + 1) * sizeof(*found));
	double *scratch = found + n, *all = scratch + n;
	size_t known = 1;

	if (!found)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d works", items);
	for (int r = 0; known && r < rounds; r++) {
		known = 0;
		for (int i = 0; i < items; i++) {
			found[known] = deviation(times, items, rounds, i, r);
			known += isfinite(found[known]) != 0;
		}
		if (known)
			all[r] = paleo_median(found, known, scratch);
	}
	*half = known && rounds > 1 ? paleo_mean_half(all, of) : 0;
	free(found);
	return PALEO_OK;
}

double paleo_repetitions_range(const struct paleo_repetitions *v)
{
	return v->records[v->count - 1].timing.median_s / v->records[0].timing.median_s - 1;
}

void paleo_repetitions_release(struct paleo_repetitions *v)
{
	free(v->records);
	*v = (struct paleo_repetitions){0};
}
