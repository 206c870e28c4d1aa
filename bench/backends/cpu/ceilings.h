/* ceilings.h - samples of what limits this machine, for its peaks and for the list of ceilings. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_CEILINGS_H
#define PALEO_BENCH_BACKENDS_CPU_CEILINGS_H

#include "bench/backends/cpu/job.h"
#include "bench/backends/cpu/peak.h"

enum {
	PALEO_CPU_PRODUCT = 1024 /* the matrices that a product multiplies are square */
};

/* FLOP/s of a loop on all threads, `n` times; returns n. */
int paleo_cpu_loop_samples(const struct paleo_cpu_loop *l, int threads, double *samples, int n);

/* FLOP/s of a matrix product of oneDNN's that fits the caches, on random values or on zeros, at
 * most `n` times; returns how many there are, 0 where it cannot be done. */
int paleo_cpu_product_samples(struct paleo_session *s, enum paleo_dtype dtype, int zeros,
			      double *samples, int n);

/* Bytes that are gone through to measure the memory: four times the last-level cache. */
double paleo_cpu_memory_span(const struct paleo_session *s);

/* The backend's list_ceilings(). */
int paleo_cpu_list_ceilings(struct paleo_session *s, struct paleo_ceilings *out,
			    struct paleo_error *err);

#endif
