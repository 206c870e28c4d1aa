/* sampling.c - takes times of a prepared job until they are precise enough. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/sampling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/stats.h"
#include "bench/quiet.h"

enum {
	WARM_RUNS_MIN = 2,
	WARM_RUNS_MAX = 100000,
	REPS_MAX = 1 << 24,
	REPS_TRIES = 5,       /* to see how long so many repeats take */
	TRIES_PER_SAMPLE = 10 /* so many samples are taken for each that may be kept */
};

/* One job being sampled. */
struct sampling {
	const struct paleo_backend *b;
	struct paleo_job *j;
	const struct paleo_measure_policy *p;
	double start_s;    /* of the host's clock */
	double reported_s; /* all times that the backend has reported, added up */
	int reps;
	double *times, *scratch; /* per run, in the order they were taken; room for max_samples */
	int kept, rejected;
	double least_s; /* of all samples, rejected ones too */
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Time since the start, by the host's clock or by the backend's if that is further on: a backend
 * need not wait as long as it says. */
static double spent_s(const struct sampling *s)
{
	return fmax(now_s() - s->start_s, s->reported_s);
}

static int run(struct sampling *s, int reps, double *elapsed_s, struct paleo_error *err)
{
	double elapsed = NAN;
	int rc = s->b->run(s->j, reps, &elapsed, err);

	if (rc)
		return rc;
	if (!(elapsed >= 0) || isinf(elapsed))
		return paleo_fail(err, PALEO_EBACKEND, "%d runs took %g s by the backend's clock",
				  reps, elapsed);
	s->reported_s += elapsed;
	*elapsed_s = elapsed;
	return PALEO_OK;
}

/* A work that takes longer than its whole budget is warm after one run. */
static int warm_up(struct sampling *s, struct paleo_error *err)
{
	double elapsed;

	for (int i = 0; i < WARM_RUNS_MAX; i++) {
		int rc = run(s, 1, &elapsed, err);
		if (rc)
			return rc;
		if (spent_s(s) >= s->p->budget_s)
			break;
		if (i + 1 >= WARM_RUNS_MIN && spent_s(s) >= s->p->warmup_s)
			break;
	}
	return PALEO_OK;
}

/* Runs and tells whether the host was quiet meanwhile. */
static int run_watched(struct sampling *s, int reps, double *elapsed_s, int *clean,
		       struct paleo_error *err)
{
	double before = s->b->host_timed ? paleo_quiet_delay_s() : 0;
	int rc = run(s, reps, elapsed_s, err);

