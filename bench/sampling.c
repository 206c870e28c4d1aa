/* sampling.c - takes times of a prepared job until they are precise enough. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/sampling.h"

#include <math.h>

#include "bench/clock.h"
#include "bench/samples.h"

enum {
	WARM_RUNS_MIN = 2,
	WARM_RUNS_MAX = 100000,
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

/* A work that takes longer than all of this, or than its whole budget, is warm after one run: it
 * was run when it was prepared, too. *elapsed_s is what the last one took. */
static int warm_up(struct paleo_samples *s, double *elapsed_s, struct paleo_error *err)
{
	int clean;

	for (int i = 0; i < WARM_RUNS_MAX; i++) {
		int rc = paleo_samples_run(s, 1, elapsed_s, &clean, err);
		if (rc)
			return rc;
		if (is_over(s))
			break;
		if (*elapsed_s >= fmax(s->policy->warmup_s, s->policy->sample_s))
			break;
		if (i + 1 >= WARM_RUNS_MIN && paleo_samples_spent_s(s) >= s->policy->warmup_s)
			break;
	}
	return PALEO_OK;
}

/* How long so many runs take: the first undisturbed of a few tries, or the shortest. */
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

/* So many times more runs take sample_s: a little beyond, but never by more than `most`, as short
 * times are uncertain; of a time below the clock's step it is only known that it is short. */
static int more_reps(const struct paleo_samples *s, int reps, double elapsed_s, double most)
{
	double factor = elapsed_s > 0 ? 1.1 * s->policy->sample_s / elapsed_s : most;

	return (int)ceil(reps * fmin(fmax(factor, 1), most));
}

/* The run that shows how long one takes is a sample itself. */
static void keep_chosen(struct paleo_samples *s, double elapsed_s)
{
	paleo_samples_keep(s, elapsed_s);
	s->chosen_s += elapsed_s;
}

/* Finds how many runs take sample_s, from the time of one on. One that takes as long is the first
 * sample; several are none, as a slow try reaches that time sooner than a usual one. */
static int choose_reps(struct paleo_samples *s, double warm_s, int *reps, struct paleo_error *err)
{
	double elapsed = warm_s;
	int clean;

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
		return paleo_fail(err, PALEO_EBACKEND, "the backend's clock stands still");
	return PALEO_OK;
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
	spent->s[PALEO_PHASE_WARM_UP] += paleo_now_s() - start_s;
	if (!rc)
		rc = collect(&s, reps, probes, &why, err);
	if (!rc)
		paleo_samples_summarise(&s, reps, why, out);
	spent->s[PALEO_PHASE_WARM_UP] -= s.chosen_s;
	spent->s[PALEO_PHASE_COUNTED] += s.chosen_s + s.counted_s;
	spent->s[PALEO_PHASE_REJECTED] += s.rejected_s;
	paleo_samples_close(&s);
	return rc;
}
