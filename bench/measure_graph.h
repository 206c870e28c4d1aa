/* measure_graph.h - times a whole program: as one thing, and step by step inside of it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_MEASURE_GRAPH_H
#define PALEO_BENCH_MEASURE_GRAPH_H

#include "bench/measure.h"

/* What came of it. A plain value. */
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
 * Prepares, checks that the result is made of numbers, and runs the program with and
 * without clocks between its steps in turn, until the policy is content. What goes wrong with the
 * program is the result's status: returns PALEO_OK unless it was called wrongly (EINPUT) or memory
 * ran out here.
 */
int paleo_measure_graph(const struct paleo_backend *b, struct paleo_session *s,
			const struct paleo_graph *p, const struct paleo_bench_options *options,
			const struct paleo_measure_policy *policy,
			struct paleo_graph_run_result *out, struct paleo_error *err);

#endif
