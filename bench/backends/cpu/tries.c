/* tries.c - runs something on all threads once, and says whether each had its processor. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cpu/tries.h"

#include <math.h>
#include <omp.h>
#include <time.h>

#include "bench/clock.h"

static double thread_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct paleo_try paleo_cpu_try(int threads, double amount, void (*part)(void *context, int thread),
			       void *context)
{
	double first_s = INFINITY, last_s = 0, end_s = 0, share = INFINITY;

#pragma omp parallel num_threads(threads) reduction(min                                            \
						    : first_s, share) reduction(max                \
										: last_s, end_s)
	{
		double own_s = thread_s();
		first_s = last_s = paleo_now_s();
		part(context, omp_get_thread_num());
		end_s = paleo_now_s();
		share = (thread_s() - own_s) / (end_s - first_s);
	}
	double wall_s = end_s - first_s;
	/* one that had to wait before it began took no time, but the others ran without it */
	return (struct paleo_try){.amount = amount,
				  .wall_s = wall_s,
				  .share = share * (1 - (last_s - first_s) / wall_s)};
}
