/* stream.h - goes through memory or a cache with all threads: the bytes that move in a second. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_STREAM_H
#define PALEO_BENCH_BACKENDS_CPU_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "bench/peaks.h"

/* Two arrays, of which each thread goes through a part of its own. */
struct paleo_cpu_arrays {
	float *a, *b;
	int64_t count; /* of each */
	int threads;
};

/* What a sweep is called: "read", "write", "copy", "add". */
const char *paleo_cpu_stream_name(enum paleo_stream what);

/* Two arrays of `bytes` in all; 1 if there was memory for them. Freed with paleo_cpu_arrays_free().
 */
int paleo_cpu_arrays_make(struct paleo_cpu_arrays *out, double bytes, int threads);
void paleo_cpu_arrays_free(struct paleo_cpu_arrays *x);

/* So many elements of each array that every thread has about `bytes` of one of them, which is a
 * whole number of rounds of all loops. */
int64_t paleo_cpu_arrays_piece(const struct paleo_cpu_arrays *x, double bytes);

/* Goes through the arrays `rounds` times; bytes read and written count. */
struct paleo_try paleo_cpu_stream_try(const struct paleo_cpu_arrays *x, enum paleo_stream what,
				      int rounds);

#endif
