/* clock.h - the host's clock, for the time between two moments. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_CLOCK_H
#define PALEO_BENCH_CLOCK_H

#include <time.h>

/* Seconds since a moment in the past that stays the same while the host is up; setting its date
 * changes nothing. */
static inline double paleo_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
