/* measure_whole.c - times a whole program: as one thing, and step by step inside of it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/measure_whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/stats.h"
#include "bench/quiet.h"

enum {
	TRIES_PER_SAMPLE = 3, /* runs are long: few can be thrown away */
	WARM_RUNS_MAX = 1000,
	CHECKED = 256 /* numbers of the result */
};

/* A program being sampled. */
struct sampling {
	const struct paleo_backend *b;
	struct paleo_whole *w;
	const struct paleo_program *p;
	const struct paleo_measure_policy *policy;
	double start_s, reported_s;
	double *times, *scratch; /* of clean runs; room for max_samples */
	int kept, rejected;
	double least_s;
	double *steps; /* of runs with clocks: step_s, then change_s, a row for each run */
	int rows, insitu_kept;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double spent_s(const struct sampling *s)
{
	return fmax(now_s() - s->start_s, s->reported_s);
}

/* One run; *clean tells whether the host was quiet. */
static int run(struct sampling *s, struct paleo_pass_times *times, double *elapsed_s, int *clean,
	       struct paleo_error *err)
{
	double before = s->b->host_timed ? paleo_quiet_delay_s() : 0;
	double elapsed = NAN;
	int rc = s->b->whole_run(s->w, &elapsed, times, err);

	if (rc)
		return rc;
	if (!(elapsed > 0) || isinf(elapsed))
		return paleo_fail(err, PALEO_EBACKEND, "a run took %g s by the backend's clock",
				  elapsed);
	double delay = s->b->host_timed ? paleo_quiet_delay_s() - before : 0;
	s->reported_s += elapsed;
	*clean = delay <= s->policy->max_disturbed * elapsed;
	*elapsed_s = elapsed;
	return PALEO_OK;
}

static int warm_up(struct sampling *s, struct paleo_error *err)
{
	double elapsed;
	int clean;

	for (int i = 0; i < WARM_RUNS_MAX; i++) {
		int rc = run(s, NULL, &elapsed, &clean, err);
		if (rc || spent_s(s) >= s->policy->warmup_s)
			return rc;
	}
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

/* A clean run, then one with clocks, whose steps are kept if the host was quiet; a disturbed row is
 * kept only until there is a better one. */
static int take(struct sampling *s, struct paleo_error *err)
{
	size_t steps = (size_t)s->p->step_count;
	double *row = s->steps + (size_t)s->insitu_kept * 2 * steps, elapsed;
	struct paleo_pass_times times = {.step_s = row, .change_s = row + steps};
	int clean;

	int rc = run(s, NULL, &elapsed, &clean, err);
	if (rc)
		return rc;
	s->least_s = fmin(s->least_s, elapsed);
	if (clean)
		s->times[s->kept++] = elapsed;
	else
		s->rejected++;
	if (s->insitu_kept >= s->policy->max_samples)
		return PALEO_OK;
	rc = run(s, &times, &elapsed, &clean, err);
	if (rc)
		return rc;
	s->insitu_kept += clean;
	s->rows = s->insitu_kept > 0 ? s->insitu_kept : 1;
	return PALEO_OK;
}

static int collect(struct sampling *s, const char **why, struct paleo_error *err)
{
	const struct paleo_measure_policy *policy = s->policy;

	*why = "samples";
	for (int tries = 0; tries < TRIES_PER_SAMPLE * policy->max_samples; tries++) {
		int rc = take(s, err);
		if (rc)
			return rc;
		if (s->kept >= policy->min_samples && precision(s) <= policy->target_ci) {
			*why = "precise";
			break;
		}
		if (s->kept >= policy->max_samples)
			break;
		if (spent_s(s) >= policy->budget_s) {
			*why = "time";
			break;
		}
	}
	return PALEO_OK;
}

static void summarise(struct sampling *s, const char *why, struct paleo_timing *t)
{
	*t = (struct paleo_timing){.rejected = s->rejected, .reps = 1, .copies = 1};
	t->samples = s->kept;
	if (!s->kept) {
		t->disturbed = 1;
		s->times[s->kept++] = s->least_s;
	}
	size_t n = (size_t)s->kept, half = n / 2;
	if (half >= 2)
		t->drift = paleo_median(s->times + n - half, half, s->scratch) /
				   paleo_median(s->times, half, s->scratch) -
			   1;
	t->mean_s = paleo_mean(s->times, n);
	t->mad_s = paleo_mad(s->times, n, s->scratch);
	memcpy(s->scratch, s->times, n * sizeof(*s->times));
	paleo_sort(s->scratch, n);
	t->median_s = paleo_quantile_sorted(s->scratch, n, 0.5);
	t->min_s = s->scratch[0];
	t->p05_s = paleo_quantile_sorted(s->scratch, n, 0.05);
	t->p95_s = paleo_quantile_sorted(s->scratch, n, 0.95);
	paleo_median_interval_sorted(s->scratch, n, 0.95, &t->ci_low_s, &t->ci_high_s);
	snprintf(t->stop, sizeof(t->stop), "%s", why);
}

static void find_medians(struct sampling *s, struct paleo_pass_times *out)
{
	int steps = s->p->step_count;

	for (int i = 0; i < 2 * steps; i++) {
		for (int row = 0; row < s->rows; row++)
			s->times[row] = s->steps[(size_t)row * 2 * (size_t)steps + (size_t)i];
		double median = paleo_median(s->times, (size_t)s->rows, s->scratch);
		if (i < steps)
			out->step_s[i] = median;
		else
			out->change_s[i - steps] = median;
	}
}

/* The result must be numbers: buffers are poisoned with what is none. */
static int check_output(struct sampling *s, struct paleo_whole_result *out, struct paleo_error *err)
{
	const struct paleo_buffer *b = &s->p->buffers[s->p->output];
	double count = b->bytes / b->elem_bytes, index[CHECKED] = {0};
	float found[CHECKED];
	int n = count < CHECKED ? (int)count : CHECKED;

	for (int i = 0; i < n; i++)
		index[i] = floor((i + 0.5) * count / n);
	int rc = s->b->whole_read(s->w, s->p->output, index, n, found, err);
	for (int i = 0; !rc && i < n; i++) {
		if (isfinite(found[i]))
			continue;
		out->status = PALEO_RECORD_INCORRECT;
		snprintf(out->reason, sizeof(out->reason),
			 "the net's result is %g at position %.0f, expected a number", found[i],
			 index[i]);
		break;
	}
	return rc;
}

/* Room for all samples; the steps' rows are the bulk of it. */
static int allocate(struct sampling *s, struct paleo_error *err)
{
	size_t room = (size_t)s->policy->max_samples + 1, steps = (size_t)s->p->step_count;

	s->times = malloc(2 * room * sizeof(*s->times));
	s->steps = malloc(room * 2 * steps * sizeof(*s->steps));
	if (!s->times || !s->steps)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for %d samples of %d steps",
				  s->policy->max_samples, s->p->step_count);
	s->scratch = s->times + room;
	return PALEO_OK;
}

static int sample(struct sampling *s, struct paleo_whole_result *out, struct paleo_error *err)
{
	const char *why = "";
	int rc = check_output(s, out, err);

	if (rc || out->status != PALEO_RECORD_OK)
		return rc;
	rc = warm_up(s, err);
	if (!rc)
		rc = collect(s, &why, err);
	if (!rc) /* weights have changed many times */
		rc = check_output(s, out, err);
	if (rc || out->status != PALEO_RECORD_OK)
		return rc;
	summarise(s, why, &out->timing);
	out->insitu_samples = s->insitu_kept;
	find_medians(s, &out->medians);
	return PALEO_OK;
}

static int check_policy(const struct paleo_measure_policy *p, struct paleo_error *err)
{
	if (p->min_samples >= 1 && p->max_samples >= p->min_samples && p->max_samples <= 10000 &&
	    p->target_ci >= 0 && p->budget_s >= 0 && p->warmup_s >= 0 && p->max_disturbed >= 0)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT,
			  "the measuring policy of a whole pass has a number out of its range");
}

