/* stream.h - goes through memory or a cache with all threads: the bytes that move in a second. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_STREAM_H
#define PALEO_BENCH_BACKENDS_CPU_STREAM_H

#include <stddef.h>
#include <stdint.h>

enum paleo_cpu_stream {
	PALEO_SWEEP_READ,
	PALEO_SWEEP_WRITE, /* memset, which writes past the caches where there is much */
	PALEO_SWEEP_COPY,  /* memcpy, likewise */
	PALEO_SWEEP_ADD,   /* a = a/2 + b: nothing is fetched only to be overwritten */
	PALEO_SWEEPS
};

/* Two arrays, of which each thread goes through a part of its own. */
struct paleo_cpu_arrays {
	float *a, *b;
	int64_t count; /* of each */
	int threads;
};

/* What a sweep is called: "read", "write", "copy", "add". */
const char *paleo_cpu_stream_name(enum paleo_cpu_stream what);

/* Two arrays of `bytes` in all; 1 if there was memory for them. Freed with paleo_cpu_arrays_free().
 */
int paleo_cpu_arrays_make(struct paleo_cpu_arrays *out, double bytes, int threads);
void paleo_cpu_arrays_free(struct paleo_cpu_arrays *x);

/* Bytes read and written per second, by going through the arrays `rounds` times. */
double paleo_cpu_stream_bytes_per_s(const struct paleo_cpu_arrays *x, enum paleo_cpu_stream what,
				    int rounds);

#endif
