/* repetitions.h - what was measured of a work at moments apart, and what stands for it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_REPETITIONS_H
#define PALEO_BENCH_REPETITIONS_H

#include "model/record/record.h"

/* The samples of one repetition follow one another, and share the state that a device happens to be
 * in: their interval says how well that moment's time is known, not how well the work's is. A zero
 * struct has none. */
struct paleo_repetitions {
	struct paleo_record *records; /* owned; good ones, by rising median time */
	int count;
};

/* How uncertain a record's time is by its own samples: their median absolute deviation over their
 * median, below 1; PALEO_DISTURBED where all of them were disturbed; 0 where there is no time
 * otherwise. */
double paleo_noise(const struct paleo_record *r);
#define PALEO_DISTURBED 1.0

/* Adds a copy of a good record; others are left out. ENOMEM. */
int paleo_repetitions_add(struct paleo_repetitions *v, const struct paleo_record *r,
			  struct paleo_error *err);

/* The repetition in the middle by median time, of an even number the less noisy of the two there.
 * Where all tell a speed their times count as they would be at the same one (model/device/speed.h):
 * what the speed explains does not decide. Its interval is that of their mean by
 * Student's t, of logarithms; timing.repetitions says how many there were. There is one at
 * least. */
struct paleo_record paleo_repetitions_middle(const struct paleo_repetitions *v);

/* The longest time over the shortest, less 1. There is one at least. */
double paleo_repetitions_range(const struct paleo_repetitions *v);

/* Half the 95 % interval, as a logarithm, of what all items of some rounds share: of each round the
 * median, over the items, of their time in it over their geometric mean; and Student's t over the
 * rounds. times[round * items + item] is NaN where an item was not measured in a round: it does not
 * count. 0 for one round, or without items. ENOMEM. */
int paleo_repetitions_shared(const double *times, int items, int rounds, double *half,
			     struct paleo_error *err);

void paleo_repetitions_release(struct paleo_repetitions *v);

#endif
