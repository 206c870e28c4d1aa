/* sampling.c - takes times of a prepared job until they are precise enough. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/sampling.h"

#include <math.h>

#include "bench/samples.h"

enum {
	WARM_RUNS_MIN = 2,
	WARM_RUNS_MAX = 100000,
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

/* A work that takes longer than its whole budget is warm after one run. */
static int warm_up(struct paleo_samples *s, struct paleo_error *err)
{
	double elapsed;
	int clean;

	for (int i = 0; i < WARM_RUNS_MAX; i++) {
		int rc = paleo_samples_run(s, 1, &elapsed, &clean, err);
		if (rc)
			return rc;
		if (is_over(s))
			break;
		if (i + 1 >= WARM_RUNS_MIN && paleo_samples_spent_s(s) >= s->policy->warmup_s)
			break;
	}
	return PALEO_OK;
}

/* How long so many runs take: the first undisturbed of a few tries, or the shortest. */
static int try_reps(struct paleo_samples *s, int reps, double *elapsed_s, struct paleo_error *err)
{
	double least = INFINITY, elapsed = 0;
	int clean = 0;

	for (int i = 0; i < REPS_TRIES && !clean; i++) {
		int rc = paleo_samples_run(s, reps, &elapsed, &clean, err);
		if (rc)
			return rc;
		least = clean ? elapsed : fmin(least, elapsed);
		if (is_over(s))
			break;
	}
	*elapsed_s = least;
	return PALEO_OK;
}

/* Finds how many runs take sample_s. */
static int choose_reps(struct paleo_samples *s, int *reps, struct paleo_error *err)
{
	double elapsed = 0, wanted = s->policy->sample_s;

	for (*reps = 1; *reps <= REPS_MAX;) {
		if (is_over(s) && *reps > 1)
			break;
		int rc = try_reps(s, *reps, &elapsed, err);
		if (rc || elapsed >= wanted)
			return rc;
		/* Aim a little beyond, never by more than tenfold: short times are uncertain. */
		double factor = fmin(fmax(1.1 * wanted / elapsed, 1.1), 10);
		*reps = (int)ceil(*reps * factor);
	}
	if (elapsed == 0)
		return paleo_fail(err, PALEO_EBACKEND, "the backend's clock stands still");
	return PALEO_OK;
}

/* Samples until there is a reason to stop, which is returned in *why. */
static int collect(struct paleo_samples *s, int reps, const char **why, struct paleo_error *err)
{
	int rc = PALEO_OK;

	*why = NULL;
	for (int i = 0; !rc && !*why && i / TRIES_PER_SAMPLE < s->policy->max_samples; i++) {
		rc = paleo_samples_take(s, reps, err);
		if (!rc)
			*why = paleo_samples_enough(s);
	}
	if (!*why)
		*why = "samples";
	return rc;
}

int paleo_sample_job(const struct paleo_backend *b, struct paleo_job *j,
		     const struct paleo_measure_policy *policy, struct paleo_timing *out,
		     struct paleo_error *err)
{
	struct source source = {.b = b, .j = j};
	const struct paleo_runs runs = {
		.run = run_job, .context = &source, .host_timed = b->host_timed};
	struct paleo_samples s;
	const char *why;
	int reps = 1;

	int rc = paleo_samples_open(&runs, policy, &s, err);
	if (rc)
		return rc;
	rc = warm_up(&s, err);
	if (!rc)
		rc = choose_reps(&s, &reps, err);
	if (!rc)
		rc = collect(&s, reps, &why, err);
	if (!rc)
		paleo_samples_summarise(&s, reps, why, out);
	paleo_samples_close(&s);
	return rc;
}
