/* tries.h - runs something on all threads once, and says whether each had its processor. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_TRIES_H
#define PALEO_BENCH_BACKENDS_CPU_TRIES_H

#include "bench/peaks.h"

/* Calls `part` on each of so many threads, with its number, and times them. The try counts `amount`
 * for all together. */
struct paleo_try paleo_cpu_try(int threads, double amount, void (*part)(void *context, int thread),
			       void *context);

#endif
