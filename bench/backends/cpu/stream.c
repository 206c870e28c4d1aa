/* stream.c - sweeps memory or a cache with all threads; one try of all threads. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/backends/cpu/ceilings.h"
#include "bench/backends/cpu/kernels.h"
#include "bench/clock.h"

double paleo_cpu_thread_s(void)
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
		double own_s = paleo_cpu_thread_s();
		first_s = last_s = paleo_now_s();
		part(context, omp_get_thread_num());
		end_s = paleo_now_s();
		share = (paleo_cpu_thread_s() - own_s) / (end_s - first_s);
	}
	double wall_s = end_s - first_s;
	/* a thread that had to wait before it began took no time, but the others ran without it */
	return (struct paleo_try){.amount = amount,
				  .wall_s = wall_s,
				  .share = share * (1 - (last_s - first_s) / wall_s)};
}

enum {
	SUMS = 64
};

static const struct {
	const char *name;
	double bytes; /* read and written per element of one array */
} sweeps[PALEO_STREAMS] = {
	[PALEO_STREAM_READ] = {"read", 4},
	[PALEO_STREAM_WRITE] = {"write", 4},
	[PALEO_STREAM_COPY] = {"copy", 8},
	[PALEO_STREAM_ADD] = {"add", 12},
};

const char *paleo_cpu_stream_name(enum paleo_stream what)
{
	return sweeps[what].name;
}

/* Sums that do not wait for one another: a cache gives more than one addition takes. */
PALEO_CPU_CLONES
static float read_part(const float *a, int64_t n)
{
	float sums[SUMS] = {0}, sum = 0;

	for (int64_t i = 0; i + SUMS <= n; i += SUMS) {
#pragma omp simd
		for (int k = 0; k < SUMS; k++)
			sums[k] += a[i + k];
	}
	for (int k = 0; k < SUMS; k++)
		sum += sums[k];
	return sum;
}

PALEO_CPU_CLONES
static void add_part(float *a, const float *b, int64_t n)
{
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		a[i] = 0.5f * a[i] + b[i];
}

static float sweep_part(float *a, float *b, int64_t n, enum paleo_stream what, int round)
{
	switch (what) {
	case PALEO_STREAM_READ:
		return read_part(a, n);
	case PALEO_STREAM_WRITE:
		memset(b, round & 1, (size_t)n * sizeof(*b));
		break;
	case PALEO_STREAM_COPY:
		memcpy(b, a, (size_t)n * sizeof(*b));
		break;
	case PALEO_STREAM_ADD:
		add_part(a, b, n);
		break;
	case PALEO_STREAMS:
		break;
	}
	return 0;
}

/* Arrays swept by the threads. */
struct sweep {
	const struct paleo_cpu_arrays *x;
	enum paleo_stream what;
	int rounds;
};

/* One thread's part. */
static void run_part(void *context, int thread)
{
	const struct sweep *w = context;
	const struct paleo_cpu_arrays *x = w->x;
	int64_t part = (x->count + x->threads - 1) / x->threads, first = thread * part;
	int64_t n = x->count - first < part ? x->count - first : part;

	for (int round = 0; n > 0 && round < w->rounds; round++) {
		float sum = sweep_part(x->a + first, x->b + first, n, w->what, round);
		/* otherwise rounds could be merged, and an unused sum removed */
		__asm__ volatile("" : : "m"(sum) : "memory");
	}
}

struct paleo_try paleo_cpu_stream_try(const struct paleo_cpu_arrays *x, enum paleo_stream what,
				      int rounds)
{
	struct sweep w = {.x = x, .what = what, .rounds = rounds};

	return paleo_cpu_try(x->threads, sweeps[what].bytes * (double)x->count * rounds, run_part,
			     &w);
}

int64_t paleo_cpu_arrays_piece(const struct paleo_cpu_arrays *x, double bytes)
{
	return (int64_t)(bytes / sizeof(float) / SUMS) * SUMS * x->threads;
}

int paleo_cpu_arrays_make(struct paleo_cpu_arrays *out, double bytes, int threads)
{
	struct paleo_cpu_arrays x = {.threads = threads};

	/* whole rounds of read_part() for every thread */
	x.count = (int64_t)(bytes / 2 / sizeof(float)) / SUMS / threads * SUMS * threads;
	x.a = paleo_cpu_allocate((size_t)x.count * sizeof(float));
	x.b = paleo_cpu_allocate((size_t)x.count * sizeof(float));
	if (!x.a || !x.b) {
		paleo_cpu_arrays_free(&x);
		return 0;
	}
	memset(x.a, 0, (size_t)x.count * sizeof(float));
	memset(x.b, 0, (size_t)x.count * sizeof(float));
	*out = x;
	return 1;
}

void paleo_cpu_arrays_free(struct paleo_cpu_arrays *x)
{
	free(x->a);
	free(x->b);
	x->a = x->b = NULL;
}
