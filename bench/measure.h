/* measure.h - warm up, choose repeats, sample, stop, summarise: for all backends alike. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_MEASURE_H
#define PALEO_BENCH_MEASURE_H

#include "bench/probes.h"
#include "model/record/record.h"

/* When to stop. A plain value; paleo_measure_defaults() gives the usual one. */
struct paleo_measure_policy {
	double target_ci;     /* stop when the 95 % interval's half width / median is below this; as
			       * if samples were independent where they are too few for one */
	int min_samples;      /* but not before so many */
	int max_samples;      /* and never more */
	double sample_s;      /* repeats are chosen so that a sample takes at least this long */
	double budget_s;      /* stop after this much time in any case */
	double warmup_s;      /* run untimed for so long (at least twice) */
	double max_disturbed; /* a sample with a larger share of run-queue delay is thrown away */
	int verify_samples;   /* outputs to check; 0: none */
	double timeout_s;     /* a worker is given up after so long beside budget_s; 0: its own */
};

void paleo_measure_defaults(struct paleo_measure_policy *p);

/*
 * Prepares, checks, times and releases one work. Fills every field of *out: what
 * goes wrong with the work is a status of the record, so the function returns
 * PALEO_OK unless it was called wrongly.
 */
int paleo_measure(struct paleo_open_device *d, const struct paleo_work *w,
		  const struct paleo_bench_options *options,
		  const struct paleo_measure_policy *policy, struct paleo_record *out,
		  struct paleo_error *err);

/* The status of a record whose measurement ended so: PALEO_OK, or a backend's failure. */
enum paleo_record_status paleo_measure_status(int rc);

#endif
