/* ceiling_list.c - all that limits this machine: arithmetic, caches, memory, threads, calls. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "bench/backends/cpu/ceilings.h"

enum {
	LOOP_SAMPLES = 60,
	PRODUCT_SAMPLES = 30,
	SWEEP_SAMPLES = 20,
	CALL_SAMPLES = 50,
	SAMPLES_MAX = 60
};

/* For all samples of a ceiling: some 25 of them must be done within two minutes. */
static const double series_s = 3;

/* Settings of a series of samples in the list's regime. */
static struct paleo_cpu_series series(const struct paleo_ceilings *out, double *samples, int n)
{
	return (struct paleo_cpu_series){.samples = samples,
					 .n = n,
					 .most_s = series_s,
					 .load_s = out->regime == PALEO_SUSTAINED ? PALEO_SUSTAIN_S
										  : 0};
}

/* Name, unit and method of a ceiling. */
struct ceiling {
	const char *name, *unit, *how;
};

/* Adds the result of undisturbed tries; without one the ceiling is skipped. */
static int add_quiet(struct paleo_ceilings *out, const struct ceiling *c, double *samples, int n,
		     int tries, struct paleo_error *err)
{
	struct paleo_error why;

	if (n > 0)
		return paleo_ceilings_add(out, c->name, c->unit, samples, n, c->how, err);
	paleo_error_set(&why, PALEO_EBACKEND, "other processes disturbed all of %d tries", tries);
	return paleo_ceilings_skip(out, c->name, why.status, &why);
}

static int add_loop(struct paleo_session *s, const struct paleo_cpu_loop *l, const char *name,
		    struct paleo_ceilings *out, struct paleo_error *err)
{
	double samples[SAMPLES_MAX];
	char how[sizeof(out->items->how)];

	if (!l)
		return PALEO_OK;
	struct paleo_peak peak = {.tries = 0};
	const struct paleo_cpu_series wanted = series(out, samples, LOOP_SAMPLES);
	int n = paleo_cpu_loop_samples(l, s->host.cores, &wanted, &peak);
	snprintf(how, sizeof(how), "%s loop on registers, %d threads", l->name, s->host.cores);
	return add_quiet(out, &(struct ceiling){name, "FLOP/s", how}, samples, n, peak.tries, err);
}

static int add_product(struct paleo_session *s, enum paleo_dtype dtype, int zeros,
		       struct paleo_ceilings *out, struct paleo_error *err)
{
	double samples[SAMPLES_MAX];
	char name[sizeof(out->items->name)], how[sizeof(out->items->how)];

	struct paleo_peak peak = {.tries = 0};
	const struct paleo_cpu_series wanted = series(out, samples, PRODUCT_SAMPLES);
	int n = paleo_cpu_product_samples(s, dtype, zeros, &wanted, &peak);
	if (!peak.tries)
		return PALEO_OK;
	snprintf(name, sizeof(name), "gemm_%s%s", paleo_dtype_name(dtype), zeros ? "_zeros" : "");
	snprintf(how, sizeof(how), "oneDNN, %d^3 in the caches, %s inputs, %d threads",
		 PALEO_CPU_PRODUCT, zeros ? "zero" : "random", s->host.cores);
	return add_quiet(out, &(struct ceiling){name, "FLOP/s", how}, samples, n, peak.tries, err);
}

static int add_arithmetic(struct paleo_session *s, struct paleo_ceilings *out,
			  struct paleo_error *err)
{
	int rc = add_loop(s, paleo_cpu_loop_f32(s->vector_bytes), "fma_f32", out, err);

	if (!rc && s->has_bf16)
		rc = add_loop(s, paleo_cpu_loop_bf16(s->vector_bytes), "fma_bf16", out, err);
	for (int zeros = 0; !rc && zeros < 2; zeros++) {
		rc = add_product(s, PALEO_F32, zeros, out, err);
		if (!rc && s->has_bf16)
			rc = add_product(s, PALEO_BF16, zeros, out, err);
	}
	return rc;
}

/* All sweeps over `bytes`; `where` is the suffix of their names: "", "_l1". */
static int add_sweeps(struct paleo_session *s, double bytes, const char *where,
		      struct paleo_ceilings *out, struct paleo_error *err)
{
	struct paleo_cpu_arrays x;
	double samples[SAMPLES_MAX];
	const struct paleo_cpu_series wanted = series(out, samples, SWEEP_SAMPLES);
	char name[sizeof(out->items->name)], how[sizeof(out->items->how)];
	int rc = PALEO_OK;

