/* repetitions.c - repeated times of one op, and the median repetition. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/repetitions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/stats.h"
#include "model/device/device.h"

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

	return r->timing.median_s * paleo_speed_of(&speed, &r->op);
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

	middle.timing.repetitions = v->count > 1 ? v->count : 0;
	if (v->count && !(middle.state.energy_s > 0)) { /* only the first has a window */
		middle.state.energy_j = v->records[0].state.energy_j;
		middle.state.energy_s = v->records[0].state.energy_s;
		middle.state.energy_runs = v->records[0].state.energy_runs;
	}
	return middle;
}

/* Mean rates of a group's repetitions, by their logarithms; 0 where none is known. */
static struct paleo_rates mean_rates(const struct paleo_repetitions *const *list,
				     const struct paleo_pooled *items, int count, int group)
{
	double sums[2] = {0, 0}, known[2] = {0, 0};

	for (int i = 0; i < count; i++) {
		for (int k = 0; items[i].group == group && k < list[i]->count; k++) {
			const struct paleo_rates *speed = &list[i]->records[k].timing.speed;
			const double rates[2] = {speed->flop_per_s, speed->bytes_per_s};
			for (int of = 0; of < 2; of++) {
				sums[of] += rates[of] > 0 ? log(rates[of]) : 0;
				known[of] += rates[of] > 0;
			}
		}
	}
	return (struct paleo_rates){known[0] > 0 ? exp(sums[0] / known[0]) : 0,
				    known[1] > 0 ? exp(sums[1] / known[1]) : 0};
}

/* Moves the distribution of a repetition to the op's time, and gives it the interval. */
static void represent(struct paleo_record *r, const struct paleo_pooled *item,
		      const struct paleo_pool_group *group, const struct paleo_rates *rates,
		      const struct paleo_shared_error *shared)
{
	const double degrees_max = 1e9; /* JSON has no infinity */
	struct paleo_timing *t = &r->timing;
	const double factor = exp(item->log_value) / t->median_s;
	double *const times[] = {&t->median_s, &t->min_s, &t->mean_s,
				 &t->mad_s,    &t->p05_s, &t->p95_s};

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		*times[i] *= factor;
	const double width = exp(item->se * paleo_student_t95(item->degrees));
	t->ci_low_s = t->median_s / width;
	t->ci_high_s = t->median_s * width;
	t->ci_degrees = fmin(item->degrees, degrees_max);
	t->shared_half = shared->half;
	t->shared_degrees = shared->degrees;
	t->speed = *rates;
	t->speed_slope = group->slope;
	t->speed_slope_se = group->slope_se;
	t->speed_sd = group->rate_sd;
}

/* The repetitions as visits of the pool; returns their number. */
static size_t list_visits(const struct paleo_repetitions *const *list, int count,
			  struct paleo_visit *out, struct paleo_pooled *items)
{
	size_t n = 0;

	for (int i = 0; i < count; i++) {
		for (int k = 0; k < list[i]->count; k++) {
			const struct paleo_record *r = &list[i]->records[k];
			double rate = paleo_speed_rate(&r->timing.speed, &r->op);
			items[i].group = (int)paleo_speed_probe(&r->op);
			out[n++] = (struct paleo_visit){.item = (size_t)i,
							.log_value = log(r->timing.median_s),
							.log_rate =
								rate > 0 ? log(rate) : (double)NAN};
		}
	}
	return n;
}

int paleo_repetitions_settle(const struct paleo_repetitions *const *list,
			     struct paleo_record *const *out, int count,
			     const struct paleo_shared_error *shared, struct paleo_error *err)
{
	struct paleo_pool_group groups[PALEO_POOL_GROUPS];
	struct paleo_rates rates[PALEO_POOL_GROUPS];
	size_t n = 0;

	for (int i = 0; i < count; i++)
		n += (size_t)list[i]->count;
	struct paleo_visit *visits = malloc((n + 1) * sizeof(*visits));
	struct paleo_pooled *items = calloc((size_t)count + 1, sizeof(*items));
	int rc = visits && items ? PALEO_OK
				 : paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", count);
	if (!rc) {
		list_visits(list, count, visits, items);
		rc = paleo_pool(visits, n, items, (size_t)count, groups, err);
	}
	for (int g = 0; !rc && g < PALEO_POOL_GROUPS; g++)
		rates[g] = mean_rates(list, items, count, g);
	/* where most ops were measured once, those with several are the noisy ones, unlike the rest
	 */
	const int least = 2 * n >= 3 * (size_t)count ? 1 : 2;
	for (int i = 0; !rc && i < count; i++)
		if (list[i]->count >= least && !isnan(items[i].se))
			represent(out[i], &items[i], &groups[items[i].group],
				  &rates[items[i].group], shared);
	free(visits);
	free(items);
	return rc;
}

