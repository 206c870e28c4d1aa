/* sampling.h - takes times of a prepared job until they are precise enough. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_SAMPLING_H
#define PALEO_BENCH_SAMPLING_H

#include "bench/measure.h"
#include "bench/probes.h"

/*
 * Warms up, chooses repeats, samples until the policy is content, and summarises
 * into *out (operand_sets is left as it is). Fails as the backend's run() does, and with
 * EBACKEND where the backend's clock stands still or runs backwards. Every loop
 * ends by a count as well as by the clock. Between samples it probes the device's
 * speed, if `probes` is given. Adds where its time went, but for the probes, to *spent. Inside
 * bench only.
 */
int paleo_sample_job(const struct paleo_backend *b, struct paleo_job *j,
		     const struct paleo_measure_policy *policy, struct paleo_probes *probes,
		     struct paleo_timing *out, struct paleo_spent *spent, struct paleo_error *err);

#endif