	if (!paleo_cpu_arrays_make(&x, bytes, s->host.cores))
		return paleo_fail(err, PALEO_ENOMEM, "no memory to measure its bandwidth");
	snprintf(how, sizeof(how), "all of %.3g MB, %d threads", bytes * 1e-6, s->host.cores);
	for (int what = 0; what < PALEO_STREAMS && !rc; what++) {
		enum paleo_stream stream = (enum paleo_stream)what;
		struct paleo_peak peak = {.tries = 0};
		int n = paleo_cpu_sweep_samples(&x, stream, where[0] != '\0', &wanted, &peak);
		snprintf(name, sizeof(name), "%s%s", paleo_cpu_stream_name(stream), where);
		rc = add_quiet(out, &(struct ceiling){name, "B/s", how}, samples, n, peak.tries,
			       err);
	}
	paleo_cpu_arrays_free(&x);
	return rc;
}

/* Half of a cache that each core has, so that nothing else pushes the arrays out; the last level as
 * all cores share it. */
static int add_bandwidths(struct paleo_session *s, struct paleo_ceilings *out,
			  struct paleo_error *err)
{
	long l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE), l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
	double l1_bytes = l1 > 0 ? (double)l1 * s->host.cores : 0;
	double l2_bytes = l2 > 0 ? (double)l2 * s->host.cores : 0;
	int rc = add_sweeps(s, paleo_cpu_memory_span(s), "", out, err);

	if (!rc && l1_bytes > 0)
		rc = add_sweeps(s, l1_bytes / 2, "_l1", out, err);
	if (!rc && l2_bytes > l1_bytes)
		rc = add_sweeps(s, l2_bytes / 2, "_l2", out, err);
	if (!rc && s->host.cache_bytes > 2 * l2_bytes)
		rc = add_sweeps(s, paleo_cpu_cache_span(s), "_l3", out, err);
	return rc;
}

/* Threads start and meet again, with nothing in between. */
static int fork_and_join(void *context, int calls)
{
	const struct paleo_session *s = context;

	for (int k = 0; k < calls; k++) {
#pragma omp parallel num_threads(s->host.cores)
		__asm__ volatile("" : : : "memory");
	}
	return 0;
}

static int add_fork_join(struct paleo_session *s, struct paleo_ceilings *out,
			 struct paleo_error *err)
{
	const struct ceiling c = {"fork_join", "s", "an empty parallel region of OpenMP"};
	struct paleo_peak peak = {.tries = 0};
	double samples[SAMPLES_MAX];
	const struct paleo_cpu_series wanted = series(out, samples, CALL_SAMPLES);
	int n = paleo_cpu_call_samples(fork_and_join, s, &wanted, &peak);

	return add_quiet(out, &c, samples, n, peak.tries, err);
}

static int run_job(void *context, int calls)
{
	struct paleo_error ignored;
	double elapsed_s;

	return paleo_cpu_run(context, calls, &elapsed_s, &ignored);
}

/* Dispatch overhead of oneDNN: a primitive with next to no work. */
static int add_dispatch(struct paleo_session *s, struct paleo_ceilings *out,
			struct paleo_error *err)
{
	const struct ceiling c = {"dispatch", "s", "oneDNN, a relu of 16 elements, one thread"};
	const struct paleo_bench_options o = {.mode = PALEO_HOT, .threads = 1};
	struct paleo_peak peak = {.tries = 0};
	struct paleo_job_info info;
	struct paleo_job *j = NULL;
	struct paleo_op w;
	double samples[SAMPLES_MAX];
	const struct paleo_cpu_series wanted = series(out, samples, CALL_SAMPLES);

	int rc = paleo_op_parse("eltwise fwd f32 op=relu count=16", &w, err);
	if (!rc)
		rc = paleo_cpu_prepare(s, &w, &o, &j, &info, err);
	if (rc)
		return rc;
	int n = paleo_cpu_call_samples(run_job, j, &wanted, &peak);
	paleo_cpu_release(j);
	return add_quiet(out, &c, samples, n, peak.tries, err);
}

int paleo_cpu_list_ceilings(struct paleo_session *s, struct paleo_ceilings *out,
			    struct paleo_error *err)
{
	int rc = add_arithmetic(s, out, err);

	if (!rc)
		rc = add_bandwidths(s, out, err);
	if (rc || out->regime == PALEO_SUSTAINED)
		return rc;
	rc = add_fork_join(s, out, err);
	return rc ? rc : add_dispatch(s, out, err);
}
