/* ceilings.c - the peaks of this machine, quickly: FLOP/s of each number type, bytes/s. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cpu/ceilings.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>

#include "bench/backends/cpu/peak.h"
#include "bench/backends/cpu/stream.h"
#include "bench/clock.h"

enum {
	LOOP_TRIES = 60,
	PRODUCT_TRIES = 20,
	SWEEP_TRIES = 8
};

/* Shorter than the time slices of other processes, so that some tries are undisturbed. */
static const double try_s = 0.002;

/* Seconds that all threads take for so many rounds of a loop. */
static double time_loop(const struct paleo_cpu_loop *l, long rounds, int threads)
{
	double start = paleo_now_s();

#pragma omp parallel num_threads(threads)
	{
		float sink;
		l->run(rounds, &sink);
	}
	return paleo_now_s() - start;
}

int paleo_cpu_loop_samples(const struct paleo_cpu_loop *l, int threads, double *samples, int n)
{
	long rounds = 10000;

	while (time_loop(l, rounds, threads) < try_s)
		rounds *= 2;
	for (int i = 0; i < n; i++)
		samples[i] = (double)rounds * l->flops * threads / time_loop(l, rounds, threads);
	return n;
}

int paleo_cpu_product_samples(struct paleo_session *s, enum paleo_dtype dtype, int zeros,
			      double *samples, int n)
{
	struct paleo_work w = {.kind = PALEO_GEMM, .pass = PALEO_FWD, .dtype = dtype};
	struct paleo_bench_options o = {.mode = PALEO_HOT, .zeros = zeros};
	struct paleo_job *j = NULL;
	struct paleo_job_info info;
	struct paleo_error ignored;
	double elapsed_s;
	int taken = 0;

	w.geom.gemm = (struct paleo_gemm_geom){.m = PALEO_CPU_PRODUCT,
					       .n = PALEO_CPU_PRODUCT,
					       .k = PALEO_CPU_PRODUCT,
					       .batch = 1,
					       .trans_b = 1};
	if (paleo_work_finish(&w, &ignored) || paleo_cpu_prepare(s, &w, &o, &j, &info, &ignored))
		return 0;
	while (taken < n && !paleo_cpu_run(j, 1, &elapsed_s, &ignored))
		samples[taken++] = w.flops / elapsed_s;
	paleo_cpu_release(j);
	return taken;
}

double paleo_cpu_memory_span(const struct paleo_session *s)
{
	double bytes = fmax(4 * s->host.cache_bytes, 256e6);

	return fmin(bytes, paleo_cpu_host_free_bytes() / 4);
}

/* The best counts: others on this machine only make it slower. */
static double best_of(const double *samples, int n)
{
	double best = 0;

	for (int i = 0; i < n; i++)
		best = fmax(best, samples[i]);
	return best;
}

static double loop_flop_per_s(const struct paleo_cpu_loop *l, int threads)
{
	double samples[LOOP_TRIES];

	return best_of(samples, paleo_cpu_loop_samples(l, threads, samples, LOOP_TRIES));
}

/* A matrix product of oneDNN's that fits the caches: matrix units have no loop above. 0 where it
 * cannot be done. */
static double product_flop_per_s(struct paleo_session *s, enum paleo_dtype dtype)
{
	double samples[PRODUCT_TRIES];

	return best_of(samples, paleo_cpu_product_samples(s, dtype, 0, samples, PRODUCT_TRIES));
}

/* The best of all sweeps, over four times the last-level cache. */
static double best_bytes_per_s(const struct paleo_session *s, double *span_bytes)
{
	struct paleo_cpu_arrays x;
	double best = 0;

	*span_bytes = paleo_cpu_memory_span(s);
	if (!paleo_cpu_arrays_make(&x, *span_bytes, s->host.cores))
		return 0;
	for (int i = 0; i < SWEEP_TRIES; i++) {
		for (int what = 0; what < PALEO_SWEEPS; what++)
			best = fmax(best, paleo_cpu_stream_bytes_per_s(
						  &x, (enum paleo_cpu_stream)what, 1));
	}
	paleo_cpu_arrays_free(&x);
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
			      bf16 ? bf16->name : "no loop", PALEO_CPU_PRODUCT);
	snprintf(d->source + n, sizeof(d->source) - (size_t)n,
		 ", memory by reading, writing, copying and adding %.0f MB, %d threads",
		 span_bytes * 1e-6, s->host.cores);
	d->measured = 1;
	return PALEO_OK;
}
