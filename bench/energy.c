/* energy.c - the energy of an op: runs it in a window between two steps of the energy counter. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/clock.h"
#include "bench/measure.h"

/* A counter moves about every 100 ms: the window begins and ends just after it has moved, in bursts
 * of runs that are short beside that. */
#define BURST_S 0.01
#define STEP_SHARE 0.02 /* the most that a step of the counter is of the window's energy */
#define STILL_S 2       /* a counter that has not moved for so long is none */

struct window {
	const struct paleo_backend *b;
	struct paleo_session *s;
	struct paleo_job *j;
	double start_s, reported_s; /* the host's clock; the sum of the times of runs */
	double runs;
	double joules; /* of the counter */
	double step;   /* its latest */
};

/* The host's clock, or the sum of runs where that is longer, as a backend need not wait. */
static double now_s(const struct window *w)
{
	return fmax(paleo_now_s() - w->start_s, w->reported_s);
}

/* Runs bursts until the counter moves. 1: it has not for STILL_S; a status below 0 on failure. */
static int run_to_step(struct window *w, int reps, struct paleo_error *err)
{
	const double since_s = now_s(w);

	for (;;) {
		double elapsed_s = 0, joules = 0;
		int rc = w->b->run(w->j, reps, &elapsed_s, err);
		if (!rc)
			rc = w->b->energy(w->s, &joules, err);
		if (rc)
			return rc;
		w->reported_s += elapsed_s;
		w->runs += reps;
		if (joules > w->joules) {
			w->step = joules - w->joules;
			w->joules = joules;
			return PALEO_OK;
		}
		if (!(now_s(w) - since_s < STILL_S))
			return 1;
	}
}

int paleo_measure_energy(struct paleo_open_device *d, struct paleo_job *j,
			 const struct paleo_measure_policy *policy, double run_s,
			 struct paleo_state *out, struct paleo_error *err)
{
	struct window w = {.b = d->b, .s = d->s, .j = j, .start_s = paleo_now_s()};
	const int reps = (int)fmax(1, fmin(BURST_S / run_s, 1e6));

	if (!d->b->energy || d->b->energy(d->s, &w.joules, err))
		return PALEO_OK;
	int rc = run_to_step(&w, reps, err);
	const double begin_s = now_s(&w), begin_j = w.joules, begin_runs = w.runs;
	double spent_s = 0;
	do {
		if (!rc)
			rc = run_to_step(&w, reps, err);
		spent_s = now_s(&w) - begin_s;
	} while (!rc && spent_s < PALEO_ENERGY_WINDOW_MAX * policy->energy_s &&
		 (spent_s < policy->energy_s || w.step > STEP_SHARE * (w.joules - begin_j)));
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	out->energy_j = w.joules - begin_j;
	out->energy_s = spent_s;
	out->energy_runs = w.runs - begin_runs;
	return PALEO_OK;
}
