/* kernels.h - our own loops for ops missing from oneDNN; compilation of loops; bf16 to f32. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_KERNELS_H
#define PALEO_BENCH_BACKENDS_CPU_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/op/op.h"

/* `data` are the operands' buffers in operand.h's order, copies in theirs. */
struct paleo_cpu_kernel {
	const char *name; /* "paleo:dropout" */
	void (*run)(const struct paleo_op *w, void *const *data, void *scratch);
	/* Bytes of scratch memory that `threads` threads need; NULL: none. */
	size_t (*scratch)(const struct paleo_op *w, int threads);
};

extern const struct paleo_cpu_kernel paleo_cpu_attention, paleo_cpu_causal_conv, paleo_cpu_copy,
	paleo_cpu_cross_entropy, paleo_cpu_moe, paleo_cpu_rms, paleo_cpu_rope, paleo_cpu_scan;

/* Those of a kind that has several; NULL where the op is oneDNN's. */
const struct paleo_cpu_kernel *paleo_cpu_kernel_eltwise(const struct paleo_op *w);
const struct paleo_cpu_kernel *paleo_cpu_kernel_update(const struct paleo_op *w);
const struct paleo_cpu_kernel *paleo_cpu_kernel_reduce(const struct paleo_op *w);
const struct paleo_cpu_kernel *paleo_cpu_kernel_embedding(const struct paleo_op *w);

/* A function with this is compiled for three kinds of CPU, and the right one is taken. */
#if defined(__x86_64__) && defined(__GLIBC__)
#define PALEO_CPU_CLONES                                                                           \
	__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PALEO_CPU_CLONES
#endif

static inline float paleo_cpu_widen(uint16_t bf16)
{
	uint32_t u = (uint32_t)bf16 << 16;
	float v;

	memcpy(&v, &u, sizeof(v));
	return v;
}

/* To the nearest, ties to even; only for finite numbers, and others do not occur here. */
static inline uint16_t paleo_cpu_narrow(float v)
{
	uint32_t u;

	memcpy(&u, &v, sizeof(u));
	return (uint16_t)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}

/* The same of `n` numbers, as fast as the CPU can. */
void paleo_cpu_widen_all(const uint16_t *from, float *to, int64_t n);
void paleo_cpu_narrow_all(const float *from, uint16_t *to, int64_t n);

#endif
