/* samples.c - times of repeated runs: taken, kept or thrown away, and what they come to. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "bench/clock.h"
#include "bench/quiet.h"

int paleo_samples_open(const struct paleo_runs *runs, const struct paleo_measure_policy *policy,
		       struct paleo_samples *out, struct paleo_error *err)
{
	size_t room = (size_t)policy->max_samples + 1;
	double *times = malloc(3 * room * sizeof(*times));

	if (!times)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for %d samples",
				  policy->max_samples);
	*out = (struct paleo_samples){.runs = *runs,
				      .policy = policy,
				      .times = times,
				      .scratch = times + room,
				      .least_s = INFINITY};
	paleo_samples_start(out);
	return PALEO_OK;
}

void paleo_samples_close(struct paleo_samples *s)
{
	free(s->times);
	s->times = s->scratch = NULL;
}

void paleo_samples_start(struct paleo_samples *s)
{
	s->start_s = paleo_now_s();
	s->reported_s = 0;
}

double paleo_samples_spent_s(const struct paleo_samples *s)
{
	return fmax(paleo_now_s() - s->start_s, s->reported_s);
}

int paleo_samples_run(struct paleo_samples *s, int reps, double *elapsed_s, int *clean,
		      struct paleo_error *err)
{
	double before = s->runs.host_timed ? paleo_quiet_delay_s() : 0;
	double elapsed = NAN;
	int rc = s->runs.run(s->runs.context, reps, &elapsed, err);

	if (rc)
		return rc;
	double delay = s->runs.host_timed ? paleo_quiet_delay_s() - before : 0;
	if (!(elapsed >= 0) || isinf(elapsed))
		return paleo_fail(err, PALEO_EBACKEND, "%d runs took %g s by the backend's clock",
				  reps, elapsed);
	s->reported_s += elapsed;
	*clean = delay <= s->policy->max_disturbed * elapsed;
	*elapsed_s = elapsed;
	return PALEO_OK;
}

void paleo_samples_keep(struct paleo_samples *s, double per_run_s)
{
	s->times[s->kept++] = per_run_s;
}

int paleo_samples_take(struct paleo_samples *s, int reps, struct paleo_error *err)
{
	double elapsed;
	int clean;
	double start_s = paleo_now_s();
	int rc = paleo_samples_run(s, reps, &elapsed, &clean, err);

	if (rc)
		return rc;
	if (elapsed == 0)
		return paleo_fail(err, PALEO_EBACKEND, "the backend's clock stands still");
	double per_run_s = elapsed / reps;
	*(clean ? &s->counted_s : &s->rejected_s) += paleo_now_s() - start_s;
	if (clean) {
		paleo_samples_keep(s, per_run_s);
	} else {
		s->rejected++;
		s->least_s = fmin(s->least_s, per_run_s);
	}
	return PALEO_OK;
}

/* The samples in rising order, in the scratch. */
static const double *sorted(struct paleo_samples *s, size_t n)
{
	memcpy(s->scratch, s->times, n * sizeof(*s->times));
	paleo_sort(s->scratch, n);
	return s->scratch;
}

/* Half the width of the median's interval, relative to the median; infinite where there is none. Of
 * fewer samples than have one, as if they were independent: to stop by, not to report. */
static double precision(struct paleo_samples *s)
{
	double low, high;
	size_t n = (size_t)s->kept;

	if (n < PALEO_INTERVAL_SAMPLES)
		paleo_median_interval_sorted(sorted(s, n), n, 0.95, &low, &high);
	else if (!paleo_median_interval(s->times, n, s->scratch, &low, &high))
		return INFINITY;
	return (high - low) / 2 / paleo_median(s->times, n, s->scratch);
}

const char *paleo_samples_enough(struct paleo_samples *s)
{
	const struct paleo_measure_policy *p = s->policy;

	if (s->kept >= p->min_samples && precision(s) <= p->target_ci)
		return "precise";
	if (s->kept >= p->max_samples)
		return "samples";
	return paleo_samples_spent_s(s) >= p->budget_s ? "time" : NULL;
}

/* Median of the second half of the samples, over that of the first, less 1. */
static double drift(const struct paleo_samples *s, size_t n)
{
	size_t half = n / 2;

	if (half < 2)
		return 0;
	double first = paleo_median(s->times, half, s->scratch);
	double second = paleo_median(s->times + n - half, half, s->scratch);
	return second / first - 1;
}

enum paleo_record_status paleo_samples_status(const struct paleo_timing *t, char *reason,
					      size_t size)
{
	if (t->samples)
		return PALEO_RECORD_OK;
	snprintf(reason, size,
		 "other processes took the processor during all of %d samples, the shortest of "
		 "which is %.3g ms",
		 t->rejected, 1e3 * t->min_s);
	return PALEO_RECORD_DISTURBED;
}

void paleo_samples_summarise(struct paleo_samples *s, int reps, const char *why,
			     struct paleo_timing *out)
{
	struct paleo_timing t = {.samples = s->kept,
				 .rejected = s->rejected,
				 .reps = reps,
				 .operand_sets = out->operand_sets};
	size_t n = (size_t)s->kept;

	snprintf(t.stop, sizeof(t.stop), "%s", why);
	if (!n) {
		t.min_s = s->least_s;
		*out = t;
		return;
	}
	t.drift = drift(s, n);
	t.mean_s = paleo_mean(s->times, n);
	t.mad_s = paleo_mad(s->times, n, s->scratch);
	const double *rising = sorted(s, n);
	t.median_s = paleo_quantile_sorted(rising, n, 0.5);
	t.min_s = rising[0];
	t.p05_s = paleo_quantile_sorted(rising, n, 0.05);
	t.p95_s = paleo_quantile_sorted(rising, n, 0.95);
	paleo_median_interval(s->times, n, s->scratch, &t.ci_low_s, &t.ci_high_s);
	*out = t;
}
