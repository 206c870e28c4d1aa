/* ceilings.h - samples of what limits this machine, for its peaks and for the list of ceilings. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_CEILINGS_H
#define PALEO_BENCH_BACKENDS_CPU_CEILINGS_H

#include "bench/backends/cpu/job.h"
#include "bench/backends/cpu/peak.h"
#include "bench/backends/cpu/stream.h"
#include "bench/peaks.h"

enum {
	PALEO_CPU_PRODUCT = 1024 /* the matrices that a product multiplies are square */
};

/* What is wanted of one thing. */
struct paleo_cpu_series {
	double *samples; /* room for so many */
	int n;
	double most_s; /* all tries together take so long, and the one that is in progress then */
};

/* Each fills the samples with undisturbed tries, adds all tries to *peak, and returns how many
 * samples there are: fewer, or none, where other processes disturb them for too long. */

/* FLOP/s of a loop on so many threads. */
int paleo_cpu_loop_samples(const struct paleo_cpu_loop *l, int threads,
			   const struct paleo_cpu_series *wanted, struct paleo_peak *peak);

/* FLOP/s of a matrix product of oneDNN's that fits the caches, on random values or on zeros; no try
 * where it cannot be done. */
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
int paleo_cpu_ceilings(struct paleo_session *s, struct paleo_device *d, struct paleo_doubts *doubts,
		       struct paleo_error *err);

/* The backend's list_ceilings(). */
int paleo_cpu_list_ceilings(struct paleo_session *s, struct paleo_ceilings *out,
			    struct paleo_error *err);

#endif
