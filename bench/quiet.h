/* quiet.h - how long this process had to wait for a processor: tells disturbed samples. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_QUIET_H
#define PALEO_BENCH_QUIET_H

/*
 * Seconds that the threads of this process have been ready to run but were not
 * running, added up over all threads since each began: its growth during a sample
 * is what other processes took. From /proc/self/task/<n>/schedstat, the second
 * number; 0 where the kernel does not tell.
 */
double paleo_quiet_delay_s(void);

#endif
