/* samples.h - times of repeated runs: taken, kept or thrown away, and what they come to. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_SAMPLES_H
#define PALEO_BENCH_SAMPLES_H

#include "bench/measure.h"

/* What is run again and again. */
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
	double *times;     /* per run, of what was kept, in the order they were taken */
	double *scratch;   /* twice as long: more than two of the policy's max_samples */
	int kept, rejected;
	double least_s;               /* of those thrown away */
	double chosen_s;              /* of what was kept while repeats were chosen */
	double counted_s, rejected_s; /* of the host's clock, that taking samples took */
};

/* Makes room for as many samples as the policy, which outlives them, allows. ENOMEM. End with
 * paleo_samples_close(). */
int paleo_samples_open(const struct paleo_runs *runs, const struct paleo_measure_policy *policy,
		       struct paleo_samples *out, struct paleo_error *err);
void paleo_samples_close(struct paleo_samples *s);

/* The policy's times count from here. */
void paleo_samples_start(struct paleo_samples *s);

/* Time since the start, by the host's clock or by the runs' if that is further on: a backend need
 * not wait as long as it says. */
double paleo_samples_spent_s(const struct paleo_samples *s);

/* Runs, and tells whether the host was quiet meanwhile. EBACKEND for what is no time. */
int paleo_samples_run(struct paleo_samples *s, int reps, double *elapsed_s, int *clean,
		      struct paleo_error *err);

/* Keeps what one run took, as a sample. */
void paleo_samples_keep(struct paleo_samples *s, double per_run_s);

/* Takes a sample, the time of one of `reps` runs, and keeps it if the host was quiet. EBACKEND
 * where the clock stands still. */
int paleo_samples_take(struct paleo_samples *s, int reps, struct paleo_error *err);

/* Why no more are to be taken, as in struct paleo_timing; NULL: more are. */
const char *paleo_samples_enough(struct paleo_samples *s);

/* What they come to. Where none was kept there is no time, and min_s is the least of those thrown
 * away. Of *out, operand_sets is left as it is. */
void paleo_samples_summarise(struct paleo_samples *s, int reps, const char *why,
			     struct paleo_timing *out);

/* OK; or DISTURBED where no sample was kept, and a sentence that says so in `reason` of `size`. */
enum paleo_record_status paleo_samples_status(const struct paleo_timing *t, char *reason,
					      size_t size);

#endif