int paleo_measure_whole(const struct paleo_backend *b, struct paleo_session *s,
			const struct paleo_program *p, const struct paleo_bench_options *options,
			const struct paleo_measure_policy *policy, struct paleo_whole_result *out,
			struct paleo_error *err)
{
	struct sampling m = {.b = b, .p = p, .policy = policy, .least_s = INFINITY};
	struct paleo_whole_result r = {.status = PALEO_RECORD_OK, .medians = out->medians};
	struct paleo_error fault = {0};

	int rc = check_policy(policy, err);
	if (!rc)
		rc = allocate(&m, err);
	if (rc)
		goto out;
	int problem = b->whole_prepare
			      ? b->whole_prepare(s, p, options, &m.w, &r.info, &fault)
			      : paleo_fail(&fault, PALEO_EUNSUPPORTED,
					   "backend '%s' does not run whole nets", b->name);
	m.start_s = now_s();
	if (!problem)
		problem = sample(&m, &r, &fault);
	if (m.w)
		b->whole_release(m.w);
	if (problem) {
		r.status = paleo_measure_status(problem);
		snprintf(r.reason, sizeof(r.reason), "%.*s", (int)sizeof(r.reason) - 1, fault.text);
	}
	*out = r;
out:
	free(m.times);
	free(m.steps);
	return rc;
}
