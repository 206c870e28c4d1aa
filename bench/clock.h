/* clock.h - the host's clock, for the time between two moments. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_CLOCK_H
#define PALEO_BENCH_CLOCK_H

/* Seconds since a moment in the past that stays the same while the host is up; setting its date
 * changes nothing. Tests put a clock of their own in its place. */
double paleo_now_s(void);

#endif