/* Times of items in rounds, and room for their deviations. */
struct shared {
	const double *times;
	int items, rounds;
	double *found, *scratch;
};

/* Log of an item's time in a round over its mean over the rounds that have it; NaN where this one
 * lacks it, or it is the only one. The median would not do: of three rounds it is one of them, so
 * that many items have a deviation of 0, and the common error is underestimated. */
static double deviation(const struct shared *s, int item, int round)
{
	double sum = 0;
	int known = 0;

	for (int r = 0; r < s->rounds; r++) {
		double time = s->times[(size_t)r * (size_t)s->items + (size_t)item];
		sum += isnan(time) ? 0 : log(time);
		known += !isnan(time);
	}
	if (known < 2)
		return NAN;
	return log(s->times[(size_t)round * (size_t)s->items + (size_t)item]) - sum / known;
}

enum {
	PARTS = 4,     /* of a round */
	PART_ITEMS = 8 /* of each at least, for a median */
};

/* The median deviation of the items from `first` to before `end` in a round; NaN where it has fewer
 * than half of them, as it ended early. */
static double part_deviation(const struct shared *s, int first, int end, int round)
{
	size_t known = 0;

	for (int i = first; i < end; i++) {
		s->found[known] = deviation(s, i, round);
		known += isfinite(s->found[known]) != 0;
	}
	if (!known || 2 * known < (size_t)(end - first))
		return NAN;
	return paleo_median(s->found, known, s->scratch);
}

/* Analysis of variance: squares and degrees of freedom between rounds, and between the parts of
 * one. */
struct anova {
	double between, within;
	int cells, rounds;
};

static void add_round(const struct shared *s, int parts, int round, struct anova *a)
{
	double mean = 0, of[PARTS];
	int known = 0;

	for (int k = 0; k < parts; k++) {
		of[known] =
			part_deviation(s, s->items * k / parts, s->items * (k + 1) / parts, round);
		known += isfinite(of[known]) != 0;
	}
	for (int k = 0; k < known; k++)
		mean += of[k] / known;
	for (int k = 0; k < known; k++)
		a->within += (of[k] - mean) * (of[k] - mean);
	a->between += known * mean * mean;
	a->cells += known;
	a->rounds += known > 0;
}

/* Of the mean over rounds. Where rounds differ little more than the parts of one do, both
 * tell of the same noise, with all degrees of freedom; else rounds alone count. */
static struct paleo_shared_error shared_error(const struct anova *a, int parts)
{
	const double alike = 2;
	int between = a->rounds - 1, within = a->cells - a->rounds - (parts - 1);

	if (between < 1)
		return (struct paleo_shared_error){0, 0};
	double variance = a->between / between;
	int degrees = between;
	if (within > 0 && variance <= alike * a->within / within) {
		degrees = between + within;
		variance = (a->between + a->within) / degrees;
	}
	return (struct paleo_shared_error){paleo_student_t95(degrees) * sqrt(variance / a->cells),
					   degrees};
}

int paleo_repetitions_shared(const double *times, int items, int rounds,
			     struct paleo_shared_error *out, struct paleo_error *err)
{
	struct shared s = {.times = times, .items = items, .rounds = rounds};
	const int parts = items >= PARTS * PART_ITEMS ? PARTS : 1;
	struct anova a = {.cells = 0};

	s.found = malloc((2 * (size_t)items + 1) * sizeof(*s.found));
	if (!s.found)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", items);
	s.scratch = s.found + items;
	for (int r = 0; r < rounds; r++)
		add_round(&s, parts, r, &a);
	*out = shared_error(&a, parts);
	free(s.found);
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
