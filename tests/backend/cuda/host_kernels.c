/* host_kernels.c - the text of the plug-in's kernels, compiled for the CPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "host_kernels.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

/* The device's compiler does not ask for casts between numbers, and not all that is here is used
 * for every number type. */
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wcast-align"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"

/* One block runs at a time, so that what its threads share can be static. Its threads take turns:
 * each runs up to its next barrier. */
static unsigned host_thread, host_block, host_blocks;
enum {
	STACK_BYTES = 1 << 17
};

static ucontext_t host_scheduler, host_threads[PALEO_KERNEL_THREADS];

static void host_barrier(void)
{
	swapcontext(&host_threads[host_thread], &host_scheduler);
}

static float host_float(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static uint32_t host_bits(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static int host_exchange(int *place, int value)
{
	int before = *place;

	*place = value;
	return before;
}

/* The sums over a thread's warp. All threads of the block come. */
static void host_warp_sums(float *a, float *b)
{
	static float values[2][PALEO_KERNEL_THREADS];
	unsigned first = host_thread / PALEO_WARP * PALEO_WARP;

	values[0][host_thread] = *a;
	values[1][host_thread] = *b;
	host_barrier();
	*a = *b = 0;
	for (unsigned i = first; i < first + PALEO_WARP; i++) {
		*a += values[0][i];
		*b += values[1][i];
	}
	host_barrier();
}

/* mma.m16n8k16 by PTX's pictures: lane l has of the first factor rows l/4 and l/4 + 8, of the
 * second column l/4; numbers 2 (l%4), the next one, and both 8 further on. All threads come. */
static void host_mma(float sum[4], const unsigned a[4], unsigned low, unsigned high);

/* The words of prelude.inc, in the host's meaning. */
#define KERNEL(name)                                                                               \
	static void name##_on(const struct paleo_frame f);                                         \
	static void name(const struct paleo_frame *f, const struct paleo_parts *p)                 \
	{                                                                                          \
		name##_on(*f);                                                                     \
	}                                                                                          \
	static void name##_on(const struct paleo_frame f)
#define PARTS_KERNEL(name)                                                                         \
	static void name##_on(const struct paleo_frame f, const struct paleo_parts p);             \
	static void name(const struct paleo_frame *f, const struct paleo_parts *p)                 \
	{                                                                                          \
		name##_on(*f, *p);                                                                 \
	}                                                                                          \
	static void name##_on(const struct paleo_frame f, const struct paleo_parts p)
#define FUNC static inline
#define SHARED static
#define UNROLL
#define BARRIER() host_barrier()
#define WARP_SUMS(a, b) host_warp_sums(&(a), &(b));
#define PAIR(pair, low, high) pair = (unsigned)put(low) | (unsigned)put(high) << 16
#define MMA(sum, a, low, high) host_mma(sum, a, low, high)
#define THREAD host_thread
#define THREADS ((unsigned)PALEO_KERNEL_THREADS)
#define BLOCK host_block
#define BLOCKS host_blocks
#define FLOAT_OF(bits) host_float(bits)
#define BITS_OF(value) host_bits(value)
#define EXCHANGE(place, value) host_exchange(place, value)

/* In the order of the plug-in's CMakeLists.txt. */
// clang-format off
#include "bench/backends/cuda/kernels/element.inc"
#include "bench/backends/cuda/kernels/fill.inc"
#include "bench/backends/cuda/kernels/eltwise.inc"
#include "bench/backends/cuda/kernels/sums.inc"
#include "bench/backends/cuda/kernels/norm.inc"
#include "bench/backends/cuda/kernels/pool.inc"
#include "bench/backends/cuda/kernels/reduce.inc"
#include "bench/backends/cuda/kernels/tokens.inc"
#include "bench/backends/cuda/kernels/update.inc"
#include "bench/backends/cuda/kernels/quantise.inc"
#include "bench/backends/cuda/kernels/blocks.inc"
#include "bench/backends/cuda/kernels/attention.inc"
#include "bench/backends/cuda/kernels/scan.inc"
#include "bench/backends/cuda/kernels/experts.inc"
#include "bench/backends/cuda/kernels/stored.inc"
#include "bench/backends/cuda/kernels/copy.inc"
#include "bench/backends/cuda/kernels/ceiling.inc"
// clang-format on
#undef BARRIER

static void host_mma(float sum[4], const unsigned a[4], unsigned low, unsigned high)
{
	static unsigned first[PALEO_KERNEL_THREADS][4], second[PALEO_KERNEL_THREADS][2];
	unsigned warp = host_thread / PALEO_WARP * PALEO_WARP, lane = host_thread % PALEO_WARP;

	memcpy(first[host_thread], a, sizeof(first[0]));
	second[host_thread][0] = low;
	second[host_thread][1] = high;
	host_barrier();
	for (unsigned i = 0; i < 4; i++) {
		unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
		for (unsigned k = 0; k < 16; k++) {
			unsigned place = k % 8 / 2, drop = k % 2 * 16;
			unsigned x = first[warp + row % 8 * 4 + place][row / 8 + k / 8 * 2] >> drop;
			unsigned w = second[warp + column * 4 + place][k / 8] >> drop;
			sum[i] += get((elem)(x & 0xffff)) * get((elem)(w & 0xffff));
		}
	}
	host_barrier();
}

struct kernel {
	const char *name;
	void (*run)(const struct paleo_frame *f, const struct paleo_parts *p);
	int has_barriers;
};

#define PLAIN(name) {#name, name, 0},
#define BARRIER(name) {#name, name, 1},
static const struct kernel kernels[] = {
#include "kernels.def"
};

int host_kernel_find(const char *name)
{
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if (!strcmp(kernels[i].name, name))
			return (int)i;
	return -1;
}

const char *host_kernel_name(int number)
{
	return kernels[number].name;
}

/* What the threads of the block that runs now compute, and how many of them have ended. */
static struct {
	const struct kernel *kernel;
	const struct paleo_frame *frame;
	const struct paleo_parts *parts;
	unsigned ended;
} host_run;

static void run_thread(void)
{
	host_run.kernel->run(host_run.frame, host_run.parts);
	host_run.ended++;
}

static int make_thread(unsigned number)
{
	static char stacks[PALEO_KERNEL_THREADS][STACK_BYTES];
	ucontext_t *thread = &host_threads[number];

	if (getcontext(thread))
		return 1;
	thread->uc_stack.ss_sp = stacks[number];
	thread->uc_stack.ss_size = STACK_BYTES;
	thread->uc_link = &host_scheduler;
	makecontext(thread, run_thread, 0);
	return 0;
}

/* One block. Its threads all end after the same number of barriers. */
static void run_together(const struct kernel *k, const struct paleo_frame *f,
			 const struct paleo_parts *p)
{
	int failed = 0;

	host_run.kernel = k;
	host_run.frame = f;
	host_run.parts = p;
	host_run.ended = 0;
	for (unsigned i = 0; i < PALEO_KERNEL_THREADS; i++)
		failed |= make_thread(i);
	while (!host_run.ended)
		for (host_thread = 0; host_thread < PALEO_KERNEL_THREADS; host_thread++)
			failed |= swapcontext(&host_scheduler, &host_threads[host_thread]);
	assert(!failed && host_run.ended == PALEO_KERNEL_THREADS);
}

void host_kernel_run(int number, unsigned blocks, const struct paleo_frame *f,
		     const struct paleo_parts *p)
{
	const struct kernel *k = &kernels[number];

	host_blocks = blocks;
	for (host_block = 0; host_block < blocks; host_block++) {
		if (k->has_barriers) {
			run_together(k, f, p);
			continue;
		}
		for (host_thread = 0; host_thread < PALEO_KERNEL_THREADS; host_thread++)
			k->run(f, p);
	}
}

float host_element(const void *tensor, long long index)
{
	return get(((const elem *)tensor)[index]);
}

void host_store(void *tensor, long long index, float v)
{
	((elem *)tensor)[index] = put(v);
}

int host_element_bytes(void)
{
	return (int)sizeof(elem);
}
