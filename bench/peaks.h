/* peaks.h - peaks of a processor: by undisturbed tries, and whether they can be true. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_PEAKS_H
#define PALEO_BENCH_PEAKS_H

#include "bench/backend.h"

/* One try of something on all threads. A plain value. */
struct paleo_try {
	double amount; /* FLOPs or bytes */
	double wall_s; /* from the first thread's start to the last one's end */
	double share;  /* processor time over time passed, of the thread that had least of it; less
			* where they did not begin together */
};

/* 1 if each thread had its processor all the time, as far as clocks can tell: a try of no time or
 * of more processor time than passed is a clock's fault. */
int paleo_try_is_quiet(const struct paleo_try *t);

/* What the tries of one peak came to; zero before the first. A plain value. */
struct paleo_peak {
	double per_s; /* the best of the undisturbed ones */
	double seen;  /* the best of all that are no fault of a clock */
	int quiet, tries;
};

void paleo_peak_take(struct paleo_peak *p, const struct paleo_try *t);

/* Ways to go through memory. */
enum paleo_stream {
	PALEO_STREAM_READ,
	PALEO_STREAM_WRITE, /* memset, which writes past the caches where there is much */
	PALEO_STREAM_COPY,  /* memcpy, likewise; what is read and what is written count */
	PALEO_STREAM_ADD,   /* a = a/2 + b: nothing is fetched only to be overwritten */
	PALEO_STREAMS
};

/* What was measured of one processor, and what bounds it. A plain value. */
struct paleo_peaks {
	int threads;
	double clock_hz;              /* that no core exceeds */
	double f32_flops, bf16_flops; /* of a core in a cycle at most; 0: the type is not offered */
	struct paleo_peak f32, bf16;  /* on all threads */
	struct paleo_peak alone;      /* f32 on one thread; no tries: not measured */
	double products_per_s;        /* FLOP/s of the probe of products; 0: not known */
	struct paleo_peak memory[PALEO_STREAMS], cache[PALEO_STREAMS]; /* the last level */
};

/* FLOP/s that all threads can do at most, by what a core does in a cycle. */
double paleo_peaks_most(const struct paleo_peaks *p, double flops);

/* Says of arithmetic and of memory why its peaks are not to be believed, one reason each, "" if
 * they are: too few undisturbed tries, more than the processor can do, or one that contradicts
 * another. */
void paleo_peaks_doubt(const struct paleo_peaks *p, struct paleo_doubts *out);

#endif
