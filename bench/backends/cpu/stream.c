/* stream.c - goes through memory or a cache with all threads: the bytes that move in a second. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cpu/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cpu/job.h"
#include "bench/backends/cpu/numbers.h"
#include "bench/clock.h"

enum {
	SUMS = 64
};

static const struct {
	const char *name;
	double bytes; /* read and written per element of one array */
} sweeps[PALEO_SWEEPS] = {
	[PALEO_SWEEP_READ] = {"read", 4},
	[PALEO_SWEEP_WRITE] = {"write", 4},
	[PALEO_SWEEP_COPY] = {"copy", 8},
	[PALEO_SWEEP_ADD] = {"add", 12},
};

const char *paleo_cpu_stream_name(enum paleo_cpu_stream what)
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

static float sweep_part(float *a, float *b, int64_t n, enum paleo_cpu_stream what, int round)
{
	switch (what) {
	case PALEO_SWEEP_READ:
		return read_part(a, n);
	case PALEO_SWEEP_WRITE:
		memset(b, round & 1, (size_t)n * sizeof(*b));
		break;
	case PALEO_SWEEP_COPY:
		memcpy(b, a, (size_t)n * sizeof(*b));
		break;
	case PALEO_SWEEP_ADD:
		add_part(a, b, n);
		break;
	case PALEO_SWEEPS:
		break;
	}
	return 0;
}

double paleo_cpu_stream_bytes_per_s(const struct paleo_cpu_arrays *x, enum paleo_cpu_stream what,
				    int rounds)
{
	int64_t part = (x->count + x->threads - 1) / x->threads;
	double start = paleo_now_s();
	float sum = 0;

#pragma omp parallel for num_threads(x->threads) schedule(static) reduction(+ : sum)
	for (int t = 0; t < x->threads; t++) {
		int64_t first = t * part;
		int64_t n = x->count - first < part ? x->count - first : part;
		for (int round = 0; n > 0 && round < rounds; round++) {
			sum += sweep_part(x->a + first, x->b + first, n, what, round);
			/* else one round could be taken for all */
			__asm__ volatile("" : : : "memory");
		}
	}
	double s = paleo_now_s() - start;
	return isnan(sum) ? 0 : sweeps[what].bytes * (double)x->count * rounds / s;
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
