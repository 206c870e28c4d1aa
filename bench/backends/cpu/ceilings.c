/* ceilings.c - measures the peaks of this machine: FLOP/s of each number type, bytes/s. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/backends/cpu/job.h"
#include "bench/backends/cpu/numbers.h"
#include "bench/backends/cpu/peak.h"

enum {
	LOOP_TRIES = 60, /* the best counts: others on this machine only make it slower */
	PRODUCT_TRIES = 20,
	SWEEP_TRIES = 8,
	PRODUCT = 1024
};

/* Shorter than the time slices of other processes, so that some tries are undisturbed. */
static const double try_s = 0.002;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds that all threads take for so many rounds of a loop. */
static double time_loop(const struct paleo_cpu_loop *l, long rounds, int threads)
{
	double start = now_s();

#pragma omp parallel num_threads(threads)
	{
		float sink;
		l->run(rounds, &sink);
	}
	return now_s() - start;
}

static double loop_flop_per_s(const struct paleo_cpu_loop *l, int threads)
{
	long rounds = 10000;
	double best = 0;

	while (time_loop(l, rounds, threads) < try_s)
		rounds *= 2;
	for (int i = 0; i < LOOP_TRIES; i++) {
		double s = time_loop(l, rounds, threads);
		best = fmax(best, (double)rounds * l->flops * threads / s);
	}
	return best;
}

/* A matrix product of oneDNN's that fits the caches: matrix units have no loop above. 0 where it
 * cannot be done. */
static double product_flop_per_s(struct paleo_session *s, enum paleo_dtype dtype)
{
	struct paleo_work w = {.kind = PALEO_GEMM, .pass = PALEO_FWD, .dtype = dtype};
	struct paleo_bench_options o = {.mode = PALEO_HOT};
	struct paleo_job *j = NULL;
	struct paleo_job_info info;
	struct paleo_error ignored;
	double best = 0, elapsed_s;

	w.geom.gemm = (struct paleo_gemm_geom){
		.m = PRODUCT, .n = PRODUCT, .k = PRODUCT, .batch = 1, .trans_b = 1};
	if (paleo_work_finish(&w, &ignored) || paleo_cpu_prepare(s, &w, &o, &j, &info, &ignored))
		return 0;
	for (int i = 0; i < PRODUCT_TRIES; i++) {
		if (paleo_cpu_run(j, 1, &elapsed_s, &ignored))
			break;
		best = fmax(best, w.flops / elapsed_s);
	}
	paleo_cpu_release(j);
	return best;
}

/* Two large arrays. */
struct arrays {
	float *a, *b;
	int64_t count; /* of each */
	int threads;
};

/* One thread's part. */
PALEO_CPU_CLONES
static float read_part(const float *a, int64_t n)
{
	float sum = 0;

#pragma omp simd reduction(+ : sum)
	for (int64_t i = 0; i < n; i++)
		sum += a[i];
	return sum;
}

PALEO_CPU_CLONES
static void add_part(float *a, const float *b, int64_t n)
{
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		a[i] = 0.5f * a[i] + b[i];
}

enum sweep {
	SWEEP_READ,
	SWEEP_COPY, /* memcpy, which writes past the caches */
	SWEEP_ADD,  /* a = a/2 + b: nothing is fetched only to be overwritten */
	SWEEPS
};

/* Bytes read and written per second. */
static double sweep_bytes_per_s(const struct arrays *x, enum sweep what)
{
	static const double bytes[SWEEPS] = {[SWEEP_READ] = 4, [SWEEP_COPY] = 8, [SWEEP_ADD] = 12};
	double start = now_s();
	int64_t part = (x->count + x->threads - 1) / x->threads;
	float sum = 0;

#pragma omp parallel for num_threads(x->threads) schedule(static) reduction(+ : sum)
	for (int t = 0; t < x->threads; t++) {
		int64_t first = t * part;
		int64_t n = x->count - first < part ? x->count - first : part;
		if (n <= 0)
			continue;
		if (what == SWEEP_READ)
			sum += read_part(x->a + first, n);
		else if (what == SWEEP_COPY)
			memcpy(x->b + first, x->a + first, (size_t)n * sizeof(float));
		else
			add_part(x->a + first, x->b + first, n);
	}
	double s = now_s() - start;
	return isnan(sum) ? 0 : bytes[what] * (double)x->count / s;
}

/* The best of reading, copying and adding, over four times the last-level cache. */
static double best_bytes_per_s(const struct paleo_session *s, double *span_bytes)
{
	double bytes = fmax(2 * s->host.cache_bytes, 128e6);
	struct arrays x = {.threads = s->host.cores};
	double best = 0;

	bytes = fmin(bytes, paleo_cpu_host_free_bytes() / 8);
	x.count = (int64_t)(bytes / sizeof(float));
	x.a = paleo_cpu_allocate((size_t)x.count * sizeof(float));
	x.b = paleo_cpu_allocate((size_t)x.count * sizeof(float));
	if (x.a && x.b) {
		memset(x.a, 0, (size_t)x.count * sizeof(float));
		memset(x.b, 0, (size_t)x.count * sizeof(float));
		for (int i = 0; i < SWEEP_TRIES; i++) {
			for (int what = 0; what < SWEEPS; what++)
				best = fmax(best, sweep_bytes_per_s(&x, (enum sweep)what));
		}
	}
	free(x.a);
	free(x.b);
	*span_bytes = 2 * bytes;
	return best;
}

int paleo_cpu_ceilings(struct paleo_session *s, struct paleo_device *d, struct paleo_error *err)
{
	const struct paleo_cpu_loop *f32 = paleo_cpu_loop_f32(s->vector_bytes);
	const struct paleo_cpu_loop *bf16 = paleo_cpu_loop_bf16(s->vector_bytes);
	double span_bytes;
	int n;

	d->flop_per_s[PALEO_F32] = loop_flop_per_s(f32, s->host.cores);
	d->flop_per_s[PALEO_BF16] = 0;
	if (s->has_bf16) {
		double loop = bf16 ? loop_flop_per_s(bf16, s->host.cores) : 0;
		d->flop_per_s[PALEO_BF16] = fmax(loop, product_flop_per_s(s, PALEO_BF16));
	}
	d->mem_bytes_per_s = best_bytes_per_s(s, &span_bytes);
	if (!(d->mem_bytes_per_s > 0))
		return paleo_fail(err, PALEO_ENOMEM, "no memory to measure its bandwidth");
	n = snprintf(d->source, sizeof(d->source), "measured: f32 by an %s loop", f32->name);
	if (s->has_bf16)
		n += snprintf(d->source + n, sizeof(d->source) - (size_t)n,
			      ", bf16 by the better of %s and a oneDNN product of %d",
			      bf16 ? bf16->name : "no loop", PRODUCT);
	snprintf(d->source + n, sizeof(d->source) - (size_t)n,
		 ", memory by reading, copying and adding %.0f MB, %d threads", span_bytes * 1e-6,
		 s->host.cores);
	d->measured = 1;
	return PALEO_OK;
}
