/* samples.c - times of repeated runs, until they are precise enough, and their summary. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "bench/clock.h"

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
	s->reported_s = s->chosen_s = 0;
	s->kept = 0;
}

double paleo_samples_spent_s(const struct paleo_samples *s)
{
	return fmax(paleo_now_s() - s->start_s, s->reported_s);
}

/* What is read before a run and after it; of what the host does not time, stops alone. */
struct reading {
	double now_s, delay_s;
	struct paleo_own_time own;
	int stopped;
};

static struct reading read_host(const struct paleo_samples *s)
{
	struct reading r = {.stopped = paleo_was_stopped()};

	if (s->runs.host_timed) {
		r.delay_s = paleo_quiet_delay_s();
		r.own = paleo_own_time();
		r.now_s = paleo_now_s();
	}
	return r;
}

/* The time in which the timing thread waited for a CPU, or slept until the others had, each of
 * which waited for so long; with a stop, in which it did not run. */
static double lost_s(const struct reading *before, const struct reading *after)
{
	double all_s = after->delay_s - before->delay_s, others_s = 0;
	double own_s = after->own.waited_s - before->own.waited_s;

	if (after->stopped)
		return after->now_s - before->now_s - (after->own.ran_s - before->own.ran_s);
	if (after->own.threads > 1)
		others_s = (all_s - own_s) / (after->own.threads - 1);
	return fmax(own_s, others_s);
}

int paleo_samples_run(struct paleo_samples *s, int reps, double *elapsed_s, int *clean,
		      struct paleo_error *err)
{
	const struct reading before = read_host(s);
	double elapsed = NAN;
	int rc = s->runs.run(s->runs.context, reps, &elapsed, err);

	if (rc)
		return rc;
	const struct reading after = read_host(s);
	if (!(elapsed >= 0) || isinf(elapsed))
		return paleo_fail(err, PALEO_EBACKEND, "%d runs took %g s by the backend's clock",
				  reps, elapsed);
	s->reported_s += elapsed;
	s->lost_s = lost_s(&before, &after);
	*clean = !after.stopped &&
		 after.delay_s - before.delay_s <= s->policy->max_disturbed * elapsed;
	*elapsed_s = elapsed;
	return PALEO_OK;
}

