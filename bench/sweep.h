/* sweep.h - times one collective operation over a range of sizes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_SWEEP_H
#define PALEO_BENCH_SWEEP_H

#include "base/error.h"
#include "bench/transport.h"

struct paleo_sweep_options {
	enum paleo_collective what;
	double from_bytes, to_bytes; /* of the whole vector, 4 .. 2^36 */
	double factor;               /* from one size to the next, > 1 */
	int samples;                 /* of each size at most, 1 .. PALEO_SWEEP_SAMPLES_MAX */
	double budget_s; /* for the samples of one size: when it is over, three are enough */
	struct paleo_progress progress; /* how many sizes are done */
};

enum {
	PALEO_SWEEP_SAMPLES_MAX = 1000,
	PALEO_SWEEP_POINTS_MAX = 4096
};

/* One size. Seconds per operation, of the slowest rank. */
struct paleo_sweep_point {
	double bytes; /* of the whole vector: f32, a multiple of the ranks */
	double median_s, ci_low_s, ci_high_s; /* 95 % interval if they are independent */
	int reps;                             /* operations in a sample */
	int samples;
};

/*
 * The sizes from_bytes, from_bytes * factor ... up to to_bytes, rounded up to a number for each
 * rank; two equal ones count once. Every process of a run takes the same steps, because their only
 * input is the time that run() returns to all alike. *out is an array of *count, owned by the
 * caller: free(). Fails as the transport does, and with EBACKEND where its clock does not advance;
 * EINPUT for more than PALEO_SWEEP_POINTS_MAX sizes; ENOMEM.
 */
int paleo_sweep(const struct paleo_transport *t, struct paleo_transport_session *s, int ranks,
		const struct paleo_sweep_options *o, struct paleo_sweep_point **out, int *count,
		struct paleo_error *err);

#endif
