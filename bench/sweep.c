/* sweep.c - times one collective operation over a range of sizes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/sweep.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/stats.h"

enum {
	WARM_RUNS = 3,
	REPS_MAX = 1 << 16,
	SAMPLES_MIN = 3
};

/* A sample lasts so long at least: a clock is read in well under a microsecond. */
static const double sample_s = 1e-3;

static int run(const struct paleo_transport *t, struct paleo_transport_session *s, int reps,
	       double *elapsed_s, struct paleo_error *err)
{
	double elapsed = NAN;
	int rc = t->run(s, reps, &elapsed, err);

	if (rc)
		return rc;
	if (!(elapsed > 0) || isinf(elapsed))
		return paleo_fail(err, PALEO_EBACKEND, "%d operations took %g s by %s's clock",
				  reps, elapsed, t->name);
	*elapsed_s = elapsed;
	return PALEO_OK;
}

/* Number of operations that last sample_s; finding it warms up as well. */
static int choose_reps(const struct paleo_transport *t, struct paleo_transport_session *s, int *out,
		       struct paleo_error *err)
{
	double elapsed = 0;
	int reps = WARM_RUNS;
	int rc = run(t, s, reps, &elapsed, err);

	for (reps = 1; !rc && reps < REPS_MAX; reps *= 2) {
		rc = run(t, s, reps, &elapsed, err);
		if (!rc && elapsed >= sample_s)
			break;
	}
	*out = reps;
	return rc;
}

static int measure(const struct paleo_transport *t, struct paleo_transport_session *s,
		   const struct paleo_sweep_options *o, struct paleo_sweep_point *p,
		   struct paleo_error *err)
{
	double times[PALEO_SWEEP_SAMPLES_MAX], spent_s = 0, elapsed;
	int n = 0, rc = choose_reps(t, s, &p->reps, err);

	while (!rc && n < o->samples && (n < SAMPLES_MIN || spent_s < o->budget_s)) {
		rc = run(t, s, p->reps, &elapsed, err);
		if (rc)
			break;
		times[n++] = elapsed / p->reps;
		spent_s += elapsed;
	}
	if (rc)
		return rc;
	paleo_sort(times, (size_t)n);
	p->samples = n;
	p->median_s = paleo_quantile_sorted(times, (size_t)n, 0.5);
	paleo_median_interval_sorted(times, (size_t)n, 0.95, &p->ci_low_s, &p->ci_high_s);
	return PALEO_OK;
}

/* Numbers of a vector of about so many bytes: a multiple of the ranks. */
static size_t numbers(double bytes, int ranks)
{
	return (size_t)ceil(bytes / (double)sizeof(float) / ranks) * (size_t)ranks;
}

/* The size of step i, or 0 beyond the last. */
static size_t size_at(const struct paleo_sweep_options *o, int i, int ranks)
{
	/* The last size is named, so rounding in the power must not lose it. */
	double bytes = o->from_bytes * pow(o->factor, i) * (1 - 1e-12);

	return bytes > o->to_bytes ? 0 : numbers(bytes, ranks);
}

int paleo_sweep(const struct paleo_transport *t, struct paleo_transport_session *s, int ranks,
		const struct paleo_sweep_options *o, struct paleo_sweep_point **out, int *count,
		struct paleo_error *err)
{
	assert(o->factor > 1 && o->from_bytes > 0 && o->samples >= 1 &&
	       o->samples <= PALEO_SWEEP_SAMPLES_MAX);
	struct paleo_sweep_point *points = calloc(PALEO_SWEEP_POINTS_MAX, sizeof(*points));
	int n = 0, sizes = 0,
	    rc = points ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");
	size_t size, last = 0;

	while (size_at(o, sizes, ranks))
		sizes++;

	for (int i = 0; !rc && (size = size_at(o, i, ranks)); i++) {
		if (size == last)
			continue;
		if (n == PALEO_SWEEP_POINTS_MAX) {
			rc = paleo_fail(err, PALEO_EINPUT, "more than %d sizes: take larger steps",
					PALEO_SWEEP_POINTS_MAX);
			break;
		}
		last = size;
		paleo_progress_report(&o->progress, i, sizes);
		points[n].bytes = (double)size * sizeof(float);
		rc = t->prepare(s, o->what, size, err);
		if (!rc)
			rc = measure(t, s, o, &points[n], err);
		n++;
	}
	if (rc) {
		free(points);
		return rc;
	}
	*out = points;
	*count = n;
	return PALEO_OK;
}
