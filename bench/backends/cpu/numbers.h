/* numbers.h - bf16 to f32 and back, and which processors a loop is compiled for. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_NUMBERS_H
#define PALEO_BENCH_BACKENDS_CPU_NUMBERS_H

#include <stdint.h>
#include <string.h>

/* A function with this is compiled for three kinds of processor, and the right one is taken. */
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

#endif
