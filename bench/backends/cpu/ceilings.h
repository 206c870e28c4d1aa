/* ceilings.h - samples of this machine's ceilings: loops, sweeps, GEMMs, calls. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_CEILINGS_H
#define PALEO_BENCH_BACKENDS_CPU_CEILINGS_H

#include <stddef.h>
#include <stdint.h>

#include "bench/backends/cpu/job.h"
#include "bench/peaks.h"

/* One loop; `run` does `rounds` rounds on registers and leaves something in *sink, so that the
 * compiler keeps it. */
struct paleo_cpu_loop {
	const char *name; /* "avx512 fma" */
	double flops;     /* of one round */
	void (*run)(long rounds, float *sink);
	/* The same with GEMM-like operands from `data`, whose `count` floats (40 at least) are read
	 * repeatedly. bf16: NULL. */
	void (*run_on)(const float *data, long count, long rounds, float *sink);
};

/* The fastest loop that this CPU has, with vectors of at most so many bytes; bf16 gives NULL
 * where it has no instruction for it. */
const struct paleo_cpu_loop *paleo_cpu_loop_f32(int vector_bytes);
const struct paleo_cpu_loop *paleo_cpu_loop_bf16(int vector_bytes);

/* Two arrays; each thread sweeps its own part of them. */
struct paleo_cpu_arrays {
	float *a, *b;
	int64_t count; /* of each */
	int threads;
};

/* Name of a sweep: "read", "write", "copy", "add". */
const char *paleo_cpu_stream_name(enum paleo_stream what);

/* Two arrays of `bytes` in all; 1 if there was memory for them. Freed with paleo_cpu_arrays_free().
 */
int paleo_cpu_arrays_make(struct paleo_cpu_arrays *out, double bytes, int threads);
void paleo_cpu_arrays_free(struct paleo_cpu_arrays *x);

/* Elements of each array such that every thread has about `bytes` of one of them, a whole number of
 * rounds of all loops. */
int64_t paleo_cpu_arrays_piece(const struct paleo_cpu_arrays *x, double bytes);

/* Sweeps the arrays `rounds` times; bytes read and written count. */
struct paleo_try paleo_cpu_stream_try(const struct paleo_cpu_arrays *x, enum paleo_stream what,
				      int rounds);

/* CPU time of this thread so far. */
double paleo_cpu_thread_s(void);

/* Calls `part` on each of so many threads, with its number, and times them. The try counts `amount`
 * for all together. */
struct paleo_try paleo_cpu_try(int threads, double amount, void (*part)(void *context, int thread),
			       void *context);

enum {
	PALEO_CPU_PRODUCT = 1024 /* GEMMs multiply square matrices of this size */
};

/* Settings of one series of samples. */
struct paleo_cpu_series {
	double *samples; /* room for so many */
	int n;
	double most_s; /* all tries together take so long, and the one that is in progress then */
	double load_s; /* tries that are not counted go on for so long before */
};

/* Each fills the samples with undisturbed tries, adds all tries to *peak, and returns how many
 * samples there are: fewer, or none, where other processes disturb them for too long. */

/* FLOP/s of a loop on so many threads. */
int paleo_cpu_loop_samples(const struct paleo_cpu_loop *l, int threads,
			   const struct paleo_cpu_series *wanted, struct paleo_peak *peak);

/* FLOP/s of a oneDNN GEMM that fits the caches, on random values or on zeros; no tries where it is
 * not supported. */
int paleo_cpu_product_samples(struct paleo_session *s, enum paleo_dtype dtype, int zeros,
			      const struct paleo_cpu_series *wanted, struct paleo_peak *peak);

/* Bytes/s by going through all of the arrays; several times where a cache holds them. */
int paleo_cpu_sweep_samples(const struct paleo_cpu_arrays *x, enum paleo_stream what, int cached,
			    const struct paleo_cpu_series *wanted, struct paleo_peak *peak);

/* Seconds of one of many short calls: `run` makes so many, and returns other than 0 if it failed.
 */
int paleo_cpu_call_samples(int (*run)(void *context, int calls), void *context,
			   const struct paleo_cpu_series *wanted, struct paleo_peak *peak);

/* Bytes that are gone through to measure the memory: four times the last-level cache. */
double paleo_cpu_memory_span(const struct paleo_session *s);

/* The same for the last-level cache: half of it, as all cores share it. */
double paleo_cpu_cache_span(const struct paleo_session *s);

/* The backend's ceilings(). */
int paleo_cpu_ceilings(struct paleo_session *s, unsigned wanted, struct paleo_device *d,
		       struct paleo_doubts *doubts, struct paleo_error *err);

/* The backend's list_ceilings(). */
int paleo_cpu_list_ceilings(struct paleo_session *s, struct paleo_ceilings *out,
			    struct paleo_error *err);

#endif
