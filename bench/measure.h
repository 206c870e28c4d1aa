/* measure.h - measures one op, or a whole program: warm up, sample, stop, summarise. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_MEASURE_H
#define PALEO_BENCH_MEASURE_H

#include "bench/probes.h"
#include "model/record/record.h"

enum {
	PALEO_RAW_SAMPLES_MAX = 1024 /* of one measurement, beside its summary */
};

/* The usual length of an energy window; at most it takes so many times what is wanted. */
#define PALEO_ENERGY_S 3.0
#define PALEO_ENERGY_WINDOW_MAX 4

/* When to stop. A plain value; paleo_measure_defaults() gives the usual one. */
struct paleo_measure_policy {
	double target_ci;     /* stop when the 95 % interval's half width / median is below this; as
			       * if samples were independent where they are too few for one */
	int min_samples;      /* but not before so many */
	int max_samples;      /* and never more */
	double sample_s;      /* repeats are chosen so that a sample takes at least this long */
	double budget_s;      /* stop after this much time in any case */
	double warmup_s;      /* run untimed for so long (at least twice) */
	double sustain_s;     /* and until it has run for so long, in addition to budget_s; 0: the
				 regime is a burst */
	double energy_s;      /* then run it for so long at least to measure its energy; 0: not */
	double max_disturbed; /* a sample with a larger share of run-queue delay is thrown away */
	int verify_samples;   /* outputs to check; 0: none */
	double timeout_s;     /* timeout of a worker in addition to budget_s; 0: its own */
	double *samples; /* room for PALEO_RAW_SAMPLES_MAX, filled with the samples kept, as many
			  * as the record counts, in the order they were taken; NULL: they are
			  * not wanted */
};

void paleo_measure_defaults(struct paleo_measure_policy *p);

/* Sets the policy for sustained times. Samples are long relative to pauses between them, such as
 * clearing a cache, so that the load continues. */
void paleo_measure_sustain(struct paleo_measure_policy *p);

/* Sets the policy for an op that was measured shortly before: a third of the warm-up, and no check
 * of results. */
void paleo_measure_repeat(struct paleo_measure_policy *p);

/*
 * Prepares, checks, times and releases one op. Fills every field of *out: failures of the op are
 * statuses of the record, so the function returns PALEO_OK unless it was misused.
 */
int paleo_measure(struct paleo_open_device *d, const struct paleo_op *w,
		  const struct paleo_bench_options *options,
		  const struct paleo_measure_policy *policy, struct paleo_record *out,
		  struct paleo_error *err);

/*
 * Runs a job, one run of which takes run_s, for policy->energy_s at least and until a step of the
 * backend's energy counter is at most 2 % of the window's energy, from one step of it to another:
 * fills in the energy fields of *out, and leaves them at 0 without a counter. Fails as run() does.
 */
int paleo_measure_energy(struct paleo_open_device *d, struct paleo_job *j,
			 const struct paleo_measure_policy *policy, double run_s,
			 struct paleo_state *out, struct paleo_error *err);

/* The regime of such measurements. */
enum paleo_regime paleo_measure_regime(const struct paleo_measure_policy *p);

/* A record of the op and the method, with no result yet. */
struct paleo_record paleo_measure_record(const struct paleo_op *w,
					 const struct paleo_bench_options *options,
					 const struct paleo_measure_policy *policy);

/* The status of a record whose measurement ended so: PALEO_OK, or a backend's failure. */
enum paleo_record_status paleo_measure_status(int rc);

/* Outcome of running a graph. A plain value. */
struct paleo_graph_run_result {
	enum paleo_record_status status;
	char reason[256]; /* a sentence when status is not OK */
	struct paleo_pass_info info;
	struct paleo_timing timing;      /* of runs in which no clock is read between steps */
	struct paleo_pass_times medians; /* arrays of the caller's, set before: one number for each
					    step, the medians of runs with clocks */
	int in_network_samples;          /* runs in which it is, each after one of the others */
};

/*
 * Prepares, checks that the result is finite, and runs the program alternately with and without
 * clocks between its steps, until the policy is satisfied. Failures of the program are in the
 * result's status: returns PALEO_OK unless it was misused (EINPUT) or memory ran out here.
 */
int paleo_measure_graph(const struct paleo_backend *b, struct paleo_session *s,
			const struct paleo_graph *p, const struct paleo_bench_options *options,
			const struct paleo_measure_policy *policy,
			struct paleo_graph_run_result *out, struct paleo_error *err);

#endif
