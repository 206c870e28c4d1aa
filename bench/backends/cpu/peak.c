/* peak.c - loops that multiply and add as fast as the CPU can, on registers or on a cache. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "bench/backends/cpu/ceilings.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/*
 * Twelve independent sums: two multiply-adds a cycle of latency four need eight. The vectors are
 * the compiler's, so the same lines serve every CPU; this file is compiled with multiply-adds
 * contracted.
 */
enum {
	SUMS = 12
};

/* Size of a round of the GEMM-like loop: each of so many floats is multiplied by two vectors. The
 * next round begins behind two more, so that its vectors begin at multiples of 32 bytes. */
enum {
	FACTORS = SUMS / 2,
	STEP_FACTORS = 8
};

#define MULTIPLY_ADD_LOOP(name, bytes)                                                             \
	static void name(long rounds, float *sink)                                                 \
	{                                                                                          \
		float __attribute__((vector_size(bytes))) sum[SUMS], factor, term;                 \
		for (unsigned i = 0; i < (bytes) / sizeof(float); i++) {                           \
			factor[i] = 0.999f;                                                        \
			term[i] = 0.001f;                                                          \
		}                                                                                  \
		for (int i = 0; i < SUMS; i++)                                                     \
			sum[i] = term * (float)i;                                                  \
		for (long r = 0; r < rounds; r++) {                                                \
			for (int i = 0; i < SUMS; i++)                                             \
				sum[i] = sum[i] * factor + term;                                   \
		}                                                                                  \
		for (int i = 1; i < SUMS; i++)                                                     \
			sum[0] += sum[i];                                                          \
		*sink = sum[0][0];                                                                 \
	}

#define PRODUCT_STEP(bytes) (2L * (long)((bytes) / sizeof(float)) + STEP_FACTORS)
#define PRODUCT_LOOP(name, bytes)                                                                  \
	static void name(const float *data, long count, long rounds, float *sink)                  \
	{                                                                                          \
		float __attribute__((vector_size(bytes))) sum[SUMS] = {{0}}, x, y;                 \
		const float *end = data + count - PRODUCT_STEP(bytes), *at = data;                 \
		for (long r = 0; r < rounds; r++) {                                                \
			memcpy(&x, at, sizeof(x));                                                 \
			memcpy(&y, at + sizeof(x) / sizeof(float), sizeof(y));                     \
			const float *factor = at + 2 * sizeof(x) / sizeof(float);                  \
			for (long i = 0; i < FACTORS; i++) {                                       \
				sum[2 * i] += x * factor[i];                                       \
				sum[2 * i + 1] += y * factor[i];                                   \
			}                                                                          \
			at += PRODUCT_STEP(bytes);                                                 \
			at = at <= end ? at : data;                                                \
		}                                                                                  \
		for (int i = 1; i < SUMS; i++)                                                     \
			sum[0] += sum[i];                                                          \
		*sink = sum[0][0];                                                                 \
	}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) PRODUCT_LOOP(product_avx512, 64)
	__attribute__((target("avx2,fma"))) PRODUCT_LOOP(product_avx2, 32)
		__attribute__((target("avx512f"))) MULTIPLY_ADD_LOOP(loop_avx512, 64)
			__attribute__((target("avx2,fma"))) MULTIPLY_ADD_LOOP(loop_avx2, 32)

	/* Pairs of bf16 multiplied and added to f32. */
	__attribute__((target("avx512f,avx512bf16"))) static void loop_avx512_bf16(long rounds,
										   float *sink)
{
	__m512 sum[SUMS];
	__m512bh factor = _mm512_cvtne2ps_pbh(_mm512_set1_ps(0.5f), _mm512_set1_ps(0.25f));

	for (int i = 0; i < SUMS; i++)
		sum[i] = _mm512_set1_ps((float)i);
	for (long r = 0; r < rounds; r++) {
		for (int i = 0; i < SUMS; i++)
			sum[i] = _mm512_dpbf16_ps(sum[i], factor, factor);
	}
	for (int i = 1; i < SUMS; i++)
		sum[0] = _mm512_add_ps(sum[0], sum[i]);
	*sink = _mm512_cvtss_f32(sum[0]);
}
#endif

MULTIPLY_ADD_LOOP(loop_plain, 16)
PRODUCT_LOOP(product_plain, 16)

const struct paleo_cpu_loop *paleo_cpu_loop_f32(int vector_bytes)
{
	static const struct paleo_cpu_loop plain = {"4-wide multiply-add", 2.0 * SUMS * 4,
						    loop_plain, product_plain};
#if defined(__x86_64__)
	static const struct paleo_cpu_loop avx512 = {"avx512 fma", 2.0 * SUMS * 16, loop_avx512,
						     product_avx512};
	static const struct paleo_cpu_loop avx2 = {"avx2 fma", 2.0 * SUMS * 8, loop_avx2,
						   product_avx2};

	if (vector_bytes >= 64 && __builtin_cpu_supports("avx512f"))
		return &avx512;
	if (vector_bytes >= 32 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return &avx2;
#endif
	(void)vector_bytes;
	return &plain;
}

const struct paleo_cpu_loop *paleo_cpu_loop_bf16(int vector_bytes)
{
#if defined(__x86_64__)
	static const struct paleo_cpu_loop bf16 = {"avx512 dpbf16", 2.0 * SUMS * 32,
						   loop_avx512_bf16, NULL};

	if (vector_bytes >= 64 && __builtin_cpu_supports("avx512bf16"))
		return &bf16;
#endif
	(void)vector_bytes;
	return NULL;
}
