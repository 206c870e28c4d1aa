/* repetitions.c - the times of one work at moments apart, and the one in the middle. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/repetitions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

struct paleo_record paleo_repetitions_middle(const struct paleo_repetitions *v)
{
	const struct paleo_record *low = longer_than(v, (v->count - 1) / 2);
	const struct paleo_record *high = longer_than(v, v->count / 2);
	struct paleo_record middle = paleo_noise(high) < paleo_noise(low) ? *high : *low;
	struct paleo_timing *t = &middle.timing;

	t->repetitions = v->count > 1 ? v->count : 0;
	t->ci_low_s = fmin(t->ci_low_s, v->records[0].timing.median_s);
	t->ci_high_s = fmax(t->ci_high_s, v->records[v->count - 1].timing.median_s);
	return middle;
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
