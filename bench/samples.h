/* samples.h - times of repeated runs: taken, kept or thrown away, and their summary. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_SAMPLES_H
#define PALEO_BENCH_SAMPLES_H

#include "bench/measure.h"
#include "bench/probes.h"

/* A repeated run. */
struct paleo_runs {
	/* Runs it `reps` times back to back; *elapsed_s covers all of them. */
	int (*run)(void *context, int reps, double *elapsed_s, struct paleo_error *err);
	void *context;
	int host_timed; /* 1: other processes disturb the times */
};

/* Inside bench only. */
struct paleo_samples {
	struct paleo_runs runs;
	const struct paleo_measure_policy *policy;
	double start_s;    /* of the host's clock */
	double reported_s; /* all times that the runs have reported, added up */
	double *times;     /* per run, of the samples kept, in the order they were taken */
	double *scratch;   /* twice as long: more than two of the policy's max_samples */
	int kept, rejected;
	double lost_s;   /* of the last run: its threads waited for a CPU or were stopped */
	double least_s;  /* of those thrown away, without that */
	double chosen_s; /* of the samples kept while repeats were chosen */
	double counted_s, rejected_s; /* of the host's clock, that taking samples took */
};

/* Makes room for as many samples as the policy, which outlives them, allows. ENOMEM. End with
 * paleo_samples_close(). */
int paleo_samples_open(const struct paleo_runs *runs, const struct paleo_measure_policy *policy,
		       struct paleo_samples *out, struct paleo_error *err);
void paleo_samples_close(struct paleo_samples *s);

/* The policy's times start here; earlier samples are discarded. */
void paleo_samples_start(struct paleo_samples *s);

/* Time since the start, by the CPU's clock or by the sum of runs if that is larger: a backend need
 * not wait as long as it reports. */
double paleo_samples_spent_s(const struct paleo_samples *s);

/* Runs, and checks whether the machine was quiet meanwhile. EBACKEND for an invalid time. */
int paleo_samples_run(struct paleo_samples *s, int reps, double *elapsed_s, int *clean,
		      struct paleo_error *err);

/* Takes a sample, the time of one of `reps` runs, and keeps it if the host was quiet. EBACKEND
 * where the clock does not advance. */
int paleo_samples_take(struct paleo_samples *s, int reps, struct paleo_error *err);

/* Why no more are to be taken, as in struct paleo_timing; NULL: more are. */
const char *paleo_samples_enough(struct paleo_samples *s);

/* Summary of the samples. Where none was kept there is no time, and min_s is the least of the
 * discarded ones, without the time that its threads waited. In *out, operand_sets is unchanged. */
void paleo_samples_summarise(struct paleo_samples *s, int reps, const char *why,
			     struct paleo_timing *out);

/* OK; or DISTURBED where no sample was kept, with a sentence in `reason` of `size`. */
enum paleo_record_status paleo_samples_status(const struct paleo_timing *t, char *reason,
					      size_t size);

/*
 * Warms up, chooses repeats, sustains the load, samples until the policy is satisfied, and
 * summarises into *out (operand_sets is unchanged). Fails as the backend's run() does, and with
 * EBACKEND where the backend's clock stops or runs backwards. Every loop is limited by a count as
 * well as by the clock. Between samples it probes the device's speed, if `probes` is given. Adds
 * its time, except the probes', to *spent. Internal to bench.
 */
int paleo_sample_job(const struct paleo_backend *b, struct paleo_job *j,
		     const struct paleo_measure_policy *policy, struct paleo_probes *probes,
		     struct paleo_timing *out, struct paleo_spent *spent, struct paleo_error *err);

#endif
