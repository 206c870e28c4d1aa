/* visits.h - what was measured of a work at moments apart, and what of it stands for the work. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_VISITS_H
#define PALEO_BENCH_VISITS_H

#include "model/record.h"

/* The samples of one visit follow one another, and share the state that a device happens to be in:
 * their interval says how well that moment's time is known, not how well the work's is. A zero
 * struct has none. */
struct paleo_visits {
	struct paleo_record *records; /* owned; good ones, by rising median time */
	int count;
};

/* How uncertain a record's time is by its own samples: their median absolute deviation over their
 * median, below 1; PALEO_DISTURBED where the samples were disturbed; 0 where there is no time. */
double paleo_noise(const struct paleo_record *r);
#define PALEO_DISTURBED 1.0

/* Adds a copy of a good record; others are left out. Disturbed ones count only as long as there is
 * no other. ENOMEM. */
int paleo_visits_add(struct paleo_visits *v, const struct paleo_record *r, struct paleo_error *err);

/* The visit in the middle by median time, of an even number the less noisy of the two there. Where
 * all tell a speed their times count as they would be at the same one (model/speed.h): what the
 * speed explains does not decide. Its interval reaches over the times of all visits;
 * timing.visits says how many there were. There is one at least. */
struct paleo_record paleo_visits_middle(const struct paleo_visits *v);

/* The longest time over the shortest, less 1. There is one at least. */
double paleo_visits_range(const struct paleo_visits *v);

void paleo_visits_release(struct paleo_visits *v);

#endif