	if (rc)
		return rc;
	double delay = s->b->host_timed ? paleo_quiet_delay_s() - before : 0;
	*clean = delay <= s->p->max_disturbed * *elapsed_s;
	return PALEO_OK;
}

/* How long s->reps runs take: the first undisturbed of a few tries, or the shortest. */
static int try_reps(struct sampling *s, double *elapsed_s, struct paleo_error *err)
{
	double least = INFINITY, elapsed = 0;
	int clean = 0;

	for (int i = 0; i < REPS_TRIES && !clean; i++) {
		int rc = run_watched(s, s->reps, &elapsed, &clean, err);
		if (rc)
			return rc;
		least = clean ? elapsed : fmin(least, elapsed);
		if (spent_s(s) >= s->p->budget_s)
			break;
	}
	*elapsed_s = least;
	return PALEO_OK;
}

/* Finds how many runs take sample_s. */
static int choose_reps(struct sampling *s, struct paleo_error *err)
{
	double elapsed = 0;

	for (s->reps = 1; s->reps <= REPS_MAX;) {
		if (spent_s(s) >= s->p->budget_s && s->reps > 1)
			break;
		int rc = try_reps(s, &elapsed, err);
		if (rc || elapsed >= s->p->sample_s)
			return rc;
		/* Aim a little beyond, never by more than tenfold: short times are uncertain. */
		double factor = fmin(fmax(1.1 * s->p->sample_s / elapsed, 1.1), 10);
		s->reps = (int)ceil(s->reps * factor);
	}
	if (elapsed == 0)
		return paleo_fail(err, PALEO_EBACKEND, "the backend's clock stands still");
	return PALEO_OK;
}

/* Takes one sample; *clean tells whether the host was quiet. */
static int take(struct sampling *s, double *per_run_s, int *clean, struct paleo_error *err)
{
	double elapsed;
	int rc = run_watched(s, s->reps, &elapsed, clean, err);

	if (rc)
		return rc;
	if (elapsed == 0)
		return paleo_fail(err, PALEO_EBACKEND, "the backend's clock stands still");
	*per_run_s = elapsed / s->reps;
	return PALEO_OK;
}

/* Half the width of the median's interval, relative to the median. */
static double precision(struct sampling *s)
{
	double low, high;
	size_t n = (size_t)s->kept;

	memcpy(s->scratch, s->times, n * sizeof(*s->times));
	paleo_sort(s->scratch, n);
	paleo_median_interval_sorted(s->scratch, n, 0.95, &low, &high);
	return (high - low) / 2 / paleo_quantile_sorted(s->scratch, n, 0.5);
}

/* Samples until there is a reason to stop, which is returned in *why. */
static int collect(struct sampling *s, const char **why, struct paleo_error *err)
{
	double per_run;
	int clean;

	*why = "samples";
	for (int tries = 0; tries / TRIES_PER_SAMPLE < s->p->max_samples; tries++) {
		int rc = take(s, &per_run, &clean, err);
		if (rc)
			return rc;
		s->least_s = fmin(s->least_s, per_run);
		if (clean)
			s->times[s->kept++] = per_run;
		else
			s->rejected++;
		if (s->kept >= s->p->min_samples && precision(s) <= s->p->target_ci) {
			*why = "precise";
			break;
		}
		if (s->kept >= s->p->max_samples)
			break;
		if (spent_s(s) >= s->p->budget_s) {
			*why = "time";
			break;
		}
	}
	return PALEO_OK;
}

/* Median of the second half of the samples, over that of the first, less 1. */
static double drift(const struct sampling *s)
{
	size_t half = (size_t)s->kept / 2;

	if (half < 2)
		return 0;
	double first = paleo_median(s->times, half, s->scratch);
	double second = paleo_median(s->times + (size_t)s->kept - half, half, s->scratch);
	return second / first - 1;
}

static void summarise(struct sampling *s, struct paleo_timing *t)
{
	size_t n = (size_t)s->kept;

	if (!n) {
		t->disturbed = 1;
		s->times[0] = s->least_s;
		n = 1;
	}
	t->drift = drift(s);
	t->mean_s = paleo_mean(s->times, n);
	t->mad_s = paleo_mad(s->times, n, s->scratch);
	memcpy(s->scratch, s->times, n * sizeof(*s->times));
	paleo_sort(s->scratch, n);
	t->median_s = paleo_quantile_sorted(s->scratch, n, 0.5);
	t->min_s = s->scratch[0];
	t->p05_s = paleo_quantile_sorted(s->scratch, n, 0.05);
	t->p95_s = paleo_quantile_sorted(s->scratch, n, 0.95);
	paleo_median_interval_sorted(s->scratch, n, 0.95, &t->ci_low_s, &t->ci_high_s);
}

int paleo_sample_job(const struct paleo_backend *b, struct paleo_job *j,
		     const struct paleo_measure_policy *policy, struct paleo_timing *out,
		     struct paleo_error *err)
{
	struct sampling s = {.b = b, .j = j, .p = policy, .start_s = now_s(), .least_s = INFINITY};
	const char *why;
	size_t room = (size_t)policy->max_samples;

	s.times = malloc(2 * room * sizeof(*s.times));
	if (!s.times)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for %d samples",
				  policy->max_samples);
	s.scratch = s.times + room;
	int rc = warm_up(&s, err);
	if (!rc)
		rc = choose_reps(&s, err);
	if (!rc)
		rc = collect(&s, &why, err);
	if (rc)
		goto out;
	struct paleo_timing t = {
		.samples = s.kept, .rejected = s.rejected, .reps = s.reps, .copies = out->copies};
	summarise(&s, &t);
	snprintf(t.stop, sizeof(t.stop), "%s", why);
	*out = t;
out:
	free(s.times);
	return rc;
}