/* Keeps the time of one run, as a sample. */
static void keep(struct paleo_samples *s, double per_run_s)
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
		return paleo_fail(err, PALEO_EBACKEND, "the backend's clock does not advance");
	double per_run_s = elapsed / reps;
	*(clean ? &s->counted_s : &s->rejected_s) += paleo_now_s() - start_s;
	if (clean) {
		keep(s, per_run_s);
	} else {
		s->rejected++;
		s->least_s = fmin(s->least_s, fmax(elapsed - s->lost_s, 0) / reps);
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

/* Half the width of the median's interval, relative to the median; infinite where there is none.
 * With too few samples for an interval, as if they were independent: a stopping criterion, not a
 * result. */
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
		 "other processes disturbed all of %d samples, the shortest of which is %.3g ms",
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

enum {
	WARM_RUNS_MIN = 2,
	WARM_RUNS_MAX = 100000,
	SUSTAIN_RUNS_MAX = 100000000,
	FIRST_REPS_MAX = 1000,
	REPS_MAX = 1 << 24,
	REPS_TRIES = 5,       /* to see how long so many repeats take */
	TRIES_PER_SAMPLE = 10 /* so many samples are taken for each that may be kept */
};

/* One job of a backend. */
struct source {
	const struct paleo_backend *b;
	struct paleo_job *j;
};

static int run_job(void *context, int reps, double *elapsed_s, struct paleo_error *err)
{
	const struct source *s = context;

	return s->b->run(s->j, reps, elapsed_s, err);
}

static int is_over(const struct paleo_samples *s)
{
	return paleo_samples_spent_s(s) >= s->policy->budget_s;
}

/* The run that shows how long one takes is a sample itself. */
static void keep_chosen(struct paleo_samples *s, double elapsed_s)
{
	keep(s, elapsed_s);
	s->chosen_s += elapsed_s;
}

/* An op that takes longer than all of this is warm already, as preparing it ran it: its first run
 * is a sample. *elapsed_s is the time of the last run. */
static int warm_up(struct paleo_samples *s, double *elapsed_s, struct paleo_error *err)
{
	const double long_s = fmax(s->policy->warmup_s, s->policy->sample_s);
	int clean;

	for (int i = 0; i < WARM_RUNS_MAX; i++) {
		int rc = paleo_samples_run(s, 1, elapsed_s, &clean, err);
		if (rc)
			return rc;
		if (i == 0 && *elapsed_s >= long_s && clean)
			keep_chosen(s, *elapsed_s);
		if (is_over(s) || *elapsed_s >= long_s)
			break;
		if (i + 1 >= WARM_RUNS_MIN && paleo_samples_spent_s(s) >= s->policy->warmup_s)
			break;
	}
	return PALEO_OK;
}

/* Time of so many runs: the first undisturbed of a few tries, or the shortest. */
static int try_reps(struct paleo_samples *s, int reps, double *elapsed_s, int *clean,
		    struct paleo_error *err)
{
	double least = INFINITY, elapsed = 0;

	*clean = 0;
	for (int i = 0; i < REPS_TRIES && !*clean; i++) {
		int rc = paleo_samples_run(s, reps, &elapsed, clean, err);
		if (rc)
			return rc;
		least = *clean ? elapsed : fmin(least, elapsed);
		if (is_over(s))
			break;
	}
	*elapsed_s = least;
	return PALEO_OK;
}

/* Factor of runs to reach sample_s: a little more, but never more than `most`, as short times are
 * uncertain; a time below the clock's resolution is only known to be short. */
static int more_reps(const struct paleo_samples *s, int reps, double elapsed_s, double most)
{
	double factor = elapsed_s > 0 ? 1.1 * s->policy->sample_s / elapsed_s : most;

	return (int)ceil(reps * fmin(fmax(factor, 1), most));
}

/* Finds how many runs take sample_s, from the time of one on. One that takes as long is the first
 * sample; several are none, as a slow try reaches that time sooner than a usual one. */
static int choose_reps(struct paleo_samples *s, double warm_s, int *reps, struct paleo_error *err)
{
	double elapsed = warm_s;
	int clean;

	*reps = 1;
	if (s->kept)
		return PALEO_OK;
	*reps = warm_s > 0 ? more_reps(s, 1, warm_s, FIRST_REPS_MAX) : 1;
	while (*reps <= REPS_MAX) {
		if (is_over(s) && *reps > 1)
			break;
		int rc = try_reps(s, *reps, &elapsed, &clean, err);
		if (!rc && clean && *reps == 1 && elapsed >= s->policy->sample_s)
			keep_chosen(s, elapsed);
		if (rc || elapsed >= s->policy->sample_s)
			return rc;
		*reps = (int)fmax(more_reps(s, *reps, elapsed, 10), ceil(1.1 * *reps));
	}
	if (elapsed == 0)
		return paleo_fail(err, PALEO_EBACKEND, "the backend's clock does not advance");
	return PALEO_OK;
}

/* Runs until the device has been under this load for as long as the policy requires, from the first
 * run on. The samples and their budget begin afterwards. */
static int sustain(struct paleo_samples *s, int reps, struct paleo_error *err)
{
	double elapsed_s;
	int clean, rc = PALEO_OK;

	for (int i = 0; !rc && i < SUSTAIN_RUNS_MAX; i++) {
		if (paleo_samples_spent_s(s) >= s->policy->sustain_s)
			break;
		rc = paleo_samples_run(s, reps, &elapsed_s, &clean, err);
	}
	paleo_samples_start(s);
	return rc;
}

/* Samples until there is a reason to stop, which is returned in *why. */
static int collect(struct paleo_samples *s, int reps, struct paleo_probes *probes, const char **why,
		   struct paleo_error *err)
{
	int rc = PALEO_OK;

	*why = s->kept ? paleo_samples_enough(s) : NULL;
	for (int i = 0; !rc && !*why && i / TRIES_PER_SAMPLE < s->policy->max_samples; i++) {
		rc = paleo_probes_between(probes, err);
		if (!rc)
			rc = paleo_samples_take(s, reps, err);
		if (!rc)
			*why = paleo_samples_enough(s);
	}
	if (!*why)
		*why = "samples";
	return rc;
}

int paleo_sample_job(const struct paleo_backend *b, struct paleo_job *j,
		     const struct paleo_measure_policy *policy, struct paleo_probes *probes,
		     struct paleo_timing *out, struct paleo_spent *spent, struct paleo_error *err)
{
	struct source source = {.b = b, .j = j};
	const struct paleo_runs runs = {
		.run = run_job, .context = &source, .host_timed = b->host_timed};
	struct paleo_samples s;
	const char *why;
	double warm_s = 0;
	int reps = 1;

	int rc = paleo_samples_open(&runs, policy, &s, err);
	if (rc)
		return rc;
	double start_s = paleo_now_s();
	rc = warm_up(&s, &warm_s, err);
	if (!rc)
		rc = choose_reps(&s, warm_s, &reps, err);
	if (!rc && policy->sustain_s > 0)
		rc = sustain(&s, reps, err);
	spent->s[PALEO_PHASE_WARM_UP] += paleo_now_s() - start_s;
	if (!rc)
		rc = collect(&s, reps, probes, &why, err);
	if (!rc && policy->samples)
		memcpy(policy->samples, s.times,
		       (size_t)(s.kept < PALEO_RAW_SAMPLES_MAX ? s.kept : PALEO_RAW_SAMPLES_MAX) *
			       sizeof(*s.times));
	if (!rc)
		paleo_samples_summarise(&s, reps, why, out);
	/* by the backend's clock, which made-up times run ahead of */
	spent->s[PALEO_PHASE_WARM_UP] = fmax(spent->s[PALEO_PHASE_WARM_UP] - s.chosen_s, 0);
	spent->s[PALEO_PHASE_COUNTED] += s.chosen_s + s.counted_s;
	spent->s[PALEO_PHASE_REJECTED] += s.rejected_s;
	paleo_samples_close(&s);
	return rc;
}
