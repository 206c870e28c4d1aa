/* peaks.h - peaks of a CPU, by undisturbed tries; names of peaks. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_PEAKS_H
#define PALEO_BENCH_PEAKS_H

#include "bench/backend.h"

/* One try of something on all threads. A plain value. */
struct paleo_try {
	double amount; /* FLOPs or bytes */
	double wall_s; /* from the first thread's start to the last one's end */
	double share;  /* CPU time over elapsed time, of the thread with the least; less where they
			  did not begin together */
};

/* 1 if each thread had its CPU all the time, as far as the clocks show: a try of zero time or of
 * more CPU time than elapsed is a clock error. */
int paleo_try_is_quiet(const struct paleo_try *t);

/* Result of the tries of one peak; zero before the first. A plain value. */
struct paleo_peak {
	double per_s; /* the best of the undisturbed ones */
	double seen;  /* the best of all without clock errors */
	int quiet, tries;
};

void paleo_peak_take(struct paleo_peak *p, const struct paleo_try *t);

/* Ways to go through memory. */
enum paleo_stream {
	PALEO_STREAM_READ,
	PALEO_STREAM_WRITE, /* memset, which writes past the caches where there is much */
	PALEO_STREAM_COPY,  /* memcpy, likewise; reads and writes both count */
	PALEO_STREAM_ADD,   /* a = a/2 + b: nothing is fetched only to be overwritten */
	PALEO_STREAMS
};

/* Measured peaks of one CPU, and its limits. A plain value. */
struct paleo_peaks {
	int threads;
	double clock_hz;              /* that no core exceeds */
	double f32_flops, bf16_flops; /* of a core in a cycle at most; 0: the type is not offered */
	struct paleo_peak f32, bf16;  /* on all threads */
	struct paleo_peak alone;      /* f32 on one thread; no tries: not measured */
	double products_per_s;        /* FLOP/s of the compute probe; 0: not known */
	struct paleo_peak memory[PALEO_STREAMS], cache[PALEO_STREAMS]; /* the last level */
};

/* FLOP/s that all threads can reach at most, by a core's width per cycle. */
double paleo_peaks_most(const struct paleo_peaks *p, double flops);

/* Reasons why peaks of compute and of memory are unreliable, one each, "" if none: too few
 * undisturbed tries, more than the CPU can do, or one that contradicts another. */
void paleo_peaks_doubt(const struct paleo_peaks *p, struct paleo_doubts *out);

/* Writes the names of peaks (bits as for paleo_backend.ceilings): "bf16, memory". */
void paleo_peaks_names(unsigned wanted, char *text, size_t size);

#endif
