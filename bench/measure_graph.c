/* measure_graph.c - times a full pass: as a whole, and step by step. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/stats.h"
#include "bench/measure.h"
#include "bench/samples.h"

enum {
	TRIES_PER_SAMPLE = 3, /* runs are long: few can be thrown away */
	WARM_RUNS_MAX = 100000,
	CHECKED = 256 /* numbers of the result */
};

/* A program being sampled. */
struct sampling {
	const struct paleo_backend *b;
	struct paleo_graph_run *w;
	const struct paleo_graph *p;
	struct paleo_pass_times *clocks; /* of the next run; NULL: none is read between steps */
	struct paleo_samples samples;    /* of runs without clocks */
	double *steps;                   /* of runs with them: step_s, then change_s, a row each */
	int rows, in_network_kept;
};

static int run_whole(void *context, int reps, double *elapsed_s, struct paleo_error *err)
{
	struct sampling *s = context;

	(void)reps; /* always one: a pass is long */
	return s->b->whole_run(s->w, elapsed_s, s->clocks, err);
}

/* Sustained, the budget begins behind it. */
static int warm_up(struct sampling *s, struct paleo_error *err)
{
	const struct paleo_measure_policy *p = s->samples.policy;
	double elapsed, enough_s = fmax(p->warmup_s, p->sustain_s);
	int clean, rc = PALEO_OK;

	for (int i = 0; !rc && i < WARM_RUNS_MAX; i++) {
		rc = paleo_samples_run(&s->samples, 1, &elapsed, &clean, err);
		if (paleo_samples_spent_s(&s->samples) >= enough_s)
			break;
	}
	if (p->sustain_s > 0)
		paleo_samples_start(&s->samples);
	return rc;
}

/* A run with clocks, whose steps are kept if the host was quiet; a disturbed row is kept only until
 * there is a better one. */
static int take_in_network(struct sampling *s, struct paleo_error *err)
{
	size_t steps = (size_t)s->p->step_count;
	double *row = s->steps + (size_t)s->in_network_kept * 2 * steps, elapsed;
	struct paleo_pass_times times = {.step_s = row, .change_s = row + steps};
	int clean;

	s->clocks = &times;
	int rc = paleo_samples_run(&s->samples, 1, &elapsed, &clean, err);
	s->clocks = NULL;
	if (rc)
		return rc;
	s->in_network_kept += clean;
	s->rows = s->in_network_kept > 0 ? s->in_network_kept : 1;
	return PALEO_OK;
}

/* Runs without and with clocks in turn, until there is a reason to stop, returned in *why. */
static int collect(struct sampling *s, const char **why, struct paleo_error *err)
{
	int most = s->samples.policy->max_samples, rc = PALEO_OK;

	*why = NULL;
	for (int i = 0; !rc && !*why && i < TRIES_PER_SAMPLE * most; i++) {
		rc = paleo_samples_take(&s->samples, 1, err);
		if (!rc && s->in_network_kept < most)
			rc = take_in_network(s, err);
		if (!rc)
			*why = paleo_samples_enough(&s->samples);
	}
	if (!*why)
		*why = "samples";
	return rc;
}

static void find_medians(struct sampling *s, struct paleo_pass_times *out)
{
	double *values = s->samples.times; /* they are summarised by now */
	int steps = s->p->step_count;

	for (int i = 0; i < 2 * steps; i++) {
		for (int row = 0; row < s->rows; row++)
			values[row] = s->steps[(size_t)row * 2 * (size_t)steps + (size_t)i];
		double median = paleo_median(values, (size_t)s->rows, s->samples.scratch);
		if (i < steps)
			out->step_s[i] = median;
		else
			out->change_s[i - steps] = median;
	}
}

/* The result must be finite: buffers are poisoned with NaN. */
static int check_output(struct sampling *s, struct paleo_graph_run_result *out,
			struct paleo_error *err)
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
static int allocate(struct sampling *s, const struct paleo_measure_policy *policy,
		    struct paleo_error *err)
{
	const struct paleo_runs runs = {
		.run = run_whole, .context = s, .host_timed = s->b->host_timed};
	size_t room = (size_t)policy->max_samples + 1, steps = (size_t)s->p->step_count;

	s->steps = malloc(room * 2 * steps * sizeof(*s->steps));
	if (!s->steps)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for %d samples of %d steps",
				  policy->max_samples, s->p->step_count);
	return paleo_samples_open(&runs, policy, &s->samples, err);
}

static int sample(struct sampling *s, struct paleo_graph_run_result *out, struct paleo_error *err)
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
	out->timing.operand_sets = 1;
	paleo_samples_summarise(&s->samples, 1, why, &out->timing);
	out->status = paleo_samples_status(&out->timing, out->reason, sizeof(out->reason));
	out->in_network_samples = s->in_network_kept;
	find_medians(s, &out->medians);
	return PALEO_OK;
}

static int check_policy(const struct paleo_measure_policy *p, struct paleo_error *err)
{
	if (p->min_samples >= 1 && p->max_samples >= p->min_samples && p->max_samples <= 10000 &&
	    p->target_ci >= 0 && p->budget_s >= 0 && p->warmup_s >= 0 && p->sustain_s >= 0 &&
	    p->max_disturbed >= 0)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT,
			  "the measuring policy of a full pass has a value out of range");
}

int paleo_measure_graph(const struct paleo_backend *b, struct paleo_session *s,
			const struct paleo_graph *p, const struct paleo_bench_options *options,
			const struct paleo_measure_policy *policy,
			struct paleo_graph_run_result *out, struct paleo_error *err)
{
	struct sampling m = {.b = b, .p = p};
	struct paleo_graph_run_result r = {.status = PALEO_RECORD_OK, .medians = out->medians};
	struct paleo_error fault = {0};

	int rc = check_policy(policy, err);
	if (!rc)
		rc = allocate(&m, policy, err);
	if (rc)
		goto out;
	int problem = b->whole_prepare
			      ? b->whole_prepare(s, p, options, &m.w, &r.info, &fault)
			      : paleo_fail(&fault, PALEO_EUNSUPPORTED,
					   "backend '%s' does not run full passes", b->name);
	paleo_samples_start(&m.samples);
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
	paleo_samples_close(&m.samples);
	free(m.steps);
	return rc;
}
