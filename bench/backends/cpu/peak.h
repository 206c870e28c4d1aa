/* peak.h - loops that multiply and add as fast as the processor can, on registers or on a cache. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_PEAK_H
#define PALEO_BENCH_BACKENDS_CPU_PEAK_H

/* One loop; `run` does `rounds` rounds on registers and leaves something in *sink, so that the
 * compiler keeps it. */
struct paleo_cpu_loop {
	const char *name; /* "avx512 fma" */
	double flops;     /* of one round */
	void (*run)(long rounds, float *sink);
	/* The same as products of matrices do it, on `data`, whose `count` floats (40 at least) are
	 * gone through again and again. bf16: NULL. */
	void (*run_on)(const float *data, long count, long rounds, float *sink);
};

/* The fastest loop that this processor has, with vectors of at most so many bytes; bf16 gives NULL
 * where it has no instruction for it. */
const struct paleo_cpu_loop *paleo_cpu_loop_f32(int vector_bytes);
const struct paleo_cpu_loop *paleo_cpu_loop_bf16(int vector_bytes);

#endif
