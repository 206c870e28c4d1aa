/* repetitions.h - repeated measurements of an op, and their representative. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_REPETITIONS_H
#define PALEO_BENCH_REPETITIONS_H

#include "model/record/record.h"

/* The samples of one repetition follow one another, and share the device's state at the time: their
 * interval is that of the time in this state, not of the op's time. A zero struct has none. */
struct paleo_repetitions {
	struct paleo_record *records; /* owned; good ones, by rising median time */
	int count;
};

/* Noise of a record's time by its own samples: their median absolute deviation over their median,
 * below 1; PALEO_DISTURBED where all of them were disturbed; 0 where there is no time for another
 * reason. */
double paleo_noise(const struct paleo_record *r);
#define PALEO_DISTURBED 1.0

/* Adds a copy of a good record; others are left out. ENOMEM. */
int paleo_repetitions_add(struct paleo_repetitions *v, const struct paleo_record *r,
			  struct paleo_error *err);

/* The error that all ops of a run have in common: half its 95 % interval, as a logarithm, and the
 * degrees of freedom of that. */
struct paleo_shared_error {
	double half, degrees;
};

/* The median repetition by median time, for an even number the less noisy of the two. Where all
 * have a machine speed their times are normalised to the same one (model/device/device.h). Its
 * timing.repetitions is their number, 0 for one. Its interval is by the samples of this repetition,
 * which share a moment: paleo_repetitions_settle() has a better one. */
struct paleo_record paleo_repetitions_middle(const struct paleo_repetitions *v);

/*
 * Of each of `count` ops the record that represents its repetitions: the median repetition, with
 * the time at the mean machine speed of the run, and the interval of this time by the spread
 * between repetitions, pooled over ops (base/pool.h). `shared` is that of
 * paleo_repetitions_shared(). An op without a repetition is left out. ENOMEM.
 */
int paleo_repetitions_settle(const struct paleo_repetitions *const *list,
			     struct paleo_record *const *out, int count,
			     const struct paleo_shared_error *shared, struct paleo_error *err);

/* The longest time over the shortest, less 1. There is one at least. */
double paleo_repetitions_range(const struct paleo_repetitions *v);

/* The error common to all items of some rounds: of the
 * mean over rounds, by the median deviations of the items in each quarter of a round, and Student's
 * t. Where rounds differ more than their quarters do, rounds alone count. times[round * items +
 * item] is NaN where an item was not measured in a round. 0 for one round, or without items.
 * ENOMEM. */
int paleo_repetitions_shared(const double *times, int items, int rounds,
			     struct paleo_shared_error *out, struct paleo_error *err);

void paleo_repetitions_release(struct paleo_repetitions *v);

#endif
